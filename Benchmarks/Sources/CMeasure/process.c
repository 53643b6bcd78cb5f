// Memory and threads of this process.

#include "measure.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)

#include <features.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

static uint64_t status(const char *key) {
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) return 0;
    char text[256];
    unsigned long long kilobytes = 0;
    while (fgets(text, sizeof text, file) != NULL) {
        if (strncmp(text, key, strlen(key)) == 0) {
            sscanf(text + strlen(key), " %llu", &kilobytes);
            break;
        }
    }
    fclose(file);
    return kilobytes * 1024;
}

uint64_t measure_resident_bytes(void) {
    return status("VmRSS:");
}

uint64_t measure_peak_bytes(void) {
    return status("VmHWM:");
}

void measure_settle_heap(void) {
    // Asking for a large block makes the allocator merge small free ones. Volatile, so that it is not optimised away.
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

void measure_settle_heap(void) {}

void measure_reset_peak(void) {}

#endif

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
