// What Tango uses of the C library of Apple's 64-bit platforms. Types that differ from those of Linux in width (mode_t,
// ino_t), in shape (stat, sockaddr_in, pthread_t) or in nullability are written as Apple has them.
#ifndef TANGO_DARWIN_SHAPE_H
#define TANGO_DARWIN_SHAPE_H

// Swift sees the structure under this name. In C it has another one, because the compiler reads the header of Linux too.
#define SHAPE(name) struct __attribute__((swift_name(#name))) darwin_##name

// Macros of the same name from two headers exclude each other, so constants are constants here.
#define CONSTANT(name, value) static const int name = value

// Like Apple's, only some declarations say what may be null.
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef unsigned long size_t;
typedef long ssize_t;

// MARK: Memory and text

char *getenv(const char *name);
void *malloc(size_t size);
void free(void *block);
int memcmp(const void *one, const void *other, size_t count);
void *memcpy(void *target, const void *source, size_t count);
void *memchr(const void *bytes, int byte, size_t count);
size_t strlen(const char *text);
char *strdup(const char *text);
char *strerror(int number);

// MARK: Time

typedef long time_t;

SHAPE(timespec) {
    time_t tv_sec;
    long tv_nsec;
};

typedef enum {
    _CLOCK_REALTIME = 0,
    _CLOCK_MONOTONIC = 6,
    _CLOCK_UPTIME_RAW = 8,
    _CLOCK_UPTIME_RAW_APPROX = 9,
} clockid_t;

static const clockid_t CLOCK_REALTIME = _CLOCK_REALTIME;
static const clockid_t CLOCK_MONOTONIC = _CLOCK_MONOTONIC;
static const clockid_t CLOCK_UPTIME_RAW = _CLOCK_UPTIME_RAW;
static const clockid_t CLOCK_UPTIME_RAW_APPROX = _CLOCK_UPTIME_RAW_APPROX;

typedef unsigned int useconds_t;

int usleep(useconds_t microseconds);
int clock_gettime(clockid_t clock, struct darwin_timespec *time);
uint64_t clock_gettime_nsec_np(clockid_t clock);

// MARK: Errors

CONSTANT(EPERM, 1);
CONSTANT(ENOENT, 2);
CONSTANT(EINTR, 4);
CONSTANT(EIO, 5);
CONSTANT(ENOMEM, 12);
CONSTANT(EACCES, 13);
CONSTANT(EEXIST, 17);
CONSTANT(EXDEV, 18);
CONSTANT(ENOTDIR, 20);
CONSTANT(EINVAL, 22);
CONSTANT(ENFILE, 23);
CONSTANT(EMFILE, 24);
CONSTANT(EFBIG, 27);
CONSTANT(ENOSPC, 28);
CONSTANT(EROFS, 30);
CONSTANT(EMLINK, 31);
CONSTANT(EPIPE, 32);
CONSTANT(EAGAIN, 35);
CONSTANT(EWOULDBLOCK, 35);
CONSTANT(ENOTSUP, 45);
CONSTANT(ECONNABORTED, 53);
CONSTANT(ETIMEDOUT, 60);
CONSTANT(ENAMETOOLONG, 63);
CONSTANT(EDQUOT, 69);
CONSTANT(ENOSYS, 78);
CONSTANT(EOPNOTSUPP, 102);

// MARK: Signals

CONSTANT(SIGHUP, 1);
CONSTANT(SIGINT, 2);
CONSTANT(SIGPIPE, 13);
CONSTANT(SIGTERM, 15);

typedef void (*sig_t)(int);

sig_t signal(int number, sig_t handler);
int raise(int number);

// MARK: Files

typedef uint16_t mode_t;
typedef int32_t dev_t;
typedef uint64_t ino_t;
typedef uint16_t nlink_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef int64_t off_t;
typedef int64_t blkcnt_t;
typedef int32_t blksize_t;

SHAPE(stat) {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    ino_t st_ino;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    struct darwin_timespec st_atimespec;
    struct darwin_timespec st_mtimespec;
    struct darwin_timespec st_ctimespec;
    struct darwin_timespec st_birthtimespec;
    off_t st_size;
    blkcnt_t st_blocks;
    blksize_t st_blksize;
    uint32_t st_flags;
    uint32_t st_gen;
    int32_t st_lspare;
    int64_t st_qspare[2];
};

