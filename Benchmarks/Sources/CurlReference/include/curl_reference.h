#ifndef CURL_REFERENCE_H
#define CURL_REFERENCE_H

#include <stdint.h>

/// The minimal program on libcurl: one thread, one loop, and bodies that are ignored.
typedef struct curl_reference curl_reference;

/// Creates a loop with this many requests in flight at once; NULL without libcurl.
curl_reference *curl_reference_make(int in_flight);
/// Trusts the certificates that this one has signed, and waits for a connection that can multiplex requests.
void curl_reference_trust(curl_reference *reference, const char *authority);
void curl_reference_free(curl_reference *reference);
/// The reason for the latest failure.
const char *curl_reference_failure(curl_reference *reference);

/// Each of these blocks until all requests have ended. Returns the number of those that failed or had no status 2xx.

/// Sends `total` requests for `url`.
int curl_reference_get(curl_reference *reference, const char *url, int total);

/// Receives one body: into the file at `path`, or into nothing if that is NULL.
int curl_reference_download(curl_reference *reference, const char *url, const char *path);

/// Sends the file at `path` by PUT.
int curl_reference_upload(curl_reference *reference, const char *url, const char *path);

#endif
