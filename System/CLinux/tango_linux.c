#define _GNU_SOURCE
#include "tango_linux.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 0x00000008
#endif

ssize_t tango_read_at_once(int descriptor, const struct iovec *buffers, int count, int64_t offset) {
#ifdef SYS_preadv2
    // The offset is passed as two words, of which 64-bit kernels use the first only.
    long low = (long)offset;
    long high = sizeof(long) == 8 ? 0 : (long)(offset >> 32);
    return syscall(SYS_preadv2, descriptor, buffers, count, low, high, RWF_NOWAIT);
#else
    (void)descriptor, (void)buffers, (void)count, (void)offset;
    errno = ENOSYS;
    return -1;
#endif
}

void tango_name_thread(pthread_t thread, const char *name) {
#ifdef __linux__
    pthread_setname_np(thread, name);
#else
    (void)thread, (void)name;
#endif
}
