/* load -- dlopen of libmongoc and a table of its functions.
 *
 * `loaded` is a global because the library itself is one per process: it is written once, under pthread_once, and constant
 * from then on. */
#include "mongo/load.h"

#include <pthread.h>
#include <stdio.h>

#include "base/library.h"
#include "mongo/mongo.h"

#define ORIGIN  "mongo"
#define LIBRARY "libmongoc-1.0.so.0" /* the name of its interface since 2015; it brings libbson */

static struct {
	pthread_once_t once;
	ag_mongoc lib;
	ag_err err; /* status AG_OK: `lib` is complete */
} loaded = { .once = PTHREAD_ONCE_INIT };

static const ag_library_function functions[] = {
#define X(type, name, function, parameters) AG_LIBRARY_FUNCTION(ag_mongoc, name, function),
	AG_MONGOC_FUNCTIONS(X)
#undef X
};

/* Of this thread, since it was last taken. An option of an address that is not known is only logged. */
static _Thread_local char warning[200];

/* The library would write to standard error. */
static void take_log(mongoc_log_level_t level, const char *domain, const char *message, void *arg)
{
	(void)domain;
	(void)arg;
	if (level <= MONGOC_LOG_LEVEL_WARNING)
		snprintf(warning, sizeof(warning), "%s", message);
}

bool ag_mongoc_take_warning(char ret[200])
{
	memcpy(ret, warning, sizeof(warning));
	warning[0] = '\0';
	return ret[0] != '\0';
}

static ag_status start(const ag_mongoc *lib, ag_err *err)
{
	if (!lib->check_version(1, 23, 0))
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "libmongoc is older than 1.23");
	lib->log_set_handler(take_log, NULL); /* before init, which may warn */
	lib->init();
	return AG_OK;
}

static void load(void)
{
	if (ag_library_load(LIBRARY, "the library for MongoDB", functions, AG_NELEM(functions),
	                    &loaded.lib, &loaded.err) ||
	    start(&loaded.lib, &loaded.err))
		ag_err_hint(
			&loaded.err,
			"install libmongoc 1.23 or later (Debian: apt install libmongoc-1.0-0)");
}

ag_status ag_mongo_library(const char **ret, ag_err *err)
{
	const ag_mongoc *lib;
	ag_status st = ag_mongoc_load(&lib, err);

	if (!st)
		*ret = lib->get_version();
	return st;
}

ag_status ag_mongoc_load(const ag_mongoc **ret, ag_err *err)
{
	pthread_once(&loaded.once, load);
	if (loaded.err.status) {
		if (err)
			*err = loaded.err;
		return loaded.err.status;
	}
	*ret = &loaded.lib;
	return AG_OK;
}
