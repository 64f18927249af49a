//===- TuningFile.cpp - Text files of measurements ------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TuningFile.h. MLIR's parser reads the file, the op's verifier checks each
// line, and this file checks the relations between lines.
//
//===----------------------------------------------------------------------===//

#include "hone/Plugin/TuningFile.h"
#include "dialects/Hone/Hone.h"
#include "hone/Text/CrashGuard.h"
#include "hone/Text/File.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace hone;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Complaints
//===----------------------------------------------------------------------===//

char TuningFileError::ID;

void TuningFileError::log(llvm::raw_ostream &os) const {
  llvm::interleave(
      complaints, os,
      [&](const Complaint &complaint) {
        os << formatv("{0}:{1}:{2}: {3}{4}", complaint.file, complaint.line,
                      complaint.column, complaint.isNote ? "note: " : "",
                      complaint.text);
      },
      "\n");
}

std::error_code TuningFileError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

static Complaint complain(mlir::Location location, StringRef file,
                          std::string text, bool isNote = false) {
  Complaint complaint = {file.str(), 1, 1, std::move(text), isNote};
  // The locations in a text may name other files, or none.
  if (auto place = location->findInstanceOf<mlir::FileLineColLoc>()) {
    complaint.file = place.getFilename().str();
    complaint.line = place.getLine();
    complaint.column = place.getColumn();
  }
  return complaint;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The attribute for a field of a record; "" if there is none. A median is
/// named `us`, its unit.
static StringRef attributeOf(StringRef field) {
  StringRef name = field == "median" ? "us" : field;
  bool isThere = llvm::is_contained(TunedOp::getAttributeNames(), name);
  return isThere && name != "arch" ? name : "";
}

namespace {
/// Reads fields from attributes; a field without an attribute stays unchanged.
class FieldReader {
public:
  explicit FieldReader(TunedOp op) : op(op) {}
  void operator()(StringRef name, std::string &value) {
    if (auto attribute = get<mlir::StringAttr>(name))
      value = attribute.str();
  }
  void operator()(StringRef name, int64_t &value) {
    if (auto attribute = get<mlir::IntegerAttr>(name))
      value = attribute.getInt();
  }
  void operator()(StringRef name, double &seconds) {
    if (auto attribute = get<mlir::FloatAttr>(name))
      seconds = attribute.getValueAsDouble() * 1e-6;
  }
  void operator()(StringRef name, Grade &value) {
    // The op's verifier accepts only valid grades.
    if (auto attribute = get<mlir::StringAttr>(name))
      value = *parseGrade(attribute);
  }
  // The op has an accessor for each of these, and a file has only successful
  // runs.
  void operator()(StringRef, Problem &) {}
  void operator()(StringRef, Schedule &) {}
  void operator()(StringRef, Status &) {}
  void operator()(StringRef, Origin &) {}

private:
  template <typename AttrT>
  AttrT get(StringRef field) {
    StringRef name = attributeOf(field);
    return name.empty() ? AttrT() : op->getAttrOfType<AttrT>(name);
  }
  TunedOp op;
};
} // namespace

/// The record of a line, or an error.
static Expected<TunedLine> lineOf(TunedOp op, Complaint place) {
  TunedLine line;
  line.place = std::move(place);
  line.hasTime = op.getUs().has_value();
  line.hasToolchain = op.getLlvm() || op.getHone() || op.getDriver();
  Record &record = line.record;
  record.problem = op.getProblem().getValue();
  record.arch = op.getArch().getValue().chip;
  record.schedule = op.getSchedule().getValue();
  record.times.samples = 1;
  Record::visit(record, FieldReader(op));
  record.origin = originOf(record.toolchain);
  if (!op.getP10())
    record.times.p10 = record.times.median;
  if (!op.getP90())
    record.times.p90 = record.times.median;
  if (record.times.samples < 1 || record.toolchain.space < 0 ||
      record.measuredAt < 0)
    return llvm::createStringError("expected 'samples' of 1 or more, 'space' "
                                   "and 'measured_at' of 0 or more, but got "
                                   "less");
  return line;
}

namespace {
/// Walks a parsed file and collects lines and complaints.
class TuningFileReader {
public:
  explicit TuningFileReader(StringRef file) : file(file) {}

  void read(mlir::Operation *op) {
    if (auto module = llvm::dyn_cast<mlir::ModuleOp>(op)) {
      // A file concatenated from files that were printed as modules.
      for (mlir::Operation &inner : module.getBody()->getOperations())
        read(&inner);
    } else if (auto tuned = llvm::dyn_cast<TunedOp>(op)) {
      add(tuned);
    } else if (auto kernel = llvm::dyn_cast<WholeKernelOp>(op)) {
      result.kernels.push_back(kernel.getKernel());
    } else {
      complaints.push_back(
          complain(op->getLoc(), file,
                   formatv("expected hone.tuned or hone.kernel, but got {0}",
                           op->getName().getStringRef())));
    }
  }

  /// Checks the lines that name a kernel, which may be anywhere in the file.
  void requireKernels() {
    llvm::StringSet<> names;
    for (const WholeKernel &kernel : result.kernels)
      names.insert(kernel.name);
    for (const TunedLine &line : result.lines) {
      std::optional<std::string> name = wholeKernelOf(line.record.schedule);
      if (!name || names.contains(*name))
        continue;
      complaints.push_back(line.place);
      complaints.back().text = formatv(
          "expected hone.kernel \"{0}\" in this file, but got none", *name);
    }
  }

  TuningFile result;
  std::vector<Complaint> complaints;

private:
  void add(TunedOp op) {
    Complaint place = complain(op.getLoc(), file, "");
    Expected<TunedLine> line = lineOf(op, place);
    if (!line) {
      place.text = llvm::toString(line.takeError());
      complaints.push_back(std::move(place));
      return;
    }
    const Record &record = line->record;
    // The op's verifier cannot check a time against the speed of the chip.
    if (std::optional<std::string> fault =
            line->hasTime ? faultOf(record) : std::nullopt) {
      place.text = *fault;
      complaints.push_back(std::move(place));
      return;
    }
    auto [first, isNew] = seen.try_emplace(
        record.arch + "\n" + record.problem.str(), result.lines.size());
    if (isNew) {
      result.lines.push_back(std::move(*line));
      return;
    }
    place.text = formatv("expected one schedule for a problem on {0}, but got "
                         "a second; remove one of the lines",
                         record.arch);
    complaints.push_back(std::move(place));
    Complaint note = result.lines[first->second].place;
    note.text = "the first is here";
    note.isNote = true;
    complaints.push_back(std::move(note));
  }

  StringRef file;
  llvm::StringMap<size_t> seen;
};
} // namespace

/// Whether a text begins like files printed by Hone and MLIR: with a hone op, a
/// module around it, or an alias of an attribute.
static bool beginsLikeTuning(StringRef text) {
  while (true) {
    text = text.ltrim();
    if (!text.starts_with("//"))
      break;
    text = text.split('\n').second;
  }
  // A comment of CSV has a space after its '#'.
  bool isAlias = text.size() > 1 && (text[0] == '#' || text[0] == '!') &&
                 !llvm::isSpace(text[1]);
  return text.empty() || isAlias ||
         llvm::any_of(llvm::ArrayRef<StringRef>{"hone.", "\"hone.", "module",
                                                "builtin.module",
                                                "\"builtin.module"},
                      [&](StringRef word) { return text.starts_with(word); });
}

/// The reason to reject a file before parsing.
static std::optional<Complaint> refusalOf(llvm::MemoryBufferRef buffer) {
  StringRef text = buffer.getBuffer(), file = buffer.getBufferIdentifier();
  if (isBytecode(text))
    return Complaint{
        file.str(), 1, 1,
        "expected a tuning file as text, but got MLIR bytecode; use the output "
        "of hone-opt --accept-bytecode, if you trust the file",
        /*isNote=*/false};
  if (std::optional<TooMuch> found = hone::tooMuchOf(text))
    return Complaint{file.str(), found->line, 1, found->what,
                     /*isNote=*/false};
  if (!beginsLikeTuning(text))
    return Complaint{file.str(), 1, 1,
                     "expected a tuning file, but got a file of another kind",
                     /*isNote=*/false};
  return std::nullopt;
}

Expected<TuningFile> hone::parseTuningFile(llvm::MemoryBufferRef buffer) {
  if (std::optional<Complaint> complaint = refusalOf(buffer))
    return llvm::make_error<TuningFileError>(std::vector{*complaint});
  mlir::DialectRegistry registry;
  registry.insert<HoneDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  TuningFileReader reader(buffer.getBufferIdentifier());
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        StringRef file = buffer.getBufferIdentifier();
        reader.complaints.push_back(
            complain(diagnostic.getLocation(), file, diagnostic.str()));
        for (mlir::Diagnostic &note : diagnostic.getNotes())
          reader.complaints.push_back(
              complain(note.getLocation(), file, note.str(), /*isNote=*/true));
        return mlir::success();
      });
  auto sources = std::make_shared<llvm::SourceMgr>();
  // The copy has the terminating NUL that the lexer needs.
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(buffer.getBuffer(),
                                           buffer.getBufferIdentifier()),
      llvm::SMLoc());
  mlir::OwningOpRef<mlir::ModuleOp> module;
  if (!endsByItself([&] {
        module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
      }))
    return parserCrashed(buffer.getBufferIdentifier(), /*said=*/"");
  if (module)
    reader.read(*module);
  else if (reader.complaints.empty())
    reader.complaints.push_back({buffer.getBufferIdentifier().str(), 1, 1,
                                 "expected a tuning file, but got a file of "
                                 "another kind"});
  reader.requireKernels();
  if (!reader.complaints.empty())
    return llvm::make_error<TuningFileError>(std::move(reader.complaints));
  return std::move(reader.result);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// A time in microseconds in MLIR's syntax: with a decimal point, and without
