/* Any bytes in a socket of the lane: what it takes for plain is whole, lies inside the text, and means the same however much
 * of it has come and whatever follows. */
#include <stdlib.h>

#include "fuzz.h"
#include "http/lane_read.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void is_clean(ag_str text, ag_str s)
{
	check(s.len == 0 || (s.ptr >= text.ptr && s.ptr + s.len <= text.ptr + text.len));
	for (size_t i = 0; i < s.len; i++)
		check((s.ptr[i] >= ' ' && s.ptr[i] < 0x7f) || s.ptr[i] == '\t');
}

static void check_target(ag_str text, const ag_lane_request *rq)
{
	is_clean(text, rq->path);
	is_clean(text, rq->query);
	check(rq->path.len && rq->path.ptr[0] == '/' && rq->path.ptr == text.ptr + 5);
	check(!memchr(rq->path.ptr, '?', rq->path.len));
	for (const char *p = rq->path.ptr; *p != ' '; p++)
		check(*p != '\t' && *p != '#');
	if (rq->query.len)
		check(rq->query.ptr == rq->path.ptr + rq->path.len + 1);
}

static void check_headers(ag_str text, const ag_lane_request *rq, const ag_httpd_header *headers)
{
	static const ag_str never[] = { AG_S_INIT("transfer-encoding"), AG_S_INIT("expect"),
		                        AG_S_INIT("upgrade"), AG_S_INIT("trailer"),
		                        AG_S_INIT("te") };
	unsigned nhost = 0, nlength = 0;

	check(rq->nheader <= AG_LANE_HEADERS);
	for (size_t i = 0; i < rq->nheader; i++) {
		ag_str name = headers[i].name, value = headers[i].value;
		uint64_t n;

		is_clean(text, name);
		is_clean(text, value);
		check(name.len && !memchr(name.ptr, ' ', name.len) &&
		      !memchr(name.ptr, '\t', name.len) && !memchr(name.ptr, ':', name.len));
		check(ag_str_trim(value).len == value.len);
		for (size_t j = 0; j < AG_NELEM(never); j++)
			check(!ag_str_ieq(name, never[j]));
		nhost += ag_str_ieq(name, AG_S("host"));
		if (ag_str_ieq(name, AG_S("connection")))
			check(ag_str_ieq(value, AG_S("keep-alive")));
		if (!ag_str_ieq(name, AG_S("content-length")))
			continue;
		nlength++;
		check(ag_str_to_u64(value, &n) && n == rq->nbody && value.ptr[0] != '+');
	}
	check(nhost == 1 && nlength == 1);
}

static bool is_same(const ag_lane_request *a, const ag_httpd_header *ha, const ag_lane_request *b,
                    const ag_httpd_header *hb)
{
	if (a->size != b->size || a->nbody != b->nbody || a->nheader != b->nheader ||
	    !ag_str_eq(a->path, b->path) || !ag_str_eq(a->query, b->query))
		return false;
	for (size_t i = 0; i < a->nheader; i++)
		if (!ag_str_eq(ha[i].name, hb[i].name) || !ag_str_eq(ha[i].value, hb[i].value))
			return false;
	return true;
}

/* A request of which less has come is the same one in part, or is not for the lane yet. */
static void check_prefix(ag_str text, size_t n, const ag_lane_request *whole,
                         const ag_httpd_header *headers)
{
	ag_httpd_header h[AG_LANE_HEADERS];
	ag_lane_request rq = { 0 };
	ag_lane_kind kind = ag_lane_read(ag_str_make(text.ptr, n), &rq, h);

	if (n < whole->size - whole->nbody)
		check(kind == AG_LANE_OTHER);
	else
		check(kind == (n < whole->size ? AG_LANE_PART : AG_LANE_PLAIN) &&
		      is_same(&rq, h, whole, headers));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str text = ag_str_make((const char *)data, size);
	ag_httpd_header headers[AG_LANE_HEADERS];
	ag_lane_request rq = { 0 };
	ag_lane_kind kind = ag_lane_read(text, &rq, headers);
	size_t nhead, step;

	if (kind == AG_LANE_OTHER)
		return 0;
	check(rq.size <= AG_LANE_HEAD + AG_LANE_BODY && rq.nbody <= AG_LANE_BODY);
	check((kind == AG_LANE_PLAIN) == (rq.size <= text.len));
	check_target(text, &rq);
	check_headers(text, &rq, headers);
	nhead = rq.size - rq.nbody;
	check(nhead <= text.len && nhead <= AG_LANE_HEAD &&
	      memcmp(text.ptr + nhead - 4, "\r\n\r\n", 4) == 0);
	if (kind == AG_LANE_PLAIN)
		check(rq.body.ptr == text.ptr + nhead && rq.body.len == rq.nbody);
	/* Every place in a small one, some in a large one. */
	step = text.len / 64 + 1;
	for (size_t n = 0; n <= text.len; n += step)
		check_prefix(text, n, &rq, headers);
	check_prefix(text, nhead, &rq, headers);
	check_prefix(text, nhead - 1, &rq, headers);
	return 0;
}
