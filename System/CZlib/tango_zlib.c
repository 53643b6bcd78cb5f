#define _GNU_SOURCE // secure_getenv

#include "tango_zlib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static int (*init2)(tango_z_stream *stream, int format, const char *version, int size);
static int (*decode)(tango_z_stream *stream, int flush);
static int (*end)(tango_z_stream *stream);
static int (*deflate_init2)(tango_z_stream *stream, int level, int method, int format, int memory, int strategy,
                            const char *version, int size);
static int (*encode)(tango_z_stream *stream, int flush);
static int (*deflate_end)(tango_z_stream *stream);

static char problem[512];
static int failed;

static void load(void) {
    // The variable stands for a system without the library, in tests. A program with more rights than its caller ignores it.
#if defined(__linux__) && !defined(__ANDROID__)
    const char *name = secure_getenv("TANGO_ZLIB_LIBRARY");
    if (name == NULL) name = "libz.so.1";
#elif defined(__APPLE__)
    const char *name = "/usr/lib/libz.1.dylib";
#else
    const char *name = "libz.so";
#endif
    failed = 1;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason != NULL ? reason : "the library cannot be opened");
        return;
    }
    init2 = (int (*)(tango_z_stream *, int, const char *, int))dlsym(library, "inflateInit2_");
    decode = (int (*)(tango_z_stream *, int))dlsym(library, "inflate");
    end = (int (*)(tango_z_stream *))dlsym(library, "inflateEnd");
    deflate_init2 =
        (int (*)(tango_z_stream *, int, int, int, int, int, const char *, int))dlsym(library, "deflateInit2_");
    encode = (int (*)(tango_z_stream *, int))dlsym(library, "deflate");
    deflate_end = (int (*)(tango_z_stream *))dlsym(library, "deflateEnd");
    if (init2 == NULL || decode == NULL || end == NULL || deflate_init2 == NULL || encode == NULL || deflate_end == NULL) {
        snprintf(problem, sizeof problem, "%s lacks functions of zlib", name);
        return;
    }
    failed = 0;
}

const char *tango_zlib_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failed ? problem : NULL;
}

int tango_inflate_init(tango_z_stream *stream, int format) {
    // The library compares the first digit of the version, and the size of the state.
    return init2(stream, format, "1", (int)sizeof *stream);
}

int tango_inflate(tango_z_stream *stream) { return decode(stream, 0); }

void tango_inflate_end(tango_z_stream *stream) { end(stream); }

int tango_deflate_init(tango_z_stream *stream, int format) {
    // The default level and strategy, and the method and the memory that zlib recommends.
    return deflate_init2(stream, -1, 8, format, 8, 0, "1", (int)sizeof *stream);
}

int tango_deflate(tango_z_stream *stream, int is_last) { return encode(stream, is_last ? 4 : 0); }

void tango_deflate_end(tango_z_stream *stream) { deflate_end(stream); }