/// an exponent for common magnitudes.
static std::string microsText(double seconds) {
  double us = seconds * 1e6;
  std::string text = formatv("{0}", llvm::format("%.6g", us));
  if (text.find('e') != std::string::npos)
    text = formatv("{0}", llvm::format("%.5e", us));
  if (text.find('.') == std::string::npos)
    text += ".0";
  return text;
}

static std::string quoted(StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << '"';
  llvm::printEscapedString(text, os);
  os << '"';
  return result;
}

namespace {
/// Collects "name = value" for the fields with a value.
class FieldWriter {
public:
  void operator()(StringRef name, const std::string &text) {
    if (!text.empty())
      add(name, quoted(text));
  }
  void operator()(StringRef name, int64_t number) {
    if (number)
      add(name, std::to_string(number));
  }
  void operator()(StringRef name, double seconds) {
    add(name, microsText(seconds));
  }
  void operator()(StringRef name, Grade grade) {
    add(name, quoted(toString(grade)));
  }
  void operator()(StringRef, const Problem &) {}
  void operator()(StringRef, const Schedule &) {}
  void operator()(StringRef, Status) {}
  // A file has only measured times; otherwise the driver's name shows the
  // origin.
  void operator()(StringRef, Origin) {}
  std::vector<std::string> facts;

private:
  void add(StringRef field, const std::string &value) {
    if (StringRef name = attributeOf(field); !name.empty())
      facts.push_back((name + " = " + value).str());
  }
};
} // namespace

std::string hone::tuningLine(const Record &record) {
  FieldWriter writer;
  Record::visit(record, writer);
  return formatv("hone.tuned #hone.problem<{0}> on #hone.arch<{1}> = "
                 "#hone.schedule<{2}> {{{3}}\n",
                 record.problem.str(), record.arch, toString(record.schedule),
                 llvm::join(writer.facts, ", "));
}

std::string hone::tuningText(const WholeKernel &kernel) {
  llvm::SmallVector<StringRef> lines;
  StringRef(kernel.text).split(lines, '\n');
  auto quotedLines = llvm::map_range(
      lines, [](StringRef line) { return "  " + quoted(line); });
  return formatv("hone.kernel {0} = [\n{1}]\n", quoted(kernel.name),
                 llvm::join(quotedLines, ",\n"));
}
