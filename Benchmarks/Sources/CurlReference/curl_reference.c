// A plain loop around libcurl's multi interface and epoll, with the measures that CurlTransport takes too: handles and
// connections are used again, and the sockets of idle connections stay registered.

#include "curl_reference.h"

#if defined(__linux__)

#include "tango_curl.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_sockets = 65536, most_events = 256 };

typedef struct {
    uint32_t wanted;
    uint32_t registered;
} watch;

struct curl_reference {
    CURLM *multi;
    CURL **handles;
    int in_flight;
    int epoll;
    double due;
    char failure[256];
    watch watches[most_sockets];
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void reregister(curl_reference *this, int socket, uint32_t events) {
    watch *watch = &this->watches[socket];
    if (watch->registered == events) return;
    struct epoll_event event = {.events = events, .data.fd = socket};
    int operation = watch->registered == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
    watch->registered = events;
    epoll_ctl(this->epoll, operation, socket, &event);
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context) {
    (void)easy, (void)socket_context;
    curl_reference *this = context;
    uint32_t wanted = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) wanted |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) wanted |= EPOLLOUT;
    this->watches[socket].wanted = wanted;
    if (wanted != 0 || this->watches[socket].registered != EPOLLIN) reregister(this, socket, wanted);
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    curl_reference *this = context;
    this->due = milliseconds < 0 ? -1 : now() + (double)milliseconds * 1e-3;
    return 0;
}

static curl_socket_t on_open(void *context, int purpose, struct curl_sockaddr *address) {
    (void)purpose;
    curl_reference *this = context;
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (descriptor >= most_sockets) {
        close(descriptor);
        return CURL_SOCKET_BAD;
    }
    if (descriptor >= 0) this->watches[descriptor] = (watch){0, 0};
    return descriptor;
}

static int on_close(void *context, curl_socket_t socket) {
    curl_reference *this = context;
    this->watches[socket] = (watch){0, 0};
    return close(socket);
}

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

static size_t to_file(char *bytes, size_t size, size_t count, void *context) {
    return (size_t)write(*(int *)context, bytes, size * count);
}

static size_t from_file(char *bytes, size_t size, size_t count, void *context) {
    ssize_t length = read(*(int *)context, bytes, size * count);
    return length < 0 ? CURL_READFUNC_ABORT : (size_t)length;
}

curl_reference *curl_reference_make(int in_flight) {
    if (tango_curl_load() != NULL) return NULL;
    curl_reference *this = calloc(1, sizeof *this);
    this->epoll = epoll_create1(EPOLL_CLOEXEC);
    this->due = -1;
    this->in_flight = in_flight;
    this->multi = curl_multi_init();
    tango_curl_multi_set_long(this->multi, CURLMOPT_MAXCONNECTS, 256);
    tango_curl_multi_set_socket(this->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    tango_curl_multi_set_pointer(this->multi, CURLMOPT_SOCKETDATA, this);
    tango_curl_multi_set_timer(this->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    tango_curl_multi_set_pointer(this->multi, CURLMOPT_TIMERDATA, this);
    this->handles = calloc((size_t)in_flight, sizeof *this->handles);
    for (int i = 0; i < in_flight; i++) {
        CURL *easy = curl_easy_init();
        this->handles[i] = easy;
        tango_curl_set_long(easy, CURLOPT_NOSIGNAL, 1);
        tango_curl_set_text(easy, CURLOPT_ACCEPT_ENCODING, "");
        tango_curl_set_data(easy, CURLOPT_WRITEFUNCTION, drop);
        tango_curl_set_long(easy, CURLOPT_BUFFERSIZE, 32 << 10);
        tango_curl_set_open_socket(easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
        tango_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, this);
        tango_curl_set_close_socket(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close);
        tango_curl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, this);
    }
    return this;
}

void curl_reference_trust(curl_reference *this, const char *authority) {
    for (int number = 0; number < this->in_flight; number++) {
        tango_curl_set_text(this->handles[number], CURLOPT_CAINFO, authority);
        tango_curl_set_text(this->handles[number], CURLOPT_CAPATH, NULL);
        tango_curl_set_long(this->handles[number], CURLOPT_PIPEWAIT, 1);
    }
}

void curl_reference_free(curl_reference *this) {
    for (int i = 0; i < this->in_flight; i++) curl_easy_cleanup(this->handles[i]);
    curl_multi_cleanup(this->multi);
    close(this->epoll);
    free(this->handles);
    free(this);
}

static void act(curl_reference *this, const struct epoll_event *event) {
    int socket = event->data.fd, mask = 0, running = 0;
    if (this->watches[socket].wanted == 0) {
        reregister(this, socket, 0);
        return;
    }
    if (event->events & EPOLLIN) mask |= CURL_CSELECT_IN;
    if (event->events & EPOLLOUT) mask |= CURL_CSELECT_OUT;
    if (event->events & (EPOLLERR | EPOLLHUP)) mask |= CURL_CSELECT_ERR;
    curl_multi_socket_action(this->multi, socket, mask, &running);
}

/// Sends all requests, at most `in_flight` at once, and counts the failures.
static int run(curl_reference *this, int total) {
    int started = 0, done = 0, failed = 0, running = 0;
    for (; started < total && started < this->in_flight; started++) {
        curl_multi_add_handle(this->multi, this->handles[started]);
    }
    struct epoll_event events[most_events];
    while (done < total) {
        int timeout = -1;
        if (this->due >= 0) {
            double left = this->due - now();
            timeout = left <= 0 ? 0 : (int)(left * 1000) + 1;
        }
        int count = epoll_wait(this->epoll, events, most_events, timeout);
        for (int i = 0; i < count; i++) act(this, &events[i]);
        if (this->due >= 0 && this->due <= now()) {
            this->due = -1;
            curl_multi_socket_action(this->multi, CURL_SOCKET_TIMEOUT, 0, &running);
        }
        int left;
        CURLMsg *message;
        while ((message = curl_multi_info_read(this->multi, &left)) != NULL) {
            CURL *easy = message->easy_handle;
            long status = 0;
            tango_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status);
            CURLcode result = message->data.result;
            if (result != CURLE_OK || status < 200 || status > 299) {
                failed++;
                snprintf(this->failure, sizeof this->failure, "%s, status %ld", curl_easy_strerror(result), status);
            }
            done++;
            curl_multi_remove_handle(this->multi, easy);
            if (started < total) {
                started++;
                curl_multi_add_handle(this->multi, easy);
            }
        }
    }
    return failed;
}

