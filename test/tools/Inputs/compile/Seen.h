/* What the driver in Cuda.cpp saw, and is to do: the variable `seen` of its
 * library, for the program that runs on it. */
#ifndef HONE_TEST_SEEN_H
#define HONE_TEST_SEEN_H

struct Seen {
  int libraries, launches;
  void *stream;        /* of the last launch */
  int device;          /* whose context was current */
  const char *entry;   /* of the last launch */
  unsigned blocks;     /* its grid */
  int failAllocations; /* from now on there is no memory */
  int failLaunch;      /* the launch that fails: 1 is the next; 0 none */
  int live;            /* blocks of memory that are not freed */
};

#endif
