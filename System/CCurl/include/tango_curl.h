// What Tango uses of libcurl, declared under the real names from its stable ABI (libcurl.so.4, 7.76 and later). Nothing is
// linked: tango_curl_load() opens the library at run time, and must have succeeded before any other function here is
// called. The functions with variable arguments, which Swift cannot call, are there once for each type of argument.
#ifndef TANGO_CURL_H
#define TANGO_CURL_H

#include <stddef.h>
#include <stdint.h>

typedef struct Curl_easy CURL;
typedef struct Curl_multi CURLM;
typedef struct Curl_share CURLSH;
typedef int CURLcode;
typedef int CURLMcode;
typedef int CURLSHcode;
typedef int CURLoption;
typedef int CURLMoption;
typedef int CURLSHoption;
typedef int CURLINFO;
typedef int curl_socket_t;
typedef int64_t curl_off_t;

struct curl_slist {
    char *data;
    struct curl_slist *next;
};

struct curl_blob {
    void *data;
    size_t len;
    unsigned int flags;
};

// The certificates of a server, a list of `name:value` for each.
struct curl_certinfo {
    int num_of_certs;
    struct curl_slist **certinfo;
};

// A message of a multi handle: CURLMSG_DONE is the only kind there is.
typedef struct CURLMsg {
    int msg;
    CURL *easy_handle;
    union {
        void *whatever;
        CURLcode result;
    } data;
} CURLMsg;

// The address for which an open-socket callback is to make a socket.
struct curl_sockaddr {
    int family;
    int socktype;
    int protocol;
    unsigned int addrlen;
    char addr[128];
};

// What the library tells about itself, as far as it is read here.
typedef struct curl_version_info_data {
    int age;
    const char *version;
    unsigned int version_num;
    const char *host;
    int features;
    const char *ssl_version;
    long ssl_version_num;
    const char *libz_version;
    const char *const *protocols;
    const char *ares;
    int ares_num;
    const char *libidn;
    int iconv_ver_num;
    const char *libssh_version;
    unsigned int brotli_ver_num;
    const char *brotli_version;
    unsigned int nghttp2_ver_num;
    const char *nghttp2_version;
    const char *quic_version;
    const char *cainfo;
    const char *capath;
} curl_version_info_data;

typedef size_t (*tango_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*tango_curl_seek_callback)(void *context, curl_off_t offset, int origin);
typedef curl_socket_t (*tango_curl_open_socket_callback)(void *context, int purpose, struct curl_sockaddr *address);
typedef int (*tango_curl_close_socket_callback)(void *context, curl_socket_t socket);
typedef int (*tango_curl_announce_callback)(void *context, char *remote, char *local, int remotePort, int localPort);
typedef int (*tango_curl_debug_callback)(CURL *easy, int kind, char *bytes, size_t count, void *context);
typedef int (*tango_curl_socket_callback)(CURL *easy, curl_socket_t socket, int what, void *context, void *socketContext);
typedef int (*tango_curl_progress_callback)(void *context, curl_off_t toReceive, curl_off_t received, curl_off_t toSend,
                                            curl_off_t sent);
typedef int (*tango_curl_timer_callback)(CURLM *multi, long milliseconds, void *context);

// Opens the library, once. Returns NULL, or why it cannot be used; the text lives as long as the process.
const char *tango_curl_load(void);

