/* load -- libpq, loaded when a database is first opened (base/library.h).
 *
 * Fields have the names of libpq's functions without "PQ". */
#ifndef AG_PG_LOAD_H
#define AG_PG_LOAD_H

#include <libpq-fe.h>

#include "base/err.h"
#include "pg/wire.h"

/* Every function that is used, once: the table and the list of names are made from it. */
#define AG_PQ_FUNCTIONS(X)                                                                  \
	X(int, backendPID, (const PGconn *c))                                               \
	X(PGcancel *, getCancel, (PGconn * c))                                              \
	X(void, freeCancel, (PGcancel * c))                                                 \
	X(int, cancel, (PGcancel * c, char *error, int n))                                  \
	X(void, clear, (PGresult * r))                                                      \
	X(PostgresPollingStatusType, connectPoll, (PGconn * c))                             \
	X(PGconn *, connectStartParams,                                                     \
	  (const char *const *keywords, const char *const *values, int expand))             \
	X(void, conninfoFree, (PQconninfoOption * o))                                       \
	X(PQconninfoOption *, conninfoParse, (const char *text, char **error))              \
	X(int, consumeInput, (PGconn * c))                                                  \
	X(char *, errorMessage, (const PGconn *c))                                          \
	X(void, finish, (PGconn * c))                                                       \
	X(void, freemem, (void *p))                                                         \
	X(int, getlength, (const PGresult *r, int row, int column))                         \
	X(PGresult *, getResult, (PGconn * c))                                              \
	X(char *, getvalue, (const PGresult *r, int row, int column))                       \
	X(int, gssEncInUse, (PGconn * c))                                                   \
	X(int, isBusy, (PGconn * c))                                                        \
	X(int, isthreadsafe, (void))                                                        \
	X(int, libVersion, (void))                                                          \
	X(int, ntuples, (const PGresult *r))                                                \
	X(const char *, parameterStatus, (const PGconn *c, const char *name))               \
	X(ExecStatusType, resultStatus, (const PGresult *r))                                \
	X(int, sendQuery, (PGconn * c, const char *sql))                                    \
	X(int, serverVersion, (const PGconn *c))                                            \
	X(PGVerbosity, setErrorVerbosity, (PGconn * c, PGVerbosity v))                      \
	X(PQnoticeReceiver, setNoticeReceiver, (PGconn * c, PQnoticeReceiver f, void *arg)) \
	X(int, setnonblocking, (PGconn * c, int on))                                        \
	X(int, socket, (const PGconn *c))                                                   \
	X(int, sslInUse, (PGconn * c))                                                      \
	X(void *, sslStruct, (PGconn * c, const char *name))                                \
	X(ConnStatusType, status, (const PGconn *c))

typedef struct ag_pq {
#define X(type, name, parameters) type(*name) parameters;
	AG_PQ_FUNCTIONS(X)
#undef X
} ag_pq;

/* The few functions of OpenSSL that read and write on a connection that libpq has made (wire.c). */
#define AG_PQ_TLS_FUNCTIONS(X)                              \
	X(int, read, (void *ssl, void *to, int n))          \
	X(int, write, (void *ssl, const void *from, int n)) \
	X(int, pending, (const void *ssl))                  \
	X(int, get_error, (const void *ssl, int rc))

struct ag_pq_tls {
#define X(type, name, parameters) type(*name) parameters;
	AG_PQ_TLS_FUNCTIONS(X)
#undef X
	void (*clear_errors)(void);
};

/* Thread safe; loads once, also when that fails.
 * errors  AG_UNAVAILABLE: missing, before version 14, not for threads */
AG_CHECK ag_status ag_pq_load(const ag_pq **ret, ag_err *err);
/* The same for the library that libpq itself speaks TLS with: only for a connection that does. */
AG_CHECK ag_status ag_pq_tls_load(const ag_pq_tls **ret, ag_err *err);

#endif
