/* access_rules -- who may speak to the server, by the headers Host and Origin.
 *
 * A page of a hostile site can make a browser send requests to a server of this machine, by a name that resolves to
 * 127.0.0.1 (rebinding of DNS). Its Host or its Origin gives it away. Pure functions: no state, no allocation. */
#ifndef AG_SERVER_ACCESS_RULES_H
#define AG_SERVER_ACCESS_RULES_H

#include "base/str.h"

typedef struct ag_access_rules {
	bool is_loopback;    /* the server is bound to a loopback address */
	ag_str bound;        /* host that it was told to listen on, "" = the default */
	unsigned port;       /* that it listens on */
	const ag_str *hosts; /* as ag_server_opts has them */
	size_t nhost;
	const ag_str *origins;
	size_t norigin;
} ag_access_rules;

/* "localhost", "127.1.2.3", "::1", "[::1]": names of this machine that no DNS server can give away. */
bool ag_access_is_loopback(ag_str host);
/* Splits "name:80", "[::1]:80"; port 0 = none. False for anything else (user names, blanks, an empty name). */
bool ag_access_authority(ag_str text, ag_str *ret_host, unsigned *ret_port);
bool ag_access_host_allowed(const ag_access_rules *r, ag_str host);
/* host: the Host header of the same request, which was allowed.
 * ret_is_cross: another origin than the server's own: a browser wants to be told that it may read the reply. */
bool ag_access_origin_allowed(const ag_access_rules *r, ag_str origin, ag_str host,
                              bool *ret_is_cross);

#endif
