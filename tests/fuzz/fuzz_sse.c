/* An event stream in pieces: the same events and the same end as when it comes whole, nothing past a limit.
 *
 * The first byte says how many bytes behind it are lengths of pieces; the rest is the stream, cut at these lengths over
 * and over again. */
#include <stdlib.h>

#include "fuzz.h"
#include "net/sse.h"

typedef struct heard {
	ag_buf text;
	size_t n, stop_at;
} heard;

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void add(ag_buf *b, ag_str s)
{
	ag_buf_addf(b, "%zu:", s.len);
	ag_buf_add(b, s);
}

static ag_status hear(void *arg, const ag_sse_event *ev, ag_err *err)
{
	heard *h = arg;

	check(ag_str_find(ev->name, '\n') < 0 && ag_str_find(ev->name, '\r') < 0);
	check(ag_str_find(ev->data, '\r') < 0);
	check(ag_str_find(ev->id, '\n') < 0 && ag_str_find(ev->id, '\0') < 0);
	add(&h->text, ev->name);
	add(&h->text, ev->data);
	add(&h->text, ev->id);
	if (++h->n == h->stop_at)
		return ag_fail(err, AG_CONFLICT, "fuzz", "enough");
	return AG_OK;
}

/* A copy of exactly its size: a read past its end is seen. */
static ag_status feed(ag_sse *s, ag_str piece, ag_err *err)
{
	char *copy = malloc(piece.len ? piece.len : 1);
	ag_status st;

	check(copy);
	if (piece.len)
		memcpy(copy, piece.ptr, piece.len);
	st = ag_sse_feed(s, ag_str_make(copy, piece.len), err);
	free(copy);
	return st;
}

static ag_status read_all(ag_str all, const uint8_t *cuts, size_t ncut, heard *h)
{
	ag_err err = { 0 };
	ag_status st = AG_OK;
	ag_sse s;

	ag_sse_init(&s, hear, h);
	for (size_t i = 0, at = 0; at < all.len && !st; i++) {
		size_t n = ncut ? cuts[i % ncut] : all.len;

		n = n < all.len - at ? n : all.len - at;
		if (!n && i >= ncut) /* a piece of 0 bytes: once around, else for ever */
			n = 1;
		st = feed(&s, ag_str_make(all.ptr + at, n), &err);
		at += n;
	}
	if (!st)
		st = ag_sse_end(&s, &err);
	check(st == err.status);
	ag_sse_release(&s);
	return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t ncut = size ? data[0] % 16 : 0, stop_at = size ? data[0] / 16 : 0;
	heard whole = { .text = AG_BUF_INIT(64u << 20), .stop_at = stop_at };
	heard pieces = whole;
	ag_str all;

	if (size < 1 + ncut)
		return 0;
	all = ag_str_make((const char *)data + 1 + ncut, size - 1 - ncut);
	check(read_all(all, NULL, 0, &whole) == read_all(all, data + 1, ncut, &pieces));
	check(whole.n == pieces.n);
	check(ag_str_eq(ag_buf_view(&whole.text), ag_buf_view(&pieces.text)));
	ag_buf_release(&whole.text);
	ag_buf_release(&pieces.text);
	return 0;
}
