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

// Opens a socket that becomes readable when an interface, an address or a route of the system changes; -1 if the kernel refuses.
int tango_open_network_changes(void);

// Returns 1 if the kernel has a route to an address on the internet, or 0. It looks the route up and sends nothing.
int tango_has_route_to_internet(void);

#endif
