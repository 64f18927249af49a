//===- Http.h - One request to an untrusted server --------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Posts JSON and returns the outcome, failures included. It uses libcurl, which
// is opened at the first request: a program without requests neither links nor
// loads it.
//
//   HttpReply reply = postJson({url, body, key, /*seconds=*/60});
//   if (reply.ending == HttpReply::answered && reply.status == 200) ...
//
// | property              | bound                                             |
// |-----------------------|---------------------------------------------------|
// | time                  | `seconds`, of which connecting has at most ten    |
// | body, headers         | 4 MiB, 64 KiB: the rest is not read               |
// | redirects             | are not followed: the key is for one server       |
// | protocols             | http and https; certificates are checked          |
// | compression, cookies, | none                                              |
// | .netrc                |                                                   |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_HTTP_H
#define HONE_CHAT_HTTP_H

#include "hone/Chat/Key.h"
#include <functional>
#include <optional>

namespace hone {

struct HttpRequest {
  std::string url, body;
  const Key &key;
  double seconds = 60;
  /// Called about once a second; may be null.
  std::function<bool()> isCancelled;
};

struct HttpReply {
  enum Ending {
    unsent,   ///< the server did not receive the request
    broken,   ///< it may have received it, but the answer is incomplete
    answered, ///< `status` and the fields after it are known
  };
  Ending ending = unsent;
  std::string fault; ///< why it failed; without the key
  long status = 0;
  std::string contentType, location, body;
  /// Seconds until the next request, if the server states them.
  std::optional<double> retryAfter;
};

HttpReply postJson(const HttpRequest &request);

/// Seconds of a Retry-After header: a number of them, or a date.
std::optional<double> parseRetryAfter(llvm::StringRef value);

/// Why no request may be sent there; nothing if one may. A URL must not contain
/// a key, and the URL of a chat endpoint must have a host.
std::optional<std::string> faultOfUrl(llvm::StringRef url);
/// "https://host:port": the part of a URL that can be printed.
std::string originOf(llvm::StringRef url);
/// True if requests stay on this machine or are encrypted.
bool keepsSecrets(llvm::StringRef url);

} // namespace hone

#endif // HONE_CHAT_HTTP_H
