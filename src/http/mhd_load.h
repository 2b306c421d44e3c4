/* mhd_load -- libmicrohttpd's functions, loaded on first use (base/library.h). */
#ifndef AG_HTTP_MHD_LOAD_H
#define AG_HTTP_MHD_LOAD_H

#include <microhttpd.h>

#include "base/err.h"

typedef struct ag_mhd {
	__typeof__(&MHD_start_daemon) start_daemon;
	__typeof__(&MHD_stop_daemon) stop_daemon;
	__typeof__(&MHD_add_connection) add_connection;
	__typeof__(&MHD_get_connection_info) get_connection_info;
	__typeof__(&MHD_get_connection_values_n) get_connection_values_n;
	__typeof__(&MHD_create_response_from_buffer) create_response_from_buffer;
	__typeof__(&MHD_create_response_from_callback) create_response_from_callback;
	__typeof__(&MHD_add_response_header) add_response_header;
	__typeof__(&MHD_queue_response) queue_response;
	__typeof__(&MHD_destroy_response) destroy_response;
	__typeof__(&MHD_get_version) get_version;
} ag_mhd;

/* errors  AG_UNAVAILABLE: names what is missing */
AG_CHECK ag_status ag_mhd_load(const ag_mhd **ret, ag_err *err);

#endif