int curl_reference_get(curl_reference *this, const char *url, int total) {
    for (int i = 0; i < this->in_flight; i++) tango_curl_set_text(this->handles[i], CURLOPT_URL, url);
    return run(this, total);
}

int curl_reference_download(curl_reference *this, const char *url, const char *path) {
    CURL *easy = this->handles[0];
    int file = -1;
    tango_curl_set_text(easy, CURLOPT_URL, url);
    tango_curl_set_long(easy, CURLOPT_BUFFERSIZE, 512 << 10);
    if (path != NULL) {
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (file < 0) return 1;
        tango_curl_set_data(easy, CURLOPT_WRITEFUNCTION, to_file);
        tango_curl_set_pointer(easy, CURLOPT_WRITEDATA, &file);
    }
    int failed = run(this, 1);
    tango_curl_set_data(easy, CURLOPT_WRITEFUNCTION, drop);
    if (file >= 0) close(file);
    return failed;
}

int curl_reference_upload(curl_reference *this, const char *url, const char *path) {
    CURL *easy = this->handles[0];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 1;
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    tango_curl_set_text(easy, CURLOPT_URL, url);
    tango_curl_set_long(easy, CURLOPT_UPLOAD, 1);
    tango_curl_set_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, 512 << 10);
    tango_curl_set_data(easy, CURLOPT_READFUNCTION, from_file);
    tango_curl_set_pointer(easy, CURLOPT_READDATA, &file);
    tango_curl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, lseek(file, 0, SEEK_END));
    lseek(file, 0, SEEK_SET);
    tango_curl_set_list(easy, CURLOPT_HTTPHEADER, headers);
    int failed = run(this, 1);
    tango_curl_set_list(easy, CURLOPT_HTTPHEADER, NULL);
    curl_slist_free_all(headers);
    close(file);
    return failed;
}

const char *curl_reference_failure(curl_reference *this) {
    return this->failure;
}

#else

#include <stddef.h>

curl_reference *curl_reference_make(int in_flight) {
    (void)in_flight;
    return NULL;
}

void curl_reference_trust(curl_reference *reference, const char *authority) {
    (void)reference, (void)authority;
}

void curl_reference_free(curl_reference *this) {
    (void)this;
}

const char *curl_reference_failure(curl_reference *this) {
    (void)this;
    return "";
}

int curl_reference_get(curl_reference *this, const char *url, int total) {
    (void)this, (void)url, (void)total;
    return 1;
}

int curl_reference_download(curl_reference *this, const char *url, const char *path) {
    (void)this, (void)url, (void)path;
    return 1;
}

int curl_reference_upload(curl_reference *this, const char *url, const char *path) {
    (void)this, (void)url, (void)path;
    return 1;
}

#endif
