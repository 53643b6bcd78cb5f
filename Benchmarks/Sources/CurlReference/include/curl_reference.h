#ifndef CURL_REFERENCE_H
#define CURL_REFERENCE_H

#include <stdint.h>

/// The least a program can do that uses libcurl: one thread, one loop, and bodies that are not looked at.
typedef struct curl_reference curl_reference;

/// With so many requests in flight at once; NULL where there is no libcurl.
curl_reference *curl_reference_make(int in_flight);
/// Takes the certificates that this one has signed, and waits for a connection that carries many requests.
void curl_reference_trust(curl_reference *reference, const char *authority);
void curl_reference_free(curl_reference *reference);

/// Each of these returns when all is done: how many requests failed, or were answered with something else than 2xx.

/// Sends `total` requests for `url`.
int curl_reference_get(curl_reference *reference, const char *url, int total);

/// Receives one body: into the file at `path`, or into nothing if that is NULL.
int curl_reference_download(curl_reference *reference, const char *url, const char *path);

/// Sends the file at `path` by PUT.
int curl_reference_upload(curl_reference *reference, const char *url, const char *path);

#endif
