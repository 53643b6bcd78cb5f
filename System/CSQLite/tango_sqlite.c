#include "tango_sqlite.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct tango_sqlite_functions tango_sqlite;

static char problem[512];
static int failed;

static void load(void) {
    // The variable stands for a system without the library, in tests and where the plain-file engine is preferred.
    const char *name = getenv("TANGO_SQLITE_LIBRARY");
    if (name == NULL) name = "libsqlite3.so.0";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason != NULL ? reason : "the library cannot be opened");
        failed = 1;
        return;
    }
#define X(result, name, parameters, arguments)                                                                         \
    tango_sqlite.name = (result(*) parameters)dlsym(library, #name);                                                   \
    if (tango_sqlite.name == NULL && !failed) {                                                                        \
        snprintf(problem, sizeof problem, "the library has no function %s", #name);                                    \
        failed = 1;                                                                                                    \
    }
    TANGO_SQLITE_FUNCTIONS(X)
#undef X
}

const char *tango_sqlite_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return failed ? problem : NULL;
}
