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

def Hone_RouteOp : Hone_Op<"route", [Pure]> {
  let summary = "tokens are sorted by their experts";
  let description = [{
    A token is in the group of each expert that it chose. Its choice k of token t is pair
    `t * K + k`. Pairs are sorted by expert; those of one expert keep their order:

        places[j]  the pair that is j-th
        rows[j]    its token, places[j] / K
        ends[g]    the number of pairs whose expert is at most g

    A pair whose expert is not from 0 to groups - 1 belongs to no group, and comes last. So
    `gather(%rows) ragged(%ends)` of a product multiplies each row by its expert's matrix,
    and `scatter_rows` adds the results to `rows` again.

    ```mlir
    %rows, %places, %ends = hone.route %experts groups 8
        : tensor<45x2xi32> -> tensor<90xi32>, tensor<90xi32>, tensor<8xi32>
    ```

    Experts are i32 or i64, T x K, or T for one choice. There are at most 1024 groups.
    `hone-match` turns the op into linalg ops (docs/Ragged.md).
  }];
  let arguments = (ins AnyRankedTensor:$experts, I64Attr:$groups);
  let results = (outs AnyRankedTensor:$rows, AnyRankedTensor:$places, AnyRankedTensor:$ends);
  let assemblyFormat = [{
    $experts `groups` $groups attr-dict `:` type($experts) `->` type(results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The choices of a token.
    int64_t getChoices() {
      auto type = ::llvm::cast<::mlir::RankedTensorType>(getExperts().getType());
      return type.getRank() == 1 ? 1 : type.getDimSize(1);
    }
  }];
}

#endif // HONE_DIALECTS_HONE_ROWOPS_TD
