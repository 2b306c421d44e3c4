/* curl_load -- dlopen of libcurl and a table of its functions.
 *
 * Linked in the usual way libcurl brings some thirty libraries, 4 ms and 8 MB into every start, also of commands that never
 * touch the network. `loaded` is a global because the library itself is one per process: it is written once, under
 * pthread_once, and constant from then on. Nothing is unloaded: TLS libraries leave exit handlers behind. */
#include "net/curl_load.h"

#include <dlfcn.h>
#include <pthread.h>

#define ORIGIN      "net.http"
#define LIBRARY     "libcurl.so.4" /* the name of its interface since 2006 */
#define MIN_VERSION 0x075500       /* 7.85: the text form of the allowed protocols */

static struct {
	pthread_once_t once;
	ag_curl curl;
	ag_err err; /* status AG_OK: `curl` is complete */
} loaded = { .once = PTHREAD_ONCE_INIT };

/* Where the address of each function goes. The comparison is never made (nothing here refers to libcurl): it lets the
 * compiler see that the types of curl_load.h are those of curl.h. */
static const struct {
	const char *name;
	size_t offset;
} functions[] = {
#define IS_SAME(name) (0 * sizeof(((ag_curl *)0)->name == curl_##name))
#define FUNCTION(name)                                                 \
	{                                                              \
		"curl_" #name, offsetof(ag_curl, name) + IS_SAME(name) \
	}
	FUNCTION(global_init),    FUNCTION(version_info),     FUNCTION(easy_init),
	FUNCTION(easy_cleanup),   FUNCTION(easy_reset),       FUNCTION(easy_setopt),
	FUNCTION(easy_getinfo),   FUNCTION(easy_strerror),    FUNCTION(slist_append),
	FUNCTION(slist_free_all), FUNCTION(multi_init),       FUNCTION(multi_cleanup),
	FUNCTION(multi_setopt),   FUNCTION(multi_add_handle), FUNCTION(multi_remove_handle),
	FUNCTION(multi_perform),  FUNCTION(multi_poll),       FUNCTION(multi_info_read),
#undef FUNCTION
#undef IS_SAME
};

static ag_status load_functions(ag_curl *curl, ag_err *err)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);

	if (!library) {
		const char *why = dlerror();

		return ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		               "the library for network access cannot be loaded: %s",
		               why ? why : LIBRARY);
	}
	for (size_t i = 0; i < AG_NELEM(functions); i++) {
		void *address = dlsym(library, functions[i].name);

		if (!address)
			return ag_fail(err, AG_UNAVAILABLE, ORIGIN,
			               "the library for network access, " LIBRARY ", has no %s",
			               functions[i].name);
		/* POSIX lets a function's address travel in a void *, C does not: so it is copied. */
		memcpy((char *)curl + functions[i].offset, &address, sizeof(address));
	}
	return AG_OK;
}

static ag_status start(const ag_curl *curl, ag_err *err)
{
	const curl_version_info_data *version;
	CURLcode code = curl->global_init(CURL_GLOBAL_DEFAULT);

	if (code) {
		ag_fail(err, AG_UNAVAILABLE, ORIGIN, "libcurl cannot be started: %s",
		        curl->easy_strerror(code));
		err->native = (int)code;
		return AG_UNAVAILABLE;
	}
	version = curl->version_info(CURLVERSION_NOW);
	if (version->version_num < MIN_VERSION)
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "libcurl %s is too old",
		               version->version);
	if (!(version->features & CURL_VERSION_SSL))
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "libcurl %s was built without TLS",
		               version->version);
	return AG_OK;
}

static void load(void)
{
	if (load_functions(&loaded.curl, &loaded.err) || start(&loaded.curl, &loaded.err))
		ag_err_hint(&loaded.err,
		            "install libcurl 7.85 or later (Debian: apt install libcurl4)");
}

ag_status ag_curl_load(const ag_curl **ret, ag_err *err)
{
	pthread_once(&loaded.once, load);
	if (loaded.err.status) {
		if (err)
			*err = loaded.err;
		return loaded.err.status;
	}
	*ret = &loaded.curl;
	return AG_OK;
}
