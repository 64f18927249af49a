//===- FakeGraphs.cpp - Captures and graphs without a GPU -----------------===//
//
// Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph consists of its references to user objects. Its copies have the same
// references. A destructor that calls the driver, which is forbidden, shows in
// the recorded calls.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "lib/Runtime/DriverState.h"

using namespace hone;
using namespace hone::test;

static FakeDriver::Graph *asGraph(cu::Graph graph) {
  return reinterpret_cast<FakeDriver::Graph *>(graph);
}
static cu::Graph asHandle(FakeDriver::Graph *graph) {
  return reinterpret_cast<cu::Graph>(graph);
}

//===----------------------------------------------------------------------===//
// Functions for tests
//===----------------------------------------------------------------------===//

cu::Graph FakeDriver::beginCapture(size_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  auto *graph = *graphs.insert(new Graph{nextId++, {}}).first;
  captures[stream] = graph;
  return asHandle(graph);
}

void FakeDriver::forkCapture(size_t of, size_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  captures[stream] = captures.at(of);
}

void FakeDriver::endCapture(size_t stream) {
  std::lock_guard<std::mutex> lock(mutex);
  Graph *graph = captures.at(stream);
  for (auto it = captures.begin(); it != captures.end();)
    it = it->second == graph ? captures.erase(it) : std::next(it);
}

cu::Graph FakeDriver::copyGraph(cu::Graph graph) {
  std::lock_guard<std::mutex> lock(mutex);
  auto *copy = *graphs.insert(new Graph(*asGraph(graph))).first;
  for (UserObject *object : copy->objects)
    ++object->references;
  return asHandle(copy);
}

void FakeDriver::destroyGraph(cu::Graph graph) {
  for (UserObject *object : asGraph(graph)->objects)
    dropReferences(object, 1);
  std::lock_guard<std::mutex> lock(mutex);
  graphs.erase(asGraph(graph));
  delete asGraph(graph);
}

void FakeDriver::dropReferences(UserObject *object, unsigned count) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    object->references -= count;
    if (object->references > 0)
      return;
    objects.erase(object);
  }
  object->destroy(object->data);
  delete object;
}

size_t FakeDriver::liveObjects() {
  std::lock_guard<std::mutex> lock(mutex);
  return objects.size();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static cu::Result streamGetCaptureInfo(cu::Stream stream,
                                       cu::CaptureStatus *status, uint64_t *id,
                                       cu::Graph *graph, const cu::GraphNode **,
                                       size_t *) {
  FakeDriver &fake = FakeDriver::get();
  cu::Result result = fake.note("cuStreamGetCaptureInfo");
  std::lock_guard<std::mutex> lock(fake.mutex);
  auto found = fake.captures.find(reinterpret_cast<size_t>(stream));
  *status =
      found == fake.captures.end() ? cu::CAPTURE_NONE : cu::CAPTURE_ACTIVE;
  if (found != fake.captures.end()) {
    *id = found->second->capture;
    *graph = asHandle(found->second);
  }
  return result;
}

static cu::Result userObjectCreate(cu::UserObject *object, void *data,
                                   cu::HostFunction destroy,
                                   unsigned references, unsigned flags) {
  FakeDriver &fake = FakeDriver::get();
  cu::Result result = fake.note("cuUserObjectCreate");
  if (result)
    return result;
  if (flags != cu::USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return cu::ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(fake.mutex);
  auto *fresh = new FakeDriver::UserObject{data, destroy, references};
  fake.objects.insert(fresh);
  *object = reinterpret_cast<cu::UserObject>(fresh);
  return cu::SUCCESS;
}

static cu::Result userObjectRelease(cu::UserObject object,
                                    unsigned references) {
  FakeDriver &fake = FakeDriver::get();
  cu::Result result = fake.note("cuUserObjectRelease");
  fake.dropReferences(reinterpret_cast<FakeDriver::UserObject *>(object),
                      references);
  return result;
}

static cu::Result graphRetainUserObject(cu::Graph graph, cu::UserObject object,
                                        unsigned references, unsigned flags) {
  FakeDriver &fake = FakeDriver::get();
  cu::Result result = fake.note("cuGraphRetainUserObject");
  if (result)
    return result;
  if (references != 1 || flags != cu::GRAPH_USER_OBJECT_MOVE)
    return cu::ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(fake.mutex);
  asGraph(graph)->objects.push_back(
      reinterpret_cast<FakeDriver::UserObject *>(object));
  return cu::SUCCESS;
}

void FakeDriver::addGraphs(Driver &table) {
  table.cuStreamGetCaptureInfo = streamGetCaptureInfo;
  table.cuUserObjectCreate = userObjectCreate;
  table.cuUserObjectRelease = userObjectRelease;
  table.cuGraphRetainUserObject = graphRetainUserObject;
}

void FakeDriver::forgetGraphs() {
  Driver &table = state->driver;
  table.cuStreamGetCaptureInfo = nullptr;
  table.cuUserObjectCreate = nullptr;
  table.cuUserObjectRelease = nullptr;
  table.cuGraphRetainUserObject = nullptr;
}