SHAPE(iovec) {
    void *iov_base;
    size_t iov_len;
};

SHAPE(dirent) {
    uint64_t d_ino;
    uint64_t d_seekoff;
    uint16_t d_reclen;
    uint16_t d_namlen;
    uint8_t d_type;
    char d_name[1024];
};

// On Linux the structure is hidden, and Swift has an OpaquePointer instead.
typedef struct {
    int __dd_fd;
} DIR;

CONSTANT(STDIN_FILENO, 0);
CONSTANT(STDOUT_FILENO, 1);
CONSTANT(STDERR_FILENO, 2);

CONSTANT(O_RDONLY, 0x0);
CONSTANT(O_WRONLY, 0x1);
CONSTANT(O_RDWR, 0x2);
CONSTANT(O_NONBLOCK, 0x4);
CONSTANT(O_NOFOLLOW, 0x100);
CONSTANT(O_APPEND, 0x8);
CONSTANT(O_CREAT, 0x200);
CONSTANT(O_TRUNC, 0x400);
CONSTANT(O_EXCL, 0x800);
CONSTANT(O_CLOEXEC, 0x1000000);
CONSTANT(F_OK, 0);
CONSTANT(W_OK, 2);
CONSTANT(R_OK, 4);
CONSTANT(AT_FDCWD, -2);
CONSTANT(F_GETFD, 1);
CONSTANT(F_SETFD, 2);
CONSTANT(F_GETFL, 3);
CONSTANT(F_SETFL, 4);
CONSTANT(F_SETNOSIGPIPE, 73);
CONSTANT(F_GETNOSIGPIPE, 74);
CONSTANT(PIPE_BUF, 512);
CONSTANT(FD_CLOEXEC, 1);
CONSTANT(LOCK_SH, 1);
CONSTANT(LOCK_EX, 2);
CONSTANT(LOCK_NB, 4);
CONSTANT(LOCK_UN, 8);

int access(const char *path, int mode);
int chmod(const char *path, mode_t mode);
int fchmod(int descriptor, mode_t mode);
int close(int descriptor);
int closedir(DIR *folder);
int flock(int descriptor, int operation);
int fstat(int descriptor, struct darwin_stat *status);
int fsync(int descriptor);
int ftruncate(int descriptor, off_t length);
int futimens(int descriptor, const struct darwin_timespec times[2]);
int fchmod(int descriptor, mode_t mode);
int fchown(int descriptor, uid_t owner, gid_t group);
uid_t geteuid(void);
int lchown(const char *path, uid_t owner, gid_t group);
int link(const char *path, const char *name);
int lstat(const char *path, struct darwin_stat *status);
int mkdir(const char *path, mode_t mode);
DIR *opendir(const char *path);
int pipe(int ends[2]);
ssize_t pread(int descriptor, void *bytes, size_t count, off_t offset);
ssize_t preadv(int descriptor, const struct darwin_iovec *parts, int count, off_t offset);
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset);
ssize_t read(int descriptor, void *bytes, size_t count);
struct darwin_dirent *readdir(DIR *folder);
int rename(const char *old, const char *new_name);
int rmdir(const char *path);
int stat(const char *path, struct darwin_stat *status);
int unlink(const char *path);
int utimensat(int folder, const char *path, const struct darwin_timespec times[2], int flags);
int isatty(int descriptor);
ssize_t write(int descriptor, const void *bytes, size_t count);
ssize_t writev(int descriptor, const struct darwin_iovec *parts, int count);

// MARK: Sockets

typedef uint8_t sa_family_t;
typedef uint16_t in_port_t;
typedef uint32_t in_addr_t;
typedef uint32_t socklen_t;
typedef unsigned int nfds_t;

SHAPE(sockaddr) {
    uint8_t sa_len;
    sa_family_t sa_family;
    char sa_data[14];
};

SHAPE(in_addr) {
    in_addr_t s_addr;
};

SHAPE(in6_addr) {
    union {
        uint8_t __u6_addr8[16];
        uint16_t __u6_addr16[8];
        uint32_t __u6_addr32[4];
    } __u6_addr;
};

