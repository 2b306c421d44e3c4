/* cookie -- cookies of a request, and the header that sets one (RFC 6265). */
#ifndef AG_HTTP_COOKIE_H
#define AG_HTTP_COOKIE_H

#include "http/server.h"

typedef struct ag_http_cookie {
	const char *name;    /* a token */
	ag_str value;        /* visible ASCII without quotes, commas, semicolons and backslashes */
	const char *path;    /* "/" */
	int64_t max_age_s;   /* 0 = until the browser ends; below 0 = it is deleted */
	bool is_secure;      /* over TLS only */
	bool is_for_scripts; /* else scripts of the page cannot read it (HttpOnly) */
	bool is_lax; /* also sent when a link of another site leads here; else SameSite=Strict */
} ag_http_cookie;

/* The value of a cookie that the request brought; "" = none. Of two with one name the first. */
ag_str ag_http_cookie_of(const ag_httpd_request *rq, const char *name);
/* The same, of the text of a Cookie header. */
ag_str ag_http_cookie_in(ag_str header, const char *name);
/* Adds Set-Cookie. False, and nothing is added: the value has a character that it must not have. */
bool ag_http_cookie_set(ag_httpd_request *rq, ag_httpd_reply *rp, const ag_http_cookie *c);

#endif
