/*===- Version.h - The version of Hone ----------------------------*- C -*-===*\
|*
|* Part of Hone, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|* The only definition of the number; CMake reads it here. honeVersion of
|* hone-c/Hone.h and honeRuntimeVersion of hone-c/Runtime.h return the version
|* of the loaded library.
|*
\*===----------------------------------------------------------------------===*/

#ifndef HONE_C_VERSION_H
#define HONE_C_VERSION_H

#define HONE_VERSION_STRING "0.2.0"
/* Major number times 10000, plus minor number times 100, plus patch: 200 is
 * 0.2.0. */
#define HONE_VERSION_NUMBER 200

#endif /* HONE_C_VERSION_H */
