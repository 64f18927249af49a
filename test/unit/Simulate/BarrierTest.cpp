//===- BarrierTest.cpp - Clocks, barriers and shadow memory ---------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The components that make one run stand for all orders, used directly: agents
// 0, 1, ... have the lines 0, 1, ...; barriers the lines from 10 on.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulate/Machine/Barrier.h"
#include "lib/Simulate/Machine/Shadow.h"
#include "gtest/gtest.h"

using namespace hone::simulate;

namespace {
/// Collects faults by kind.
struct Ear {
  std::vector<Fault> faults;
  void operator()(Fault fault, std::string, int) { faults.push_back(fault); }
};

/// An agent that makes its own events.
struct Hand {
  explicit Hand(Line line) : line(line) {}
  Epoch act() {
    knowledge.learn({line, ++now});
    return {line, now};
  }
  Line line;
  uint32_t now = 0;
  Knowledge knowledge;
};

constexpr Line kBarrier = 10;
constexpr Epoch kStart = {};
} // namespace

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

TEST(Clock, IncludesEarlierEvents) {
  Clock clock;
  EXPECT_TRUE(clock.includes({3, 0}));
  EXPECT_FALSE(clock.includes({3, 1}));
  clock.learn({3, 5});
  EXPECT_TRUE(clock.includes({3, 4}));
  EXPECT_FALSE(clock.includes({3, 6}));
  clock.learn({3, 2});
  EXPECT_TRUE(clock.includes({3, 5}));
}

