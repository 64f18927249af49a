/*===- Runtime.h - Launching compiled matmuls ---------------------*- C -*-===*\
|*
|* Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* libhone_rt is what a compiled program needs at run time: it registers PTX or
|* cubin images, reads launch plans (hone/Runtime/LaunchPlan.h) and launches
|* kernels. It links neither LLVM nor CUDA; the driver is opened at first use.
|*
|* What compiled code does:
|*   - at load, MLIR's gpu.binary registers its image (mgpuModuleLoad*, which
|*     this library provides; nothing is loaded into the GPU yet);
|*   - at each matmul, it calls honeLaunch with a slot, a plan and arguments.
|*
|* The rules every function keeps:
|*   - nothing waits for work on the GPU, except where it says so here;
|*   - work goes to the calling thread's stream (honeSetStream), in its current
|*     context, or device 0's primary context where the thread has none;
|*   - everything may be called from any thread, and during stream capture;
|*   - the driver is opened and initialised once; where that fails, every call
|*     says so until the process ends;
|*   - a failure returns a HoneStatus, calls the error handler once, and its
|*     text ("cuLaunchKernelEx: invalid argument (CUDA_ERROR_INVALID_VALUE)")
|*     is honeLastError() of this thread.
|*
\*===----------------------------------------------------------------------===*/

#ifndef HONE_C_RUNTIME_H
#define HONE_C_RUNTIME_H

#include "hone-c/Version.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum HoneStatus {
  HONE_OK = 0,
  HONE_NO_DRIVER = 1,    /* libcuda.so.1 is not there, or too old */
  HONE_NO_DEVICE = 2,    /* the driver sees no GPU */
  HONE_WRONG_DEVICE = 3, /* the image is for another architecture */
  HONE_OUT_OF_MEMORY = 4,
  HONE_BAD_PLAN = 5,  /* malformed plan, or arguments that it can not run */
  HONE_NO_IMAGE = 6,  /* no registered image has the entry point */
  HONE_CUDA_ERROR = 7 /* any other error of a driver call */
} HoneStatus;

/* What a launch leaves behind for the next one: parsed plan, loaded functions,
 * tensor maps. A slot starts as NULL and belongs to one plan. */
typedef struct HoneKernel HoneKernel;

/* Runs `plan` with `args` (one 64-bit value per name in the plan's `args` line,
 * `count` of them) on the calling thread's stream. The first launch in a
 * context loads the kernel; a later one costs two driver calls and no lock.
 *
 * What a plan calls its workspace is memory that launches use one after the
 * other:
 *
 *   - Launches on a stream use the stream's, in its order. It is kept until the
 *     process ends. CU_STREAM_PER_THREAD is a stream per thread, and its memory
 *     is freed, behind the thread's work, when the thread ends.
 *   - Launches that are captured use memory of the capture, one for each of the
 *     streams that take part in it. It belongs to the graph and to what is made
 *     of it (executables, also those updated with it, clones, graphs that have
 *     it as a child), and is given back when the last of them is destroyed; a
 *     later capture in the context uses or frees it.
 *
 * So two graphs run at once, whichever streams they were captured on, and so do
 * a graph and launches on its stream. An executable never runs beside itself,
 * however often it is launched. But what is made of *one* graph shares its
 * memory, and a capture cannot know of it: two executables of a graph with a
 * workspace, or two nodes that have it as a child, may not run at the same
 * time; capture twice instead. The same goes for launches whose order in the
 * graph was taken away (cuStreamUpdateCaptureDependencies, edited edges).
 *
 * Let a thread with CU_STREAM_PER_THREAD wait for it (honeSynchronize) before
 * it ends: a driver may hang otherwise, with or without this library.
 *
 * To know of a capture costs one driver call more, for plans with a workspace
 * on a stream that can be captured. With a driver that has no user objects for
 * graphs (CUDA 11.3 has them), graphs have the stream's memory, too: two that
 * were captured on one stream may not run at the same time there.
 *
 * Kernels and workspaces stay in the context they were made in. A context must
 * not be destroyed while launches on a slot that it was used with, or with a
 * workspace, can still follow: another one may get its handle. */
