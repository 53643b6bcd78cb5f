// The parser of the system's hiredis, opened at run time. Nothing is linked. tango_hiredis_load() must have succeeded
// before any other function here is called.
//
// Only the parser is used, because the layout of its types is known for all versions from 0.14 on. The sockets are those
// of the store. So the same code runs with the hiredis of Debian 12 (0.14) and with newer ones.
#ifndef TANGO_HIREDIS_H
#define TANGO_HIREDIS_H

#include <stddef.h>

enum {
    tango_redis_string = 1,
    tango_redis_array = 2,
    tango_redis_integer = 3,
    tango_redis_nil = 4,
    tango_redis_status = 5,
    tango_redis_error = 6,
};

// A reply, or a part of one. The bytes belong to the reply.
struct tango_redis_value {
    int type;
    long long integer;
    size_t length;
    const char *bytes;
    size_t count;
};

// Opens the library, unless it is open already. Returns NULL, or the reason for which it cannot be used. The text is
// valid until the thread calls this function again.
const char *tango_hiredis_load(void);

// Creates a parser; NULL if there is no memory.
void *tango_hiredis_create(void);
void tango_hiredis_free(void *reader);

// Adds received bytes. Returns 0, or -1 after an error.
int tango_hiredis_feed(void *reader, const char *bytes, size_t count);

// Stores the next reply in *reply; NULL if more bytes are needed. Returns 0, or -1 if the bytes are not a reply.
int tango_hiredis_next(void *reader, void **reply);

struct tango_redis_value tango_hiredis_value(const void *reply);
const void *tango_hiredis_element(const void *reply, size_t index);
void tango_hiredis_free_reply(void *reply);

#endif
