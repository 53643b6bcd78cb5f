// Memory, threads, descriptors and processor time of this process.

#include "measure.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#if defined(__linux__)

#include <dirent.h>
#include <features.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

static uint64_t number_of(const char *key) {
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) return 0;
    char text[256];
    unsigned long long number = 0;
    while (fgets(text, sizeof text, file) != NULL) {
        if (strncmp(text, key, strlen(key)) == 0) {
            sscanf(text + strlen(key), " %llu", &number);
            break;
        }
    }
    fclose(file);
    return number;
}

uint64_t measure_resident_bytes(void) {
    return number_of("VmRSS:") * 1024;
}

uint64_t measure_peak_bytes(void) {
    return number_of("VmHWM:") * 1024;
}

uint64_t measure_threads(void) {
    return number_of("Threads:");
}

uint64_t measure_descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL) return 0;
    uint64_t count = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] != '.') count++;
    }
    closedir(directory);
    // Without the descriptor of the directory itself.
    return count - 1;
}

void measure_settle_heap(void) {
    // Allocating a large block makes the allocator merge small free ones. Volatile, so that it is not optimised away.
    void *volatile block = malloc(100 * 1024);
    free(block);
}

void measure_reset_peak(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL) return;
    fputs("5", file);
    fclose(file);
}

#else

uint64_t measure_resident_bytes(void) {
    return 0;
}

uint64_t measure_peak_bytes(void) {
    return 0;
}

uint64_t measure_threads(void) {
    return 0;
}

uint64_t measure_descriptors(void) {
    return 0;
}

void measure_settle_heap(void) {}

void measure_reset_peak(void) {}

#endif

static uint64_t nanoseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

uint64_t measure_processor_nanoseconds(void) {
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

void measure_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

typedef struct {
    void *context;
    void (*body)(void *context, int index);
    int index;
} start;

static void *run(void *argument) {
    start *this = argument;
    this->body(this->context, this->index);
    return NULL;
}

void measure_on_threads(int count, void *context, void (*body)(void *context, int index)) {
    pthread_t threads[count];
    start starts[count];
    for (int i = 0; i < count; i++) {
        starts[i] = (start){context, body, i};
        if (pthread_create(&threads[i], NULL, run, &starts[i]) != 0) abort();
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
}
