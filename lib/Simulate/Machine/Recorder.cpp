//===- Recorder.cpp - Virtual times of a run's events ---------------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Recorder.h; hone/Simulate/Timeline.h has the durations.
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace hone::simulate;
using llvm::StringRef;
using Recorder = Timeline::Recorder;

static constexpr int64_t kEvent = 1, kLatency = 24, kCopy = 4, kProduct = 6,
                         kStores = 16;

Timeline::Timeline() : records(std::make_unique<Recorder>()) {}
Timeline::~Timeline() = default;
std::string Timeline::json() const { return records->json(); }
std::vector<Timeline::Wait> Timeline::waits() const { return records->waits(); }
int64_t Timeline::length() const { return records->length(); }

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

int64_t Recorder::timeOf(Epoch epoch) const {
  auto found = times.find(epoch.line);
  if (found == times.end() || found->second.empty())
    return 0;
  size_t number = std::min<size_t>(epoch.number, found->second.size() - 1);
  return found->second[number];
}

/// Events of a line are in order, so one without a time of its own has that of
/// its predecessor.
void Recorder::set(Epoch epoch, int64_t time) {
  std::vector<int64_t> &line = times[epoch.line];
  if (line.empty())
    line.push_back(0);
  if (line.size() <= epoch.number)
    line.resize(epoch.number + 1, line.back());
  line[epoch.number] = std::max(line[epoch.number], time);
}

void Recorder::finishCluster() {
  for (auto &[place, use] : uses)
    emptySlot(place.first, place.second, use);
  for (const auto &[line, place] : barriers)
    for (size_t phase = 1; phase < times[line].size(); ++phase) {
      int64_t start = times[line][phase - 1], end = times[line][phase];
      slices.push_back({place.first,
                        place.second,
                        "phase " + std::to_string(phase - 1),
                        start,
                        end - start,
                        {}});
    }
  uses.clear();
  agents.clear();
  times.clear();
  barriers.clear();
  products.clear();
  engines.clear();
  groupEngines.clear();
}

void Recorder::addAgent(int agent, int64_t block, std::string name) {
  tracks.emplace_back(block, name);
  AgentState state;
  state.block = block;
  if (!StringRef(name).contains(','))
    state.role = StringRef(name).split(' ').first.str();
  state.name = std::move(name);
  agents[agent] = std::move(state);
}

void Recorder::begin(int agent, uint32_t now) {
  AgentState &state = agents[agent];
  state.begun = state.time;
  set({agent, now}, state.time + kEvent);
}

void Recorder::done(int agent, StringRef op, const std::string &at,
                    std::vector<int64_t> steps, const Clock &past) {
  AgentState &state = agents[agent];
  int64_t ready = state.begun;
  for (const auto &[line, numbers] : times)
    if (past.at(line) > state.known.at(line) && line != agent)
      ready = std::max(ready, timeOf({line, past.at(line)}));
  state.known = past;
  state.time = std::max(ready, state.begun) + kEvent;
  end = std::max(end, state.time);
  addWait(state, op.str() + at);
  slices.push_back({state.block, state.name, op.str(), state.begun,
                    state.time - state.begun, std::move(steps)});
}

void Recorder::addWait(const AgentState &state, const std::string &what) {
  if (state.role.empty())
    return;
  int64_t ticks = state.time - state.begun;
  busy[state.role] += ticks;
  if (ticks == kEvent)
    return;
  Wait &wait = waited[{state.role, what}];
  ++wait.times;
  wait.ticks += ticks - kEvent;
}

std::vector<Timeline::Wait> Recorder::waits() const {
  std::vector<Wait> all;
  for (const auto &[key, wait] : waited)
    all.push_back(
        {key.first, key.second, wait.times, wait.ticks, busy.at(key.first)});
  llvm::stable_sort(all, [](const Wait &one, const Wait &other) {
    return one.ticks > other.ticks;
  });
  return all;
}

//===----------------------------------------------------------------------===//
// Barriers, slots, engines
//===----------------------------------------------------------------------===//

void Recorder::arrive(int agent, Epoch phase, int64_t block,
                      const std::string &barrier) {
  barriers.try_emplace(phase.line, block, barrier);
  set(phase, agents[agent].begun + kEvent);
}

void Recorder::emptySlot(int64_t block, const std::string &slot,
                         const Use &use) {
  if (use.last > use.filled)
    slices.push_back(
        {block, slot, "full", use.filled, use.last - use.filled, {}});
}

