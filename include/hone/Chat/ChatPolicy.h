//===- ChatPolicy.h - Proposals of a language model -------------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy that queries a language model (Chat.h), in the background. Each
// question contains the results of the earlier proposals:
//
//   propose the default -> result -> question -> wait for the answer
//                       -> propose it -> all results -> question ...
//
// | there is no further question if                                           |
// |---------------------------------------------------------------------------|
// | an answer failed: the search continues without the model                  |
// | an answer had nothing new, twice in a row                                 |
// | two rounds in a row brought no better time                                |
// | there were `rounds` questions                                             |
//
// While an answer is under way, `isComputing` is true, for at most
// `waitSeconds`. A policy that combines several others need not wait, and can
// use the available proposals. Its proposals depend only on the results before
// each question and on the answers: with a replayed transcript it does the same
// again. It sends the next question only after the results of all its
// proposals.
//
// Answers are not trusted: proposals are checked and measured like any others.
// Illegal schedules are proposed, too, so that the search records them: a later
// search of the problem begins with them, and a question names their laws.
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
  size_t perRound = 8; ///< schedules per question
  int64_t rounds = 6;  ///< questions about one problem
  int64_t seed = 1;
  Within isWithin;
  Kinds kinds = allKinds();
  /// Schedules from other sources, for every question.
  std::vector<PromptHint> hints = {};
};

class ChatPolicy : public Policy {
public:
  /// `chat` must outlive it. The extents of `problem` are known and above 0.
  ChatPolicy(Chat &chat, Problem problem, Arch arch,
             ChatPolicyOptions options = {});

  std::vector<Schedule> propose(size_t count) override;
  void receive(const Schedule &schedule, const Measurement &result) override;
  bool isWaiting() const override { return !awaited.empty(); }
  bool isComputing() const override;
  size_t reserve() const override { return options.perRound; }
  bool hasGivenUp() const override { return isClosed || inVain >= kMaxInVain; }

  /// A schedule and its origin.
  struct Proposal {
    Schedule schedule;
    std::string by;    ///< "chat:MODEL"
    std::string plan;  ///< the plan in the model's answer
    int64_t round = 0; ///< from 1 on
  };
  /// All schedules of the answers so far, whether proposed or not, as training
  /// data.
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
  std::string start; ///< of every question, from the first one on

  std::shared_future<ChatAnswer> pending; ///< valid where one is under way
  Clock::time_point asked;
  int64_t round = 0, inVain = 0, withoutGain = 0;
  bool isClosed = false;
  double best = 0, bestWhenAsked = 0; ///< seconds; 0: none

  std::map<std::string, Attempted> received; ///< by text
  std::set<std::string> known;   ///< texts of proposals and of results
  std::set<std::string> awaited; ///< proposed, without a result yet
  std::deque<Schedule> queue;
  std::vector<Refusal> refused;
  std::vector<Proposal> all;
};

} // namespace hone

#endif // HONE_CHAT_CHATPOLICY_H
