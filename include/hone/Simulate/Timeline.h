//===- Timeline.h - A run of the simulator in virtual time ------*- C++ -*-===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records a run for a picture: which thread waits for which barrier, when each
// slot is filled and read, when products run.
//
//   Timeline timeline;
//   options.timeline = &timeline;
//   simulate(subject, trial, options);
//   writeFile("kernel.json", timeline.json());     // for ui.perfetto.dev
//   timeline.waits();                              // sums over the events
//
// Virtual time is the longest path through the events: an event begins when its
// thread has done its previous one, and all that it waits for is over. So the
// picture shows what the barriers permit, for the durations below. They are
// round numbers for a picture, not a model of a chip: the order of dependent
// events is true, lengths are not.
//
// | event                        | ticks                                      |
// |------------------------------|--------------------------------------------|
// | any of a thread              | 1                                          |
// | a load, from issue to landing| 24, the latency, and 4 of its block's copy |
// |                              | engine, which lands one after the other    |
// | a group of products          | 6 for each, one after the other of a group |
// | a group of stores or copies  | 16                                         |
//
//===----------------------------------------------------------------------===//

#ifndef HONE_SIMULATE_TIMELINE_H
#define HONE_SIMULATE_TIMELINE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hone::simulate {

class Timeline {
public:
  Timeline();
  ~Timeline();

  /// The trace events of Chrome and Perfetto, as one object of JSON. A process
  /// is a block; its threads are the kernel's, then barriers, slots of rings
  /// and engines.
  std::string json() const;

  /// The waits of a role's threads at one event, "kernel.await barriers at
  /// 65536".
  struct Wait {
    std::string role, what;
    int64_t times = 0, ticks = 0;
    int64_t ofTicks = 0; ///< of all events of the role's threads
  };
  /// The waits of all blocks, the longest first. A group's leader counts, its
  /// followers do not.
  std::vector<Wait> waits() const;
  /// The end of the last event.
  int64_t length() const;

  /// The part that a run fills (lib/Simulate/Machine/Recorder.h).
  class Recorder;
  Recorder &recorder() { return *records; }

private:
  std::unique_ptr<Recorder> records;
};

} // namespace hone::simulate

#endif // HONE_SIMULATE_TIMELINE_H
