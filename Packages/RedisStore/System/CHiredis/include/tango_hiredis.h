// The parser of the system's hiredis, opened at run time. Nothing is linked. tango_hiredis_load() must have succeeded
// before any other function here is called.
//
// Only the parser is used, because the layout of its types is known for all versions from 0.14 on. The sockets are those
// of the store. So the same code runs with the hiredis of Debian 12 (0.14) and with newer ones.
//
// The parser reports the parts of a reply one by one. They are collected here in two blocks of memory, so that a reply
// with many parts needs no memory for each.
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

// A part of a reply. The elements of an array follow it.
struct tango_redis_value {
    int type;
    // The number, or the number of elements of an array.
    long long integer;
    // The place of the text among the bytes of the reply.
    size_t offset;
    size_t length;
};

// A reply, and the memory that it is in.
struct tango_redis_reply {
    struct tango_redis_value *values;
    size_t count;
    size_t value_capacity;
    char *bytes;
    size_t length;
    size_t byte_capacity;
};

struct tango_hiredis;

// Opens the library, unless it is open already. Returns NULL, or the reason for which it cannot be used. The text is
// valid until the thread calls this function again.
const char *tango_hiredis_load(void);

// Creates a parser; NULL if there is no memory.
struct tango_hiredis *tango_hiredis_create(void);
void tango_hiredis_free(struct tango_hiredis *parser);

// Adds received bytes. Returns 0, or -1 after an error.
int tango_hiredis_feed(struct tango_hiredis *parser, const char *bytes, size_t count);

// Continues to parse. Returns 1 if a reply is complete, 0 if more bytes are needed, or -1 if the bytes are not a reply.
// After a complete reply, tango_hiredis_reply() and tango_hiredis_exchange() give access to it until the next call.
int tango_hiredis_next(struct tango_hiredis *parser);
const struct tango_redis_reply *tango_hiredis_reply(const struct tango_hiredis *parser);

// Moves the reply out of the parser, which continues with the other memory.
void tango_hiredis_exchange(struct tango_hiredis *parser, struct tango_redis_reply *other);
void tango_hiredis_free_reply(struct tango_redis_reply *reply);

#endif
