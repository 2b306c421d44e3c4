/* Any bytes as a request: what the reader takes has one meaning, which a plain second reading finds, too; and it is the same
 * in one piece, in two, and byte by byte. */
#include <stdlib.h>

#include "fuzz.h"
#include "http/reader.h"

#define MAX_BODY 4096u

/* What a reading came to. */
typedef struct reading {
	ag_http_reader r;
	ag_http_step head, chunks;
	size_t nend; /* bytes of the request, when it is whole */
	ag_buf body;
	bool is_whole;
} reading;

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* The parts come one after the other; `cut` bytes first, then single ones when step is 1, else all. */
static void read_in_parts(ag_str text, size_t cut, bool in_bytes, reading *ret)
{
	size_t n = cut, at;

	ag_http_reader_init(&ret->r);
	ag_buf_init(&ret->body, MAX_BODY);
	ret->chunks = AG_HTTP_MORE;
	ret->is_whole = false;
	ret->nend = 0;
	for (;;) {
		/* Of just that size, so that a read beyond its end is seen. */
		char *copy = (char *)ag_xmalloc(n ? n : 1);

		memcpy(copy, text.ptr, n);
		ret->head = ag_http_read_head(&ret->r, ag_str_make(copy, n));
		free(copy);
		if (ret->head != AG_HTTP_MORE || n == text.len)
			break;
		n = in_bytes ? n + 1 : text.len;
	}
	if (ret->head != AG_HTTP_DONE)
		return;
	at = ret->r.nhead;
	if (ret->r.framing != AG_HTTP_CHUNKED) {
		ret->is_whole = ret->r.length <= text.len - at;
		ret->nend = at + (ret->is_whole ? (size_t)ret->r.length : 0);
		return;
	}
	while (ret->chunks == AG_HTTP_MORE && at < text.len && !ret->body.failed) {
		const size_t left = text.len - at;
		const size_t some = in_bytes ? 1 : at < cut ? cut - at : left;
		size_t used = 0;
		char *copy = (char *)ag_xmalloc(some);

		memcpy(copy, text.ptr + at, some);
		ret->chunks = ag_http_read_chunks(&ret->r, ag_str_make(copy, some), &ret->body,
		                                  &used);
		free(copy);
		if (ret->chunks != AG_HTTP_BAD)
			check(used <= some && (ret->chunks == AG_HTTP_DONE || used == some));
		at += used;
	}
	ret->is_whole = ret->chunks == AG_HTTP_DONE && !ret->body.failed;
	ret->nend = ret->is_whole ? at : 0;
}

/* --- a second reading of what was taken --- */

static bool is_name(ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] >= 0x7f || strchr("()<>@,;:\\\"/[]?={}", s.ptr[i]))
			return false;
	return s.len > 0;
}

static void check_lines(ag_str head, const ag_http_reader *r)
{
	unsigned nhost = 0, nlength = 0, ncoding = 0;
	ag_str rest = head;
	unsigned n = 0;

	for (size_t i = 0; i < head.len; i++) {
		check(head.ptr[i] != '\n' || (i && head.ptr[i - 1] == '\r'));
		check(head.ptr[i] != '\r' || (i + 1 < head.len && head.ptr[i + 1] == '\n'));
		check(head.ptr[i] == '\r' || head.ptr[i] == '\n' || head.ptr[i] == '\t' ||
		      (head.ptr[i] >= ' ' && head.ptr[i] < 0x7f));
	}
	ag_str_split(&rest, '\n');
	for (;;) {
		ag_str line = ag_str_split(&rest, '\n'), name, value;

		check(rest.ptr != NULL && line.len > 0);
		line.len--;
		if (line.len == 0)
			break;
		check(n < r->nfield && line.ptr[0] != ' ' && line.ptr[0] != '\t');
		name = ag_http_text(head.ptr, r->fields[n].name);
		value = ag_http_text(head.ptr, r->fields[n].value);
		check(is_name(name) && name.ptr == line.ptr && line.ptr[name.len] == ':');
		check(ag_str_eq(value, ag_str_trim(ag_str_make(line.ptr + name.len + 1,
		                                               line.len - name.len - 1))));
		nhost += ag_str_ieq(name, AG_S("host"));
		if (ag_str_ieq(name, AG_S("transfer-encoding"))) {
			ncoding++;
			check(ag_str_ieq(value, AG_S("chunked")));
		}
		if (ag_str_ieq(name, AG_S("content-length"))) {
			uint64_t length;

			nlength++;
			check(ag_str_to_u64(value, &length) && length == r->length &&
			      value.ptr[0] >= '0');
		}
		n++;
	}
	check(rest.len == 0 && n == r->nfield && n <= AG_HTTP_MAX_FIELDS);
	check(nhost == 1 || (nhost == 0 && r->is_old));
	check(nlength + ncoding <= 1);
	check((r->framing == AG_HTTP_CHUNKED) == (ncoding == 1));
	check(r->framing != AG_HTTP_CHUNKED || !r->is_old);
	check((r->framing == AG_HTTP_LENGTH) == (r->length > 0) && (nlength || r->length == 0));
}

