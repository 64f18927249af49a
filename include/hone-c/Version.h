/*===- Version.h - Which Hone this is ------------------------------*- C -*-===*\
|*
|* Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* The one place that has the number; CMake reads it here. honeVersion of
|* hone-c/Hone.h and honeRuntimeVersion of hone-c/Runtime.h say what is loaded.
|*
\*===----------------------------------------------------------------------===*/

#ifndef HONE_C_VERSION_H
#define HONE_C_VERSION_H

#define HONE_VERSION_STRING "0.1.0"
/* Ten thousands for the major number, hundreds for the minor one: 100 is 0.1.0. */
#define HONE_VERSION_NUMBER 100

#endif /* HONE_C_VERSION_H */
