//===- Reference.cpp - Evaluation of a module in f64 ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions to be called are found on tensors, by name of location. They
// stay unchanged until they are on memrefs, and become calls then. The others
// keep their loops, and round after each step as in the program. A sum runs
// over its terms in the order of the program; only the interleaving of sums is
// changed.
//
//===----------------------------------------------------------------------===//

#include "hone/Reference/Reference.h"
#include "RaggedProducts.h"
#include "dialects/Hone/Hone.h"
#include "hone/Driver/Compile.h"
#include "hone/Driver/Pipeline.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "passes/RowOps.h"
#include "passes/Support.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;

/// The number of a contraction that is called.
static constexpr StringLiteral kProduct = "hone.product";

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// An op that inspects the bits of its operands would change its meaning on
/// f64, and a pair in the program would be confused with the reference's own.
static llvm::Error refuseBitsAndPairs(ModuleOp module) {
  std::string found;
  module.walk([&](Operation *op) {
    bool isPair = llvm::any_of(op->getResultTypes(), [](Type type) {
      return isa<ComplexType>(getElementTypeOrSelf(type));
    });
    if (found.empty() && (isPair || isa<arith::BitcastOp>(op)))
      found = op->getName().getStringRef().str();
  });
  if (found.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      "expected a function that does not depend on the bits of its floats, and "
      "has no complex numbers, but got " +
      found);
}

/// Lowers ops on whole tensors, and named ones, to loops with a body.
static llvm::Error generalize(ModuleOp module) {
  return runPasses(module, [](OpPassManager &pm) {
    pm.addPass(createDecompose());
    pm.addPass(createConvertElementwiseToLinalgPass());
    pm.addPass(createLinalgGeneralizeNamedOpsPass());
  });
}

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

/// Collects the names in a location, and in those it was fused from.
static void collectNames(Location loc, llvm::StringSet<> &names) {
  if (auto name = dyn_cast<NameLoc>(loc))
    names.insert(name.getName().getValue());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      collectNames(part, names);
}

/// How products may be computed, by the names of ops.
using MatchedOps = llvm::StringMap<Products>;

/// The names, by location, of the ops that `hone-match` matches. They
/// accumulate in f32 whatever the program's type is.
static MatchedOps findMatched(ModuleOp module, const MatchOptions &permitted) {
  MatchedOps matched;
  OwningOpRef<ModuleOp> copy = module.clone();
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  if (llvm::Error error = runPasses(*copy, [&](OpPassManager &pm) {
        pm.addPass(createMatch(permitted));
      })) {
    llvm::consumeError(std::move(error));
    return matched;
  }
  copy->walk([&](MatmulOp op) {
    llvm::StringSet<> names;
    collectNames(op.getLoc(), names);
    for (const auto &name : names)
      matched[name.first()] = op.getProblem().products;
  });
  return matched;
}

/// True if `op` adds products of its two inputs, possibly extended.
static bool addsProducts(linalg::GenericOp op) {
  for (Operation &inner : op.getBody()->without_terminator())
    if (!isa<arith::ExtFOp, arith::MulFOp, arith::AddFOp>(inner))
      return false;
  return op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
         op.getNumReductionLoops() > 0 &&
         linalg::detail::isContractionBody(
             *op.getBody(), [](Operation *product, Operation *sum) {
               return isa<arith::MulFOp>(product) && isa<arith::AddFOp>(sum);
             });
}

/// Reads an index as a sum of loops times constants, and records that they run
/// over dimension `dim` of an operand.
static bool addIndex(AffineExpr expr, int dim, bool isAlone,
                     ReferenceProduct::Index ReferenceProduct::Loop::*operand,
                     ReferenceProduct &product) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && binary.getKind() == AffineExprKind::Add)
    return addIndex(binary.getLHS(), dim, false, operand, product) &&
           addIndex(binary.getRHS(), dim, false, operand, product);
  int64_t step = 1;
  if (binary && binary.getKind() == AffineExprKind::Mul) {
    auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!factor || factor.getValue() < 1)
      return false;
    step = factor.getValue();
    expr = binary.getLHS();
  }
  auto loop = dyn_cast<AffineDimExpr>(expr);
  if (!loop)
    return false;
  auto &index = product.loops[loop.getPosition()].*operand;
  if (index.dim >= 0)
    return false;
  index = {dim, step, isAlone && step == 1};
  return true;
}

/// The loops of a contraction, or of a convolution.
static std::optional<ReferenceProduct> asProduct(linalg::GenericOp op) {
  auto type =
      toElementType(getElementTypeOrSelf(op.getOutputs().front().getType()));
  if (!addsProducts(op) || !type)
    return std::nullopt;
  using Loop = ReferenceProduct::Loop;
  ReferenceProduct product;
  product.type = *type;
  product.loops.resize(op.getNumLoops());
  ReferenceProduct::Index Loop::*operands[] = {&Loop::a, &Loop::b, &Loop::c};
  for (auto [map, operand] :
       llvm::zip_equal(op.getIndexingMapsArray(), operands))
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (!addIndex(expr, dim, /*isAlone=*/true, operand, product))
        return std::nullopt;
  // Each loop must index at least two operands (rows, columns, steps, batches),
  // and some operand must give its trip count.
  for (const Loop &loop : product.loops) {
    bool inA = loop.a.dim >= 0, inB = loop.b.dim >= 0, inC = loop.c.dim >= 0;
    if (inA + inB + inC < 2 ||
        !(loop.a.isWhole || loop.b.isWhole || loop.c.isWhole))
      return std::nullopt;
  }
  return product;
}