static void check_first_line(ag_str head, const ag_http_reader *r)
{
	const ag_str method = ag_http_text(head.ptr, r->method);
	const ag_str path = ag_http_text(head.ptr, r->path);
	const ag_str query = ag_http_text(head.ptr, r->query);
	ag_str rest = head, line = ag_str_split(&rest, '\n'), version;

	check(line.len > 0 && method.ptr == head.ptr && is_name(method));
	line.len--;
	check(line.ptr[method.len] == ' ');
	version = ag_str_make(line.ptr + line.len - 9, 9);
	check(ag_str_eqc(version, r->is_old ? " HTTP/1.0" : " HTTP/1.1"));
	check(!memchr(line.ptr + method.len + 1, ' ', line.len - method.len - 1 - 9));
	check(path.len && (path.ptr[0] == '/' || ag_str_eqc(path, "*")));
	check(!memchr(path.ptr, '?', path.len) && !memchr(line.ptr, '#', method.len + 1));
	if (query.len)
		check(query.ptr == path.ptr + path.len + 1 && query.ptr[-1] == '?');
	check(r->framing == AG_HTTP_NO_BODY ||
	      (!ag_str_eqc(method, "GET") && !ag_str_eqc(method, "HEAD")));
}

/* The plainest decoder there is. */
static void check_chunks(ag_str text, const reading *g)
{
	size_t at = g->r.nhead, nbody = 0;

	for (;;) {
		size_t n = 0, ndigit = 0;

		for (; at < text.len && strchr("0123456789abcdefABCDEF", text.ptr[at]) &&
		       text.ptr[at];
		     at++, ndigit++) {
			const char c = text.ptr[at];

			n = n * 16 + (size_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
		}
		check(ndigit > 0 && at < text.len);
		if (text.ptr[at] == ';')
			while (at < text.len && text.ptr[at] > ' ' && text.ptr[at] < 0x7f)
				at++;
		check(at + 2 <= text.len && memcmp(text.ptr + at, "\r\n", 2) == 0);
		at += 2;
		check(n <= text.len - at && nbody + n <= g->body.len);
		check(memcmp(text.ptr + at, ag_buf_view(&g->body).ptr + nbody, n) == 0);
		at += n;
		nbody += n;
		check(at + 2 <= text.len && memcmp(text.ptr + at, "\r\n", 2) == 0);
		at += 2;
		if (n == 0)
			break;
	}
	check(at == g->nend && nbody == g->body.len);
}

static void is_same(const reading *a, const reading *b)
{
	check(a->head == b->head);
	if (a->head == AG_HTTP_DONE) {
		check(a->r.nhead == b->r.nhead && a->r.nfield == b->r.nfield &&
		      a->r.framing == b->r.framing && a->r.length == b->r.length);
		check(memcmp(&a->r.path, &b->r.path, sizeof(a->r.path)) == 0);
		check(memcmp(a->r.fields, b->r.fields, a->r.nfield * sizeof(a->r.fields[0])) == 0);
	}
	if (a->head == AG_HTTP_DONE && a->r.framing == AG_HTTP_CHUNKED) {
		check(a->chunks == b->chunks || a->body.failed || b->body.failed);
		check(a->is_whole == b->is_whole);
	}
	check(a->nend == b->nend);
	if (a->is_whole)
		check(ag_str_eq(ag_buf_view(&a->body), ag_buf_view(&b->body)));
}

static void compare_in_parts(ag_str text, size_t cut, bool in_bytes, const reading *whole)
{
	reading g;

	read_in_parts(text, cut, in_bytes, &g);
	is_same(whole, &g);
	ag_buf_release(&g.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str text = ag_str_make(size ? (const char *)data : "", size);
	reading g;

	read_in_parts(text, size, false, &g);
	if (g.head == AG_HTTP_DONE) {
		const ag_str head = ag_str_make(text.ptr, g.r.nhead);

		check(g.r.nhead <= AG_HTTP_MAX_HEAD && ag_str_ends(head, AG_S("\r\n\r\n")));
		check_lines(head, &g.r);
		check_first_line(head, &g.r);
		if (g.r.framing == AG_HTTP_CHUNKED && g.is_whole)
			check_chunks(text, &g);
	} else if (g.head == AG_HTTP_BAD) {
		check(g.r.status >= 400 && g.r.status <= 505 && g.r.name && g.r.why);
	}
	if (size < 2048)
		compare_in_parts(text, 0, true, &g);
	for (size_t cut = 1; cut < size; cut += size / 32 + 1)
		compare_in_parts(text, cut, false, &g);
	ag_buf_release(&g.body);
	return 0;
}
