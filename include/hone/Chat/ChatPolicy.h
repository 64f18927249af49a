//===- ChatPolicy.h - A language model proposes schedules -------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy that asks a language model (Chat.h), in the background, and goes on
// asking with what came of its proposals:
//
//   propose the default -> hear of it -> ask -> wait for the answer
//                           -> propose it -> hear of all of it -> ask ...
//
// | it asks no more where                                                     |
// |---------------------------------------------------------------------------|
// | an answer failed: once the model is gone, the search goes on without it   |
// | an answer had nothing new, twice in a row                                 |
// | two rounds in a row brought no better time                                |
// | it has asked `rounds` times                                               |
//
// While an answer is under way `isThinking`, for at most `waitSeconds`; who
// mixes several policies need not wait at all, and takes what there is. What it
// proposes depends on what it heard before it asked, and on the answers: with a
// replayed transcript it does the same again. Every schedule that it proposes
// must be heard of, as always; until then it does not ask again.
//
// Nothing is believed: a proposal has kept every law, and is measured like any
// other.
//
//===----------------------------------------------------------------------===//

#ifndef HONE_CHAT_CHATPOLICY_H
#define HONE_CHAT_CHATPOLICY_H

#include "hone/Chat/Chat.h"
#include "hone/Chat/Prompt.h"
#include "hone/Search/Policy.h"
#include <chrono>
#include <deque>
#include <map>
#include <set>

namespace hone {

struct ChatPolicyOptions {
  size_t perRound = 8; ///< schedules that are asked for
  int64_t rounds = 6;  ///< questions about one problem
  int64_t seed = 1;
  Within isWithin;
  Kinds kinds = allKinds();
};

class ChatPolicy : public Policy {
public:
  /// `chat` outlives it. The extents of `problem` are known and above 0.
  ChatPolicy(Chat &chat, Problem problem, Arch arch,
             ChatPolicyOptions options = {});

  std::vector<Schedule> propose(size_t count) override;
  void hear(const Schedule &schedule, const Measurement &result) override;
  bool isWaiting() const override { return !awaited.empty(); }
  bool isThinking() const override;
  size_t reserve() const override { return options.perRound; }
  bool hasGivenUp() const override { return isClosed || inVain >= kMaxInVain; }

  /// A schedule with where it comes from.
  struct Proposal {
    Schedule schedule;
    std::string by;    ///< "chat:MODEL"
    std::string plan;  ///< what the model said that it has in mind
    int64_t round = 0; ///< from 1 on
  };
  /// Everything that answers brought so far, whether proposed or not: for who
  /// wants to learn from it.
  llvm::ArrayRef<Proposal> proposals() const { return all; }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr int64_t kMaxInVain = 2, kMaxWithoutGain = 2;
  bool mayAsk() const;
  bool isStuck() const;
  void ask();
  bool isLate() const;
  void takeAnswer();
  void take(const Suggestions &answer);
  void close(const std::string &why);

  Chat &chat;
  const Problem problem;
  const Arch arch;
  const ChatPolicyOptions options;
  const std::vector<const Kind *> kinds;

  std::shared_future<ChatAnswer> pending; ///< valid where one is under way
  Clock::time_point asked;
  int64_t round = 0, inVain = 0, withoutGain = 0;
  bool isClosed = false;
  double best = 0, bestWhenAsked = 0; ///< seconds; 0: none

  std::map<std::string, Attempted> heard; ///< by text
  std::set<std::string> known;   ///< texts of proposals, and what was heard
  std::set<std::string> awaited; ///< proposed and not heard of
  std::deque<Schedule> queue;
  std::vector<Refusal> refused;
  std::vector<Proposal> all;
};

} // namespace hone

#endif // HONE_CHAT_CHATPOLICY_H
