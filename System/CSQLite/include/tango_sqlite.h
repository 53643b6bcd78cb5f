// What Tango uses of SQLite, declared under the real names, so that Swift code reads the same here and on Apple platforms,
// where it imports the system's own module. Nothing is linked: tango_sqlite_load() opens the library at run time, and
// must have succeeded before any other function here is called.
#ifndef TANGO_SQLITE_H
#define TANGO_SQLITE_H

#include <stddef.h>
#include <stdint.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

// Opens the library, unless it is open already. Returns NULL, or why the library cannot be used: the text is valid until
// the thread calls this function again. Only a success is remembered, because a failure may be one of the moment, such as
// too many open files.
const char *tango_sqlite_load(void);

// X(result, name, parameters, arguments) for each function.
#define TANGO_SQLITE_FUNCTIONS(X)                                                                                      \
    X(int, sqlite3_libversion_number, (void), ())                                                                      \
    X(int, sqlite3_threadsafe, (void), ())                                                                             \
    X(int, sqlite3_open_v2, (const char *path, sqlite3 **db, int flags, const char *vfs), (path, db, flags, vfs))      \
    X(int, sqlite3_close_v2, (sqlite3 * db), (db))                                                                     \
    X(int, sqlite3_extended_result_codes, (sqlite3 * db, int on), (db, on))                                            \
    X(int, sqlite3_extended_errcode, (sqlite3 * db), (db))                                                             \
    X(int, sqlite3_system_errno, (sqlite3 * db), (db))                                                                 \
    X(const char *, sqlite3_errmsg, (sqlite3 * db), (db))                                                              \
    X(const char *, sqlite3_errstr, (int code), (code))                                                                \
    X(int, sqlite3_busy_timeout, (sqlite3 * db, int milliseconds), (db, milliseconds))                                 \
    X(int, sqlite3_get_autocommit, (sqlite3 * db), (db))                                                               \
    X(int64_t, sqlite3_last_insert_rowid, (sqlite3 * db), (db))                                                        \
    X(int, sqlite3_file_control, (sqlite3 * db, const char *schema, int operation, void *argument),                    \
      (db, schema, operation, argument))                                                                               \
    X(int, sqlite3_wal_checkpoint_v2, (sqlite3 * db, const char *schema, int mode, int *frames, int *moved),           \
      (db, schema, mode, frames, moved))                                                                               \
    X(void *, sqlite3_wal_hook,                                                                                        \
      (sqlite3 * db, int (*hook)(void *context, sqlite3 *db, const char *schema, int frames), void *context),          \
      (db, hook, context))                                                                                             \
    X(int, sqlite3_prepare_v3,                                                                                         \
      (sqlite3 * db, const char *sql, int length, unsigned int flags, sqlite3_stmt **statement, const char **tail),    \
      (db, sql, length, flags, statement, tail))                                                                       \
    X(int, sqlite3_step, (sqlite3_stmt * statement), (statement))                                                      \
    X(int, sqlite3_reset, (sqlite3_stmt * statement), (statement))                                                     \
    X(int, sqlite3_clear_bindings, (sqlite3_stmt * statement), (statement))                                            \
    X(sqlite3 *, sqlite3_db_handle, (sqlite3_stmt * statement), (statement))                                           \
    X(int, sqlite3_finalize, (sqlite3_stmt * statement), (statement))                                                  \
    X(int, sqlite3_bind_blob64,                                                                                        \
      (sqlite3_stmt * statement, int index, const void *bytes, uint64_t count, void (*destructor)(void *)),            \
      (statement, index, bytes, count, destructor))                                                                    \
    X(int, sqlite3_bind_zeroblob, (sqlite3_stmt * statement, int index, int count), (statement, index, count))         \
    X(int, sqlite3_bind_text,                                                                                          \
      (sqlite3_stmt * statement, int index, const char *text, int count, void (*destructor)(void *)),                  \
      (statement, index, text, count, destructor))                                                                     \
    X(int, sqlite3_bind_int64, (sqlite3_stmt * statement, int index, int64_t value), (statement, index, value))        \
    X(int, sqlite3_bind_double, (sqlite3_stmt * statement, int index, double value), (statement, index, value))        \
    X(int, sqlite3_bind_null, (sqlite3_stmt * statement, int index), (statement, index))                               \
    X(int, sqlite3_column_type, (sqlite3_stmt * statement, int column), (statement, column))                           \
    X(int64_t, sqlite3_column_int64, (sqlite3_stmt * statement, int column), (statement, column))                      \
    X(double, sqlite3_column_double, (sqlite3_stmt * statement, int column), (statement, column))                      \
    X(const void *, sqlite3_column_blob, (sqlite3_stmt * statement, int column), (statement, column))                  \
    X(const unsigned char *, sqlite3_column_text, (sqlite3_stmt * statement, int column), (statement, column))         \
    X(int, sqlite3_column_bytes, (sqlite3_stmt * statement, int column), (statement, column))

struct tango_sqlite_functions {
#define X(result, name, parameters, arguments) result(*name) parameters;
    TANGO_SQLITE_FUNCTIONS(X)
#undef X
};

extern struct tango_sqlite_functions tango_sqlite;

#define X(result, name, parameters, arguments)                                                                         \
    static inline result name parameters { return tango_sqlite.name arguments; }
TANGO_SQLITE_FUNCTIONS(X)
#undef X

#define SQLITE_OK 0
#define SQLITE_ERROR 1
#define SQLITE_INTERNAL 2
#define SQLITE_PERM 3
#define SQLITE_BUSY 5
#define SQLITE_LOCKED 6
#define SQLITE_NOMEM 7
#define SQLITE_READONLY 8
#define SQLITE_IOERR 10
#define SQLITE_CORRUPT 11
#define SQLITE_FULL 13
#define SQLITE_CANTOPEN 14
#define SQLITE_PROTOCOL 15
#define SQLITE_EMPTY 16
#define SQLITE_SCHEMA 17
#define SQLITE_TOOBIG 18
#define SQLITE_CONSTRAINT 19
#define SQLITE_MISMATCH 20
#define SQLITE_MISUSE 21
#define SQLITE_FORMAT 24
#define SQLITE_NOTADB 26
#define SQLITE_ROW 100
#define SQLITE_DONE 101

#define SQLITE_INTEGER 1
#define SQLITE_FLOAT 2
#define SQLITE_TEXT 3
#define SQLITE_BLOB 4
#define SQLITE_NULL 5

#define SQLITE_OPEN_READONLY 0x00000001
#define SQLITE_OPEN_READWRITE 0x00000002
#define SQLITE_OPEN_CREATE 0x00000004
#define SQLITE_OPEN_URI 0x00000040
#define SQLITE_OPEN_NOMUTEX 0x00008000

#define SQLITE_PREPARE_PERSISTENT 0x01

#define SQLITE_CHECKPOINT_PASSIVE 0
#define SQLITE_CHECKPOINT_RESTART 2
#define SQLITE_CHECKPOINT_TRUNCATE 3

#define SQLITE_FCNTL_PERSIST_WAL 10
#define SQLITE_FCNTL_HAS_MOVED 20

#endif
