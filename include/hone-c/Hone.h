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

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* Why `schedule` cannot run `problem` on `arch` (their canonical texts, see
 * docs/Schedule.md), for honeFreeText; NULL if it can. */
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