int32_t honeLaunch(HoneKernel **slot, const char *plan, const int64_t *args,
                   int32_t count);
/* Releases what a slot holds and sets it to NULL. No launch on it may be going
 * on in another thread. */
void honeRelease(HoneKernel **slot);

/* Makes the entry points of a PTX text (NUL-terminated; size counts the NUL or
 * not), a cubin or a fat binary known. The bytes must outlive the handle. Where
 * several images have an entry point, the newest that runs on the device is
 * used. Needs no driver. NULL if the bytes are none of these.
 *
 * Unregistering unloads the kernels: those that are still needed must have
 * finished. A launch afterwards looks its kernel up again. */
void *honeRegisterImage(const void *image, size_t size);
void honeUnregisterImage(void *handle);

/* Makes the primary context of a device the calling thread's context. */
int32_t honeSetDevice(int32_t device);

/* The calling thread's CUstream; NULL is the default stream. */
void honeSetStream(void *stream);
void *honeGetStream(void);

/* The HONE_VERSION_NUMBER of the library that is loaded. One that is older than
 * the header a program was compiled with may lack functions. */
int32_t honeRuntimeVersion(void);

/* The status of this thread's last failure since the last call of this function
 * (HONE_OK if none): what compiled code, which returns none, left behind. */
int32_t honeTakeStatus(void);

/* What compiled code does about failures (on-error of hone-emit). The mark is
 * the number of this thread's failures so far; the status of a mark is that of
 * its last failure since (HONE_OK if none), whoever took it. honeRequire returns
 * if `status` is HONE_OK. Otherwise it prints `where` ("honeLaunch of plan 'mlp'
 * in 'main'") and what failed, and aborts the program. */
int64_t honeFailureMark(void);
int32_t honeStatusSince(int64_t mark);
void honeRequire(int32_t status, const char *where);

/* Text of this thread's last failure ("" if none), and the number of failures
 * in this process. The handler sees every failure; the default one prints
 * "hone: ..." to standard error, each text once. NULL restores the default. */
const char *honeLastError(void);
int64_t honeErrorCount(void);
typedef void (*HoneErrorHandler)(int32_t status, const char *text, void *user);
void honeSetErrorHandler(HoneErrorHandler handler, void *user);

typedef struct HoneDeviceInfo {
  char name[128];
  int32_t capability; /* 90 for compute capability 9.0 */
  int32_t processors;
  int64_t memoryBytes;
  int32_t sharedPerBlock; /* opt-in maximum, bytes */
  int32_t clockKHz;
  int32_t driverVersion; /* 13000 for CUDA 13.0 */
  int32_t l2Bytes;
} HoneDeviceInfo;

int32_t honeDeviceCount(int32_t *count);
int32_t honeDeviceInfo(int32_t device, HoneDeviceInfo *info);

/* Device memory, ordered on the calling thread's stream (on a device without
 * memory pools, honeFree waits for it). 0 bytes are NULL, and NULL may be freed.
 * Page-locked memory that is copied to the device must stay
 * as it is until the copy is done; other memory need not. */
int32_t honeAlloc(void **pointer, size_t bytes);
int32_t honeFree(void *pointer);
int32_t honeCopyToDevice(void *to, const void *from, size_t bytes);
/* From any memory to any other, in the stream's order: of the host, the device
 * or both. Memory of the host must stay until the copy is done. */
int32_t honeCopy(void *to, const void *from, size_t bytes);
/* Waits for the copy. */
int32_t honeCopyFromDevice(void *to, const void *from, size_t bytes);
/* Waits for the calling thread's stream. */
int32_t honeSynchronize(void);

#ifdef __cplusplus
}
#endif

#endif /* HONE_C_RUNTIME_H */
