// What Tango uses of zlib. Nothing is linked: tango_zlib_load() opens the library at run time, and must have succeeded before
// the other functions are called.
#ifndef TANGO_ZLIB_H
#define TANGO_ZLIB_H

// The state of a stream, as since zlib 1.0.
typedef struct {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *(*zalloc)(void *, unsigned int, unsigned int);
    void (*zfree)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} tango_z_stream;

enum { TANGO_Z_OK = 0, TANGO_Z_STREAM_END = 1, TANGO_Z_BUF_ERROR = -5 };

// Opens the library, once. Returns NULL, or why it cannot be used.
const char *tango_zlib_load(void);

// Prepares a stream of a format: 31 is gzip, 15 is zlib, and -15 are plain blocks. Its other fields must be zero.
int tango_inflate_init(tango_z_stream *stream, int format);

// Decodes as much as the input and the room for output allow.
int tango_inflate(tango_z_stream *stream);

// Releases the memory of a stream.
void tango_inflate_end(tango_z_stream *stream);

// Prepares a stream that encodes in a format: see tango_inflate_init.
int tango_deflate_init(tango_z_stream *stream, int format);

// Encodes as much as the input and the room for output allow. With is_last, no input follows.
int tango_deflate(tango_z_stream *stream, int is_last);

// Releases the memory of a stream that encodes, also before its end.
void tango_deflate_end(tango_z_stream *stream);

#endif
