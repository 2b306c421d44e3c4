/* url -- the parts of an http or https address, as far as a client needs them.
 *
 * Only absolute addresses. A user name in the address is refused: a key belongs into its setting, not into text that
 * is logged. Source: RFC 3986. */
#ifndef AG_NET_URL_H
#define AG_NET_URL_H

#include "base/arena.h"
#include "base/err.h"

#define AG_URL_MAX_BYTES 10240 /* a base of 2 KB and the 8 KB that ask/api.h lets a path have */

typedef struct ag_url {
	ag_str scheme; /* "http" or "https", lower case */
	ag_str host;   /* lower case, IPv6 without brackets */
	unsigned port; /* 1..65535, the scheme's own when none is written */
	ag_str path;   /* with the query; "/" at least */
} ag_url;

/* errors  AG_INVALID: names what is wrong; never quotes user name or password */
AG_CHECK ag_status ag_url_parse(ag_str text, ag_arena *arena, ag_url *ret, ag_err *err);
/* "https://api.example.com:443": equal texts = the same origin (scheme, host, port). */
ag_str ag_url_origin(const ag_url *u, ag_arena *arena);
/* An address as it may be shown and kept: without user, password, query and fragment, where a key may stand. Also of text
 * that is no address. In arena or a view of text. */
ag_str ag_url_shown(ag_str text, ag_arena *arena);
/* localhost, 127.0.0.0/8, ::1 */
bool ag_url_is_loopback(const ag_url *u);
/* `base` without its last slash, then `path` (which begins with one). */
ag_str ag_url_join(ag_str base, const char *path, ag_arena *arena);

#endif
