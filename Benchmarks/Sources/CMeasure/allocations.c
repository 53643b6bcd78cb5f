// Counts allocations by replacing malloc and related functions in the whole process.
//
// Each thread counts in a line of its own, with plain loads and stores, so that counting costs about a nanosecond and
// threads do not disturb each other. Lines are given out in turn and used again after LINES threads; a count can be
// lost only if two threads that far apart are alive and allocate at the same instant.

#include "measure.h"

#if defined(__linux__)
#include <features.h>
#endif

#if defined(__GLIBC__)

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

#define LINES 1024

typedef struct {
    _Alignas(64) _Atomic uint64_t allocations;
    _Atomic uint64_t bytes;
} line;

static line lines[LINES];
static _Atomic unsigned lines_in_use;
static _Thread_local line *own __attribute__((tls_model("initial-exec")));

static inline void count(size_t size) {
    line *mine = own;
    if (__builtin_expect(mine == NULL, 0)) {
        mine = own = &lines[atomic_fetch_add_explicit(&lines_in_use, 1, memory_order_relaxed) % LINES];
    }
    uint64_t allocations = atomic_load_explicit(&mine->allocations, memory_order_relaxed);
    atomic_store_explicit(&mine->allocations, allocations + 1, memory_order_relaxed);
    uint64_t bytes = atomic_load_explicit(&mine->bytes, memory_order_relaxed);
    atomic_store_explicit(&mine->bytes, bytes + size, memory_order_relaxed);
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *pointer);

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count(size);
    return __libc_realloc(pointer, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    count(size);
    void *pointer = __libc_memalign(alignment, size);
    if (pointer == NULL) return ENOMEM;
    *result = pointer;
    return 0;
}

void free(void *pointer) {
    __libc_free(pointer);
}

bool measure_counts_allocations(void) {
    return true;
}

measure_counts measure_allocations(void) {
    measure_counts sum = {0, 0};
    for (int i = 0; i < LINES; i++) {
        sum.allocations += atomic_load_explicit(&lines[i].allocations, memory_order_relaxed);
        sum.bytes += atomic_load_explicit(&lines[i].bytes, memory_order_relaxed);
    }
    return sum;
}

uint64_t measure_live_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

#else

bool measure_counts_allocations(void) {
    return false;
}

measure_counts measure_allocations(void) {
    return (measure_counts){0, 0};
}

uint64_t measure_live_bytes(void) {
    return 0;
}

#endif
