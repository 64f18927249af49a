//===- WalkMemory.cpp - Memory accesses of a rest kernel ------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every access to global memory must be one that the function makes at the same
// point, so none is out of bounds where the function's are not. Within a step,
// a thread reads only those results that it writes itself; between steps there
// is a barrier.
//
//===----------------------------------------------------------------------===//

#include "TermValues.h"
#include "Walk.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::simulate::rest;
using llvm::formatv;

/// Address spaces of the NVPTX back end.
static constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3;

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static int64_t bytesOf(Type type) {
  return llvm::PowerOf2Ceil((widthOf(type) + 7) / 8);
}

/// True if the constant of a kernel's module has the contents of the function's
/// table.
static bool isSameTable(LLVM::GlobalOp global, func::FuncOp function,
                        StringRef table) {
  auto own = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      function, StringAttr::get(function.getContext(), table));
  auto expected = own ? dyn_cast_or_null<DenseElementsAttr>(
                            own.getInitialValue().value_or(Attribute()))
                      : DenseElementsAttr();
  auto given = dyn_cast_or_null<DenseElementsAttr>(global.getValueOrNull());
  if (!expected || !given || !global.getConstant() || !own.getConstant() ||
      given.getElementType() != expected.getElementType() ||
      given.getNumElements() != expected.getNumElements())
    return false;
  return llvm::equal(given.getValues<Attribute>(),
                     expected.getValues<Attribute>());
}

/// The alignment that ptxas gives to a symbol.
static int64_t alignmentOf(LLVM::GlobalOp global, Type element) {
  return global.getAlignment() ? int64_t(*global.getAlignment())
                               : bytesOf(element);
}

/// The start of an array in shared memory, or of a table. The size of an
/// external symbol is set by the launch or by another module.
std::optional<Pointer> Walk::pointerOf(LLVM::GlobalOp global) {
  auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
  bool isOwn = global.getLinkage() == LLVM::Linkage::Internal ||
               global.getLinkage() == LLVM::Linkage::Private;
  if (!type || !type.getElementType().isIntOrFloat() || !isOwn)
    return std::nullopt;
  Pointer pointer;
  pointer.align = alignmentOf(global, type.getElementType());
  StringRef name = global.getSymName();
  if (global.getAddrSpace() == kSharedSpace) {
    int64_t bytes = type.getNumElements() * bytesOf(type.getElementType());
    pointer.shared = {name.str(), bytes, pointer.align};
    return pointer;
  }
  auto table = name.consume_front("hone_table_") ? function.tableNamed(name)
                                                 : std::nullopt;
  if (!table || !isSameTable(global, function.op(), name))
    return std::nullopt;
  pointer.array = *table;
  return pointer;
}

std::optional<Pointer> Walk::pointerOf(Value value) {
  auto space = cast<LLVM::LLVMPointerType>(value.getType()).getAddressSpace();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &kernel.getBody().front() ||
        space != kGlobalSpace)
      return std::nullopt;
    const Param &param = launch.params[argument.getArgNumber()];
    auto array = function.arrayOf(function.op().getArgument(param.argument));
    if (!array || param.kind != Param::address)
      return std::nullopt;
    Pointer pointer;
    pointer.array = *array;
    auto promised = launch.aligns.find(param.argument);
    if (promised != launch.aligns.end())
      pointer.align = promised->second;
    return pointer;
  }
  if (auto address = value.getDefiningOp<LLVM::AddressOfOp>()) {
    auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
        address, address.getGlobalNameAttr());
    return global ? pointerOf(global) : std::nullopt;
  }
  auto part = value.getDefiningOp<LLVM::GEPOp>();
  bool isUnsigned = part && bitEnumContainsAny(part.getNoWrapFlags(),
                                               LLVM::GEPNoWrapFlags::nuw);
  if (!part || isUnsigned || part.getIndices().size() != 1 ||
      !part.getElemType().isIntOrFloat())
    return std::nullopt;
  auto pointer = pointerOf(part.getBase());
  if (!pointer)
    return std::nullopt;
  Polynomial at;
  auto index = part.getIndices()[0];
  if (auto constant = dyn_cast<IntegerAttr>(index)) {
    at = constant.getInt();
  } else {
    auto term = valueOf(cast<Value>(index));
    if (!term)
      return std::nullopt;
    at = terms.numberOf(*term);
  }
  pointer->bytes = pointer->bytes + at * bytesOf(part.getElemType());
  return pointer;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void Walk::loadShared(Operation *op, const Pointer &at) {
  Value loaded = op->getResult(0);
  if (inChunks || !loaded.getType().isIntOrFloat()) {
    isUnknown(op, "reads shared memory where the proof does not follow");
    return;
  }
  TermId result = terms.leaf(Term::shared, events++, loaded.getType());
  TermId address =
      terms.number(at.bytes, IntegerType::get(op->getContext(), 64));
  if (auto fault = threads.load(*at.shared, address, result,
                                bytesOf(loaded.getType()), active))
    fail(op, fault->fault, fault->text);
  fixed[loaded] = result;
}

