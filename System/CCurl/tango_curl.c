#define _GNU_SOURCE // secure_getenv

#include "tango_curl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct tango_curl_functions tango_curl;

static char problem[512];
static int failed;

// The first version of which everything is there that is used without a look at the version.
static const unsigned int oldest = 0x074C00;

static void load(void) {
    // The variable stands for a system without the library, in tests and where the system's URL session is preferred.
    // A program with more rights than whoever runs it loads no library of their choice.
#if defined(__linux__)
    const char *name = secure_getenv("TANGO_CURL_LIBRARY");
#else
    const char *name = NULL;
#endif
    if (name == NULL) name = "libcurl.so.4";
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason != NULL ? reason : "the library cannot be opened");
        failed = 1;
        return;
    }
#define LOAD(function, type)                                                                                           \
    tango_curl.function = (type)dlsym(library, #function);                                                             \
    if (tango_curl.function == NULL && !failed) {                                                                      \
        snprintf(problem, sizeof problem, "the library has no function %s", #function);                                \
        failed = 1;                                                                                                    \
    }
#define X(result, name, parameters, arguments) LOAD(name, result(*) parameters)
    TANGO_CURL_FUNCTIONS(X)
#undef X
    LOAD(curl_easy_setopt, CURLcode(*)(CURL *, CURLoption, ...))
    LOAD(curl_easy_getinfo, CURLcode(*)(CURL *, CURLINFO, ...))
    LOAD(curl_multi_setopt, CURLMcode(*)(CURLM *, CURLMoption, ...))
    LOAD(curl_share_setopt, CURLSHcode(*)(CURLSH *, CURLSHoption, ...))
#undef LOAD
    if (failed) return;
    // OpenSSL's clean-up at the end of the process would free what a thread in a handshake uses. Without effect where something
    // else has initialised OpenSSL before, or where libcurl uses another library.
    int (*initialize)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(library, "OPENSSL_init_crypto");
    const uint64_t noCleanUpAtExit = 0x00080000; // OPENSSL_INIT_NO_ATEXIT
    if (initialize != NULL) initialize(noCleanUpAtExit, NULL);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        snprintf(problem, sizeof problem, "curl_global_init failed");
        failed = 1;
        return;
    }
    const curl_version_info_data *version = curl_version_info(0);
    if (version->version_num < oldest) {
        snprintf(problem, sizeof problem, "libcurl %s is too old: 7.76 or later is needed", version->version);
        failed = 1;
    } else if ((version->features & CURL_VERSION_ASYNCHDNS) == 0) {
        snprintf(problem, sizeof problem, "libcurl %s was built without a resolver that does not block", version->version);
        failed = 1;
    }
}

const char *tango_curl_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failed ? problem : NULL;
}
