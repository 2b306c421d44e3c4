/* A request is complete when its head and as many bytes as the head promises are in the buffer. The head is looked at
 * once; a chunked body is unfolded as it comes, so that a large one is not read again and again. Views into `in` are
 * taken when the request is complete, because the buffer moves while it grows.
 *
 * Read fm_http_read() first. */
#include "http.h"

#include <stdlib.h>

static const char hex_digits[] = "0123456789abcdef";

void fm_http_init(fm_http *h)
{
	*h = (fm_http){ .in = AG_BUF_INIT(FM_MAX_HEAD_BYTES + 2 * (size_t)FM_MAX_BODY_BYTES),
		        .unfold = AG_BUF_INIT(FM_MAX_BODY_BYTES) };
}

void fm_http_release(fm_http *h)
{
	ag_buf_release(&h->in);
	ag_buf_release(&h->unfold);
}

static fm_http_state bad(fm_http *h, int status, const char *why)
{
	h->status = status;
	h->why = why;
	return FM_HTTP_BAD;
}

/* Cuts one line off; false when its end is not there yet. */
static bool take_line(ag_str *rest, ag_str *line)
{
	const char *lf = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;

	if (!lf)
		return false;
	*line = ag_str_make(rest->ptr, (size_t)(lf - rest->ptr));
	rest->len -= line->len + 1;
	rest->ptr = lf + 1;
	if (line->len && line->ptr[line->len - 1] == '\r')
		line->len--;
	return true;
}

/* Bytes of the head with its empty line, 0 when it is not complete. */
static size_t head_length(ag_str in)
{
	ag_str rest = in, line;

	while (take_line(&rest, &line))
		if (!line.len)
			return in.len - rest.len;
	return 0;
}

static bool request_line(fm_http *h, ag_str line)
{
	ag_str rest = line;

	h->method = ag_str_split(&rest, ' ');
	h->target = ag_str_split(&rest, ' ');
	if (!h->method.len || !h->target.len || h->target.ptr[0] != '/')
		return false;
	if (!ag_str_eqc(rest, "HTTP/1.1") && !ag_str_eqc(rest, "HTTP/1.0"))
		return false;
	h->keep_alive = ag_str_eqc(rest, "HTTP/1.1");
	return true;
}

/* Headers a model server looks at; the rest is skipped. NULL = fine. */
static const char *header(fm_http *h, ag_str name, ag_str value, bool *has_length)
{
	uint64_t n;

	if (ag_str_ieq(name, AG_S("content-length"))) {
		if (!ag_str_to_u64(value, &n) || value.ptr[0] == '+' ||
		    (*has_length && n != h->length))
			return "Content-Length is no number";
		h->length = n > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)n;
		*has_length = true;
	} else if (ag_str_ieq(name, AG_S("transfer-encoding"))) {
		if (!ag_str_ieq(value, AG_S("chunked")))
			return "Transfer-Encoding other than chunked";
		h->is_chunked = true;
	} else if (ag_str_ieq(name, AG_S("connection"))) {
		if (ag_str_ieq(value, AG_S("close")))
			h->keep_alive = false;
		else if (ag_str_ieq(value, AG_S("keep-alive")))
			h->keep_alive = true;
	} else if (ag_str_ieq(name, AG_S("expect"))) {
		h->wants_continue = ag_str_ieq(value, AG_S("100-continue"));
	} else if (ag_str_ieq(name, AG_S("content-type"))) {
		h->content_type = value;
	} else if (ag_str_ieq(name, AG_S("anthropic-version"))) {
		h->anthropic_version = value;
	} else if (ag_str_ieq(name, AG_S("x-api-key")) || ag_str_ieq(name, AG_S("api-key")) ||
	           ag_str_ieq(name, AG_S("authorization"))) {
		h->key = value;
		h->key_header = name;
	}
	return NULL;
}

