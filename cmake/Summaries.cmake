# cmake -DIN=Ops.md -DOUT=Ops.inc -P Summaries.cmake: the names, summaries and forms of ops, out
# of what `mlir-tblgen -gen-op-doc` writes, as a literal of C++.
file(READ ${IN} text)
string(REGEX MATCHALL "\n(### |_|operation ::=|              )[^\n]*" lines "${text}")
string(REPLACE ";\n" "\n" text "${lines}")
file(WRITE ${OUT} "R\"md(${text}\n)md\"\n")
