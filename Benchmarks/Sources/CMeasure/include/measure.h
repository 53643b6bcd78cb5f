#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stdint.h>

/// The allocations of all threads of this process since its start.
typedef struct {
    uint64_t allocations;
    uint64_t bytes;
} measure_counts;

/// True where allocations are counted: on Linux with glibc.
bool measure_counts_allocations(void);

/// The counts so far. Exact for threads that are not allocating meanwhile.
measure_counts measure_allocations(void);

/// Merges free heap blocks, so that those of one workload do not slow down the next.
void measure_settle_heap(void);

/// Bytes of heap in use, with the overhead of each block; 0 where unknown.
uint64_t measure_live_bytes(void);

/// Bytes of memory this process has resident; 0 where unknown.
uint64_t measure_resident_bytes(void);

/// The most that was resident since the last call of measure_reset_peak; 0 where unknown.
uint64_t measure_peak_bytes(void);

/// Returns free heap to the system and starts a new peak.
void measure_reset_peak(void);

/// Threads of this process; 0 where unknown.
uint64_t measure_threads(void);

/// Descriptors that this process has open; 0 where unknown.
uint64_t measure_descriptors(void);

/// The time that all threads of this process, but no child of it, have spent on a processor.
uint64_t measure_processor_nanoseconds(void);

/// Raises the limit of open descriptors to the highest that the system allows.
void measure_raise_descriptor_limit(void);

/// Runs body(context, 0) ... body(context, count - 1), each on a thread of its own, and waits for them.
void measure_on_threads(int count, void *context, void (*body)(void *context, int index));

#endif