TEST(Clock, JoinsLineByLine) {
  Clock a, b;
  a.learn({0, 2});
  b.learn({0, 1});
  b.learn({7, 3});
  a.join(b);
  EXPECT_EQ(a.at(0), 2u);
  EXPECT_EQ(a.at(7), 3u);
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

TEST(PhaseBarrier, EndsWhenAllHaveArrivedAndAllBytesLanded) {
  Ear ear;
  Hand producer(0);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  EXPECT_FALSE(barrier.arrive(producer.knowledge, 64, std::ref(ear)));
  EXPECT_FALSE(barrier.land(producer.knowledge, 32, std::ref(ear)));
  EXPECT_TRUE(barrier.land(producer.knowledge, 32, std::ref(ear)));
  EXPECT_TRUE(ear.faults.empty());
}

TEST(PhaseBarrier, BytesMayLandBeforeTheyAreAnnounced) {
  Ear ear;
  Hand producer(0);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  EXPECT_FALSE(barrier.land(producer.knowledge, 64, std::ref(ear)));
  EXPECT_TRUE(barrier.arrive(producer.knowledge, 64, std::ref(ear)));
  EXPECT_TRUE(ear.faults.empty());
}

TEST(PhaseBarrier, MoreBytesThanAnnouncedNeverEnd) {
  Ear ear;
  Hand producer(0);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  barrier.arrive(producer.knowledge, 32, std::ref(ear));
  EXPECT_FALSE(barrier.land(producer.knowledge, 64, std::ref(ear)));
  EXPECT_EQ(ear.faults, std::vector<Fault>{Fault::count});
}

TEST(PhaseBarrier, AWaitCollectsTheClocksOfArrivals) {
  Ear ear;
  Hand producer(0), consumer(1);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  Epoch write = producer.act();
  EXPECT_EQ(barrier.meantBy(0), 0);
  EXPECT_FALSE(barrier.isOver(0));
  EXPECT_TRUE(barrier.arrive(producer.knowledge, 0, std::ref(ear)));
  EXPECT_FALSE(consumer.knowledge.seen.includes(write));
  barrier.checkWait(consumer.knowledge, 0, std::ref(ear));
  barrier.pass(consumer.knowledge, consumer.act(), {5, 1}, -1);
  EXPECT_TRUE(consumer.knowledge.seen.includes(write));
  EXPECT_TRUE(ear.faults.empty());
}

// The past of a load's issuer is past when its bytes land, but its writes are
// not visible.
TEST(PhaseBarrier, LandingBytesCarryThePastAndNoWrites) {
  Ear ear;
  Hand producer(0), other(1), consumer(2);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  Epoch write = other.act();
  barrier.arrive(producer.knowledge, 8, std::ref(ear));
  EXPECT_TRUE(barrier.land(other.knowledge, 8, std::ref(ear)));
  barrier.pass(consumer.knowledge, consumer.act(), {5, 1}, -1);
  EXPECT_TRUE(consumer.knowledge.past.includes(write));
  EXPECT_FALSE(consumer.knowledge.seen.includes(write));
}

TEST(PhaseBarrier, ArrivalsFromOtherBlocksCarryThePastAndNoWrites) {
  Ear ear;
  Hand far(0), consumer(1);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  Epoch write = far.act();
  EXPECT_TRUE(barrier.arriveFromAfar(far.knowledge, std::ref(ear)));
  barrier.pass(consumer.knowledge, consumer.act(), {5, 1}, -1);
  EXPECT_TRUE(consumer.knowledge.past.includes(write));
  EXPECT_FALSE(consumer.knowledge.seen.includes(write));
  EXPECT_TRUE(ear.faults.empty());
}

TEST(PhaseBarrier, ArrivalThatMayCountForThePhaseBefore) {
  Ear ear;
  Hand first(0), second(1);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  barrier.arrive(first.knowledge, 0, std::ref(ear));
  barrier.arrive(second.knowledge, 0, std::ref(ear));
  EXPECT_EQ(ear.faults, std::vector<Fault>{Fault::phase});
}

TEST(PhaseBarrier, WaitThatMayMeetAnOlderPhase) {
  Ear ear;
  Hand arriver(0), late(1);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  for (int phase = 0; phase < 2; ++phase) {
    barrier.arrive(arriver.knowledge, 0, std::ref(ear));
    barrier.pass(arriver.knowledge, arriver.act(), {5, 1}, -1);
  }
  ASSERT_TRUE(ear.faults.empty());
  // Phase 1 has ended; the waiting agent has not passed phase 0, which has the
  // same parity.
  barrier.checkWait(late.knowledge, 1, std::ref(ear));
  EXPECT_EQ(ear.faults, std::vector<Fault>{Fault::phase});
}

TEST(PhaseBarrier, PhaseThatEndsDuringAWait) {
  Ear ear;
  Hand arriver(0), waiter(1);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  barrier.arrive(arriver.knowledge, 0, std::ref(ear));
  barrier.pass(arriver.knowledge, arriver.act(), {5, 1}, -1);
  barrier.pass(waiter.knowledge, waiter.act(), {5, 1}, -1);
  barrier.arrive(arriver.knowledge, 0, std::ref(ear));
  EXPECT_EQ(ear.faults, std::vector<Fault>{Fault::phase});
}

TEST(PhaseBarrier, TheWaiterHasTakenPartInAProductOfItsGroup) {
  Ear ear;
  Hand arriver(0), waiter(1);
  PhaseBarrier barrier(kBarrier, 1, kStart);
  barrier.arrive(arriver.knowledge, 0, std::ref(ear));
  barrier.pass(arriver.knowledge, arriver.act(), {5, 1}, -1);
  barrier.pass(waiter.knowledge, waiter.act(), {5, 1}, -1);
  arriver.knowledge.learn({5, 1});
  barrier.arrive(arriver.knowledge, 0, std::ref(ear));
  EXPECT_TRUE(ear.faults.empty());
}

TEST(PhaseBarrier, UseBeforeItsStartIsKnown) {
  Ear ear;
  Hand early(1);
  PhaseBarrier barrier(kBarrier, 1, /*start=*/{0, 1});
  barrier.checkWait(early.knowledge, 1, std::ref(ear));
  EXPECT_EQ(ear.faults, std::vector<Fault>{Fault::barrier});
}

//===----------------------------------------------------------------------===//
// Meetings and counters
//===----------------------------------------------------------------------===//

TEST(MeetingBarrier, TheOutcomeHasAllEvents) {
  Ear ear;
  Hand a(0), b(1);
  MeetingBarrier meeting(kBarrier);
  Epoch mine = a.act(), other = b.act();
  EXPECT_FALSE(meeting.arrive(a.knowledge, 1, 128, std::ref(ear)));
  EXPECT_TRUE(meeting.arrive(b.knowledge, 127, 128, std::ref(ear)));
  EXPECT_TRUE(meeting.outcome().seen.includes(mine));
  EXPECT_TRUE(meeting.outcome().seen.includes(other));
}

TEST(MeetingBarrier, ThreadsThatWantDifferentNumbers) {
  Ear ear;
  Hand a(0), b(1);
  MeetingBarrier meeting(kBarrier);
  meeting.arrive(a.knowledge, 1, 128, std::ref(ear));
  meeting.arrive(b.knowledge, 1, 256, std::ref(ear));
  EXPECT_EQ(ear.faults, std::vector<Fault>{Fault::count});
}

TEST(CounterBarrier, IsClearWhenAllHaveLeft) {
  Ear ear;
  Hand a(0), b(1);
  CounterBarrier counter(kBarrier);
  a.act();
  counter.arrive(a.knowledge, std::ref(ear));
  EXPECT_FALSE(counter.await(a.knowledge, 2, std::ref(ear)));
  Epoch write = b.act();
  counter.arrive(b.knowledge, std::ref(ear));
  for (Hand *hand : {&a, &b}) {
    EXPECT_TRUE(counter.await(hand->knowledge, 2, std::ref(ear)));
    counter.leave(hand->knowledge, 2, std::ref(ear));
  }
  EXPECT_TRUE(a.knowledge.seen.includes(write));
  EXPECT_EQ(counter.leftover(), "");
  EXPECT_TRUE(ear.faults.empty());
}

TEST(CounterBarrier, AnArrivalWithoutAWaitMayCountForAnother) {
  Ear ear;
  Hand a(0);
  CounterBarrier counter(kBarrier);
  counter.arrive(a.knowledge, std::ref(ear));
  counter.leave(a.knowledge, 1, std::ref(ear));
  EXPECT_FALSE(ear.faults.empty());
}

//===----------------------------------------------------------------------===//
// Shadow
//===----------------------------------------------------------------------===//

TEST(Shadow, FindsRacesOnTheBytesThatAreShared) {
  Ear ear;
  Hand a(0), b(1);
  Shadow shadow;
  shadow.write({0, 64}, {a.act(), false, 1, -1}, a.knowledge, std::ref(ear));
  shadow.write({64, 128}, {b.act(), false, 2, -1}, b.knowledge, std::ref(ear));
  ASSERT_TRUE(ear.faults.empty());
  shadow.read({32, 96}, {b.act(), false, 3, -1}, b.knowledge, std::ref(ear));
  EXPECT_EQ(ear.faults, std::vector<Fault>{Fault::unfilled});
  ear.faults.clear();
  shadow.write({40, 48}, {a.act(), false, 4, -1}, a.knowledge, std::ref(ear));
  EXPECT_EQ(ear.faults, std::vector<Fault>{Fault::overwritten});
}

TEST(Shadow, PartsOfOneInstanceFollowEarlierAccesses) {
  Ear ear;
  Hand leader(0), follower(1), reader(2);
  Shadow shadow;
  shadow.write({0, 64}, {reader.act(), false, 1, -1}, reader.knowledge,
               std::ref(ear));
  shadow.read({0, 64}, {reader.act(), false, 2, -1}, reader.knowledge,
              std::ref(ear));
  leader.knowledge.join(reader.knowledge);
  shadow.write({0, 64}, {leader.act(), false, 3, -1}, leader.knowledge,
               std::ref(ear));
  EXPECT_TRUE(ear.faults.empty());
  shadow.write({0, 64}, {follower.act(), false, 3, -1}, follower.knowledge,
               std::ref(ear));
  EXPECT_EQ(ear.faults,
            (std::vector<Fault>{Fault::overwritten, Fault::overwritten}));
}

TEST(Shadow, EnginesSeeWhatIsFenced) {
  Ear ear;
  Hand a(0);
  Shadow shadow;
  shadow.write({0, 64}, {a.act(), false, 1, -1}, a.knowledge, std::ref(ear));
  shadow.read({0, 64}, {{20, 1}, true, 0, -1}, a.knowledge, std::ref(ear));
  EXPECT_EQ(ear.faults, std::vector<Fault>{Fault::proxy});
  ear.faults.clear();
  a.knowledge.fenced.join(a.knowledge.seen);
  shadow.read({0, 64}, {{20, 1}, true, 0, -1}, a.knowledge, std::ref(ear));
  EXPECT_TRUE(ear.faults.empty());
}