void Recorder::load(int agent, Epoch phase, int64_t block,
                    const std::string &slot) {
  int64_t issued = agents[agent].begun + kEvent;
  int64_t &engine = engines[block];
  int64_t start = std::max(issued + kLatency, engine);
  engine = start + kCopy;
  set(phase, engine);
  Use &use = uses[{block, slot}];
  // Several loads fill one slot: A in parts, from several blocks.
  bool isSame = use.last <= use.filled && use.filled > 0;
  if (!isSame) {
    emptySlot(block, slot, use);
    use = {};
  }
  use.filled = std::max(use.filled, engine);
  slices.push_back({block, slot, "filling", issued, engine - issued, {}});
}

void Recorder::touch(int agent, int64_t block, const std::string &slot,
                     bool isProduct) {
  Use &use = uses[{block, slot}];
  if (use.filled == 0) // by threads, not by a load
    use.filled = agents[agent].begun;
  use.last = std::max(use.last, agents[agent].begun + kEvent +
                                    (isProduct ? kProduct : 0));
}

void Recorder::commitProducts(int agent, Epoch group) {
  AgentState &state = agents[agent];
  int64_t &engine = groupEngines[group.line];
  int64_t start = std::max(engine, state.begun + kEvent);
  int64_t length = kProduct * std::exchange(products[group.line], 0);
  if (length) {
    engine = start + length;
    slices.push_back({state.block,
                      "products of " + state.name,
                      "products",
                      start,
                      length,
                      {}});
  }
  set(group, std::max(engine, start));
}

void Recorder::commit(int agent, StringRef what, llvm::ArrayRef<Line> lines,
                      uint32_t number) {
  AgentState &state = agents[agent];
  int64_t start = state.begun + kEvent;
  for (Line line : lines)
    set({line, number}, start + kStores);
  slices.push_back({state.block,
                    what.str() + " of " + state.name,
                    what.str(),
                    start,
                    kStores,
                    {}});
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// A viewer draws the slices of a track in one row. Slices that overlap get
/// tracks of their own: "stores of consumer 0 (2)".
void Recorder::separateOverlaps() {
  llvm::stable_sort(slices, [](const Slice &one, const Slice &other) {
    return one.start < other.start;
  });
  std::map<std::pair<int64_t, std::string>, std::vector<int64_t>> ends;
  for (Slice &slice : slices) {
    std::vector<int64_t> &lanes = ends[{slice.block, slice.track}];
    auto isFree = [&](int64_t end) { return end <= slice.start; };
    size_t lane = llvm::find_if(lanes, isFree) - lanes.begin();
    lanes.resize(std::max(lanes.size(), lane + 1));
    lanes[lane] = slice.start + slice.length;
    if (lane)
      slice.track += " (" + std::to_string(lane + 1) + ")";
  }
}

std::string Recorder::json() {
  finishCluster();
  separateOverlaps();
  std::map<int64_t, std::map<std::string, int>> places;
  auto place = [&](int64_t block, const std::string &name) {
    auto &ofBlock = places[block];
    return ofBlock.try_emplace(name, ofBlock.size() + 1).first->second;
  };
  for (const auto &[block, name] : tracks)
    place(block, name);
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream writer(os);
  auto name = [&](StringRef what, int64_t block, int track, StringRef value) {
    writer.object([&] {
      writer.attribute("ph", "M");
      writer.attribute("name", what);
      writer.attribute("pid", block);
      writer.attribute("tid", track);
      writer.attributeObject("args", [&] { writer.attribute("name", value); });
    });
  };
  writer.object([&] {
    writer.attribute("displayTimeUnit", "ns");
    writer.attributeArray("traceEvents", [&] {
      for (const Slice &slice : slices)
        writer.object([&] {
          writer.attribute("ph", "X");
          writer.attribute("name", slice.name);
          writer.attribute("pid", slice.block);
          writer.attribute("tid", place(slice.block, slice.track));
          writer.attribute("ts", slice.start);
          writer.attribute("dur", slice.length);
          if (!slice.steps.empty())
            writer.attributeObject("args", [&] {
              writer.attributeArray("step", [&] {
                for (int64_t step : slice.steps)
                  writer.value(step);
              });
            });
        });
      for (const auto &[block, ofBlock] : places) {
        name("process_name", block, 0, "block " + std::to_string(block));
        for (const auto &[track, number] : ofBlock)
          name("thread_name", block, number, track);
      }
    });
  });
  return text;
}