// X(result, name, parameters, arguments) for each function.
#define TANGO_CURL_FUNCTIONS(X)                                                                                        \
    X(CURLcode, curl_global_init, (long flags), (flags))                                                               \
    X(curl_version_info_data *, curl_version_info, (int age), (age))                                                   \
    X(const char *, curl_easy_strerror, (CURLcode code), (code))                                                       \
    X(CURL *, curl_easy_init, (void), ())                                                                              \
    X(void, curl_easy_cleanup, (CURL * easy), (easy))                                                                  \
    X(void, curl_easy_reset, (CURL * easy), (easy))                                                                    \
    X(CURLcode, curl_easy_pause, (CURL * easy, int directions), (easy, directions))                                    \
    X(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *line), (list, line))              \
    X(void, curl_slist_free_all, (struct curl_slist * list), (list))                                                   \
    X(const char *, curl_multi_strerror, (CURLMcode code), (code))                                                     \
    X(CURLM *, curl_multi_init, (void), ())                                                                            \
    X(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))                                                         \
    X(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL *easy), (multi, easy))                                    \
    X(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL *easy), (multi, easy))                                 \
    X(CURLMcode, curl_multi_socket_action, (CURLM * multi, curl_socket_t socket, int events, int *running),            \
      (multi, socket, events, running))                                                                                \
    X(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left))                                      \
    X(CURLSH *, curl_share_init, (void), ())                                                                           \
    X(CURLSHcode, curl_share_cleanup, (CURLSH * share), (share))

struct tango_curl_functions {
#define X(result, name, parameters, arguments) result(*name) parameters;
    TANGO_CURL_FUNCTIONS(X)
#undef X
    CURLcode (*curl_easy_setopt)(CURL *easy, CURLoption option, ...);
    CURLcode (*curl_easy_getinfo)(CURL *easy, CURLINFO info, ...);
    CURLMcode (*curl_multi_setopt)(CURLM *multi, CURLMoption option, ...);
    CURLSHcode (*curl_share_setopt)(CURLSH *share, CURLSHoption option, ...);
};

extern struct tango_curl_functions tango_curl;

#define X(result, name, parameters, arguments)                                                                         \
    static inline result name parameters { return tango_curl.name arguments; }
TANGO_CURL_FUNCTIONS(X)
#undef X

// One form of a function with variable arguments for each type of its third argument.
#define TANGO_CURL_OPTION(name, type)                                                                                  \
    static inline CURLcode tango_curl_set_##name(CURL *easy, CURLoption option, type value) {                          \
        return tango_curl.curl_easy_setopt(easy, option, value);                                                       \
    }
TANGO_CURL_OPTION(long, long)
TANGO_CURL_OPTION(offset, curl_off_t)
TANGO_CURL_OPTION(text, const char *)
TANGO_CURL_OPTION(bytes, const void *)
TANGO_CURL_OPTION(pointer, void *)
TANGO_CURL_OPTION(list, struct curl_slist *)
TANGO_CURL_OPTION(blob, struct curl_blob *)
TANGO_CURL_OPTION(data, tango_curl_data_callback)
TANGO_CURL_OPTION(seek, tango_curl_seek_callback)
TANGO_CURL_OPTION(open_socket, tango_curl_open_socket_callback)
TANGO_CURL_OPTION(close_socket, tango_curl_close_socket_callback)
TANGO_CURL_OPTION(announce, tango_curl_announce_callback)
TANGO_CURL_OPTION(debug, tango_curl_debug_callback)
TANGO_CURL_OPTION(progress, tango_curl_progress_callback)
#undef TANGO_CURL_OPTION

#define TANGO_CURL_MULTI_OPTION(name, type)                                                                            \
    static inline CURLMcode tango_curl_multi_set_##name(CURLM *multi, CURLMoption option, type value) {                \
        return tango_curl.curl_multi_setopt(multi, option, value);                                                     \
    }
TANGO_CURL_MULTI_OPTION(long, long)
TANGO_CURL_MULTI_OPTION(pointer, void *)
TANGO_CURL_MULTI_OPTION(socket, tango_curl_socket_callback)
TANGO_CURL_MULTI_OPTION(timer, tango_curl_timer_callback)
#undef TANGO_CURL_MULTI_OPTION

static inline CURLSHcode tango_curl_share_set_int(CURLSH *share, CURLSHoption option, int value) {
    return tango_curl.curl_share_setopt(share, option, value);
}

