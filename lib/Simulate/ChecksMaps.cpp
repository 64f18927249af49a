//===- ChecksMaps.cpp - Checks of tensor maps -----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes against the kernel's types, extents against operands, and all fields
// against the limits of cuTensorMapEncodeTiled.
//
//===----------------------------------------------------------------------===//

#include "ChecksMaps.h"
#include "Checks.h"
#include "dialects/Kernel/AddressMap.h"
#include "dialects/Kernel/Kernel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hone;
using namespace hone::simulate;
using namespace hone::kernel;
using llvm::formatv;

namespace {
/// One map of a launch.
class MapCheck {
public:
  MapCheck(gpu::GPUFuncOp kernel, size_t number, MapType type,
           const TensorMap &planned, const MapValue &map,
           const LaunchValues &launch, Verdict &verdict)
      : kernel(kernel), number(number), type(type), planned(planned), map(map),
        launch(launch), verdict(verdict),
        bytes(type.getElement().getIntOrFloatBitWidth() / 8) {}

  void run() {
    if (isBox() && isEncodable() && launch.grid > 0)
      checkExtents();
  }

private:
  bool expect(bool holds, Fault fault, std::string what) {
    if (holds)
      return true;
    report(verdict, fault, kernel,
           formatv("has a tensor map, parameter {0}, {1}", number, what));
    return false;
  }

  /// Checks the box and the swizzle against the map's type in the kernel.
  bool isBox() {
    SmallVector<int64_t> box = {type.getWidth(), type.getLines()};
    if (!type.getWindow())
      box.resize(type.getRank(), 1);
    std::string element;
    if (type.getRounded())
      element = "tf32";
    else
      llvm::raw_string_ostream(element) << type.getElement();
    int64_t swizzle = swizzleBytes(type.getWidth() * bytes);
    return expect(ArrayRef(planned.box) == ArrayRef(box) &&
                      int64_t(map.dims.size()) == type.getRank(),
                  Fault::plan,
                  formatv("whose box the plan says is ({0}), but the kernel's "
                          "loads and stores move ({1})",
                          llvm::iterator_range(planned.box),
                          llvm::iterator_range(box))) &&
           expect(map.isWindow() == type.getWindow(), Fault::plan,
                  type.getWindow()
                      ? "without the window that the kernel reads"
                      : "of a window that the kernel does not have") &&
           expect(planned.type == element, Fault::plan,
                  formatv("of {0} in the plan, but of {1} in the kernel",
                          planned.type, element)) &&
           expect(map.swizzle == swizzle, Fault::plan,
                  formatv("of swizzle {0} in the plan, but the kernel's slots "
                          "have {1}",
                          map.swizzle, swizzle));
  }

  bool isEncodable() {
    constexpr int64_t kAlign = 16, kMaxBox = 256, kMaxRank = 5;
    if (map.isWindow() && launch.grid && !isWindowEncodable())
      return false;
    constexpr int64_t kMaxExtent = int64_t(1) << 32, kMaxStride = int64_t(1)
                                                                  << 40;
    bool areStrides = llvm::all_of(map.strides, [](int64_t stride) {
      return stride > 0 && stride < kMaxStride && stride % kAlign == 0;
    });
    bool areExtents = llvm::all_of(map.dims, [](int64_t extent) {
      return extent > 0 && extent <= kMaxExtent;
    });
    bool areBoxes = llvm::all_of(map.box, [](int64_t extent) {
      return extent > 0 && extent <= kMaxBox;
    });
    return expect(map.base % kAlign == 0, Fault::plan,
                  formatv("of a matrix whose start may not be a multiple of "
                          "{0} bytes, which the guard lets through",
                          kAlign)) &&
           expect(areStrides, Fault::plan,
                  formatv("with strides of ({0}) bytes, which the guard lets "
                          "through; expected multiples of {1} above 0",
                          llvm::iterator_range(map.strides), kAlign)) &&
           expect(areExtents || !launch.grid, Fault::plan,
                  formatv("of extents ({0}), which the guard lets through; "
                          "expected some above 0",
                          llvm::iterator_range(map.dims))) &&
           expect(areBoxes && map.dims.size() <= kMaxRank &&
                      map.strides.size() + 1 == map.dims.size() &&
                      map.box[0] * bytes % kAlign == 0 &&
                      (!map.swizzle || map.box[0] * bytes <= map.swizzle),
                  Fault::plan,
                  formatv("with a box of ({0}), which no engine moves",
                          llvm::iterator_range(map.box)));
  }

  bool isWindowEncodable() {
    constexpr std::array<int64_t, 3> kCornerBits = {16, 8, 5};
    constexpr int64_t kMaxStep = 8;
    size_t pixels = map.lower.size();
    int64_t max = int64_t(1) << (kCornerBits[pixels - 1] - 1);
    auto isCorner = [&](int64_t corner) {
      return corner >= -max && corner < max;
    };
    bool areSteps = llvm::all_of(
        map.steps, [](int64_t step) { return step >= 1 && step <= kMaxStep; });
    bool isNotEmpty = true;
    for (size_t i = 0; i < pixels; ++i)
      isNotEmpty &= map.lower[i] <= map.dims[1 + i] - 1 + map.upper[i];
    return expect(llvm::all_of(map.lower, isCorner) &&
                      llvm::all_of(map.upper, isCorner) && isNotEmpty &&
                      areSteps,
                  Fault::plan,
                  formatv("of a window from ({0}) to ({1}) in steps of ({2}), "
                          "which the guard lets through and no engine reads",
                          llvm::iterator_range(map.lower),
                          llvm::iterator_range(map.upper),
                          llvm::iterator_range(map.steps)));
  }

