//===- Schema.h - Checker of values against a JSON schema -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of JSON schema that Hone writes, with a reader independent of the
// writer. An unknown keyword fails every value.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_TEST_CHAT_SCHEMA_H
#define HONE_TEST_CHAT_SCHEMA_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"

namespace hone::test {

inline bool keepsTo(const llvm::json::Object &schema,
                    const llvm::json::Value &value);

inline bool hasType(llvm::StringRef type, const llvm::json::Value &value) {
  using llvm::json::Value;
  if (type == "integer")
    return value.getAsInteger().has_value();
  return (type == "object" && value.kind() == Value::Object) ||
         (type == "array" && value.kind() == Value::Array) ||
         (type == "string" && value.kind() == Value::String) ||
         (type == "null" && value.kind() == Value::Null);
}

inline bool keepsToObject(const llvm::json::Object &schema,
                          llvm::StringRef keyword,
                          const llvm::json::Object &value) {
  if (keyword == "required")
    return llvm::all_of(*schema.getArray("required"), [&](const auto &name) {
      return value.get(*name.getAsString()) != nullptr;
    });
  const llvm::json::Object &known = *schema.getObject("properties");
  return llvm::all_of(value, [&](const auto &member) {
    const llvm::json::Object *of = known.getObject(member.first);
    if (keyword == "properties")
      return !of || keepsTo(*of, member.second);
    return of != nullptr; // additionalProperties = false
  });
}

inline bool keepsToKeyword(const llvm::json::Object &schema,
                           llvm::StringRef keyword,
                           const llvm::json::Value &rule,
                           const llvm::json::Value &value) {
  if (keyword == "type")
    return hasType(*rule.getAsString(), value);
  if (keyword == "enum")
    return llvm::is_contained(*rule.getAsArray(), value);
  if (keyword == "anyOf")
    return llvm::any_of(*rule.getAsArray(), [&](const auto &each) {
      return keepsTo(*each.getAsObject(), value);
    });
  if (keyword == "pattern")
    return llvm::Regex(*rule.getAsString())
        .match(value.getAsString().value_or(""));
  if (keyword == "minimum")
    return value.getAsInteger().value_or(0) >= *rule.getAsInteger();
  if (keyword == "maximum")
    return value.getAsInteger().value_or(0) <= *rule.getAsInteger();
  if (keyword == "multipleOf")
    return value.getAsInteger().value_or(0) % *rule.getAsInteger() == 0;
  const llvm::json::Array *array = value.getAsArray();
  if (keyword == "minItems")
    return array && int64_t(array->size()) >= *rule.getAsInteger();
  if (keyword == "maxItems")
    return array && int64_t(array->size()) <= *rule.getAsInteger();
  if (keyword == "items")
    return array && llvm::all_of(*array, [&](const auto &each) {
             return keepsTo(*rule.getAsObject(), each);
           });
  bool isOfObjects = keyword == "required" || keyword == "properties" ||
                     keyword == "additionalProperties";
  const llvm::json::Object *object = value.getAsObject();
  return isOfObjects && object && keepsToObject(schema, keyword, *object);
}

inline bool keepsTo(const llvm::json::Object &schema,
                    const llvm::json::Value &value) {
  return llvm::all_of(schema, [&](const auto &rule) {
    return keepsToKeyword(schema, rule.first, rule.second, value);
  });
}

} // namespace hone::test

#endif // HONE_TEST_CHAT_SCHEMA_H