#define TANGO_CURL_INFO(name, type)                                                                                    \
    static inline CURLcode tango_curl_get_##name(CURL *easy, CURLINFO info, type *value) {                             \
        return tango_curl.curl_easy_getinfo(easy, info, value);                                                        \
    }
TANGO_CURL_INFO(long, long)
TANGO_CURL_INFO(offset, curl_off_t)
TANGO_CURL_INFO(text, const char *)
TANGO_CURL_INFO(pointer, void *)
TANGO_CURL_INFO(socket, curl_socket_t)
#undef TANGO_CURL_INFO

#define CURL_GLOBAL_DEFAULT 3

#define CURL_VERSION_SSL (1 << 2)
#define CURL_VERSION_LIBZ (1 << 3)
#define CURL_VERSION_ASYNCHDNS (1 << 7)
#define CURL_VERSION_HTTP2 (1 << 16)
#define CURL_VERSION_UNIX_SOCKETS (1 << 19)
#define CURL_VERSION_BROTLI (1 << 23)
#define CURL_VERSION_HTTP3 (1 << 25)
#define CURL_VERSION_ZSTD (1 << 26)

#define CURLMSG_DONE 1

#define CURLSHE_OK 0
#define CURLSHOPT_SHARE 1
#define CURL_LOCK_DATA_SSL_SESSION 4

#define CURLM_OK 0
#define CURLM_CALL_MULTI_PERFORM (-1)
#define CURLM_OUT_OF_MEMORY 3

#define CURLMOPT_SOCKETFUNCTION 20001
#define CURLMOPT_SOCKETDATA 10002
#define CURLMOPT_PIPELINING 3
#define CURLPIPE_NOTHING 0
#define CURLPIPE_MULTIPLEX 2
#define CURLMOPT_TIMERFUNCTION 20004
#define CURLMOPT_TIMERDATA 10005
#define CURLMOPT_MAXCONNECTS 6
#define CURLMOPT_MAX_CONCURRENT_STREAMS 16
#define CURLMOPT_QUICK_EXIT 21

#define CURL_POLL_NONE 0
#define CURL_POLL_IN 1
#define CURL_POLL_OUT 2
#define CURL_POLL_INOUT 3
#define CURL_POLL_REMOVE 4
#define CURL_CSELECT_IN 1
#define CURL_CSELECT_OUT 2
#define CURL_CSELECT_ERR 4
#define CURL_SOCKET_TIMEOUT (-1)
#define CURL_SOCKET_BAD (-1)

#define CURL_WRITEFUNC_PAUSE 0x10000001
#define CURL_READFUNC_ABORT 0x10000000
#define CURL_READFUNC_PAUSE 0x10000001
#define CURL_SEEKFUNC_OK 0
#define CURL_SEEKFUNC_CANTSEEK 2
#define CURL_PREREQFUNC_OK 0
#define CURL_PREREQFUNC_ABORT 1
#define CURLPAUSE_RECV (1 << 0)
#define CURLPAUSE_SEND (1 << 2)
#define CURLPAUSE_CONT 0

#define CURLPROTO_HTTP (1 << 0)
#define CURLPROTO_HTTPS (1 << 1)

#define CURL_HTTP_VERSION_NONE 0
#define CURL_HTTP_VERSION_1_0 1
#define CURL_HTTP_VERSION_1_1 2
#define CURL_HTTP_VERSION_2_0 3
#define CURL_HTTP_VERSION_2TLS 4
#define CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE 5
#define CURL_HTTP_VERSION_3 30
#define CURL_HTTP_VERSION_3ONLY 31

#define CURL_SSLVERSION_TLSv1_2 6
#define CURL_SSLVERSION_TLSv1_3 7
#define CURL_BLOB_COPY 1
#define CURLAUTH_BASIC 1
#define CURLAUTH_DIGEST 2
#define CURLINFO_TEXT 0

