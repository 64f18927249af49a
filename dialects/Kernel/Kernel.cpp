//===- Kernel.cpp - Dialect kernel ----------------------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration and verifiers. The verifiers check properties of a single op:
// its types fit each other and the instructions that they represent. The
// simulator checks sequences of events.
//
//===----------------------------------------------------------------------===//

#include "dialects/Kernel/Kernel.h"
#include "dialects/Kernel/AddressMap.h"
#include "dialects/Kernel/KernelInterfaces.h"
#include "dialects/Kernel/Verifiers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hone::kernel;

#include "dialects/Kernel/KernelDialect.cpp.inc"

void KernelDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Kernel/KernelTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Kernel/KernelOps.cpp.inc"
      >();
  registerAttributes();
  attachEffects(getContext());
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Bounds that keep every product of extents inside 64 bits. A block has at
/// most 1024 threads, which are 32 warps.
constexpr int64_t kMaxExtent = 65536, kMaxWarps = 32;

/// More than any chip has, and small enough to unroll.
constexpr int64_t kMaxRingBytes = 256 << 10, kMaxThreadElements = 1024;

/// True for f16 and bf16.
static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

LogicalResult MatrixType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type element, int64_t align) {
  if (!element.isIntOrFloat())
    return emitError() << "expected a scalar element type, but got " << element;
  if (align < 1 || align > 16 || (align & (align - 1)))
    return emitError()
           << "expected align to be 1, 2, 4, 8 or 16 bytes, but got " << align;
  return success();
}

LogicalResult OperandType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type element, StringRef dims) {
  if (!element.isIntOrFloat())
    return emitError() << "expected a scalar element type, but got " << element;
  if (dims != "" && dims != "m" && dims != "n" && dims != "mn")
    return emitError()
           << "expected dims to be \"\", \"m\", \"n\" or \"mn\", but got \""
           << dims << "\"";
  return success();
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t slots, int64_t lines, int64_t width,
                               Type element) {
  for (int64_t extent : {slots, lines, width})
    if (extent < 1 || extent > kMaxExtent)
      return emitError() << "expected extents of 1 to " << kMaxExtent
                         << ", but got " << slots << " of " << lines << " x "
                         << width;
  if (!isSlotElement(element))
    return emitError() << "expected element type " << kSlotElements
                       << ", but got " << element;
  int64_t elementBytes = element.getIntOrFloatBitWidth() / 8;
  int64_t bytes = width * elementBytes;
  bool isOdd = bytes % kChunkBytes == 0 && bytes / kChunkBytes % 2;
  if (bytes != 32 && bytes != 64 && bytes % 128 && !isOdd)
    return emitError()
           << "expected lines of 32, 64, a multiple of 128 or an odd multiple "
              "of 16 bytes, but got "
           << bytes << "; use a width of " << 32 / elementBytes << ", "
           << 64 / elementBytes << " or a multiple of " << 128 / elementBytes;
  if (slots * lines * bytes > kMaxRingBytes)
    return emitError() << "expected a ring of at most " << kMaxRingBytes
                       << " bytes, but got " << slots * lines * bytes;
  return success();
}

static LogicalResult verifyWarps(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t warpsM, int64_t warpsN) {
  if (warpsM >= 1 && warpsN >= 1 && warpsM <= kMaxWarps &&
      warpsN <= kMaxWarps && warpsM * warpsN <= kMaxWarps)
    return success();
  return emitError() << "expected 1 to " << kMaxWarps << " warps, but got "
                     << warpsM << " x " << warpsN;
}

/// Checks that `rows` split over `warps` is a whole number of pieces.
static LogicalResult verifySplit(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef what, int64_t rows, int64_t warps,
                                 int64_t piece = 16) {
  if (rows < 1 || rows > kMaxExtent || rows % (warps * piece))
    return emitError() << "expected " << what << " to be a multiple of "
                       << piece << " for each of " << warps
                       << " warps and at most " << kMaxExtent << ", but got "
                       << rows;
  return success();
}

LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef side, int64_t rows, Type element,
                                   int64_t warpsM, int64_t warpsN,
                                   int64_t depth) {
  if (side != "a" && side != "b")
    return emitError() << "expected side \"a\" or \"b\", but got \"" << side
                       << "\"";
  if (!isHalf(element) && !element.isF32() && !isByte(element))
    return emitError() << "expected element type f16, bf16, f32, i8 or a float "
                          "of 8 bits, but got "
                       << element;
  if (depth && (depth != kThreadStep || !element.isF32()))
    return emitError() << "expected a depth of " << kThreadStep
                       << " elements of f32, but got " << depth << " of "
                       << element;
  if (failed(verifyWarps(emitError, warpsM, warpsN)))
    return failure();
  int64_t warps = side == "a" ? warpsM : warpsN;
  if (failed(verifySplit(emitError, "rows", rows, warps)))
    return failure();
  if (rows / warps > kMaxThreadElements)
    return emitError() << "expected at most " << kMaxThreadElements
                       << " rows for each of " << warps << " warps, but got "
                       << rows;
  return success();
}

/// Checks that every thread gets the same number of whole runs.
static LogicalResult verifyRuns(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rows, int64_t cols, int64_t threads,
                                int64_t run) {
  if (run != 1 && run != 2 && run != 4 && run != 8)
    return emitError() << "expected runs of 1, 2, 4 or 8 elements, but got "
                       << run;
  for (int64_t extent : {rows, cols})
    if (extent < 1 || extent > kMaxExtent)
      return emitError() << "expected extents of 1 to " << kMaxExtent
                         << ", but got " << rows << " x " << cols;
  if (cols % 16 || rows * cols % (threads * run))
    return emitError() << "expected a multiple of 16 columns, and of " << run
                       << " elements for each of " << threads
                       << " threads, but got " << rows << " x " << cols;
  return success();
}

LogicalResult AccType::verify(function_ref<InFlightDiagnostic()> emitError,
                              int64_t rows, int64_t cols, Type element,
                              int64_t warpsM, int64_t warpsN, int64_t run) {
  if (!isHalf(element) && !isSum(element) && !element.isSignlessInteger(8))
    return emitError()
           << "expected element type f16, bf16, f32, i8 or i32, but got "
           << element;
  if (failed(verifyWarps(emitError, warpsM, warpsN)))
    return failure();
  int64_t threads = warpsM * warpsN * kWarpSize;
  if (rows > 0 && rows <= kMaxExtent && cols <= kMaxExtent &&
      rows * cols / threads > kMaxThreadElements)
    return emitError() << "expected at most " << kMaxThreadElements
                       << " elements for each of " << threads
                       << " threads, but got " << rows << " x " << cols;
  if (run != 0)
    return verifyRuns(emitError, rows, cols, threads, run);
  if (failed(verifySplit(emitError, "rows", rows, warpsM)))
    return failure();
  return verifySplit(emitError, "cols", cols, warpsN, /*piece=*/8);
}

/// `, rounded, window` of a map, either of them, or nothing
static ParseResult parseMapFlags(AsmParser &parser, bool &rounded,
                                 bool &window) {
  rounded = window = false;
  if (failed(parser.parseOptionalComma()))
    return success();
  rounded = succeeded(parser.parseOptionalKeyword("rounded"));
  if (rounded && failed(parser.parseOptionalComma()))
    return success();
  window = true;
  return parser.parseKeyword("window");
}

static void printMapFlags(AsmPrinter &printer, bool rounded, bool window) {
  if (rounded)
    printer << ", rounded";
  if (window)
    printer << ", window";
}

#define GET_TYPEDEF_CLASSES
#include "dialects/Kernel/KernelTypes.cpp.inc"

//===----------------------------------------------------------------------===//
// Names of results, so that a printed kernel can be read
//===----------------------------------------------------------------------===//

void MatrixOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getMatrix(), "matrix");
}
void OperandOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getOperand(), "operand");
}
void RingOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getRing(), "ring");
}
void ReadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getFragment(), getFragment().getType().getSide());
}
void SplitOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getHigh(), "high");
  setName(getLow(), "low");
}
void ZeroOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getAcc(), "acc");
}
void MmaOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "acc");
}
void FmaOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "acc");
}
void EpilogueOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "tile");
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult MatrixOp::verify() {
  if (getBuffer().getType().getElement() != getMatrix().getType().getElement())
    return emitOpError("expected the buffer's element type ")
           << getBuffer().getType().getElement() << ", but got "
           << getMatrix().getType().getElement();
  return success();
}

LogicalResult SegmentOp::verify() {
  Type element = getEnds().getType().getElement();
  if (element.isSignlessInteger(32))
    return success();
  return emitOpError("expected ends of segments in i32, but got ") << element;
}