/// Attaches its number to each contraction that is called.
static void numberProducts(ModuleOp module, const MatchedOps &matched,
                           Decisions decisions, ReferenceProducts &products) {
  Builder builder(module.getContext());
  module.walk([&](linalg::GenericOp op) {
    std::optional<ReferenceProduct> product = asProduct(op);
    if (!product)
      return;
    llvm::StringSet<> names;
    collectNames(op.getLoc(), names);
    bool isMatched = false;
    for (const auto &name : names)
      if (auto found = matched.find(name.first()); found != matched.end()) {
        isMatched = true;
        product->products = found->second;
      }
    if (!isMatched && product->type != ElementType::f32)
      return;
    product->decisions = decisions;
    op->setAttr(kProduct, builder.getIndexAttr(products.size()));
    products.push_back(std::move(*product));
  });
}

/// Gives every linalg op a location with a unique name.
static void nameOps(ModuleOp module) {
  int64_t count = 0;
  module.walk([&](linalg::LinalgOp op) {
    auto name = StringAttr::get(module.getContext(),
                                llvm::formatv("hone.op{0}", count++).str());
    op->setLoc(NameLoc::get(name, op->getLoc()));
  });
}

static func::FuncOp declareProduct(ModuleOp module) {
  OpBuilder builder(module.getBodyRegion());
  auto pairs = UnrankedMemRefType::get(ComplexType::get(builder.getF64Type()),
                                       /*memorySpace=*/{});
  auto type =
      builder.getFunctionType({builder.getI64Type(), pairs, pairs, pairs}, {});
  auto function = func::FuncOp::create(builder, module.getLoc(),
                                       kReferenceProductSymbol, type);
  function.setPrivate();
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    builder.getUnitAttr());
  return function;
}

static void callProducts(ModuleOp module, ReferenceProducts &products) {
  if (products.empty())
    return;
  func::FuncOp callee = declareProduct(module);
  auto pairs = callee.getArgumentTypes()[1];
  SmallVector<linalg::GenericOp> ops;
  module.walk([&](linalg::GenericOp op) {
    if (op->hasAttr(kProduct))
      ops.push_back(op);
  });
  for (linalg::GenericOp op : ops) {
    OpBuilder builder(op);
    auto number = op->getAttrOfType<IntegerAttr>(kProduct).getInt();
    auto address = reinterpret_cast<int64_t>(&products[number]);
    SmallVector<Value> operands = {arith::ConstantOp::create(
        builder, op.getLoc(), builder.getI64IntegerAttr(address))};
    for (Value operand : op->getOperands())
      operands.push_back(
          memref::CastOp::create(builder, op.getLoc(), pairs, operand));
    func::CallOp::create(builder, op.getLoc(), callee, operands);
    op.erase();
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Makes the last parallel loop of a reduction the innermost one, so that it
/// visits adjacent elements of the result, not a column.
static void interchangeLoops(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::GenericOp> ops;
  module.walk([&](linalg::GenericOp op) { ops.push_back(op); });
  for (linalg::GenericOp op : ops) {
    SmallVector<unsigned> parallel, order;
    op.getParallelDims(parallel);
    if (parallel.empty() || parallel.size() == op.getNumLoops())
      continue;
    for (unsigned i = 0; i < op.getNumLoops(); ++i)
      if (i != parallel.back())
        order.push_back(i);
    order.push_back(parallel.back());
    rewriter.setInsertionPoint(op);
    (void)linalg::interchangeGenericOp(rewriter, op, order);
  }
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<ReferenceProgram>>
ReferenceProgram::create(ModuleOp module, Decisions decisions,
                         const MatchOptions &permitted) {
  if (llvm::Error error = refuseBitsAndPairs(module))
    return std::move(error);
  module.getContext()->loadDialect<complex::ComplexDialect>();
  auto program = std::make_unique<ReferenceProgram>();
  OwningOpRef<ModuleOp> copy = module.clone();
  if (llvm::Error error = expandRaggedProducts(*copy))
    return std::move(error);
  expandRowOps(*copy, RowForm::loop);
  nameOps(*copy);
  MatchedOps matched = findMatched(*copy, permitted);
  if (llvm::Error error = generalize(*copy))
    return std::move(error);
  numberProducts(*copy, matched, decisions, program->products);
  if (llvm::Error error = carryErrors(*copy, decisions, program->decides))
    return std::move(error);
  program->decides |= !program->products.empty(); // which may overflow
  if (failed(verify(*copy)))
    return llvm::createStringError(
        "expected a module that means the same on f64");
  if (llvm::Error error = runPasses(*copy, [](OpPassManager &pm) {
        buildPipeline(pm, PipelineOptions(), /*makeSources=*/nullptr,
                      PipelinePart::only(PipelineStep::bufferize));
        bufferization::BufferDeallocationPipelineOptions deallocation;
        bufferization::buildBufferDeallocationPipeline(pm, deallocation);
      }))
    return std::move(error);
  callProducts(*copy, program->products);
  interchangeLoops(*copy);

  JitOptions options;
  // Products are calls; for the rest, optimizing would take longer than
  // running.
  options.optLevel = 1;
  options.symbols[std::string("_mlir_ciface_") + kReferenceProductSymbol] =
      reinterpret_cast<void *>(&multiplyForReference);
  auto jit = Jit::create(*copy, options);
  if (!jit)
    return jit.takeError();
  program->jit = std::move(*jit);
  return program;
}

void ReferenceProgram::setErrorSum(ErrorSum sum) {
  for (ReferenceProduct &product : products)
    product.errors = sum;
}

void ReferenceProgram::setEngine(ProductEngine *engine) {
  for (ReferenceProduct &product : products)
    product.engine = engine;
}
