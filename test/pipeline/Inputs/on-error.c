/* usage: program abort|return|handler|none
 * Calls @layers of on-error.mlir, whose host code was emitted with that
 * on-error, on the driver of test/tools/Inputs/compile/Cuda.cpp; with none, on
 * whatever driver there is. */
#include "../../tools/Inputs/compile/Seen.h"
#include "hone-c/Runtime.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { M = 24, N = 40, ROUNDS = 2, LAUNCHES = 2 * ROUNDS + 1 };

struct Matrix {
  void *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
};
void _mlir_ciface_layers(struct Matrix *result, struct Matrix *x,
                         struct Matrix *w, struct Matrix *y, int64_t n);
void mgpuMemFree(void *pointer, void *stream);

static int handled;
static void count(int32_t status, const char *text, void *user) {
  (void)status, (void)text, (void)user;
  ++handled;
}

static struct Matrix matrix(void *data, int64_t rows) {
  return (struct Matrix){data, data, 0, {rows, N}, {N, 1}};
}

static struct Matrix call(void) {
  static uint16_t x[M * N], w[N * N], y[M * N];
  struct Matrix a = matrix(x, M), b = matrix(w, N), c = matrix(y, M), result;
  honeTakeStatus();
  _mlir_ciface_layers(&result, &a, &b, &c, ROUNDS);
  return result;
}

/* One call; prints its messages, its results and the pending status. */
static void report(const char *what, int number, struct Seen *seen) {
  int launches = seen->launches;
  struct Matrix result = call();
  int32_t status = honeTakeStatus();
  printf("%s %d: status %d, %d launches, result %s", what, number, (int)status,
         seen->launches - launches, result.allocated ? "allocated" : "null");
  mgpuMemFree(result.allocated, NULL);
  printf(", %d blocks left, %d handled%s%s\n", seen->live, handled,
         status ? ", " : "", status ? honeLastError() : "");
  handled = 0;
}

int main(int argc, char **argv) {
  if (argc < 2 || !strcmp(argv[1], "none"))
    return call(), 0;
  struct Seen *seen = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "seen");
  if (!seen)
    return 2;
  if (!strcmp(argv[1], "abort")) {
    call();
    seen->failLaunch = 2;
    return call(), 0;
  }
  honeSetErrorHandler(count, NULL);
  for (int i = 0; i <= LAUNCHES; ++i) {
    seen->failLaunch = i;
    report("launch", i, seen);
  }
  seen->failLaunch = 0;
  seen->failAllocations = 1;
  report("memory", 0, seen);
  seen->failAllocations = 0;
  report("again", 0, seen);
  return 0;
}
