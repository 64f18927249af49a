/*===- Runtime.h - Launching compiled matmuls ---------------------*- C -*-===*\
|*
|* Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* Compiled programs need libhone_rt at run time: it registers PTX or cubin
|* images, reads launch plans (hone/Runtime/LaunchPlan.h) and launches
|* kernels. It links neither LLVM nor CUDA; the driver is opened at first use.
|*
|* Compiled code makes these calls:
|*   - at load, MLIR's gpu.binary registers its image (mgpuModuleLoad*, which
|*     this library provides; nothing is loaded into the GPU yet);
|*   - at each matmul, it calls honeLaunch with a slot, a plan and arguments.
|*
|* All functions keep these rules:
|*   - none waits for work on the GPU, unless its comment says so;
|*   - work goes to the calling thread's stream (honeSetStream), in its current
|*     context, or device 0's primary context if the thread has none;
|*   - all may be called from any thread, and during stream capture;
|*   - the driver is opened and initialised once; if that fails, every call
|*     fails until the process ends;
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
  HONE_NO_DRIVER = 1,    /* libcuda.so.1 is missing, or too old */
  HONE_NO_DEVICE = 2,    /* the driver finds no GPU */
  HONE_WRONG_DEVICE = 3, /* the image is for another architecture */
  HONE_OUT_OF_MEMORY = 4,
  HONE_BAD_PLAN = 5,  /* malformed plan, or arguments that it cannot run */
  HONE_NO_IMAGE = 6,  /* no registered image has the entry point */
  HONE_CUDA_ERROR = 7 /* any other error of a driver call */
} HoneStatus;

/* State that a launch keeps for the next one: parsed plan, loaded functions,
 * tensor maps. A slot starts as NULL and belongs to one plan. */
typedef struct HoneKernel HoneKernel;

/* Runs `plan` with `args` (one 64-bit value per name in the plan's `args` line,
 * `count` of them) on the calling thread's stream. The first launch in a
 * context loads the kernel; a later one costs two driver calls and no lock.
 *
 * The workspace of a plan is memory that launches use one after the other:
 *
 *   - Launches on a stream use the stream's workspace, in its order. It is kept
 *     until the process ends. CU_STREAM_PER_THREAD is a stream per thread, and
 *     its memory is freed, after the thread's work, when the thread ends.
 *   - Captured launches use memory of the capture, one workspace for each
 *     stream in it. It belongs to the graph and to all objects derived from it
 *     (executables, also those updated with it, clones, graphs that have it as
 *     a child), and is given back when the last of them is destroyed; a later
 *     capture in the context uses or frees it.
 *
 * So two graphs can run at once, regardless of the streams they were captured
 * on, and so can a graph and launches on its stream. Launches of one executable
 * never overlap. But all objects derived from *one* graph share its memory, and
 * a capture cannot detect that: two executables of a graph with a workspace, or
 * two nodes that have it as a child, may not run at the same time; capture
 * twice instead. The same holds for launches whose order in the graph was
 * removed (cuStreamUpdateCaptureDependencies, edited edges).
 *
 * A thread with CU_STREAM_PER_THREAD should wait for that stream
 * (honeSynchronize) before it ends: a driver may hang otherwise, with or
 * without this library.
 *
 * Detecting a capture costs one more driver call, for plans with a workspace
 * on a stream that can be captured. With a driver that has no user objects for
 * graphs (CUDA 11.3 has them), graphs use the stream's memory, too: two that
 * were captured on one stream may not run at the same time then.
 *
 * Kernels and workspaces stay in the context in which they were made. Do not
 * destroy a context while launches with a workspace, or on a slot that was used
 * with it, can still follow: a new context may get the same handle. */
int32_t honeLaunch(HoneKernel **slot, const char *plan, const int64_t *args,
                   int32_t count);
/* Releases the contents of a slot and sets it to NULL. No other thread may be
 * launching on it. */
void honeRelease(HoneKernel **slot);

/* Memory that a program keeps on the device: one block in each context that
 * uses it. A slot starts as NULL and belongs to one constant or assertion.
 *
 * honeConstant: a copy of `bytes` of host memory, which must not change. The
 * first call in a context makes the copy and waits for it, outside of any
 * capture; a later one returns the same address and makes no call of the driver
 * but for the context.
 *
 * honeAssertion: four bytes, 0 at first. Kernels set them to 1 where the
 * assertion does not hold; they then use an index within bounds and continue.
 * `text` must stay valid until the slot is released. */
typedef struct HoneResident HoneResident;
int32_t honeConstant(HoneResident **slot, const void *data, size_t bytes,
                     void **pointer);
int32_t honeAssertion(HoneResident **slot, const char *text, void **pointer);
/* Frees the memory and sets the slot to NULL, unless that fails. Kernels that use
 * the memory must have finished. */
void honeReleaseResident(HoneResident **slot);

/* Waits for the calling thread's stream. `text` receives the text of an
 * assertion that failed in this context since it was last returned; NULL if
 * none did. Call it again for the next one. Not during a capture. */
int32_t honeTakeAssertion(const char **text);

/* Registers the entry points of a PTX text (NUL-terminated; size may or may not
 * count the NUL), a cubin or a fat binary. The bytes must outlive the handle.
 * If several images have an entry point, the newest that runs on the device is
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
 * (HONE_OK if none). For failures in compiled code, which returns no status. */
int32_t honeTakeStatus(void);

/* Failures in compiled code (on-error of hone-emit). The mark is the number of
 * this thread's failures so far; the status of a mark is that of its last
 * failure since (HONE_OK if none), even if honeTakeStatus returned it already.
 * honeRequire returns if `status` is HONE_OK. Otherwise it prints `where`
 * ("honeLaunch of plan 'mlp' in 'main'") and the failure, and aborts. */
int64_t honeFailureMark(void);
int32_t honeStatusSince(int64_t mark);
void honeRequire(int32_t status, const char *where);

/* Text of this thread's last failure ("" if none), and the number of failures
 * in this process. The handler receives every failure; the default one prints
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
 * memory pools, honeFree waits for it). 0 bytes give NULL, and NULL may be
 * freed. Page-locked memory that is copied to the device must not change until
 * the copy is done; other memory may. */
int32_t honeAlloc(void **pointer, size_t bytes);
int32_t honeFree(void *pointer);
int32_t honeCopyToDevice(void *to, const void *from, size_t bytes);
/* From any memory to any other, in the stream's order: of the host, the device
 * or both. Memory of the host must stay valid until the copy is done. */
int32_t honeCopy(void *to, const void *from, size_t bytes);
/* Waits for the copy. */
int32_t honeCopyFromDevice(void *to, const void *from, size_t bytes);
/* Waits for the calling thread's stream. */
int32_t honeSynchronize(void);

#ifdef __cplusplus
}
#endif

#endif /* HONE_C_RUNTIME_H */
