/* What a reply's body becomes on its way: not sent at all, when the client has it already, or a part of it (RFC 9110, sections
 * 13 and 14). Only for replies to GET and HEAD that are 200 and say an ETag, or that ranges are allowed. */
#include <inttypes.h>

#include "http/parts.h"

/* "abc" or W/"abc"; the weak comparison ignores W/. */
static ag_str opaque(ag_str tag)
{
	tag = ag_str_trim(tag);
	if (ag_str_starts(tag, AG_S("W/")))
		return ag_str_make(tag.ptr + 2, tag.len - 2);
	return tag;
}

bool ag_http_etag_listed(ag_str list, ag_str etag)
{
	while (list.ptr) {
		ag_str one = ag_str_trim(ag_str_split(&list, ','));

		if (ag_str_eq(one, AG_S("*")) || ag_str_eq(opaque(one), opaque(etag)))
			return true;
	}
	return false;
}

/* One range: "bytes=0-99", "bytes=100-", "bytes=-100". False: it is not that, and the whole is sent. Several ranges are not
 * worth their parts. */
static bool cut_range(ag_str text, ag_str *ret_first, ag_str *ret_last)
{
	ag_str rest;

	if (!ag_str_starts(text, AG_S("bytes=")))
		return false;
	rest = ag_str_make(text.ptr + 6, text.len - 6);
	if (ag_str_find(rest, ',') >= 0)
		return false;
	*ret_first = ag_str_trim(ag_str_split(&rest, '-'));
	if (!rest.ptr)
		return false;
	*ret_last = ag_str_trim(rest);
	return ret_first->len || ret_last->len;
}

ag_http_range ag_http_range_read(ag_str text, uint64_t size, uint64_t *ret_first, uint64_t *ret_end)
{
	ag_str first_text, last_text;
	uint64_t first = 0, last = 0;

	if (!cut_range(text, &first_text, &last_text) ||
	    (first_text.len && !ag_str_to_u64(first_text, &first)) ||
	    (last_text.len && !ag_str_to_u64(last_text, &last)))
		return AG_HTTP_WHOLE;
	if (!first_text.len) { /* the last bytes */
		if (last == 0 || size == 0)
			return AG_HTTP_NO_RANGE;
		*ret_first = last < size ? size - last : 0;
		*ret_end = size;
		return AG_HTTP_RANGE;
	}
	if (last_text.len && last < first)
		return AG_HTTP_WHOLE;
	if (first >= size)
		return AG_HTTP_NO_RANGE;
	*ret_first = first;
	*ret_end = last_text.len && last < size - 1 ? last + 1 : size;
	return AG_HTTP_RANGE;
}

/* If-Range: the client has a part of this version, or of another one. Weak tags do not say which bytes there are. */
static bool is_same_version(const ag_http_turn *t)
{
	ag_str had = ag_httpd_header_of(&t->rq, "If-Range");

	if (had.len == 0)
		return true;
	return t->rp.etag.len && !ag_str_starts(had, AG_S("W/")) && ag_str_eq(had, t->rp.etag);
}

static void cut_body(ag_http_turn *t, ag_str *body)
{
	ag_httpd_reply *rp = &t->rp;
	ag_str range = ag_httpd_header_of(&t->rq, "Range");
	const uint64_t size = body->len;
	uint64_t first, end;

	ag_httpd_add_header(rp, "Accept-Ranges", AG_S("bytes"));
	if (range.len == 0 || !ag_str_eq(t->rq.method, AG_S("GET")) || !is_same_version(t))
		return;
	switch (ag_http_range_read(range, size, &first, &end)) {
	case AG_HTTP_WHOLE: return;
	case AG_HTTP_NO_RANGE:
		rp->status = 416;
		ag_httpd_add_header(rp, "Content-Range",
		                    ag_str_printf(t->arena, "bytes */%" PRIu64, size));
		*body = AG_S("");
		return;
	case AG_HTTP_RANGE: break;
	}
	rp->status = 206;
	ag_httpd_add_header(rp, "Content-Range",
	                    ag_str_printf(t->arena, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, first,
	                                  end - 1, size));
	*body = ag_str_make(body->ptr + first, (size_t)(end - first));
}

void ag_http_content(ag_http_turn *t, ag_str *body)
{
	ag_httpd_reply *rp = &t->rp;
	const bool is_get = ag_str_eq(t->rq.method, AG_S("GET")) ||
	                    ag_str_eq(t->rq.method, AG_S("HEAD"));
	ag_str known;

	if (rp->etag.len)
		ag_httpd_add_header(rp, "ETag", rp->etag);
	if (!is_get || rp->status != 200)
		return;
	known = rp->etag.len ? ag_httpd_header_of(&t->rq, "If-None-Match") : AG_S("");
	if (known.len && ag_http_etag_listed(known, rp->etag)) {
		rp->status = 304;
		rp->content_type = AG_S("");
		return;
	}
	if (rp->allows_ranges)
		cut_body(t, body);
}