void Walk::storeShared(Operation *op, const Pointer &at, Value value) {
  auto term = valueOf(value);
  if (inChunks || !term || !value.getType().isIntOrFloat()) {
    isUnknown(op, "writes shared memory where the proof does not follow");
    return;
  }
  TermId address =
      terms.number(at.bytes, IntegerType::get(op->getContext(), 64));
  if (auto fault = threads.store(*at.shared, address, *term,
                                 bytesOf(value.getType()), active))
    fail(op, fault->fault, fault->text);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Checks the barrier between steps: a step may read the results of the
/// previous one.
bool Walk::startAccess(Operation *op) {
  if (launch.isProgrammatic && !hasWaited)
    return fail(op, Fault::depend,
                "touches global memory before 'kernel.depend.wait'");
  if (!step())
    return fail(op, Fault::coverage, "comes after the last step");
  if (epoch == lastStepEpoch)
    return fail(op, Fault::unfilled,
                "touches memory in a step that no barrier separates from the "
                "one before");
  return true;
}

void Walk::endStep() {
  ++current;
  lastStepEpoch = epoch;
  now = Progress();
  // Values loaded earlier may have changed.
  fixed.clear();
  computed.clear();
  vectors.clear();
}

TermId Walk::elementOf(unsigned result, const Point &point) {
  // Points that cannot be expressed are refused earlier.
  return *function.elementOf(*step(), step()->inputs() + result, point);
}

/// Checks the types and the alignment of an access.
bool Walk::checkGlobal(Operation *op, const Pointer &at, Type type,
                       int64_t align) {
  const Array &array = function.arrays()[at.array];
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  if (canonicalType(array.type.getElementType()) != element)
    return fail(op, Fault::bounds,
                "accesses elements of another type than the function's");
  if (vector && (vector.getRank() != 1 || widthOf(element) % 8 != 0))
    return fail(op, Fault::bounds, "moves elements that are not whole bytes");
  int64_t own = array.elementBytes();
  int64_t wanted = align ? align : own * (vector ? vector.getNumElements() : 1);
  // Elements of a memref are naturally aligned, a table as its symbol is.
  int64_t given = array.table.empty() ? std::max(own, at.align) : at.align;
  for (auto &[monomial, coefficient] : at.bytes.terms())
    if (wanted > own && coefficient % wanted != 0)
      given = std::min(given, own);
  if (wanted > given)
    return fail(op, Fault::plan,
                formatv("takes {0} bytes of alignment for granted, but the "
                        "guard lets others through",
                        wanted));
  return true;
}

bool Walk::checkRead(Operation *op, TermId element) {
  if (!now.readable.count(element))
    return fail(op, Fault::bounds,
                "reads an element that the function does not read at this "
                "point: byte " +
                    terms.symbols.str(terms[element].position) + " of array " +
                    std::to_string(terms[element].index));
  // A thread may read only those results of a step that it writes itself.
  for (unsigned i = 0; i < step()->results(); ++i) {
    auto array = function.arrayOf(*step(), step()->inputs() + i);
    if (!array || *array != terms[element].index)
      continue;
    bool isOwn = false;
    for (auto [lane, point] : llvm::enumerate(now.points))
      isOwn |= elementOf(i, point) == element &&
               !now.stored.count({i, unsigned(lane)});
    if (!isOwn || (now.isReducing && inChunks))
      return fail(op, Fault::overwritten,
                  "reads an element that this or another thread writes in the "
                  "same step");
    if (now.isReducing && llvm::count(active, true) != 1)
      return fail(op, Fault::overwritten,
                  "reads in several threads an element that one of them "
                  "writes, without a barrier in between");
  }
  return true;
}

void Walk::walkLoad(Operation *op) {
  auto load = cast<LLVM::LoadOp>(op);
  auto at = pointerOf(load.getAddr());
  if (!at || load.getVolatile_()) {
    isUnknown(op, "reads memory that the proof does not model");
    return;
  }
  if (at->shared)
    return loadShared(op, *at);
  Type type = load.getType();
  if (!startAccess(op) ||
      !checkGlobal(op, *at, type, load.getAlignment().value_or(0)))
    return;
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  SmallVector<TermId> lanes;
  for (int64_t i = 0; i < (vector ? vector.getNumElements() : 1); ++i) {
    lanes.push_back(
        terms.load(at->array, at->bytes + i * bytesOf(element), element));
    if (!checkRead(op, lanes.back()))
      return;
  }
  if (vector)
    vectors[load.getResult()] = lanes;
  else
    fixed[load.getResult()] = lanes.front();
}

/// Stores the result of a point: once, and equal to the function's.
void Walk::storePoint(Operation *op, TermId element, TermId value) {
  for (auto [lane, point] : llvm::enumerate(now.points))
    for (unsigned i = 0; i < step()->results(); ++i) {
      if (elementOf(i, point) != element)
        continue;
      if (!now.stored.insert({i, unsigned(lane)}).second) {
        fail(op, Fault::coverage, "writes an element twice");
        return;
      }
      if (!now.inner.empty() && !now.isFolded) {
        fail(op, Fault::value, "stores a sum that is not there yet");
        return;
      }
      if (auto off = compareValues(terms, value, now.expected[lane][i]))
        fail(op, off->isCertain ? Fault::value : Fault::notModelled,
             formatv("writes a value that {0}", off->text));
      return;
    }
  fail(op, Fault::bounds,
       "writes an element that the function does not write at this point: "
       "byte " +
           terms.symbols.str(terms[element].position) + " of array " +
           std::to_string(terms[element].index));
}

/// Stores the sum of a row: one thread adds all parts to the previous value.
void Walk::storeRow(Operation *op, TermId element, TermId value) {
  if (llvm::count(active, true) != 1) {
    fail(op, Fault::coverage,
         "is done by " + std::to_string(llvm::count(active, true)) +
             " threads rather than one");
    return;
  }
  auto thread = llvm::find(active, true) - active.begin();
  for (unsigned i = 0; i < step()->results(); ++i) {
    TermId before = elementOf(i, now.points.front());
    if (before != element)
      continue;
    uint64_t sum = 0;
    unsigned starts = 0;
    for (TermId leaf : terms.flatten(value, now.combiners[i])) {
      const Threads::Parts *parts =
          leaf == before ? nullptr : threads.partsOf(leaf);
      starts += leaf == before;
      bool isPart = parts && (*parts)[thread].isWhole() &&
                    (*parts)[thread].result == partOf(i) &&
                    (*parts)[thread].type == terms[leaf].type;
      if (leaf != before && !isPart) {
        fail(op, Fault::value,
             "writes another value than the old one plus the sum of the row");
        return;
      }
      sum += parts ? (*parts)[thread].sum : 0;
    }
    if (starts != 1 || sum != threads.sumOfAll(partOf(i))) {
      fail(op, Fault::value,
           starts != 1 ? "does not add the old value exactly once"
                       : "leaves out the part of a thread, or adds it twice");
      return;
    }
    if (!now.stored.insert({i, 0}).second)
      fail(op, Fault::coverage, "writes an element twice");
    if (now.stored.size() == step()->results())
      endStep();
    return;
  }
  fail(op, Fault::bounds, "writes an element that is not the row's result");
}

void Walk::walkStore(Operation *op) {
  auto store = cast<LLVM::StoreOp>(op);
  auto at = pointerOf(store.getAddr());
  if (!at || store.getVolatile_() || bodyDepth > 0) {
    isUnknown(op, bodyDepth > 0
                      ? "writes in each round of a loop"
                      : "writes memory that the proof does not model");
    return;
  }
  if (at->shared)
    return storeShared(op, *at, store.getValue());
  Type type = store.getValue().getType();
  if (!startAccess(op) ||
      !checkGlobal(op, *at, type, store.getAlignment().value_or(0)))
    return;
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  std::optional<SmallVector<TermId>> values;
  if (vector)
    values = lanesOf(store.getValue());
  else if (auto value = valueOf(store.getValue()))
    values = SmallVector<TermId>{*value};
  if (!values) {
    isUnknown(op, "writes a value that the proof does not model");
    return;
  }
  for (auto [i, value] : llvm::enumerate(*values)) {
    TermId place = terms.load(
        at->array, at->bytes + int64_t(i) * bytesOf(element), element);
    if (!step() || !findings.empty())
      return;
    if (inChunks && !now.isReducing)
      storePoint(op, place, value);
    else if (!inChunks && now.isReducing)
      storeRow(op, place, value);
    else
      fail(op, Fault::coverage, "writes where the step has no result");
  }
}
