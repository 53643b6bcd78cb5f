#define _GNU_SOURCE // secure_getenv

#include "tango_crypto.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct tango_crypto_functions tango_crypto;

static char problem[512];
static int failed;

// The library that libcurl brings: the names of OpenSSL 3 and of OpenSSL 1.1.
static void *opened(void) {
    // The variable stands for a system without the library, in tests. A program with more rights than its user ignores it.
#if defined(__linux__)
    const char *name = secure_getenv("TANGO_CRYPTO_LIBRARY");
#else
    const char *name = NULL;
#endif
    if (name != NULL) return dlopen(name, RTLD_NOW | RTLD_LOCAL);
    void *library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL) library = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) library = dlopen("libcrypto.so.1.1", RTLD_NOW | RTLD_LOCAL);
    return library;
}

static void load(void) {
    void *library = opened();
    if (library == NULL) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason != NULL ? reason : "the library cannot be opened");
        failed = 1;
        return;
    }
#define X(result, name, parameters, arguments)                                                                         \
    tango_crypto.name = (result(*) parameters)dlsym(library, #name);                                                   \
    if (tango_crypto.name == NULL && !failed) {                                                                        \
        snprintf(problem, sizeof problem, "the library has no function %s", #name);                                    \
        failed = 1;                                                                                                    \
    }
    TANGO_CRYPTO_FUNCTIONS(X)
#undef X
    if (failed) return;
    // OpenSSL's clean-up at the end of the process would free what another thread uses.
    int (*initialize)(uint64_t, const void *) = (int (*)(uint64_t, const void *))dlsym(library, "OPENSSL_init_crypto");
    const uint64_t noCleanUpAtExit = 0x00080000; // OPENSSL_INIT_NO_ATEXIT
    if (initialize != NULL) initialize(noCleanUpAtExit, NULL);
}

const char *tango_crypto_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failed ? problem : NULL;
}
