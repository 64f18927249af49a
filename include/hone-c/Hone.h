/*===- Hone.h - The compiler as a C library ------------------------*- C -*-===*\
|*
|* Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* For programs that are not written in C++ or do not want MLIR's headers: text
|* or bytecode in, text out.
|*
|*   HoneSession *session = honeSessionCreate();
|*   char *out, *error;
|*   if (honeRunPipeline(session, ir, "hone-pipeline{arch=sm_90a}", &out,
|*                       &error))
|*     puts(error);
|*   honeFreeText(out), honeFreeText(error);
|*   honeSessionDestroy(session);
|*
|* Launching what comes out is hone-c/Runtime.h's business.
|*
\*===----------------------------------------------------------------------===*/

#ifndef HONE_C_HONE_H
#define HONE_C_HONE_H

#include "hone-c/Version.h"
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The HONE_VERSION_NUMBER of the library that is loaded. */
int honeVersion(void);

/* A NULL where there should be something, and text that means nothing, are
 * errors like any other. */

/* The dialects and passes, ready: Hone's, and all that mlir-opt has. One thread
 * uses a session at a time. */
typedef struct HoneSession HoneSession;

HoneSession *honeSessionCreate(void);
void honeSessionDestroy(HoneSession *session);

/* Runs a pass pipeline, as `--pass-pipeline='builtin.module(...)'` spells what
 * stands between the parentheses, on a module: `ir` is NUL-terminated text.
 * Returns 0 and the module's text in `*out`, or another number. The diagnostics
 * and the passes' remarks (what was done, what was left alone and why) are in
 * `*messages` either way, a line each; a pointer that is not wanted may be NULL.
 * Both texts are for honeFreeText. */
int honeRunPipeline(HoneSession *session, const char *ir, const char *pipeline,
                    char **out, char **messages);

/* The same for a module of `size` bytes: text, or MLIR's bytecode. */
int honeRunPipelineOnBytes(HoneSession *session, const void *ir, size_t size,
                           const char *pipeline, char **out, char **messages);

/* Compiles a module that the pipeline is done with (host code in the builtin
 * dialects, kernels in a `gpu.binary`), or one in the LLVM dialect, to an object
 * file for `cpu` (as LLVM names it, x86-64-v3 say; NULL is this one). Returns 0
 * and the bytes in `*object`, for honeFreeText, or another number.
 *
 * A public function @f is in it as f, with MLIR's exploded arguments, and as
 * _mlir_ciface_f, with pointers to descriptors. Images register themselves with
 * libhone_rt when the object is loaded. `hone compile` writes functions with
 * plain arguments, and a header for them. */
int honeEmitObject(HoneSession *session, const void *ir, size_t irSize,
                   const char *cpu, char **object, size_t *objectSize,
                   char **messages);

/* A module in this process, compiled for its CPU: what honeEmitObject and a
 * linker would do, without either. It may outlive the session. */
typedef struct HoneProgram HoneProgram;

/* Takes what honeEmitObject takes. Returns 0 and the program, for
 * honeProgramDestroy, or another number. Kernels are known to libhone_rt from
 * now on, and loaded by their first launch. */
int honeProgramCreate(HoneSession *session, const void *ir, size_t size,
                      HoneProgram **program, char **messages);
/* Unloads the code and its kernels: launches must have finished. */
void honeProgramDestroy(HoneProgram *program);

/* The public function @name, as MLIR's C interface has it: it takes scalars as
 * they are, and for a memref the address of a descriptor (two pointers, to the
 * allocation and the data, then the offset, the sizes and the strides, each an
 * int64_t). Any thread may call it; launches go to the calling thread's stream
 * (honeSetStream). NULL if the module has none.
 *
 * With hone-pipeline's workspace=argument a function takes memory for what it
 * computes on the way, too: a last memref<BYTESxi8>, of the device, which no
 * other call uses until this one is done. The function @name_workspace takes
 * the other arguments, of which it reads the sizes alone, and returns the bytes
 * as an int64_t. */
void *honeProgramFunction(HoneProgram *program, const char *name);

/* Why `schedule` cannot run `problem` on `arch` (their canonical texts, see
 * docs/Schedule.md; ranges, too), for honeFreeText; NULL if it can. */
char *honeCheckSchedule(const char *schedule, const char *problem,
                        const char *arch);
/* The schedule that is used where nothing better is known, for honeFreeText;
 * NULL with the reason in `*error` for a malformed problem or unknown arch. */
char *honeDefaultSchedule(const char *problem, const char *arch, char **error);

void honeFreeText(char *text);

#ifdef __cplusplus
}
#endif

#endif /* HONE_C_HONE_H */
