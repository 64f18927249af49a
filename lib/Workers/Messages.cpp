//===- Messages.cpp - Conversion of messages to and from JSON -------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The visitors of MessageFields.h. Device code is binary, so it is sent in
// base64.
//
//===----------------------------------------------------------------------===//

#include "MessageFields.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace hone;
using namespace hone::protocol;
using llvm::Error;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {
/// Binary data.
struct Bytes {
  std::string bytes;
};

/// Conversions of each type of value. `read` returns false for a value of
/// another type.
json::Value write(const std::string &text) { return text; }
json::Value write(int64_t number) { return number; }
json::Value write(bool flag) { return flag; }
json::Value write(double number) { return number; }
json::Value write(const Problem &problem) { return problem.str(); }
json::Value write(const Schedule &schedule) { return toString(schedule); }
/// An empty text stands for none.
json::Value write(const std::optional<Schedule> &schedule) {
  return schedule ? toString(*schedule) : "";
}
template <typename EnumT, typename = std::enable_if_t<std::is_enum_v<EnumT>>>
json::Value write(EnumT value) {
  return toString(value);
}
json::Value write(const Bytes &bytes) {
  return llvm::encodeBase64(bytes.bytes);
}

bool read(const json::Value &value, std::string &text) {
  std::optional<StringRef> found = value.getAsString();
  text = found.value_or("").str();
  return found.has_value();
}
bool read(const json::Value &value, int64_t &number) {
  std::optional<int64_t> found = value.getAsInteger();
  number = found.value_or(0);
  return found.has_value();
}
bool read(const json::Value &value, bool &flag) {
  std::optional<bool> found = value.getAsBoolean();
  flag = found.value_or(false);
  return found.has_value();
}
bool read(const json::Value &value, double &number) {
  std::optional<double> found = value.getAsNumber();
  number = found.value_or(0);
  return found && std::isfinite(number);
}
template <typename T>
bool take(T &result, std::optional<T> found) {
  result = found.value_or(T());
  return found.has_value();
}
template <typename T>
bool take(T &result, llvm::Expected<T> found) {
  if (!found)
    return llvm::consumeError(found.takeError()), false;
  result = std::move(*found);
  return true;
}
bool read(const json::Value &value, Status &status) {
  return take(status, parseStatus(value.getAsString().value_or("")));
}
bool read(const json::Value &value, Grade &grade) {
  return take(grade, parseGrade(value.getAsString().value_or("")));
}
bool read(const json::Value &value, Rival &rival) {
  return take(rival, parseRival(value.getAsString().value_or("")));
}
bool read(const json::Value &value, Part &part) {
  return take(part, parsePart(value.getAsString().value_or("")));
}
bool read(const json::Value &value, hone::Protocol &protocol) {
  return take(protocol, parseProtocol(value.getAsString().value_or("")));
}
bool read(const json::Value &value, Problem &problem) {
  return take(problem, Problem::parse(value.getAsString().value_or("")));
}
bool read(const json::Value &value, Schedule &schedule) {
  return take(schedule, parseSchedule(value.getAsString().value_or("")));
}
bool read(const json::Value &value, std::optional<Schedule> &schedule) {
  return value.getAsString() == StringRef("") ||
         read(value, schedule.emplace());
}
bool read(const json::Value &value, Bytes &bytes) {
  std::vector<char> decoded;
  std::optional<StringRef> text = value.getAsString();
  if (!text)
    return false;
  if (Error error = llvm::decodeBase64(*text, decoded)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  bytes.bytes.assign(decoded.begin(), decoded.end());
  return true;
}

/// Types of members that have fields of their own.
template <typename T>
constexpr bool kHasFields =
    std::is_same_v<T, KernelFacts> || std::is_same_v<T, Measurement> ||
    std::is_same_v<T, Entered> || std::is_same_v<T, Spent>;

/// Writes fields into an object.
class Writer {
public:
  Writer() = default;
  explicit Writer(StringRef kind) { object["is"] = kind; }
  template <typename T>
  void operator()(StringRef name, const T &value) {
    object[name] = put(value);
  }
  json::Object object;

private:
  template <typename T>
  json::Value put(const T &value) {
    if constexpr (kHasFields<T>) {
      Writer writer;
      visit(value, writer, &value);
      return std::move(writer.object);
    } else {
      return write(value);
    }
  }
  template <typename T>
  json::Value put(const std::vector<T> &values) {
    json::Array array;
    for (const T &value : values)
      array.push_back(put(value));
    return array;
  }
  template <typename T>
  json::Value put(const std::map<std::string, T> &values) {
    json::Object entries;
    for (const auto &[name, value] : values)
      entries[name] = put(value);
    return entries;
  }
};

/// Reads fields from an object, and records the first invalid one.
class Reader {
public:
  explicit Reader(const json::Object &object) : object(object) {}
  template <typename T>
  void operator()(StringRef name, T &value) {
    const json::Value *found = object.get(name);
    if ((!found || !take(*found, value)) && fault.empty())
      fault = name.str();
  }
  std::string fault;

private:
  template <typename T>
  bool take(const json::Value &from, T &value) {
    if constexpr (kHasFields<T>) {
      const json::Object *entries = from.getAsObject();
      if (!entries)
        return false;
      Reader reader(*entries);
      visit(value, reader, &value);
      return reader.fault.empty();
    } else {
      return read(from, value);
    }
  }
  template <typename T>
  bool take(const json::Value &from, std::vector<T> &values) {
    const json::Array *array = from.getAsArray();
    if (!array)
      return false;
    for (const json::Value &each : *array)
      if (!take(each, values.emplace_back()))
        return false;
    return true;
  }
  template <typename T>
  bool take(const json::Value &from, std::map<std::string, T> &values) {
    const json::Object *entries = from.getAsObject();
    if (!entries)
      return false;
    for (const auto &[name, value] : *entries)
      if (!take(value, values[StringRef(name).str()]))
        return false;
    return true;
  }
  const json::Object &object;
};
} // namespace

//===----------------------------------------------------------------------===//
// Device code
//===----------------------------------------------------------------------===//

size_t Kernel::bytes() const {
  size_t sum = plan.size();
  for (const std::string &image : images)
    sum += image.size();
  return sum;
}

static void writeImages(Writer &writer, const Kernel &kernel) {
  std::vector<Bytes> images;
  for (const std::string &image : kernel.images)
    images.push_back({image});
  writer("images", images);
}

static void readImages(Reader &reader, Kernel &kernel) {
  std::vector<Bytes> images;
  reader("images", images);
  for (Bytes &image : images)
    kernel.images.push_back(std::move(image.bytes));
}

//===----------------------------------------------------------------------===//
// Whole messages
//===----------------------------------------------------------------------===//

template <typename T>
json::Value protocol::toJson(const T &message) {
  Writer writer(T::kind);
  visit(message, writer, &message);
  if constexpr (std::is_same_v<T, Kernel>)
    writeImages(writer, message);
  if constexpr (std::is_same_v<T, Compiled>) {
    visit(message.kernel, writer, &message.kernel);
    writeImages(writer, message.kernel);
  }
  return std::move(writer.object);
}

template json::Value protocol::toJson(const Compile &);
template json::Value protocol::toJson(const Compiled &);
template json::Value protocol::toJson(const Kernel &);
template json::Value protocol::toJson(const Open &);
template json::Value protocol::toJson(const Opened &);
template json::Value protocol::toJson(const Refused &);
template json::Value protocol::toJson(const Drop &);
template json::Value protocol::toJson(const Measure &);
template json::Value protocol::toJson(const Began &);
template json::Value protocol::toJson(const Beat &);
template json::Value protocol::toJson(const Measured &);

template <typename T>
llvm::Expected<T> protocol::read(const json::Value &value) {
  if (kindOf(value) != T::kind)
    return llvm::createStringError(
        formatv("expected '{0}', but got '{1}'", T::kind, kindOf(value)));
  Reader reader(*value.getAsObject());
  T message;
  visit(message, reader, &message);
  if constexpr (std::is_same_v<T, Kernel>)
    readImages(reader, message);
  if constexpr (std::is_same_v<T, Compiled>) {
    visit(message.kernel, reader, &message.kernel);
    readImages(reader, message.kernel);
  }
  if (!reader.fault.empty())
    return llvm::createStringError(
        formatv("expected a field '{0}' in '{1}', but got none or one of "
                "another kind",
                reader.fault, T::kind));
  return message;
}

template llvm::Expected<Compile> protocol::read(const json::Value &);
template llvm::Expected<Compiled> protocol::read(const json::Value &);
template llvm::Expected<Kernel> protocol::read(const json::Value &);
template llvm::Expected<Open> protocol::read(const json::Value &);
template llvm::Expected<Opened> protocol::read(const json::Value &);
template llvm::Expected<Refused> protocol::read(const json::Value &);
template llvm::Expected<Drop> protocol::read(const json::Value &);
template llvm::Expected<Measure> protocol::read(const json::Value &);
template llvm::Expected<Began> protocol::read(const json::Value &);
template llvm::Expected<Beat> protocol::read(const json::Value &);
template llvm::Expected<Measured> protocol::read(const json::Value &);
