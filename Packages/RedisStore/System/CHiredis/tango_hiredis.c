#include "tango_hiredis.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// The reply of version 0.14.
struct reply_0 {
    int type;
    long long integer;
    size_t length;
    char *bytes;
    size_t count;
    void **elements;
};

// The reply of version 1, which has the doubles and the verbatim strings of RESP3.
struct reply_1 {
    int type;
    long long integer;
    double number;
    size_t length;
    char *bytes;
    char kind[4];
    size_t count;
    void **elements;
};

static struct {
    void *(*create)(void);
    void (*free)(void *);
    int (*feed)(void *, const char *, size_t);
    int (*next)(void *, void **);
    void (*free_reply)(void *);
    int is_version_1;
} library;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static int is_loaded;
static _Thread_local char problem[512];

static void *open_any(void) {
    // The variable stands for a system without the library, in tests, and for a library at another place.
    const char *name = getenv("TANGO_HIREDIS_LIBRARY");
    if (name != NULL) return dlopen(name, RTLD_NOW | RTLD_LOCAL);
    static const char *const names[] = {
#ifdef __APPLE__
        "libhiredis.dylib", "/opt/homebrew/lib/libhiredis.dylib", "/usr/local/lib/libhiredis.dylib",
#else
        "libhiredis.so.1.3.0", "libhiredis.so.1.2.0", "libhiredis.so.1.1.0", "libhiredis.so.1.0.0", "libhiredis.so.1",
        "libhiredis.so.0.14",  "libhiredis.so",
#endif
    };
    for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
        void *found = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
        if (found != NULL) return found;
    }
    return NULL;
}

static const char *load(void) {
    void *found = open_any();
    if (found == NULL) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason != NULL ? reason : "the library cannot be opened");
        return problem;
    }
    library.create = (void *(*)(void))dlsym(found, "redisReaderCreate");
    library.free = (void (*)(void *))dlsym(found, "redisReaderFree");
    library.feed = (int (*)(void *, const char *, size_t))dlsym(found, "redisReaderFeed");
    library.next = (int (*)(void *, void **))dlsym(found, "redisReaderGetReply");
    library.free_reply = (void (*)(void *))dlsym(found, "freeReplyObject");
    // A function that came with version 1.
    library.is_version_1 = dlsym(found, "redisSetPushCallback") != NULL;
    if (library.create == NULL || library.free == NULL || library.feed == NULL || library.next == NULL ||
        library.free_reply == NULL) {
        snprintf(problem, sizeof problem, "the library lacks the functions of hiredis 0.14");
        dlclose(found);
        return problem;
    }
    is_loaded = 1;
    return NULL;
}

const char *tango_hiredis_load(void) {
    pthread_mutex_lock(&loading);
    const char *reason = is_loaded ? NULL : load();
    pthread_mutex_unlock(&loading);
    return reason;
}

void *tango_hiredis_create(void) { return library.create(); }

void tango_hiredis_free(void *reader) { library.free(reader); }

int tango_hiredis_feed(void *reader, const char *bytes, size_t count) { return library.feed(reader, bytes, count); }

int tango_hiredis_next(void *reader, void **reply) {
    *reply = NULL;
    return library.next(reader, reply);
}

struct tango_redis_value tango_hiredis_value(const void *reply) {
    if (library.is_version_1) {
        const struct reply_1 *one = reply;
        return (struct tango_redis_value){one->type, one->integer, one->length, one->bytes, one->count};
    }
    const struct reply_0 *zero = reply;
    return (struct tango_redis_value){zero->type, zero->integer, zero->length, zero->bytes, zero->count};
}

const void *tango_hiredis_element(const void *reply, size_t index) {
    return library.is_version_1 ? ((const struct reply_1 *)reply)->elements[index]
                                : ((const struct reply_0 *)reply)->elements[index];
}

void tango_hiredis_free_reply(void *reply) { library.free_reply(reply); }
