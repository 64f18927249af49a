//===- Http.h - One request to a server that nobody vouches for -*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Posts JSON and says what came of it, whatever that was. libcurl does it,
// which is opened when it is first needed: a program that asks no server
// neither links nor loads it.
//
//   HttpReply reply = postJson({url, body, key, /*seconds=*/60});
//   if (reply.ending == HttpReply::answered && reply.status == 200) ...
//
// | what                  | bound                                             |
// |-----------------------|---------------------------------------------------|
// | time                  | `seconds`, of which connecting has at most ten    |
// | body, headers         | 4 MiB, 64 KiB: what is longer is not read on      |
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
  /// Asked about once a second; may be null.
  std::function<bool()> isCancelled;
};

struct HttpReply {
  enum Ending {
    unsent,   ///< the server never had the request
    broken,   ///< it had it, or may have, and there is no whole answer
    answered, ///< `status` and what follows it are known
  };
  Ending ending = unsent;
  std::string fault; ///< why it did not end well; without a key
  long status = 0;
  std::string contentType, location, body;
  /// How long the server wants to be left alone.
  std::optional<double> retryAfter;
};

HttpReply postJson(const HttpRequest &request);

/// Seconds of a Retry-After header: a number of them, or a date.
std::optional<double> parseRetryAfter(llvm::StringRef value);

/// Why no request may be sent there; nothing if one may. A key must not stand
/// in a URL, and the URL of a chat endpoint has a host.
std::optional<std::string> faultOfUrl(llvm::StringRef url);
/// "https://host:port": what of a URL can be printed.
std::string originOf(llvm::StringRef url);
/// True where nothing leaves this machine, or it leaves it encrypted.
bool keepsSecrets(llvm::StringRef url);

} // namespace hone

#endif // HONE_CHAT_HTTP_H