SHAPE(sockaddr_in) {
    uint8_t sin_len;
    sa_family_t sin_family;
    in_port_t sin_port;
    struct darwin_in_addr sin_addr;
    char sin_zero[8];
};

SHAPE(sockaddr_un) {
    unsigned char sun_len;
    sa_family_t sun_family;
    char sun_path[104];
};

SHAPE(msghdr) {
    void *msg_name;
    socklen_t msg_namelen;
    struct darwin_iovec *msg_iov;
    int msg_iovlen;
    void *msg_control;
    socklen_t msg_controllen;
    int msg_flags;
};

SHAPE(linger) {
    int l_onoff;
    int l_linger;
};

SHAPE(winsize) {
    unsigned short ws_row;
    unsigned short ws_col;
    unsigned short ws_xpixel;
    unsigned short ws_ypixel;
};

SHAPE(pollfd) {
    int fd;
    short events;
    short revents;
};

CONSTANT(AF_UNIX, 1);
CONSTANT(AF_INET, 2);
CONSTANT(AF_INET6, 30);
CONSTANT(SOCK_STREAM, 1);
CONSTANT(SOL_SOCKET, 0xffff);
CONSTANT(SO_REUSEADDR, 0x4);
CONSTANT(SO_LINGER, 0x80);
CONSTANT(SO_NOSIGPIPE, 0x1022);
CONSTANT(IPPROTO_TCP, 6);
CONSTANT(TCP_NODELAY, 1);
CONSTANT(MSG_PEEK, 2);
CONSTANT(SHUT_RD, 0);
CONSTANT(SHUT_WR, 1);
CONSTANT(SHUT_RDWR, 2);
CONSTANT(POLLIN, 0x1);
CONSTANT(POLLOUT, 0x4);
CONSTANT(POLLERR, 0x8);
CONSTANT(POLLHUP, 0x10);
CONSTANT(POLLNVAL, 0x20);

int accept(int descriptor, struct darwin_sockaddr *address, socklen_t *length);
int bind(int descriptor, const struct darwin_sockaddr *address, socklen_t length);
int getsockname(int descriptor, struct darwin_sockaddr *address, socklen_t *length);
int inet_aton(const char *text, struct darwin_in_addr *address);
const char *inet_ntop(int family, const void *address, char *text, socklen_t size);
int inet_pton(int family, const char *text, void *address);
int listen(int descriptor, int backlog);
int poll(struct darwin_pollfd *descriptors, nfds_t count, int milliseconds);
ssize_t recv(int descriptor, void *bytes, size_t count, int flags);
ssize_t send(int descriptor, const void *bytes, size_t count, int flags);
ssize_t sendmsg(int descriptor, const struct darwin_msghdr *message, int flags);
int setsockopt(int descriptor, int level, int option, const void *value, socklen_t length);
int shutdown(int descriptor, int how);
int socket(int domain, int type, int protocol);

// MARK: Threads

struct _opaque_pthread_t {
    long __sig;
    char __opaque[8176];
};
struct _opaque_pthread_attr_t {
    long __sig;
    char __opaque[56];
};
typedef struct _opaque_pthread_t *pthread_t;
typedef struct _opaque_pthread_attr_t pthread_attr_t;
typedef unsigned long pthread_key_t;

int pthread_create(
    pthread_t _Nullable *_Nonnull thread, const pthread_attr_t *_Nullable attributes,
    void *_Nullable (*_Nonnull body)(void *_Nonnull argument), void *_Nullable argument);
int pthread_detach(pthread_t _Nonnull thread);
int pthread_equal(pthread_t _Nullable one, pthread_t _Nullable other);
void *_Nullable pthread_getspecific(pthread_key_t key);
int pthread_join(pthread_t _Nonnull thread, void *_Nullable *_Nullable result);
int pthread_key_create(pthread_key_t *_Nonnull key, void (*_Nullable destructor)(void *_Nonnull value));
pthread_t _Nonnull pthread_self(void);
int pthread_setname_np(const char *_Nonnull name);
int pthread_setspecific(pthread_key_t key, const void *_Nullable value);

CONSTANT(_SC_NPROCESSORS_ONLN, 58);
long sysconf(int name);

#endif
