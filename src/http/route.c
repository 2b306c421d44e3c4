/* Finding the row of a request: rows are few, so they are compared one after the other. */
#include "http/route.h"

#include <stdio.h>

/* The next segment of a path, without its slash; *rest begins with the next slash, or is empty. */
static ag_str take_segment(ag_str *rest)
{
	size_t n = 1;

	while (n < rest->len && rest->ptr[n] != '/')
		n++;
	{
		const ag_str s = ag_str_make(rest->ptr + 1, n - 1);

		*rest = ag_str_make(rest->ptr + n, rest->len - n);
		return s;
	}
}

static bool is_param(ag_str segment)
{
	return segment.len > 2 && segment.ptr[0] == '{' && segment.ptr[segment.len - 1] == '}';
}

/* False: it does not match; rq's parameters may be half filled. */
static bool matches(const char *pattern, ag_httpd_request *rq)
{
	ag_str want = ag_str_c(pattern), path = rq->path;

	rq->nparam = 0;
	if (path.len == 0 || path.ptr[0] != '/')
		return ag_str_eq(want, path);
	while (want.len && path.len) {
		ag_str whole = path, w = take_segment(&want), p = take_segment(&path);

		if (!is_param(w)) {
			if (!ag_str_eq(w, p))
				return false;
			continue;
		}
		AG_ASSERT(rq->nparam < AG_HTTPD_MAX_PARAMS);
		w = ag_str_make(w.ptr + 1, w.len - 2);
		if (ag_str_ends(w, AG_S("..."))) {
			w.len -= 3;
			p = ag_str_make(whole.ptr + 1, whole.len - 1);
			path.len = 0;
		}
		if (p.len == 0)
			return false;
		rq->params[rq->nparam++] = (ag_httpd_header){ w, p };
	}
	return want.len == 0 && path.len == 0;
}

static bool has_method(const char *methods, ag_str method)
{
	ag_str rest = ag_str_c(methods);

	while (rest.ptr)
		if (ag_str_eq(ag_str_trim(ag_str_split(&rest, ',')), method))
			return true;
	return false;
}

const ag_http_route *ag_http_route_find(const ag_http_route *rows, size_t n, ag_httpd_request *rq,
                                        char ret_allow[AG_HTTP_MAX_ALLOW])
{
	size_t nallow = 0;

	ret_allow[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (!matches(rows[i].path, rq))
			continue;
		if (has_method(rows[i].methods, rq->method))
			return &rows[i];
		nallow += (size_t)snprintf(ret_allow + nallow, AG_HTTP_MAX_ALLOW - nallow, "%s%s",
		                           nallow ? ", " : "", rows[i].methods);
		AG_ASSERT(nallow < AG_HTTP_MAX_ALLOW);
	}
	rq->nparam = 0;
	return NULL;
}

void ag_http_route_run(const ag_http_route *row, void *env, ag_httpd_request *rq,
                       ag_httpd_reply *rp)
{
	ag_httpd_stream *s;

	if (row->handle) {
		row->handle(env, rq, rp);
		return;
	}
	s = ag_httpd_stream_new(0);
	rp->stream = s;
	row->stream(env, rq, s);
}

ag_str ag_httpd_param(const ag_httpd_request *rq, const char *name)
{
	for (unsigned i = 0; i < rq->nparam; i++)
		if (ag_str_eqc(rq->params[i].name, name))
			return rq->params[i].value;
	return AG_S("");
}

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool ag_http_decode(ag_arena *arena, ag_str text, ag_str *ret)
{
	char *out = (char *)ag_arena_alloc(arena, text.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		int high, low;

		if (text.ptr[i] != '%') {
			out[n++] = text.ptr[i];
			continue;
		}
		if (text.len - i < 3)
			return false;
		high = hex_of(text.ptr[i + 1]);
		low = hex_of(text.ptr[i + 2]);
		if (high < 0 || low < 0 || (high == 0 && low == 0))
			return false;
		out[n++] = (char)(high * 16 + low);
		i += 2;
	}
	*ret = ag_str_make(out, n);
	return true;
}
