// One request by libcurl, sent by a process that does nothing else. Its first argument is the URL.

#include <stddef.h>

#if defined(__linux__)

#include <dlfcn.h>

// The values of curl.h, which need not be installed.
enum { global_default = 3, option_url = 10002, option_write_function = 20011 };

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)context;
    return size * count;
}

int main(int count, char **arguments) {
    void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
    if (count != 2 || library == NULL) return 2;
    int (*global_init)(long) = (int (*)(long))dlsym(library, "curl_global_init");
    void *(*easy_init)(void) = (void *(*)(void))dlsym(library, "curl_easy_init");
    int (*setopt)(void *, int, ...) = (int (*)(void *, int, ...))dlsym(library, "curl_easy_setopt");
    int (*perform)(void *) = (int (*)(void *))dlsym(library, "curl_easy_perform");
    if (global_init == NULL || easy_init == NULL || setopt == NULL || perform == NULL) return 2;
    global_init(global_default);
    void *handle = easy_init();
    setopt(handle, option_url, arguments[1]);
    setopt(handle, option_write_function, drop);
    return perform(handle);
}

#else

int main(void) { return 2; }

#endif
