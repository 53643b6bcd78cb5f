// Calls of the Linux kernel that the C library's module does not show to Swift.
#ifndef TANGO_LINUX_H
#define TANGO_LINUX_H

#include <pthread.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

struct iovec;

// Fills buffers from an offset of a file, as far as its bytes are in memory. Where it would have to wait for the disk, it
// returns fewer bytes, or -1 with errno EAGAIN.
ssize_t tango_read_at_once(int descriptor, const struct iovec *buffers, int count, int64_t offset);

// Returns how many bytes have ever been written to a TCP socket, whether they have left or not; -1 if the kernel does not say.
int64_t tango_bytes_written(int socket);

// Names a thread, as debuggers and `top` show it: up to 15 bytes.
void tango_name_thread(pthread_t thread, const char *name);

#endif
