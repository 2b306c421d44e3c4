/* dlopen of libmicrohttpd: it brings GnuTLS, 1.5 ms and megabytes, into commands that never listen. `loaded` is written once,
 * under pthread_once, and constant from then on. */
#include "http/mhd_load.h"

#include <pthread.h>

#include "base/library.h"

#define LIBRARY "libmicrohttpd.so.12"

static struct {
	pthread_once_t once;
	ag_mhd mhd;
	ag_err err; /* status AG_OK: `mhd` is complete */
} loaded = { .once = PTHREAD_ONCE_INIT };

static const ag_library_function functions[] = {
#define FUNCTION(name) AG_LIBRARY_FUNCTION(ag_mhd, name, MHD_##name)
	FUNCTION(start_daemon),
	FUNCTION(stop_daemon),
	FUNCTION(add_connection),
	FUNCTION(get_connection_info),
	FUNCTION(get_connection_values_n),
	FUNCTION(create_response_from_buffer),
	FUNCTION(create_response_from_callback),
	FUNCTION(add_response_header),
	FUNCTION(queue_response),
	FUNCTION(destroy_response),
	FUNCTION(get_version),
#undef FUNCTION
};

static void load(void)
{
	if (ag_library_load(LIBRARY, "the library for the HTTP server", functions,
	                    AG_NELEM(functions), &loaded.mhd, &loaded.err))
		ag_err_hint(
			&loaded.err,
			"install libmicrohttpd 0.9.75 or later (Debian: apt install libmicrohttpd12)");
}

ag_status ag_mhd_load(const ag_mhd **ret, ag_err *err)
{
	pthread_once(&loaded.once, load);
	if (loaded.err.status) {
		if (err)
			*err = loaded.err;
		return loaded.err.status;
	}
	*ret = &loaded.mhd;
	return AG_OK;
}
