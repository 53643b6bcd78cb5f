#define _GNU_SOURCE // secure_getenv

#include "tango_psl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct psl_ctx_st psl_ctx_t;

static int (*is_public_suffix)(const psl_ctx_t *list, const char *domain);
static const psl_ctx_t *list;

static char problem[512];
static int failed;

static void load(void) {
    // The variable stands for a system without the library, in tests. A program with more rights than its caller ignores it.
#if defined(__linux__)
    const char *name = secure_getenv("TANGO_PSL_LIBRARY");
#else
    const char *name = NULL;
#endif
    if (name == NULL) name = "libpsl.so.5";
    failed = 1;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason != NULL ? reason : "the library cannot be opened");
        return;
    }
    is_public_suffix = (int (*)(const psl_ctx_t *, const char *))dlsym(library, "psl_is_public_suffix");
    // The newest of the file of the system and the list in the library; since version 0.16. The list lives as long as the process.
    psl_ctx_t *(*latest)(const char *) = (psl_ctx_t * (*)(const char *)) dlsym(library, "psl_latest");
    const psl_ctx_t *(*builtin)(void) = (const psl_ctx_t *(*)(void))dlsym(library, "psl_builtin");
    if (latest != NULL) list = latest(NULL);
    if (list == NULL && builtin != NULL) list = builtin();
    if (is_public_suffix == NULL || list == NULL) {
        snprintf(problem, sizeof problem, "%s has no list", name);
        return;
    }
    failed = 0;
}

const char *tango_psl_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failed ? problem : NULL;
}

int tango_psl_is_public_suffix(const char *domain) { return is_public_suffix(list, domain); }
