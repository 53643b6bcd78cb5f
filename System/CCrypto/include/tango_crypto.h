// What Tango uses of OpenSSL's libcrypto, declared under the real names from its stable ABI (libcrypto.so.3, and
// libcrypto.so.1.1). Nothing is linked: tango_crypto_load() opens the library at run time, and must have succeeded before
// any other function here is called. To use another function, add a line to the list.
#ifndef TANGO_CRYPTO_H
#define TANGO_CRYPTO_H

#include <stddef.h>
#include <stdint.h>

typedef struct evp_md_st EVP_MD;
typedef struct evp_md_ctx_st EVP_MD_CTX;
typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
typedef struct engine_st ENGINE;

// Opens the library, unless it is open already. Returns NULL, or the reason why the library cannot be used, which stays
// valid.
const char *tango_crypto_load(void);

// X(result, name, parameters, arguments) for each function.
#define TANGO_CRYPTO_FUNCTIONS(X)                                                                                      \
    X(const EVP_MD *, EVP_get_digestbyname, (const char *name), (name))                                                \
    X(EVP_MD_CTX *, EVP_MD_CTX_new, (void), ())                                                                        \
    X(void, EVP_MD_CTX_free, (EVP_MD_CTX * context), (context))                                                        \
    X(int, EVP_DigestInit_ex, (EVP_MD_CTX * context, const EVP_MD *hash, ENGINE *engine), (context, hash, engine))     \
    X(int, EVP_DigestUpdate, (EVP_MD_CTX * context, const void *bytes, size_t count), (context, bytes, count))         \
    X(int, EVP_DigestFinal_ex, (EVP_MD_CTX * context, unsigned char *digest, unsigned int *count),                     \
      (context, digest, count))                                                                                        \
    X(const EVP_CIPHER *, EVP_aes_256_gcm, (void), ())                                                                 \
    X(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void), ())                                                                \
    X(void, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX * context), (context))                                                \
    X(int, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX * context, int kind, int number, void *bytes),                         \
      (context, kind, number, bytes))                                                                                  \
    X(int, EVP_CipherInit_ex,                                                                                          \
      (EVP_CIPHER_CTX * context, const EVP_CIPHER *cipher, ENGINE *engine, const unsigned char *key,                   \
       const unsigned char *nonce, int encrypts),                                                                      \
      (context, cipher, engine, key, nonce, encrypts))                                                                 \
    X(int, EVP_CipherUpdate,                                                                                           \
      (EVP_CIPHER_CTX * context, unsigned char *output, int *written, const unsigned char *input, int count),          \
      (context, output, written, input, count))                                                                        \
    X(int, EVP_CipherFinal_ex, (EVP_CIPHER_CTX * context, unsigned char *output, int *written),                        \
      (context, output, written))

struct tango_crypto_functions {
#define X(result, name, parameters, arguments) result(*name) parameters;
    TANGO_CRYPTO_FUNCTIONS(X)
#undef X
};

extern struct tango_crypto_functions tango_crypto;

#define X(result, name, parameters, arguments)                                                                         \
    static inline result name parameters { return tango_crypto.name arguments; }
TANGO_CRYPTO_FUNCTIONS(X)
#undef X

#define EVP_MAX_MD_SIZE 64
#define EVP_CTRL_GCM_GET_TAG 0x10
#define EVP_CTRL_GCM_SET_TAG 0x11

#endif
