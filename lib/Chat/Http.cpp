//===- Http.cpp - One request to an untrusted server ----------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Http.h.
//
//===----------------------------------------------------------------------===//

#include "hone/Chat/Http.h"
#include "Curl.h"
#include "Relay.h"
#include "hone/Text/Number.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <dlfcn.h>

using namespace hone;
using namespace hone::detail;
using llvm::formatv;
using llvm::StringRef;

static constexpr size_t kMaxBody = size_t(4) << 20, kMaxHeaders = 64 << 10;

//===----------------------------------------------------------------------===//
// libcurl
//===----------------------------------------------------------------------===//

template <typename Function>
static bool find(void *file, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(file, name));
  return function != nullptr;
}

static bool openInto(Curl &curl) {
  void *file = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  return file && find(file, "curl_global_init", curl.globalInit) &&
         find(file, "curl_easy_init", curl.init) &&
         find(file, "curl_easy_setopt", curl.set) &&
         find(file, "curl_easy_perform", curl.perform) &&
         find(file, "curl_easy_getinfo", curl.get) &&
         find(file, "curl_easy_cleanup", curl.cleanup) &&
         find(file, "curl_easy_strerror", curl.text) &&
         find(file, "curl_slist_append", curl.append) &&
         find(file, "curl_slist_free_all", curl.freeAll) &&
         find(file, "curl_getdate", curl.date) &&
         curl.globalInit(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

const Curl *Curl::open() {
  static Curl curl;
  static const bool isOpen = openInto(curl);
  return isOpen ? &curl : nullptr;
}

//===----------------------------------------------------------------------===//
// Receiving
//===----------------------------------------------------------------------===//

namespace {
/// The data filled in by libcurl's callbacks.
struct Incoming {
  HttpReply reply;
  size_t headerBytes = 0;
  bool isTooLong = false;
  const std::function<bool()> &isCancelled;
};
} // namespace

static size_t takeBody(char *data, size_t, size_t count, void *user) {
  auto &incoming = *static_cast<Incoming *>(user);
  if (incoming.reply.body.size() + count > kMaxBody) {
    incoming.isTooLong = true;
    return 0;
  }
  incoming.reply.body.append(data, count);
  return count;
}

static size_t takeHeader(char *data, size_t, size_t count, void *user) {
  auto &incoming = *static_cast<Incoming *>(user);
  incoming.headerBytes += count;
  if (incoming.headerBytes > kMaxHeaders) {
    incoming.isTooLong = true;
    return 0;
  }
  auto [name, rest] = StringRef(data, count).split(':');
  std::string value = rest.trim().str();
  if (name.equals_insensitive("content-type"))
    incoming.reply.contentType = std::move(value);
  else if (name.equals_insensitive("location"))
    incoming.reply.location = std::move(value);
  else if (name.equals_insensitive("retry-after"))
    incoming.reply.retryAfter = parseRetryAfter(value);
  return count;
}

static int watch(void *user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto &incoming = *static_cast<Incoming *>(user);
  return incoming.isCancelled && incoming.isCancelled() ? 1 : 0;
}

std::optional<double> hone::parseRetryAfter(StringRef value) {
  if (std::optional<double> seconds = realNumber(value.trim())) {
    if (std::isfinite(*seconds) && *seconds >= 0)
      return seconds;
    return std::nullopt;
  }
  const Curl *curl = Curl::open();
  time_t date = curl ? curl->date(value.str().c_str(), nullptr) : -1;
  if (date < 0)
    return std::nullopt;
  return std::max(0.0, std::difftime(date, std::time(nullptr)));
}

//===----------------------------------------------------------------------===//
// URLs
//===----------------------------------------------------------------------===//

/// The part of a URL after the scheme, up to the path.
static StringRef authorityOf(StringRef url) {
  return url.split("://").second.take_until(
      [](char one) { return one == '/' || one == '?' || one == '#'; });
}

static StringRef schemeOf(StringRef url) { return url.split("://").first; }

std::optional<std::string> hone::faultOfUrl(StringRef url) {
  if (std::optional<detail::Relay> relay = detail::Relay::of(url))
    return relay->fault();
  StringRef scheme = schemeOf(url), authority = authorityOf(url);
  bool isHttp =
      scheme.equals_insensitive("http") || scheme.equals_insensitive("https");
  if (authority.contains('@'))
    return "expected a URL without a user or a key in it; use "
           "--llm-key-file or HONE_LLM_KEY for the key";
  if (!isHttp || authority.empty() || !llvm::all_of(url, [](char one) {
        return llvm::isPrint(one) && one != ' ';
      }))
    return "expected a URL of an endpoint, but got another one; use e.g. "
           "http://localhost:8080/v1";
  if (url.contains('?') || url.contains('#'))
    return "expected a URL without a query, but got one; use e.g. "
           "http://localhost:8080/v1";
  return std::nullopt;
}

std::string hone::originOf(StringRef url) {
  if (!url.contains("://"))
    return "another path";
  StringRef authority = authorityOf(url);
  return (schemeOf(url) + "://" + authority.substr(authority.find('@') + 1))
      .str();
}

static bool isThisMachine(StringRef url) {
  StringRef authority = authorityOf(url);
  StringRef host = authority.starts_with("[")
                       ? authority.take_until([](char c) { return c == ']'; })
                       : authority.split(':').first;
  return host.equals_insensitive("localhost") || host == "127.0.0.1" ||
         host == "[::1";
}

bool hone::keepsSecrets(StringRef url) {
  if (detail::Relay::of(url))
    return true; // it gets no key
  return schemeOf(url).equals_insensitive("https") || isThisMachine(url);
}

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

static std::string faultOf(const Curl &curl, CURLcode code,
                           const Incoming &incoming) {
  if (incoming.isTooLong)
    return formatv("expected an answer of at most {0} MiB, but got more",
                   kMaxBody >> 20);
  if (code == CURLE_OPERATION_TIMEDOUT)
    return "expected an answer in time, but got none; use a longer --llm-wait";
  if (code == CURLE_ABORTED_BY_CALLBACK)
    return "cancelled";
  return formatv("the request failed: {0}", curl.text(code));
}

static curl_slist *headersOf(const Curl &curl, const HttpRequest &request) {
  curl_slist *headers = nullptr;
  auto add = [&](const std::string &line) {
    headers = curl.append(headers, line.c_str());
  };
  add("Content-Type: application/json");
  add("Accept: application/json");
  add("Expect:"); // no extra round trip before the body
  if (!request.key.isEmpty())
    add(request.key.header());
  return headers;
}

/// Sets the options in the table of Http.h.
static void setUp(const Curl &curl, CURL *handle, curl_slist *headers,
                  const HttpRequest &request, Incoming &incoming) {
  constexpr double kMaxToConnect = 10;
  auto set = [&](CURLoption option, auto value) {
    curl.set(handle, option, value);
  };
  auto milliseconds = [](double seconds) {
    return std::max(1L, std::lround(1000 * seconds));
  };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDS, request.body.data());
  set(CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.size()));
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  if (isThisMachine(request.url))
    set(CURLOPT_PROXY, "");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TIMEOUT_MS, milliseconds(request.seconds));
  set(CURLOPT_CONNECTTIMEOUT_MS,
      milliseconds(std::min(request.seconds, kMaxToConnect)));
  set(CURLOPT_WRITEFUNCTION, takeBody);
  set(CURLOPT_WRITEDATA, &incoming);
  set(CURLOPT_HEADERFUNCTION, takeHeader);
  set(CURLOPT_HEADERDATA, &incoming);
  set(CURLOPT_XFERINFOFUNCTION, watch);
  set(CURLOPT_XFERINFODATA, &incoming);
  set(CURLOPT_NOPROGRESS, 0L);
}

HttpReply hone::postJson(const HttpRequest &request) {
  Incoming incoming = {{}, 0, false, request.isCancelled};
  HttpReply &reply = incoming.reply;
  const Curl *curl = Curl::open();
  CURL *handle = curl ? curl->init() : nullptr;
  if (!handle) {
    reply.fault = "expected libcurl.so.4, but could not open it; install "
                  "libcurl4";
    return reply;
  }
  curl_slist *headers = headersOf(*curl, request);
  setUp(*curl, handle, headers, request, incoming);
  CURLcode code = curl->perform(handle);
  long sent = 0;
  curl->get(handle, CURLINFO_RESPONSE_CODE, &reply.status);
  curl->get(handle, CURLINFO_REQUEST_SIZE, &sent);
  curl->cleanup(handle);
  curl->freeAll(headers);
  if (code == CURLE_OK) {
    reply.ending = HttpReply::answered;
    return reply;
  }
  reply.ending = sent > 0 ? HttpReply::broken : HttpReply::unsent;
  reply.fault = request.key.redact(faultOf(*curl, code, incoming));
  return reply;
}
