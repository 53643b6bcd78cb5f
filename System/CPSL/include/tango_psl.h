// What Tango uses of libpsl, the list of public suffixes. Nothing is linked: tango_psl_load() opens the library at run time,
// and must have succeeded before the other function is called.
#ifndef TANGO_PSL_H
#define TANGO_PSL_H

// Opens the library and its list, once. Returns NULL, or why there is no list.
const char *tango_psl_load(void);

// Returns 1 if a domain, in lower case, is a public suffix, or 0.
int tango_psl_is_public_suffix(const char *domain);

#endif
