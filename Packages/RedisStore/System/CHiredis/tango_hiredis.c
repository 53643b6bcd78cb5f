#include "tango_hiredis.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The first fields of the parser and of a part that it has read. They are the same in all versions.
struct reader {
    int error;
    char message[128];
    char *buffer;
    size_t position;
    size_t length;
    // The parser frees its buffer when it is empty and larger than this.
    size_t longest_free;
};

struct task {
    int type;
};

// The functions that the parser calls, in version 0.14.
struct functions_0 {
    void *(*string)(const struct task *, char *, size_t);
    void *(*array)(const struct task *, int);
    void *(*integer)(const struct task *, long long);
    void *(*nil)(const struct task *);
    void (*free)(void *);
};

// The functions of version 1, which has the doubles and truth values of RESP3.
struct functions_1 {
    void *(*string)(const struct task *, char *, size_t);
    void *(*array)(const struct task *, size_t);
    void *(*integer)(const struct task *, long long);
    void *(*number)(const struct task *, double, char *, size_t);
    void *(*nil)(const struct task *);
    void *(*flag)(const struct task *, int);
    void (*free)(void *);
};

struct tango_hiredis {
    struct reader *reader;
    struct tango_redis_reply reply;
    int is_complete;
};

static struct {
    void *(*create)(void *);
    void (*free)(void *);
    int (*feed)(void *, const char *, size_t);
    int (*next)(void *, void **);
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
    library.create = (void *(*)(void *))dlsym(found, "redisReaderCreateWithFunctions");
    library.free = (void (*)(void *))dlsym(found, "redisReaderFree");
    library.feed = (int (*)(void *, const char *, size_t))dlsym(found, "redisReaderFeed");
    library.next = (int (*)(void *, void **))dlsym(found, "redisReaderGetReply");
    // A function that came with version 1.
    library.is_version_1 = dlsym(found, "redisSetPushCallback") != NULL;
    if (library.create == NULL || library.free == NULL || library.feed == NULL || library.next == NULL) {
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

// The size up to which memory is used again.
static const size_t longest_kept = 1 << 20;

// The reply that the parser of this thread is reading.
static _Thread_local struct tango_redis_reply *current;

// Returns whether there is room for more elements, after it has made some.
static int make_room(void **memory, size_t *capacity, size_t count, size_t more, size_t size) {
    if (more <= *capacity - count) return 1;
    if (more > SIZE_MAX / 2 / size - count) return 0;
    size_t wanted = *capacity * 2 > count + more ? *capacity * 2 : count + more;
    if (wanted < 64) wanted = 64;
    void *larger = realloc(*memory, wanted * size);
    if (larger == NULL) return 0;
    *memory = larger;
    *capacity = wanted;
    return 1;
}

// The parser takes NULL for a lack of memory, and does not look into any other object.
static void *add(int type, long long integer, const char *bytes, size_t length) {
    struct tango_redis_reply *reply = current;
    if (!make_room((void **)&reply->values, &reply->value_capacity, reply->count, 1, sizeof *reply->values) ||
        !make_room((void **)&reply->bytes, &reply->byte_capacity, reply->length, length, 1)) {
        return NULL;
    }
    reply->values[reply->count++] = (struct tango_redis_value){type, integer, reply->length, length};
    if (length > 0) memcpy(reply->bytes + reply->length, bytes, length);
    reply->length += length;
    return reply;
}

static void *add_string(const struct task *task, char *bytes, size_t length) {
    int type = task->type == tango_redis_status || task->type == tango_redis_error ? task->type : tango_redis_string;
    return add(type, 0, bytes, length);
}
static void *add_array_0(const struct task *task, int count) { return add(tango_redis_array, count, NULL, 0); }
static void *add_array_1(const struct task *task, size_t count) {
    return add(tango_redis_array, (long long)count, NULL, 0);
}
static void *add_integer(const struct task *task, long long integer) {
    return add(tango_redis_integer, integer, NULL, 0);
}
static void *add_number(const struct task *task, double number, char *bytes, size_t length) {
    return add(tango_redis_nil, 0, NULL, 0);
}
static void *add_flag(const struct task *task, int flag) { return add(tango_redis_nil, 0, NULL, 0); }
static void *add_nil(const struct task *task) { return add(tango_redis_nil, 0, NULL, 0); }
static void forget(void *object) {}

static struct functions_0 functions_0 = {add_string, add_array_0, add_integer, add_nil, forget};
static struct functions_1 functions_1 = {add_string, add_array_1, add_integer, add_number,
                                         add_nil,    add_flag,    forget};

struct tango_hiredis *tango_hiredis_create(void) {
    struct tango_hiredis *parser = calloc(1, sizeof *parser);
    if (parser == NULL) return NULL;
    parser->reader = library.create(library.is_version_1 ? (void *)&functions_1 : (void *)&functions_0);
    if (parser->reader == NULL) {
        free(parser);
        return NULL;
    }
    parser->reader->longest_free = longest_kept;
    return parser;
}

void tango_hiredis_free(struct tango_hiredis *parser) {
    library.free(parser->reader);
    tango_hiredis_free_reply(&parser->reply);
    free(parser);
}

int tango_hiredis_feed(struct tango_hiredis *parser, const char *bytes, size_t count) {
    return library.feed(parser->reader, bytes, count);
}

int tango_hiredis_next(struct tango_hiredis *parser) {
    if (parser->is_complete) {
        struct tango_redis_reply *reply = &parser->reply;
        reply->count = 0;
        reply->length = 0;
        if (reply->byte_capacity > longest_kept) {
            free(reply->bytes);
            reply->bytes = NULL;
            reply->byte_capacity = 0;
        }
        parser->is_complete = 0;
    }
    void *found = NULL;
    current = &parser->reply;
    int code = library.next(parser->reader, &found);
    current = NULL;
    if (code != 0) return -1;
    parser->is_complete = found != NULL;
    return parser->is_complete;
}

const struct tango_redis_reply *tango_hiredis_reply(const struct tango_hiredis *parser) { return &parser->reply; }

void tango_hiredis_exchange(struct tango_hiredis *parser, struct tango_redis_reply *other) {
    struct tango_redis_reply reply = parser->reply;
    parser->reply = *other;
    *other = reply;
    parser->reply.count = 0;
    parser->reply.length = 0;
}

void tango_hiredis_free_reply(struct tango_redis_reply *reply) {
    free(reply->values);
    free(reply->bytes);
}