LogicalResult OperandOp::verify() {
  if (getBuffer().getType().getElement() != getOperand().getType().getElement())
    return emitOpError("expected the buffer's element type ")
           << getBuffer().getType().getElement() << ", but got "
           << getOperand().getType().getElement();
  return success();
}

LogicalResult RingOp::verify() {
  return verifyOffset(*this, getOffsetAttr().getInt(), /*align=*/1024);
}

LogicalResult CopyOp::verify() {
  if (getMatrix().getType().getElement() != getRing().getType().getElement())
    return emitOpError("expected a ring of ")
           << getMatrix().getType().getElement() << ", but got one of "
           << getRing().getType().getElement();
  if (!getTransposed())
    return success();
  RingType ring = getRing().getType();
  if (ring.getElement().getIntOrFloatBitWidth() != 32)
    return emitOpError("expected elements of 32 bits to transpose, but got ")
           << ring.getElement();
  if (ring.getLines() % 8 || ring.getWidth() % 4)
    return emitOpError("expected a multiple of 8 lines of a multiple of 4 "
                       "elements to transpose to, but got ")
           << ring.getLines() << " of " << ring.getWidth();
  return success();
}

LogicalResult ReadOp::verify() {
  RingType ring = getRing().getType();
  FragmentType fragment = getFragment().getType();
  if (isWidened() && !mayWiden(ring.getElement(), fragment.getElement()))
    return emitOpError("expected a fragment of ")
           << ring.getElement()
           << (isByte(ring.getElement()) ? " or of 16 bits" : "")
           << ", but got one of " << fragment.getElement();
  int64_t rows = getTransposed() ? ring.getWidth() : ring.getLines();
  int64_t depth = getTransposed() ? ring.getLines() : ring.getWidth();
  if (getRows() ? rows < fragment.getRows() : rows != fragment.getRows())
    return emitOpError("expected a fragment of ")
           << (getRows() ? "at most " : "") << rows
           << " rows, as a slot has, but got " << fragment.getRows();
  int64_t step = getStepAttr().getInt();
  int64_t ofStep = fragment.getStep();
  if (fragment.getDepth() && getTransposed())
    return emitOpError(
        "expected lines along k for a fragment with a depth, but "
        "got transposed; transpose the copy");
  if (step < 0 || (step + 1) * ofStep > depth)
    return emitOpError("expected a step below ")
           << depth / ofStep << ", the k" << ofStep
           << " steps of a slot, but got " << step;
  return success();
}

LogicalResult SplitOp::verify() {
  FragmentType type = getFragment().getType();
  if (type.getElement().isF32() && !type.getDepth())
    return success();
  return emitOpError("expected a fragment of f32 for tensor cores, but got ")
         << type;
}

/// Checks of a product, for any instruction. `op` is an MmaOp or FmaOp.
template <typename Op>
static LogicalResult verifyProduct(Op op) {
  FragmentType a = op.getA().getType(), b = op.getB().getType();
  AccType acc = op.getAcc().getType();
  if (!a.isA() || b.isA())
    return op.emitOpError("expected fragments \"a\" and \"b\", but got \"")
           << a.getSide() << "\" and \"" << b.getSide() << "\"";
  if (!multiplyEachOther(a.getElement(), b.getElement()))
    return op.emitOpError(
               "expected both fragments of one element type, or of floats of 8 "
               "bits, but got ")
           << a.getElement() << " and " << b.getElement();
  Type sum = hone::accumulatorOf(a.getElement());
  if (acc.getElement() != sum || acc.getRun())
    return op.emitOpError("expected an accumulator of ")
           << nameOfSum(sum) << " without runs, but got " << acc;
  if (a.getRows() != acc.getRows() || b.getRows() != acc.getCols())
    return op.emitOpError("expected an accumulator of ")
           << a.getRows() << " x " << b.getRows() << ", but got "
           << acc.getRows() << " x " << acc.getCols();
  auto warps = [](auto type) {
    return std::pair(type.getWarpsM(), type.getWarpsN());
  };
  if (warps(a) != warps(acc) || warps(b) != warps(acc))
    return op.emitOpError("expected one grid of warps for a, b and acc");
  return success();
}

LogicalResult MmaOp::verify() {
  FragmentType a = getA().getType(), b = getB().getType();
  if (getSplit() && !a.getElement().isF32())
    return emitOpError("expected fragments of f32 to split, but got ")
           << a.getElement();
  if (getApart() && a.getElement().isInteger())
    return emitOpError("expected fragments of floats to add steps apart, "
                       "because sums of integers are exact, but got ")
           << a.getElement();
  if (a.getDepth() || b.getDepth())
    return emitOpError("expected fragments without a depth, but got one of ")
           << std::max(a.getDepth(), b.getDepth()) << "; use kernel.fma";
  return verifyProduct(*this);
}