#define CURLOPT_WRITEDATA 10001
#define CURLOPT_URL 10002
#define CURLOPT_PORT 3
#define CURLOPT_PROXYAUTH 111
#define CURLOPT_CERTINFO 172
#define CURLOPT_PROXY 10004
#define CURLOPT_PROXYUSERPWD 10006
#define CURLOPT_READDATA 10009
#define CURLOPT_ERRORBUFFER 10010
#define CURLOPT_WRITEFUNCTION 20011
#define CURLOPT_READFUNCTION 20012
#define CURLOPT_POSTFIELDS 10015
#define CURLOPT_HTTPHEADER 10023
#define CURLOPT_SSLCERT 10025
#define CURLOPT_KEYPASSWD 10026
#define CURLOPT_HEADERDATA 10029
#define CURLOPT_SSLVERSION 32
#define CURLOPT_VERBOSE 41
#define CURLOPT_CUSTOMREQUEST 10036
#define CURLOPT_NOPROGRESS 43
#define CURLOPT_NOBODY 44
#define CURLOPT_UPLOAD 46
#define CURLOPT_POST 47
#define CURLOPT_FOLLOWLOCATION 52
#define CURLOPT_SSL_VERIFYPEER 64
#define CURLOPT_CAINFO 10065
#define CURLOPT_HEADERFUNCTION 20079
#define CURLOPT_XFERINFODATA 10057
#define CURLOPT_FRESH_CONNECT 74
#define CURLOPT_FORBID_REUSE 75
#define CURLOPT_HTTPGET 80
#define CURLOPT_SSL_VERIFYHOST 81
#define CURLOPT_HTTP_VERSION 84
#define CURLOPT_SSLKEY 10087
#define CURLOPT_SSLCERTTYPE 10086
#define CURLOPT_SSLKEYTYPE 10088
#define CURLOPT_DEBUGFUNCTION 20094
#define CURLOPT_DEBUGDATA 10095
#define CURLOPT_CAPATH 10097
#define CURLOPT_BUFFERSIZE 98
#define CURLOPT_NOSIGNAL 99
#define CURLOPT_SHARE 10100
#define CURLOPT_ACCEPT_ENCODING 10102
#define CURLOPT_PRIVATE 10103
#define CURLOPT_INFILESIZE_LARGE 30115
#define CURLOPT_POSTFIELDSIZE_LARGE 30120
#define CURLOPT_TCP_NODELAY 121
#define CURLOPT_CONNECTTIMEOUT_MS 156
#define CURLOPT_HTTP_TRANSFER_DECODING 157
#define CURLOPT_HTTP_CONTENT_DECODING 158
#define CURLOPT_OPENSOCKETFUNCTION 20163
#define CURLOPT_OPENSOCKETDATA 10164
#define CURLOPT_COPYPOSTFIELDS 10165
#define CURLOPT_SEEKFUNCTION 20167
#define CURLOPT_SEEKDATA 10168
#define CURLOPT_PROTOCOLS 181
#define CURLOPT_RESOLVE 10203
#define CURLOPT_EXPECT_100_TIMEOUT_MS 227
#define CURLOPT_CLOSESOCKETFUNCTION 20208
#define CURLOPT_CLOSESOCKETDATA 10209
#define CURLOPT_XFERINFOFUNCTION 20219
#define CURLOPT_NOPROXY 10177
#define CURLOPT_PINNEDPUBLICKEY 10230
#define CURLOPT_UNIX_SOCKET_PATH 10231
#define CURLOPT_PATH_AS_IS 234
#define CURLOPT_PIPEWAIT 237
#define CURLOPT_CONNECT_TO 10243
#define CURLOPT_PROXY_CAINFO 10246
#define CURLOPT_SUPPRESS_CONNECT_HEADERS 265
#define CURLOPT_UPLOAD_BUFFERSIZE 280
#define CURLOPT_HTTP09_ALLOWED 285
#define CURLOPT_PREREQFUNCTION 20312
#define CURLOPT_PREREQDATA 10313
#define CURLOPT_QUICK_EXIT 322
#define CURLOPT_SSLCERT_BLOB 40291
#define CURLOPT_SSLKEY_BLOB 40292
#define CURLOPT_CAINFO_BLOB 40309

