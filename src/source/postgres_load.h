/* postgres_load -- libpq, loaded when a database is first opened (base/library.h); private to source/postgres*.c.
 *
 * Fields have the names of libpq's functions without "PQ". */
#ifndef AG_SOURCE_POSTGRES_LOAD_H
#define AG_SOURCE_POSTGRES_LOAD_H

#include <libpq-fe.h>

#include "base/err.h"

/* Every function that is used, once: the table and the list of names are made from it. */
#define AG_PQ_FUNCTIONS(X)                                                                       \
	X(PGcancel *, getCancel, (PGconn * c))                                                   \
	X(void, freeCancel, (PGcancel * c))                                                      \
	X(int, cancel, (PGcancel * c, char *error, int n))                                       \
	X(void, clear, (PGresult * r))                                                           \
	X(char *, cmdStatus, (PGresult * r))                                                     \
	X(PostgresPollingStatusType, connectPoll, (PGconn * c))                                  \
	X(PGconn *, connectStartParams,                                                          \
	  (const char *const *keywords, const char *const *values, int expand))                  \
	X(void, conninfoFree, (PQconninfoOption * o))                                            \
	X(PQconninfoOption *, conninfoParse, (const char *text, char **error))                   \
	X(int, consumeInput, (PGconn * c))                                                       \
	X(int, enterPipelineMode, (PGconn * c))                                                  \
	X(char *, errorMessage, (const PGconn *c))                                               \
	X(void, finish, (PGconn * c))                                                            \
	X(int, flush, (PGconn * c))                                                              \
	X(int, fmod, (const PGresult *r, int column))                                            \
	X(char *, fname, (const PGresult *r, int column))                                        \
	X(void, freemem, (void *p))                                                              \
	X(Oid, ftype, (const PGresult *r, int column))                                           \
	X(int, getisnull, (const PGresult *r, int row, int column))                              \
	X(int, getlength, (const PGresult *r, int row, int column))                              \
	X(PGresult *, getResult, (PGconn * c))                                                   \
	X(char *, getvalue, (const PGresult *r, int row, int column))                            \
	X(int, isBusy, (PGconn * c))                                                             \
	X(int, isthreadsafe, (void))                                                             \
	X(int, libVersion, (void))                                                               \
	X(int, nfields, (const PGresult *r))                                                     \
	X(int, ntuples, (const PGresult *r))                                                     \
	X(const char *, parameterStatus, (const PGconn *c, const char *name))                    \
	X(int, pipelineSync, (PGconn * c))                                                       \
	X(char *, resultErrorField, (const PGresult *r, int field))                              \
	X(ExecStatusType, resultStatus, (const PGresult *r))                                     \
	X(int, sendDescribePrepared, (PGconn * c, const char *name))                             \
	X(int, sendPrepare,                                                                      \
	  (PGconn * c, const char *name, const char *sql, int nparam, const Oid *types))         \
	X(int, sendQuery, (PGconn * c, const char *sql))                                         \
	X(int, sendQueryParams,                                                                  \
	  (PGconn * c, const char *sql, int nparam, const Oid *types, const char *const *values, \
	   const int *lengths, const int *formats, int result_format))                           \
	X(int, sendQueryPrepared,                                                                \
	  (PGconn * c, const char *name, int nparam, const char *const *values,                  \
	   const int *lengths, const int *formats, int result_format))                           \
	X(int, serverVersion, (const PGconn *c))                                                 \
	X(PGVerbosity, setErrorVerbosity, (PGconn * c, PGVerbosity v))                           \
	X(PQnoticeReceiver, setNoticeReceiver, (PGconn * c, PQnoticeReceiver f, void *arg))      \
	X(int, setSingleRowMode, (PGconn * c))                                                   \
	X(int, setnonblocking, (PGconn * c, int on))                                             \
	X(int, socket, (const PGconn *c))                                                        \
	X(ConnStatusType, status, (const PGconn *c))                                             \
	X(PGTransactionStatusType, transactionStatus, (const PGconn *c))

typedef struct ag_pq {
#define X(type, name, parameters) type(*name) parameters;
	AG_PQ_FUNCTIONS(X)
#undef X
} ag_pq;

/* Thread safe; loads once, also when that fails.
 * errors  AG_UNAVAILABLE: missing, before version 14 (pipelines), not for threads */
AG_CHECK ag_status ag_pq_load(const ag_pq **ret, ag_err *err);

#endif
