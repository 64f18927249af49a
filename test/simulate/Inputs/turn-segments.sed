s|^ *%[0-9]* = arith.ceildivui %depthOfTile, %c32_i32 : i32|&\n%odd = arith.andi %segment, %c1_i32 : i32\n%turns = arith.cmpi ne, %odd, %c0_i32 : i32\n%steps = arith.ceildivui %depthOfTile, %c32_i32 : i32\n%last = arith.subi %steps, %c1_i32 : i32\n%begin = arith.select %turns, %last, %c0_i32 : i32\n%start = arith.muli %begin, %c32_i32 : i32|
s|\[\(%[0-9]*\), %c0_i32\] through|[\1, %start] through|
s|%matrix_0\[%c0_i32, |%matrix_0[%start, |
s|\(%[0-9]*\) = arith.muli \(%[0-9]*\), %c32_i32 : i32$|%back = arith.subi %last, \2 : i32\n%at = arith.select %turns, %back, \2 : i32\n\1 = arith.muli %at, %c32_i32 : i32|