  /// Every element of the map must be one of an operand. Bytes that earlier
  /// threads wrote to the workspace are tracked by element; see checkFilled.
  void checkExtents() {
    const OperandRegion *first = launch.at(map.base);
    if (!expect(first, Fault::bounds, "that starts outside of every operand"))
      return;
    // Operands may lie in each other's gaps, or be one memref.
    const OperandRegion *region = nullptr;
    for (const OperandRegion &one : launch.regions)
      if (one.contains(map.base, 1) && isWithin(one) &&
          (!region || elementsOf(*region) != elements()))
        region = &one;
    std::string what = formatv("of ({0}) elements with strides of ({1}) bytes, "
                               "which reach beyond the lines of operand '{2}'",
                               llvm::iterator_range(map.dims),
                               llvm::iterator_range(map.strides), first->name);
    if (!expect(region, Fault::bounds, what))
      return;
    if (region->name == "ws") {
      expect(!map.isWindow(), Fault::notModelled, "of windows of a copy");
      return;
    }
    // Elements outside of a map are loaded as zeros, and are not stored.
    expect(elements() == elementsOf(*region), Fault::plan,
           formatv("of {0} elements, but operand '{1}' has {2}", elements(),
                   region->name, elementsOf(*region)));
  }

  int64_t elements() const {
    int64_t product = 1;
    for (int64_t extent : map.dims)
      product *= extent;
    return product;
  }
  static int64_t elementsOf(const OperandRegion &region) {
    return region.matrices() * region.lines * region.width;
  }

  /// True if every line of the map is one of the region's.
  bool isWithin(const OperandRegion &region) const {
    int64_t outer = map.dims.size() > 2 ? map.dims[2] : 1;
    int64_t outermost = map.dims.size() > 3 ? map.dims[3] : 1;
    int64_t after = (map.dims[1] - 1) * map.strides[0] + map.dims[0] * bytes;
    for (int64_t i = 0; i < outermost; ++i)
      for (int64_t j = 0; j < outer; ++j) {
        int64_t start = map.base + (outer > 1 ? j * map.strides[1] : 0) +
                        (outermost > 1 ? i * map.strides[2] : 0);
        if (region.name == "ws"
                ? !region.contains(start, after)
                : !region.hasLines(start, map.dims[1], map.dims[0],
                                   map.strides[0] / bytes))
          return false;
      }
    return true;
  }

  gpu::GPUFuncOp kernel;
  size_t number;
  MapType type;
  const TensorMap &planned;
  const MapValue &map;
  const LaunchValues &launch;
  Verdict &verdict;
  int64_t bytes;
};
} // namespace

void simulate::checkMaps(const Subject &subject, const KernelLaunch &planned,
                         const LaunchValues &launch, Verdict &verdict) {
  gpu::GPUFuncOp kernel = subject.kernel;
  for (auto [i, param] : llvm::enumerate(launch.params))
    if (auto type = dyn_cast<MapType>(kernel.getArgumentTypes()[i]);
        type && param.map)
      MapCheck(kernel, i, type, planned.params[i].map, *param.map, launch,
               verdict)
          .run();
}

//===----------------------------------------------------------------------===//
// The guard
//===----------------------------------------------------------------------===//

/// Checks the maps of all launches of the alternative, for an argument value
/// that no map can have.
static llvm::Error checkArguments(const Subject &subject, const Trial &trial,
                                  Verdict &verdict) {
  auto holds = guardHolds(subject, trial);
  if (!holds)
    return holds.takeError();
  const auto &launches =
      subject.plan.alternatives[subject.alternative].launches;
  for (size_t i = 0; *holds && i < launches.size(); ++i) {
    Subject step = subject;
    step.launch = i;
    step.kernel =
        i < subject.before.size() ? subject.before[i] : subject.kernel;
    auto launch = evaluate(step, trial);
    if (!launch)
      return launch.takeError();
    for (LaunchValues::Param &param : launch->params)
      if (param.map)
        param.map->base = llvm::alignTo(param.map->base, 16);
    // No block runs, so addresses are not checked.
    LaunchValues nowhere = *launch;
    nowhere.regions.clear();
    Verdict found;
    checkMaps(step, launches[i], nowhere, found);
    for (Finding &finding : found.findings)
      if (finding.fault == Fault::plan)
        verdict.findings.push_back(std::move(finding));
  }
  return llvm::Error::success();
}

llvm::Error simulate::checkGuard(const Subject &subject, const Trial &trial,
                                 Verdict &verdict) {
  for (const std::string &name : subject.plan.args) {
    llvm::StringRef text = name;
    bool isStride = text.consume_front("ld") || text.consume_front("s") ||
                    text.consume_front("h");
    isStride &= text == "a" || text == "b" || text == "c";
    bool isOfWindow = llvm::is_contained(
        {"channels", "inh", "inw", "steph", "stepw"}, llvm::StringRef(name));
    // Constants of the program keep their values.
    if ((!isStride && !isOfWindow && name != "k") ||
        subject.constants.contains(name) || !verdict.passed())
      continue;
    Trial changed = trial;
    if (name == "k")
      changed.k = 0;
    else
      changed.knobs[name] = 0;
    if (llvm::Error error = checkArguments(subject, changed, verdict))
      return error;
  }
  return llvm::Error::success();
}