LogicalResult FmaOp::verify() {
  if (!getA().getType().getDepth() || !getB().getType().getDepth())
    return emitOpError("expected fragments with a depth, but got one without; "
                       "use kernel.mma");
  return verifyProduct(*this);
}

LogicalResult EpilogueOp::verify() {
  if (getOrigin().size() != 2 || getExtents().size() != 2)
    return emitOpError("expected two coordinates and two extents, but got ")
           << getOrigin().size() << " and " << getExtents().size();
  AccType from = getAcc().getType(), to = getResult().getType();
  auto isLike = [&](AccType other) {
    return other == AccType::get(getContext(), from.getRows(), from.getCols(),
                                 other.getElement(), from.getWarpsM(),
                                 from.getWarpsN(), from.getRun());
  };
  if (!isLike(to))
    return emitOpError("expected a result of the accumulator's shape, but got ")
           << to;
  SmallVector<Type> expected{from.getElement()};
  for (Value input : getInputs()) {
    auto tile = dyn_cast<AccType>(input.getType());
    if (tile && !isLike(tile))
      return emitOpError("expected tiles of the accumulator's shape, but got ")
             << tile;
    expected.push_back(tile ? tile.getElement()
                            : cast<OperandType>(input.getType()).getElement());
  }
  if (getBody().getArgumentTypes() != TypeRange(expected))
    return emitOpError("expected region arguments ")
           << TypeRange(expected) << ", but got "
           << getBody().getArgumentTypes();
  Block &body = getBody().front();
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield || yield.getValue().getType() != to.getElement())
    return emitOpError("expected the region to yield ") << to.getElement();
  return success();
}

LogicalResult StoreOp::verify() {
  if (getAcc().getType().getElement() != getMatrix().getType().getElement())
    return emitOpError("expected a matrix of ")
           << getAcc().getType().getElement() << ", but got one of "
           << getMatrix().getType().getElement();
  return success();
}

//===----------------------------------------------------------------------===//
// kernel.launch
//===----------------------------------------------------------------------===//

/// True for a name that is valid in the text of the op and of a plan. `none` is
/// an empty list.
static bool isArgumentName(StringRef name) {
  return !name.empty() && name != "none" && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult LaunchOp::verify() {
  if (getNames().size() != getArgs().size())
    return emitOpError("expected a name for each argument, but got ")
           << getNames().size() << " names and " << getArgs().size()
           << " arguments";
  for (auto name : getNames().getAsRange<StringAttr>())
    if (!isArgumentName(name.getValue()))
      return emitOpError(
                 "expected names of letters, digits and underscores, but got ")
             << name;
  return success();
}

/// Parses `a = %0, b = %1`; all arguments are i64.
static ParseResult
parseLaunchArgs(OpAsmParser &parser, ArrayAttr &names,
                SmallVectorImpl<OpAsmParser::UnresolvedOperand> &args) {
  SmallVector<Attribute> keys;
  auto parseOne = [&]() -> ParseResult {
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual() ||
        parser.parseOperand(args.emplace_back()))
      return failure();
    keys.push_back(parser.getBuilder().getStringAttr(key));
    return success();
  };
  // An empty list is closed by the caller's parenthesis.
  if (succeeded(parser.parseOptionalKeyword("none")) ||
      succeeded(parser.parseCommaSeparatedList(parseOne))) {
    names = parser.getBuilder().getArrayAttr(keys);
    return success();
  }
  return failure();
}

static void printLaunchArgs(OpAsmPrinter &printer, Operation *, ArrayAttr names,
                            OperandRange args) {
  if (args.empty())
    printer << "none";
  llvm::interleaveComma(llvm::zip(names, args), printer, [&](auto pair) {
    auto [name, arg] = pair;
    printer << cast<StringAttr>(name).getValue() << " = " << arg;
  });
}

/// Parses the types of values that an op passes through, once for both sides.
static ParseResult parseSameTypes(OpAsmParser &parser,
                                  SmallVectorImpl<Type> &operands,
                                  SmallVectorImpl<Type> &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

static void printSameTypes(OpAsmPrinter &printer, Operation *,
                           TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.cpp.inc"
