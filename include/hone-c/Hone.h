/*===- Hone.h - The compiler as a C library -----------------------*- C -*-===*\
|*
|* Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* For programs that are not written in C++ or do not use MLIR's headers: text
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
|* hone-c/Runtime.h launches the resulting programs.
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

/* A NULL instead of a required argument, and malformed text, are ordinary
 * errors. */

/* The dialects and passes of Hone and of mlir-opt. Only one thread at a time
 * may use a session. */
typedef struct HoneSession HoneSession;

HoneSession *honeSessionCreate(void);
void honeSessionDestroy(HoneSession *session);

/* Runs a pass pipeline on a module. `pipeline` is the text between the
 * parentheses of `--pass-pipeline='builtin.module(...)'`; `ir` is
 * NUL-terminated. Returns 0 and the module's text in `*out`, or another number.
 * The diagnostics and the passes' remarks (changed and unchanged ops, with
 * reasons) are in `*messages` either way, a line each; an unused pointer may be
 * NULL. Free both texts with honeFreeText. */
int honeRunPipeline(HoneSession *session, const char *ir, const char *pipeline,
                    char **out, char **messages);

/* The same for a module of `size` bytes: text, or MLIR's bytecode. */
int honeRunPipelineOnBytes(HoneSession *session, const void *ir, size_t size,
                           const char *pipeline, char **out, char **messages);

/* Compiles a module after the pipeline (host code in the builtin dialects,
 * kernels in a `gpu.binary`), or one in the LLVM dialect, to an object file for
 * `cpu` (LLVM's name, for example x86-64-v3; NULL is this CPU). Returns 0 and
 * the bytes in `*object`, to be freed with honeFreeText, or another number.
 *
 * A public function @f is in it as f, with MLIR's exploded arguments, and as
 * _mlir_ciface_f, with pointers to descriptors. Images register themselves with
 * libhone_rt when the object is loaded. `hone compile` writes functions with
 * plain arguments, and a header for them. */
int honeEmitObject(HoneSession *session, const void *ir, size_t irSize,
                   const char *cpu, char **object, size_t *objectSize,
                   char **messages);

/* A module in this process, compiled for its CPU: like honeEmitObject and a
 * linker, without either. It may outlive the session. */
typedef struct HoneProgram HoneProgram;

/* Takes the same modules as honeEmitObject. Returns 0 and the program, to be
 * destroyed with honeProgramDestroy, or another number. Kernels are registered
 * with libhone_rt at once, and loaded by their first launch. */
int honeProgramCreate(HoneSession *session, const void *ir, size_t size,
                      HoneProgram **program, char **messages);
/* Unloads the code and its kernels: launches must have finished. */
void honeProgramDestroy(HoneProgram *program);

/* The public function @name with MLIR's C interface: it takes scalars by value,
 * and for a memref the address of a descriptor (two pointers, to the
 * allocation and the data, then the offset, the sizes and the strides, each an
 * int64_t). Any thread may call it; launches go to the calling thread's stream
 * (honeSetStream). NULL if the module has none.
 *
 * With hone-pipeline's workspace=argument a function also takes memory for
 * intermediate results: a last memref<BYTESxi8>, on the device, which no other
 * call may use until this one is done. The function @name_workspace takes the
 * other arguments, of which it reads the sizes only, and returns the number of
 * bytes as an int64_t. */
void *honeProgramFunction(HoneProgram *program, const char *name);

/* Why `schedule` cannot run `problem` on `arch` (their canonical texts, see
 * docs/Schedule.md; ranges, too), to be freed with honeFreeText; NULL if it
 * can. */
char *honeCheckSchedule(const char *schedule, const char *problem,
                        const char *arch);
/* The default schedule, to be freed with honeFreeText; NULL with the reason in
 * `*error` for a malformed problem or unknown arch. */
char *honeDefaultSchedule(const char *problem, const char *arch, char **error);

void honeFreeText(char *text);

#ifdef __cplusplus
}
#endif

#endif /* HONE_C_HONE_H */
