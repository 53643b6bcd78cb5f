#include "tango_sqlite.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct tango_sqlite_functions tango_sqlite;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static int is_loaded;

// Why the library could not be opened, for the thread that asked.
static _Thread_local char problem[512];

static const char *load(void) {
    // The variable stands for a system without the library in tests, and names another file of it.
    const char *name = getenv("TANGO_SQLITE_LIBRARY");
    if (name == NULL) name = "libsqlite3.so.0";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        snprintf(problem, sizeof problem, "%s", reason != NULL ? reason : "the library cannot be opened");
        return problem;
    }
    struct tango_sqlite_functions functions;
#define X(result, name, parameters, arguments)                                                                         \
    functions.name = (result(*) parameters)dlsym(library, #name);                                                      \
    if (functions.name == NULL) {                                                                                      \
        snprintf(problem, sizeof problem, "the library has no function %s", #name);                                    \
        dlclose(library);                                                                                              \
        return problem;                                                                                                \
    }
    TANGO_SQLITE_FUNCTIONS(X)
#undef X
    tango_sqlite = functions;
    is_loaded = 1;
    return NULL;
}

const char *tango_sqlite_load(void) {
    pthread_mutex_lock(&loading);
    const char *reason = is_loaded ? NULL : load();
    pthread_mutex_unlock(&loading);
    return reason;
}
