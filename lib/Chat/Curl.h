//===- Curl.h - Optional libcurl --------------------------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions used of it, with the types from its header.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_LIB_CHAT_CURL_H
#define HONE_LIB_CHAT_CURL_H

#include <curl/curl.h>

namespace hone::detail {

struct Curl {
  decltype(&curl_global_init) globalInit;
  decltype(&curl_easy_init) init;
  decltype(&curl_easy_setopt) set;
  decltype(&curl_easy_perform) perform;
  decltype(&curl_easy_getinfo) get;
  decltype(&curl_easy_cleanup) cleanup;
  decltype(&curl_easy_strerror) text;
  decltype(&curl_slist_append) append;
  decltype(&curl_slist_free_all) freeAll;
  decltype(&curl_getdate) date;

  /// Null if it cannot be opened.
  static const Curl *open();
};

} // namespace hone::detail

#endif // HONE_LIB_CHAT_CURL_H
