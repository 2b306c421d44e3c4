/* load -- dlopen of libpq and a table of its functions.
 *
 * `loaded` is a global because the library itself is one per process: it is written once, under pthread_once, and
 * constant from then on. */
#include "pg/load.h"

#include <pthread.h>

#include "base/library.h"

#define ORIGIN      "pg"
#define LIBRARY     "libpq.so.5"  /* the name of its interface since 2006 */
#define TLS_LIBRARY "libssl.so.3" /* what libpq of Debian 12 and later is linked with */
#define MIN_VERSION 140000

static struct {
	pthread_once_t once;
	ag_pq pq;
	ag_err err; /* status AG_OK: `pq` is complete */
} loaded = { .once = PTHREAD_ONCE_INIT };

static struct {
	pthread_once_t once;
	ag_pq_tls tls;
	ag_err err;
} loaded_tls = { .once = PTHREAD_ONCE_INIT };

static const ag_library_function functions[] = {
#define X(type, name, parameters) AG_LIBRARY_FUNCTION(ag_pq, name, PQ##name),
	AG_PQ_FUNCTIONS(X)
#undef X
};

static ag_status check(const ag_pq *pq, ag_err *err)
{
	if (pq->libVersion() < MIN_VERSION)
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "libpq %d is too old",
		               pq->libVersion() / 10000);
	if (!pq->isthreadsafe())
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "libpq was built without threads");
	return AG_OK;
}

static void load(void)
{
	if (ag_library_load(LIBRARY, "the library for PostgreSQL", functions, AG_NELEM(functions),
	                    &loaded.pq, &loaded.err) ||
	    check(&loaded.pq, &loaded.err))
		ag_err_hint(&loaded.err, "install libpq 14 or later (Debian: apt install libpq5)");
}

ag_status ag_pq_load(const ag_pq **ret, ag_err *err)
{
	pthread_once(&loaded.once, load);
	if (loaded.err.status) {
		if (err)
			*err = loaded.err;
		return loaded.err.status;
	}
	*ret = &loaded.pq;
	return AG_OK;
}

/* Without OpenSSL's headers, which have their home in base/: the types of these functions have not changed since 1998. */
static void load_tls(void)
{
	static const ag_library_function tls_functions[] = {
#define X(type, name, parameters) { "SSL_" #name, offsetof(ag_pq_tls, name) },
		AG_PQ_TLS_FUNCTIONS(X)
#undef X
			{ "ERR_clear_error", offsetof(ag_pq_tls, clear_errors) },
	};

	AG_IGNORE(ag_library_load(TLS_LIBRARY, "the library for TLS", tls_functions,
	                          AG_NELEM(tls_functions), &loaded_tls.tls, &loaded_tls.err),
	          "the status is in loaded_tls.err");
}

ag_status ag_pq_tls_load(const ag_pq_tls **ret, ag_err *err)
{
	pthread_once(&loaded_tls.once, load_tls);
	if (loaded_tls.err.status) {
		if (err)
			*err = loaded_tls.err;
		return loaded_tls.err.status;
	}
	*ret = &loaded_tls.tls;
	return AG_OK;
}
