//===- Kernels.cpp - Whole kernels in a database --------------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each text is stored once, under its name, however many records use it. A text
// that does not match its name counts as missing.
//
//===----------------------------------------------------------------------===//

#include "DatabaseFile.h"
#include "hone/Text/Json.h"
#include "llvm/Support/FormatVariadic.h"

using namespace hone;
using namespace hone::detail;
using llvm::Error;
using llvm::Expected;
using llvm::formatv;
using llvm::StringRef;

/// Files before this version have no such table.
static constexpr int64_t kSince = 5;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Error Database::File::addKernels(llvm::ArrayRef<WholeKernel> kernels) {
  if (kernels.empty())
    return Error::success();
  // Replaces a damaged text.
  Expected<Statement> insert = connection.prepare(
      "INSERT INTO kernels (name, text) VALUES (:name, :text) "
      "ON CONFLICT (name) DO UPDATE SET text = :text WHERE text <> :text");
  if (!insert)
    return insert.takeError();
  for (const WholeKernel &kernel : kernels) {
    if (std::optional<std::string> fault = faultOf(kernel))
      return llvm::createStringError(*fault);
    insert->bind("name", StringRef(kernel.name));
    insert->bind("text", StringRef(kernel.text));
    if (Error error = insert->run())
      return error;
  }
  return Error::success();
}

Expected<std::optional<std::string>> Database::File::kernel(StringRef name) {
  if (version < kSince)
    return std::nullopt;
  Expected<Statement> select =
      connection.prepare("SELECT text FROM kernels WHERE name = ?1");
  if (!select)
    return select.takeError();
  select->bind(1, name);
  Expected<bool> row = select->step();
  if (!row)
    return row.takeError();
  if (!*row)
    return std::nullopt;
  WholeKernel kernel = {name.str(), select->text(0)};
  return faultOf(kernel) ? std::nullopt : std::optional(kernel.text);
}

bool Database::File::hasKernelOf(const Schedule &schedule) {
  std::optional<std::string> name = wholeKernelOf(schedule);
  if (!name)
    return true;
  Expected<std::optional<std::string>> text = kernel(*name);
  if (text)
    return text->has_value();
  llvm::consumeError(text.takeError());
  return false;
}

Expected<std::optional<std::string>> Database::kernel(StringRef name) {
  return file->kernel(name);
}

Expected<std::vector<std::string>> Database::kernelNames() {
  std::vector<std::string> names;
  if (file->version < kSince)
    return names;
  Expected<Statement> select =
      file->connection.prepare("SELECT name FROM kernels ORDER BY name");
  if (!select)
    return select.takeError();
  Error error = select->forEach([&] {
    names.push_back(select->text(0));
    return true;
  });
  if (error)
    return std::move(error);
  return names;
}

//===----------------------------------------------------------------------===//
// Lines of JSON
//===----------------------------------------------------------------------===//

std::string hone::toJson(const WholeKernel &kernel) {
  return formatv("{0}", llvm::json::Value(llvm::json::Object{
                            {"kernel", kernel.name}, {"text", kernel.text}}))
      .str();
}

std::optional<Expected<WholeKernel>> hone::kernelFromJson(StringRef line) {
  Expected<llvm::json::Value> value = parseUntrustedJson(line);
  if (!value) {
    llvm::consumeError(value.takeError()); // the reader of records reports it
    return std::nullopt;
  }
  const llvm::json::Object *object = value->getAsObject();
  if (!object || !object->get("kernel"))
    return std::nullopt;
  std::optional<StringRef> name = object->getString("kernel");
  std::optional<StringRef> text = object->getString("text");
  if (!name || !text)
    return llvm::createStringError("expected 'kernel' and 'text' to be texts, "
                                   "but got something else");
  WholeKernel kernel = {name->str(), text->str()};
  if (std::optional<std::string> fault = faultOf(kernel))
    return llvm::createStringError(*fault);
  return kernel;
}