#define CURLINFO_PRIVATE 0x100015
#define CURLINFO_RESPONSE_CODE 0x200002
#define CURLINFO_HEADER_SIZE 0x20000B
#define CURLINFO_REQUEST_SIZE 0x20000C
#define CURLINFO_SSL_VERIFYRESULT 0x20000D
#define CURLINFO_HTTP_CONNECTCODE 0x200016
#define CURLINFO_PROXYAUTH_AVAIL 0x200018
#define CURLINFO_OS_ERRNO 0x200019
#define CURLINFO_NUM_CONNECTS 0x20001A
#define CURLINFO_PRIMARY_IP 0x100020
#define CURLINFO_PRIMARY_PORT 0x200028
#define CURLINFO_LOCAL_PORT 0x20002A
#define CURLINFO_CERTINFO 0x400022
#define CURLINFO_HTTP_VERSION 0x20002E
#define CURLINFO_PROXY_ERROR 0x20003B
#define CURLINFO_ACTIVESOCKET 0x50002C
#define CURLINFO_SIZE_UPLOAD_T 0x600007
#define CURLINFO_SIZE_DOWNLOAD_T 0x600008
#define CURLINFO_TOTAL_TIME_T 0x600032
#define CURLINFO_NAMELOOKUP_TIME_T 0x600033
#define CURLINFO_CONNECT_TIME_T 0x600034
#define CURLINFO_PRETRANSFER_TIME_T 0x600035
#define CURLINFO_STARTTRANSFER_TIME_T 0x600036
#define CURLINFO_APPCONNECT_TIME_T 0x600038

#define CURLE_OK 0
#define CURLE_UNSUPPORTED_PROTOCOL 1
#define CURLE_FAILED_INIT 2
#define CURLE_URL_MALFORMAT 3
#define CURLE_NOT_BUILT_IN 4
#define CURLE_COULDNT_RESOLVE_PROXY 5
#define CURLE_COULDNT_RESOLVE_HOST 6
#define CURLE_COULDNT_CONNECT 7
#define CURLE_WEIRD_SERVER_REPLY 8
#define CURLE_HTTP2 16
#define CURLE_PARTIAL_FILE 18
#define CURLE_WRITE_ERROR 23
#define CURLE_READ_ERROR 26
#define CURLE_OUT_OF_MEMORY 27
#define CURLE_OPERATION_TIMEDOUT 28
#define CURLE_SSL_CONNECT_ERROR 35
#define CURLE_ABORTED_BY_CALLBACK 42
#define CURLE_BAD_FUNCTION_ARGUMENT 43
#define CURLE_UNKNOWN_OPTION 48
#define CURLE_GOT_NOTHING 52
#define CURLE_SSL_ENGINE_NOTFOUND 53
#define CURLE_SEND_ERROR 55
#define CURLE_RECV_ERROR 56
#define CURLE_SSL_CERTPROBLEM 58
#define CURLE_SSL_CIPHER 59
#define CURLE_PEER_FAILED_VERIFICATION 60
#define CURLE_BAD_CONTENT_ENCODING 61
#define CURLE_SEND_FAIL_REWIND 65
#define CURLE_SSL_CACERT_BADFILE 77
#define CURLE_SSL_SHUTDOWN_FAILED 80
#define CURLE_SSL_INVALIDCERTSTATUS 91
#define CURLE_SSL_PINNEDPUBKEYNOTMATCH 90
#define CURLE_HTTP2_STREAM 92
#define CURLE_TOO_LARGE 100
#define CURLE_PROXY 97
#define CURLE_SSL_CLIENTCERT 98

#endif