/* Fills the fields from the head. Done twice: for the lengths, and for views that stay. */
static const char *read_head(fm_http *h)
{
	ag_str rest = ag_str_make(h->in.ptr, h->head), line;
	bool has_length = false;
	const char *why;

	h->is_chunked = h->wants_continue = false;
	h->length = 0;
	if (!take_line(&rest, &line) || !request_line(h, line))
		return "no HTTP/1.1 request line";
	while (take_line(&rest, &line) && line.len) {
		ptrdiff_t colon = ag_str_find(line, ':');

		if (colon <= 0 || line.ptr[0] == ' ' || line.ptr[0] == '\t' ||
		    line.ptr[colon - 1] == ' ' || line.ptr[colon - 1] == '\t')
			return "a header line without a name";
		why = header(h, ag_str_make(line.ptr, (size_t)colon),
		             ag_str_trim(ag_str_make(line.ptr + colon + 1,
		                                     line.len - (size_t)colon - 1)),
		             &has_length);
		if (why)
			return why;
	}
	return has_length && h->is_chunked ? "both Content-Length and chunked" : NULL;
}

static bool chunk_size(ag_str line, size_t *ret)
{
	size_t n = 0, i;

	for (i = 0; i < line.len && line.ptr[i] != ';'; i++) {
		const char *d = memchr(hex_digits, line.ptr[i] | 0x20, 16);

		if (!d || i >= 15)
			return false;
		n = n * 16 + (size_t)(d - hex_digits);
	}
	*ret = n;
	return i > 0;
}

/* Moves h->at over whole chunks. */
static fm_http_state read_chunks(fm_http *h)
{
	for (;;) {
		ag_str rest = ag_str_make(h->in.ptr + h->at, h->in.len - h->at), line;
		size_t n;

		if (!take_line(&rest, &line))
			return rest.len > FM_MAX_HEAD_BYTES ? bad(h, 400, "a chunk without a size")
			                                    : FM_HTTP_MORE;
		if (!chunk_size(line, &n))
			return bad(h, 400, "a chunk without a size");
		if (n > FM_MAX_BODY_BYTES - h->unfold.len)
			return bad(h, 413, "the body is too large");
		if (n == 0) {
			size_t trailer = 0;
			do {
				if (!take_line(&rest, &line))
					return FM_HTTP_MORE;
				trailer += line.len;
			} while (line.len && trailer < FM_MAX_HEAD_BYTES);
			h->at = h->in.len - rest.len;
			return FM_HTTP_READY;
		}
		if (rest.len < n + 2)
			return FM_HTTP_MORE;
		if (memcmp(rest.ptr + n, "\r\n", 2) != 0)
			return bad(h, 400, "a chunk longer than its size");
		ag_buf_add(&h->unfold, ag_str_make(rest.ptr, n));
		h->at = h->in.len - rest.len + n + 2;
	}
}

fm_http_state fm_http_read(fm_http *h)
{
	fm_http_state st = FM_HTTP_READY;
	const char *why;

	/* Empty lines before a request are skipped (RFC 9112, 2.2). */
	while (!h->head && h->in.len && (h->in.ptr[0] == '\r' || h->in.ptr[0] == '\n'))
		memmove(h->in.ptr, h->in.ptr + 1, h->in.len--);
	if (!h->head) {
		h->head = h->at = head_length(ag_buf_view(&h->in));
		if (!h->head)
			return h->in.len > FM_MAX_HEAD_BYTES ? bad(h, 431, "the head is too large")
			                                     : FM_HTTP_MORE;
		why = read_head(h);
		if (why)
			return bad(h, 400, why);
		if (h->length > FM_MAX_BODY_BYTES)
			return bad(h, 413, "the body is too large");
	}
	if (h->is_chunked)
		st = read_chunks(h);
	else if (h->in.len - h->head < h->length)
		st = FM_HTTP_MORE;
	if (st == FM_HTTP_MORE && h->wants_continue && !h->told_continue) {
		h->told_continue = true;
		return FM_HTTP_CONTINUE;
	}
	if (st != FM_HTTP_READY)
		return st;
	why = read_head(h); /* the buffer may have moved since */
	if (why)
		return bad(h, 400, why);
	if (!h->is_chunked)
		h->at = h->head + h->length;
	h->body = h->is_chunked ? ag_buf_view(&h->unfold)
	                        : ag_str_make(h->in.ptr + h->head, h->length);
	return FM_HTTP_READY;
}

void fm_http_next(fm_http *h)
{
	ag_str rest = ag_str_make(h->in.ptr + h->at, h->in.len - h->at);
	ag_buf in = AG_BUF_INIT(h->in.limit);

	if (rest.len)
		ag_buf_add(&in, rest);
	fm_http_release(h);
	fm_http_init(h);
	h->in = in;
}
