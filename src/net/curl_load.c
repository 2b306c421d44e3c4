/* curl_load -- dlopen of libcurl and a table of its functions.
 *
 * Linked in the usual way libcurl brings some thirty libraries, 4 ms and 8 MB into every start, also of commands that never
 * touch the network. `loaded` is a global because the library itself is one per process: it is written once, under
 * pthread_once, and constant from then on. Nothing is unloaded: TLS libraries leave exit handlers behind. */
#include "net/curl_load.h"

#include <pthread.h>

#include "base/library.h"

#define ORIGIN      "net.http"
#define LIBRARY     "libcurl.so.4" /* the name of its interface since 2006 */
#define MIN_VERSION 0x075500       /* 7.85: the text form of the allowed protocols */

static struct {
	pthread_once_t once;
	ag_curl curl;
	ag_err err; /* status AG_OK: `curl` is complete */
} loaded = { .once = PTHREAD_ONCE_INIT };

static const ag_library_function functions[] = {
#define FUNCTION(name) AG_LIBRARY_FUNCTION(ag_curl, name, curl_##name)
	FUNCTION(global_init),    FUNCTION(version_info),     FUNCTION(easy_init),
	FUNCTION(easy_cleanup),   FUNCTION(easy_reset),       FUNCTION(easy_setopt),
	FUNCTION(easy_getinfo),   FUNCTION(easy_strerror),    FUNCTION(slist_append),
	FUNCTION(slist_free_all), FUNCTION(multi_init),       FUNCTION(multi_cleanup),
	FUNCTION(multi_setopt),   FUNCTION(multi_add_handle), FUNCTION(multi_remove_handle),
	FUNCTION(multi_perform),  FUNCTION(multi_poll),       FUNCTION(multi_info_read),
#undef FUNCTION
};

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
	if (ag_library_load(LIBRARY, "the library for network access", functions,
	                    AG_NELEM(functions), &loaded.curl, &loaded.err) ||
	    start(&loaded.curl, &loaded.err))
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
