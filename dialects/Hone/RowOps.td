//===- RowOps.td - Ops on rows of matrices -----------------*- tablegen -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included by Hone.td.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_DIALECTS_HONE_ROWOPS_TD
#define HONE_DIALECTS_HONE_ROWOPS_TD

def Hone_ScatterRowsOp : Hone_Op<"scatter_rows", [Pure, AllTypesMatch<["destination", "result"]>]> {
  let summary = "rows are added to those that an index names";
  let description = [{
        D[d, n]  =  C[d, n] + sum over i with to[i] = d of weights[i] * rows[i, n]

    The sum is one of f32, in the order of i, so it has the same bits in each run. A row
    whose index is that of no row of C is dropped. Without weights each is 1. With `max`
    it is the maximum of C's element and the terms.

    ```mlir
    %d = hone.scatter_rows %rows to %to weights %w into %c
        : tensor<512x96xf16>, tensor<512xi32>, tensor<512xf32> into tensor<64x96xf32>
    ```

    `hone-match` turns it into linalg ops (docs/Ragged.md).
  }];
  let arguments = (ins AnyRankedTensor:$rows, AnyRankedTensor:$to,
                       Optional<AnyRankedTensor>:$weights, AnyRankedTensor:$destination,
                       UnitAttr:$maximum);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $rows `to` $to (`weights` $weights^)? (`max` $maximum^)? `into` $destination attr-dict `:`
    type($rows) `,` type($to) (`,` type($weights)^)? `into` type($destination)
  }];
  let hasVerifier = 1;
}

#endif // HONE_DIALECTS_HONE_ROWOPS_TD
