//===- ToolDamageBinary.cpp - Damage to files with a structure ------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ToolDamage.h: bytes, JSON, weights, frames and databases.
//
//===----------------------------------------------------------------------===//

#include "ToolDamage.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"
#include <cstring>
#include <sqlite3.h>

using namespace hone;
using namespace hone::fuzz;
using llvm::StringRef;
namespace json = llvm::json;

std::string fuzz::withOtherBytes(StringRef bytes, fuzz::Random &random) {
  std::string damaged = bytes.str();
  for (int64_t count = 1 + random.below(4); count > 0 && !damaged.empty();
       --count) {
    size_t at = random.below(damaged.size());
    size_t size = std::min<size_t>(damaged.size() - at, random.below(64) + 1);
    switch (random.below(5)) {
    case 0:
      damaged.erase(at, size);
      break;
    case 1:
      damaged.insert(at, damaged.substr(at, size));
      break;
    case 2:
      damaged.replace(at, size, size, random.chance(50) ? '\0' : '\xff');
      break;
    default:
      damaged[at] ^= char(1 << random.below(8));
    }
  }
  if (random.chance(5))
    damaged.resize(random.below(damaged.size() + 1));
  return damaged;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Every value within `value`, itself first.
static void collect(json::Value &value, std::vector<json::Value *> &all) {
  all.push_back(&value);
  if (json::Object *object = value.getAsObject())
    for (auto &entry : *object)
      collect(entry.second, all);
  if (json::Array *array = value.getAsArray())
    for (json::Value &element : *array)
      collect(element, all);
}

static json::Value oddValue(fuzz::Random &random) {
  constexpr int kDeep = 40;
  constexpr size_t kLong = 100000;
  switch (random.below(12)) {
  case 0:
    return nullptr;
  case 1:
    return random.chance(50);
  case 2:
    return random.pick({0, -1, 1, 1000001});
  case 3:
    return random.pick<int64_t>({INT64_MAX, INT64_MIN, INT32_MAX, 1LL << 32});
  case 4:
    return random.pick({1e308, -1e308, 1e-320, 0.5, -0.0});
  case 5:
    return "";
  case 6:
    return std::string(random.below(kLong), 'x');
  case 7:
    return std::string("a\0b", 3);
  case 8:
    return random.pick({"nan", "../../x", "%s%n", "\n", "<", "\"", "1e400"});
  case 9:
    return json::Array();
  case 10:
    return json::Object();
  default:
    json::Value deep = 1;
    for (int i = 0; i < kDeep; ++i)
      deep = json::Array{std::move(deep)};
    return deep;
  }
}

/// Deletes an entry or adds it under another name; deletes or doubles an
/// element.
static void damageList(json::Value &value, fuzz::Random &random) {
  if (json::Object *object = value.getAsObject(); object && !object->empty()) {
    auto entry = object->begin();
    std::advance(entry, random.below(object->size()));
    json::Value copy = entry->second;
    std::string name = entry->first.str();
    if (random.chance(70))
      object->erase(entry->first);
    if (random.chance(50))
      (*object)[name + "2"] = std::move(copy);
  } else if (json::Array *array = value.getAsArray();
             array && !array->empty()) {
    auto element = array->begin() + random.below(array->size());
    if (random.chance(50)) {
      array->erase(element);
    } else {
      json::Value copy = *element;
      array->insert(element, std::move(copy));
    }
  } else {
    value = oddValue(random);
  }
}

static void damageValue(json::Value &root, fuzz::Random &random) {
  std::vector<json::Value *> all;
  collect(root, all);
  json::Value &value = *random.pickFrom(all);
  switch (random.below(5)) {
  case 0:
    damageList(value, random);
    break;
  case 1:
    value = json::Value(*random.pickFrom(all));
    break;
  case 2:
    if (std::optional<StringRef> text = value.getAsString()) {
      std::string other = withOtherText(*text, random);
      value = json::isUTF8(other) ? other : json::fixUTF8(other);
      break;
    }
    if (std::optional<double> number = value.getAsNumber()) {
      value = *number * random.pick({-1.0, 0.5, 3.0, 1e9, 1e18});
      break;
    }
    [[fallthrough]];
  default:
    value = oddValue(random);
  }
}

/// Damages one line of JSON; damages it as text if it is not JSON.
static std::string withOtherValue(StringRef line, fuzz::Random &random) {
  llvm::Expected<json::Value> value = json::parse(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    return withOtherText(line, random);
  }
  for (int64_t count = 1 + random.below(2); count > 0; --count)
    damageValue(*value, random);
  return llvm::formatv("{0}", *value).str();
}

std::string fuzz::withOtherJson(StringRef text, fuzz::Random &random) {
  if (random.chance(25))
    return withOtherLines(text, random);
  std::vector<std::string> lines;
  for (StringRef line : llvm::split(text.rtrim('\n'), '\n'))
    lines.push_back(line.str());
  std::string &line = lines[random.below(lines.size())];
  line = withOtherValue(line, random);
  return llvm::join(lines, "\n") + "\n";
}

//===----------------------------------------------------------------------===//
// Weights and frames
//===----------------------------------------------------------------------===//

static void damageFloats(std::string &bytes, fuzz::Random &random) {
  constexpr size_t kBytes = 4;
  if (bytes.size() < kBytes)
    return;
  for (int64_t count = 1 + random.below(8); count > 0; --count) {
    size_t at = random.below(bytes.size() - kBytes + 1);
    if (random.chance(80))
      at -= at % kBytes;
    uint32_t bits = random.pick<uint32_t>(
        {0, 0x7fc00000, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff, 1,
         0x80000000, 0xffffffff, 0x00010001, 0x3f800000});
    std::memcpy(&bytes[at], &bits, kBytes);
  }
  if (random.chance(15))
    bytes.resize(random.below(bytes.size() + 1));
  if (random.chance(5))
    bytes += bytes;
}

std::string fuzz::withOtherWeights(StringRef bytes, fuzz::Random &random) {
  if (random.chance(20))
    return withOtherBytes(bytes, random);
  auto [line, floats] = bytes.split('\n');
  std::string head = line.str(), payload = floats.str();
  int64_t which = random.below(3);
  if (which != 0)
    damageFloats(payload, random);
  if (which != 1)
    head = withOtherValue(head, random);
  llvm::Expected<json::Value> value = json::parse(head);
  if (!value) {
    llvm::consumeError(value.takeError());
    return head + "\n" + payload;
  }
  json::Object *object = value->getAsObject();
  if (object && object->get("check") && random.chance(50)) {
    (*object)["check"] =
        llvm::formatv("{0:x-}", llvm::xxh3_64bits(payload)).str();
    head = llvm::formatv("{0}", *value).str();
  }
  return head + "\n" + payload;
}

std::string fuzz::withOtherFrames(StringRef bytes, fuzz::Random &random) {
  if (random.chance(20))
    return withOtherBytes(bytes, random);
  std::string result;
  while (!bytes.empty()) {
    auto [head, rest] = bytes.split('\n');
    int64_t size = 0;
    if (head.rsplit(' ').second.getAsInteger(10, size) || size < 0)
      return result + withOtherText(bytes, random);
    std::string text = rest.take_front(size).rtrim('\n').str();
    bytes = rest.drop_front(std::min<size_t>(size, rest.size()));
    if (random.chance(60))
      text = withOtherValue(text, random);
    text += "\n";
    std::string length = std::to_string(text.size());
    if (random.chance(15))
      length = withOtherNumber(length, random);
    result += head.rsplit(' ').first.str() + " " + length + "\n" + text;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Databases
//===----------------------------------------------------------------------===//

/// The first column of every row.
static std::vector<std::string> ask(sqlite3 *database, const std::string &sql,
                                    int column = 0) {
  std::vector<std::string> answers;
  sqlite3_stmt *statement = nullptr;
  if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) ==
      SQLITE_OK)
    while (sqlite3_step(statement) == SQLITE_ROW)
      if (const unsigned char *text = sqlite3_column_text(statement, column))
        answers.push_back(reinterpret_cast<const char *>(text));
  sqlite3_finalize(statement);
  return answers;
}

static std::string drawStatement(sqlite3 *database, fuzz::Random &random) {
  std::vector<std::string> tables =
      ask(database, "SELECT name FROM sqlite_master WHERE type = 'table'");
  if (tables.empty())
    return "";
  std::string table = random.pickFrom(tables);
  std::vector<std::string> columns =
      ask(database, "PRAGMA table_info(\"" + table + "\")", 1);
  if (columns.empty())
    return "";
  std::string column = random.pickFrom(columns);
  auto statement = [&](const char *form) {
    return llvm::formatv(false, form, table, column).str();
  };
  switch (random.below(14)) {
  case 0:
    return statement("DELETE FROM \"{0}\" WHERE rowid % 2 = 0");
  case 1:
    return statement("DROP TABLE \"{0}\"");
  case 2:
    return statement("ALTER TABLE \"{0}\" RENAME COLUMN \"{1}\" TO other");
  case 3:
    return llvm::formatv("PRAGMA user_version = {0}",
                         random.pick({0, 1, 3, 99, -1, INT32_MAX}));
  case 4:
    return statement("CREATE TRIGGER t AFTER INSERT ON \"{0}\" BEGIN DELETE "
                     "FROM \"{0}\"; END");
  default:
    break;
  }
  std::string value =
      random.pick({"NULL",
                   "-1",
                   "0",
                   "9223372036854775807",
                   "1e308",
                   "-1e308",
                   "9e999",
                   "''",
                   "'x'",
                   "'nan'",
                   "x'00ff'",
                   "zeroblob(100000)",
                   "char(0)",
                   "hex(zeroblob(60000))",
                   "\"{1}\" || \"{1}\"",
                   "substr(\"{1}\", 2)",
                   "replace(\"{1}\", '64', '0')",
                   "replace(\"{1}\", ',', ';')",
                   "replace(\"{1}\", '1', '9223372036854775807')",
                   "-\"{1}\"",
                   "\"{1}\" * 1e12",
                   "upper(\"{1}\")"});
  return statement(("UPDATE OR IGNORE \"{0}\" SET \"{1}\" = " + value +
                    (random.chance(50) ? " WHERE rowid % 3 = 1" : ""))
                       .c_str());
}

std::string fuzz::withOtherRows(StringRef bytes, fuzz::Random &random) {
  // Bytes 18 and 19 are the file's write and read versions: 2 for a file with a
  // log.
  constexpr size_t kVersions = 18;
  sqlite3 *database = nullptr;
  if (bytes.size() <= kVersions + 1 ||
      sqlite3_open(":memory:", &database) != SQLITE_OK)
    return withOtherBytes(bytes, random);
  auto *copy = static_cast<unsigned char *>(sqlite3_malloc64(bytes.size()));
  std::memcpy(copy, bytes.data(), bytes.size());
  copy[kVersions] = copy[kVersions + 1] = 1;
  sqlite3_deserialize(database, "main", copy, bytes.size(), bytes.size(),
                      SQLITE_DESERIALIZE_FREEONCLOSE |
                          SQLITE_DESERIALIZE_RESIZEABLE);
  sqlite3_exec(database, "PRAGMA ignore_check_constraints = 1", nullptr,
               nullptr, nullptr);
  for (int64_t count = 1 + random.below(3); count > 0; --count)
    sqlite3_exec(database, drawStatement(database, random).c_str(), nullptr,
                 nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char *written = sqlite3_serialize(database, "main", &size, 0);
  std::string result(reinterpret_cast<char *>(written), written ? size : 0);
  sqlite3_free(written);
  sqlite3_close(database);
  return result;
}
