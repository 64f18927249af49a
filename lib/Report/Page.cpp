//===- Page.cpp - A report's page and its data ----------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes columns of JSON, packs them, and puts them into the page.
//
//===----------------------------------------------------------------------===//

#include "hone/Report/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace hone;
using llvm::StringRef;
namespace json = llvm::json;

static constexpr char kPageParts[] = {
#embed HONE_REPORT_HTML
};
static constexpr char kStyle[] = {
#embed HONE_REPORT_CSS
};
static constexpr char kData[] = {
#embed HONE_REPORT_DATA
};
static constexpr char kPlots[] = {
#embed HONE_REPORT_PLOTS
};
static constexpr char kHeat[] = {
#embed HONE_REPORT_HEAT
};
static constexpr char kTables[] = {
#embed HONE_REPORT_TABLES
};
static constexpr char kSections[] = {
#embed HONE_REPORT_SECTIONS
};
static constexpr char kSearch[] = {
#embed HONE_REPORT_SEARCH
};

template <size_t size>
static StringRef textOf(const char (&bytes)[size]) {
  return StringRef(bytes, size);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace hone {
/// Writes a report's data. Times are in microseconds, with five digits.
class ReportJson {
public:
  explicit ReportJson(const Report &report) : report(report), os(text) {}
  std::string write(int64_t now);

private:
  void words(StringRef name, const std::vector<std::string> &texts) {
    writer.attributeArray(name, [&] {
      for (const std::string &each : texts)
        writer.value(json::fixUTF8(each));
    });
  }
  void number(double value) {
    writer.rawValue([&](llvm::raw_ostream &out) {
      out << (std::isfinite(value) ? llvm::format("%.5g", value)
                                   : llvm::format("%.5g", 0.0));
    });
  }
  /// A column: `get` of each.
  template <typename EachT, typename GetT>
  void column(StringRef name, const std::vector<EachT> &all, GetT &&get) {
    writer.attributeArray(name, [&] {
      for (const EachT &each : all) {
        auto value = get(each);
        if constexpr (std::is_same_v<decltype(value), double>)
          number(value);
        else if constexpr (std::is_integral_v<decltype(value)>)
          writer.value(int64_t(value));
        else
          writer.value(json::fixUTF8(value));
      }
    });
  }
  void sources();
  void machines();
  void shapes();
  void keys();
  void trials();
  void rows();

  const Report &report;
  std::string text;
  llvm::raw_string_ostream os;
  json::OStream writer{os};
};
} // namespace hone

void ReportJson::sources() {
  writer.attributeArray("files", [&] {
    for (const Report::Source &file : report.files)
      writer.object([&] {
        writer.attribute("name", json::fixUTF8(file.name));
        writer.attribute("kind", file.kind);
        writer.attribute("rows", int64_t(file.rows));
        writer.attribute("first", file.first);
        writer.attribute("last", file.last);
      });
  });
}

void ReportJson::machines() {
  writer.attributeArray("chips", [&] {
    for (size_t i = 0; i < report.chips.texts.size(); ++i)
      writer.object([&] {
        writer.attribute("name", json::fixUTF8(report.chips.texts[i]));
        auto found = report.bandwidths.find(i);
        writer.attribute("bandwidth",
                         found == report.bandwidths.end() ? 0 : found->second);
        writer.attributeObject("peaks", [&] {
          for (const auto &[place, peak] : report.peaks)
            if (place.first == i)
              writer.attribute(std::to_string(place.second), peak);
        });
      });
  });
}

void ReportJson::shapes() {
  using Shape = Report::Shape;
  const std::vector<Shape> &all = report.problems;
  writer.attributeObject("problems", [&] {
    words("name", report.problemNames.texts);
    column("key", all, [](const Shape &each) { return each.key; });
    column("m", all, [](const Shape &each) { return each.m; });
    column("n", all, [](const Shape &each) { return each.n; });
    column("k", all, [](const Shape &each) { return each.k; });
    column("batch", all, [](const Shape &each) { return each.batch; });
    column("layout", all, [](const Shape &each) { return each.layout; });
    column("type", all, [](const Shape &each) { return each.type; });
    column("flops", all, [](const Shape &each) { return each.flops; });
    column("bytes", all, [](const Shape &each) { return each.bytes; });
  });
}

void ReportJson::keys() {
  using Key = Report::Key;
  const std::vector<Key> &all = report.keys;
  writer.attributeObject("keys", [&] {
    column("file", all, [](const Key &each) { return each.file; });
    column("problem", all, [](const Key &each) { return each.problem; });
    column("chip", all, [](const Key &each) { return each.chip; });
    column("origin", all,
           [](const Key &each) { return toString(each.origin).str(); });
    column("roofline", all,
           [](const Key &each) { return each.roofline * 1e6; });
    column("chosen", all, [](const Key &each) {
      return each.chosen ? int64_t(each.chosenTrial) : int64_t(-1);
    });
    writer.attributeArray("trials", [&] {
      for (const Key &each : all)
        writer.array([&] {
          for (size_t trial : each.trials)
            writer.value(int64_t(trial));
        });
    });
  });
}

void ReportJson::trials() {
  using Trial = Report::Trial;
  const std::vector<Trial> &all = report.trials;
  writer.attributeObject("trials", [&] {
    auto of = [&](StringRef name, auto get) {
      column(name, all,
             [&](const Trial &each) { return get(each.measurement); });
    };
    using M = Measurement;
    of("us", [](const M &m) { return m.times.median * 1e6; });
    of("p10", [](const M &m) { return m.times.p10 * 1e6; });
    of("p90", [](const M &m) { return m.times.p90 * 1e6; });
    of("samples", [](const M &m) { return m.times.samples; });
    of("grade", [](const M &m) { return int64_t(m.grade); });
    of("status", [](const M &m) { return int64_t(m.status); });
    of("registers", [](const M &m) { return m.registers; });
    of("mhz", [](const M &m) { return m.clockMHz; });
    column("schedule", all, [](const Trial &each) { return each.schedule; });
    column("policy", all, [](const Trial &each) { return each.policy; });
    column("tools", all, [](const Trial &each) { return each.toolchain; });
    column("reason", all, [](const Trial &each) { return each.reason; });
  });
}

void ReportJson::rows() {
  using Row = Report::Row;
  const std::vector<Row> &all = report.rows;
  writer.attributeObject("rows", [&] {
    auto of = [&](StringRef name, auto get) {
      column(name, all, [&](const Row &each) { return get(each.row); });
    };
    using R = BenchRow;
    column("file", all, [](const Row &each) { return each.file; });
    column("problem", all, [](const Row &each) { return each.problem; });
    column("chip", all, [](const Row &each) { return each.chip; });
    column("schedule", all, [](const Row &each) { return each.schedule; });
    column("set", all,
           [&](const Row &each) { return report.sets.texts[each.set]; });
    of("protocol", [](const R &row) { return row.protocol; });
    of("mode", [](const R &row) { return row.programmatic; });
    of("rival", [](const R &row) { return row.baseline; });
    of("status", [](const R &row) { return row.status; });
    of("us", [](const R &row) { return row.ours.median * 1e6; });
    of("p10", [](const R &row) { return row.ours.p10 * 1e6; });
    of("p90", [](const R &row) { return row.ours.p90 * 1e6; });
    of("theirs", [](const R &row) { return row.theirs.median * 1e6; });
    of("ratio", [](const R &row) { return row.ratio.value; });
    of("low", [](const R &row) { return row.ratio.low; });
    of("high", [](const R &row) { return row.ratio.high; });
    of("roofline", [](const R &row) { return row.roofline * 1e6; });
    of("rounds", [](const R &row) { return row.rounds; });
    of("device", [](const R &row) { return row.device; });
    of("remark", [](const R &row) { return row.remark; });
  });
}

std::string ReportJson::write(int64_t now) {
  writer.object([&] {
    writer.attribute("format", 1);
    writer.attribute("hone", thisToolchain().hone);
    writer.attribute("llvm", thisToolchain().llvm);
    writer.attribute("title", json::fixUTF8(report.title));
    writer.attribute("made", now);
    words("layouts", report.layouts.texts);
    words("types", report.types.texts);
    words("policies", report.policies.texts);
    words("toolchains", report.toolchains.texts);
    words("reasons", report.reasons.texts);
    writer.attributeArray("statuses", [&] {
      for (StringRef name : statusNames())
        writer.value(name);
    });
    sources();
    machines();
    shapes();
    keys();
    trials();
    rows();
  });
  return std::move(text);
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

/// Compressed, and in an alphabet without markup.
static std::string packed(StringRef text) {
  llvm::SmallVector<uint8_t> bytes;
  llvm::compression::zlib::compress(
      llvm::arrayRefFromStringRef(text), bytes,
      llvm::compression::zlib::BestSizeCompression);
  return llvm::encodeBase64(bytes);
}

static std::string listOf(const std::vector<std::string> &texts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::OStream writer(os);
  writer.array([&] {
    for (const std::string &each : texts)
      writer.value(json::fixUTF8(each));
  });
  return text;
}

llvm::Expected<std::string> Report::page(int64_t now) const {
  if (!llvm::compression::zlib::isAvailable())
    return llvm::createStringError(
        "expected an LLVM with zlib, but got one without; a report is packed");
  if (keys.empty() && rows.empty())
    return llvm::createStringError(
        "expected measurements, but got files without any");
  json::Object texts;
  for (const auto &[key, text] : kernels)
    texts[std::to_string(key)] = json::fixUTF8(text);
  std::string title;
  llvm::raw_string_ostream titleStream(title);
  llvm::printHTMLEscaped(json::fixUTF8(this->title), titleStream);
  const std::pair<StringRef, std::string> parts[] = {
      {"TITLE", title},
      {"STYLE", textOf(kStyle).str()},
      {"DATA", packed(ReportJson(*this).write(now))},
      {"SCHEDULES", packed(listOf(schedules.texts))},
      {"KERNELS",
       packed(llvm::formatv("{0}", json::Value(std::move(texts))).str())},
      {"SCRIPT", (textOf(kData) + textOf(kPlots) + textOf(kHeat) +
                  textOf(kTables) + textOf(kSections) + textOf(kSearch))
                     .str()}};
  std::string page;
  for (StringRef rest = textOf(kPageParts); !rest.empty();) {
    auto [before, after] = rest.split("{{");
    page += before;
    auto [name, left] = after.split("}}");
    for (const auto &[part, text] : parts)
      page += part == name ? text : "";
    rest = left;
  }
  return page;
}
