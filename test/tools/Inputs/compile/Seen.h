/* Recorded calls and planned failures of the driver in Cuda.cpp: the variable
 * `seen` of its library, for the program that runs on it. */
#ifndef HONE_TEST_SEEN_H
#define HONE_TEST_SEEN_H

struct Seen {
  int libraries, launches;
  void *stream;        /* of the last launch */
  int device;          /* of the current context */
  const char *entry;   /* of the last launch */
  unsigned blocks;     /* its grid */
  int failAllocations; /* all allocations fail */
  int failLaunch;      /* the launch that fails: 1 is the next; 0 none */
  int live;            /* blocks of memory that are not freed */
};

#endif
