/* Cookies, read and written (cookie.h). Values that would need quotes or end the header are refused. */
#include "http/cookie.h"

#include <inttypes.h>

ag_str ag_http_cookie_in(ag_str header, const char *name)
{
	while (header.ptr) {
		ag_str value = ag_str_trim(ag_str_split(&header, ';'));
		ag_str found = ag_str_split(&value, '=');

		if (!value.ptr || !ag_str_eqc(found, name))
			continue;
		if (value.len >= 2 && value.ptr[0] == '"' && value.ptr[value.len - 1] == '"')
			value = ag_str_make(value.ptr + 1, value.len - 2);
		return value;
	}
	return AG_S("");
}

ag_str ag_http_cookie_of(const ag_httpd_request *rq, const char *name)
{
	ag_str header = ag_httpd_header_of(rq, "Cookie");

	return header.len ? ag_http_cookie_in(header, name) : AG_S("");
}

static bool is_clean(ag_str value)
{
	for (size_t i = 0; i < value.len; i++) {
		const char c = value.ptr[i];

		if (c <= ' ' || c >= 0x7f || c == '"' || c == ',' || c == ';' || c == '\\')
			return false;
	}
	return true;
}

bool ag_http_cookie_set(ag_httpd_request *rq, ag_httpd_reply *rp, const ag_http_cookie *c)
{
	ag_str age = AG_S("");

	if (!is_clean(c->value))
		return false;
	if (c->max_age_s)
		age = ag_str_printf(rq->arena, "; Max-Age=%" PRId64,
		                    c->max_age_s < 0 ? 0 : c->max_age_s);
	ag_httpd_add_header(rp, "Set-Cookie",
	                    ag_str_printf(rq->arena, "%s=%.*s; Path=%s%.*s; SameSite=%s%s%s",
	                                  c->name, AG_FMT(c->value), c->path ? c->path : "/",
	                                  AG_FMT(age), c->is_lax ? "Lax" : "Strict",
	                                  c->is_secure ? "; Secure" : "",
	                                  c->is_for_scripts ? "" : "; HttpOnly"));
	return true;
}
