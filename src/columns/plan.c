/* plan -- cut a file into blocks of about AG_CHUNK_INPUT_BYTES that start and end between documents.
 *
 * A window slides over the file; the splitter of the format finds one document after the other in it, and a
 * block ends behind the first document that makes it large enough. Where blocks lie depends on the bytes of
 * the file only. The window grows when a document does not fit, up to the limit of a document. */
#include "columns/plan.h"

#include <stdlib.h>

typedef struct window {
	const ag_input *in;
	ag_plan *plan;
	char *p;
	size_t len, cap;
	uint64_t base;  /* offset of p[0] in the file */
	size_t at;      /* the next document starts here or behind */
	size_t counted; /* lines up to here are in `line` */
	uint64_t line;  /* BSON: documents */
} window;

uint64_t ag_split_count_lines(const char *p, size_t n)
{
	uint64_t sum = 0;

	while (n) {
		size_t step = n < 255 ? n : 255; /* so that a byte can hold the count */
		unsigned char part = 0;

		for (size_t i = 0; i < step; i++)
			part = (unsigned char)(part + (p[i] == '\n'));
		sum += part;
		p += step;
		n -= step;
	}
	return sum;
}

static void add_hash(ag_plan *plan, const char *p, size_t n)
{
	if (plan->nhash == plan->caphash) {
		plan->caphash = plan->caphash * 2 + 16;
		plan->hashes = (XXH128_hash_t *)ag_xrealloc(plan->hashes,
		                                            plan->caphash * sizeof(*plan->hashes));
	}
	plan->hashes[plan->nhash++] = XXH3_128bits(p, n);
}

static ag_block *add_block(ag_plan *plan, uint64_t at)
{
	ag_block *b;

	if (plan->n == plan->cap) {
		plan->cap = plan->cap * 2 + 16;
		plan->blocks = (ag_block *)ag_xrealloc(plan->blocks,
		                                       plan->cap * sizeof(*plan->blocks));
	}
	AG_ASSERT(plan->blocks);
	b = &plan->blocks[plan->n++];
	memset(b, 0, sizeof(*b));
	b->at = b->end = at;
	return b;
}

void ag_plan_release(ag_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		ag_chunk_free(plan->blocks[i].chunk);
		free(plan->blocks[i].issues);
	}
	free(plan->blocks);
	free(plan->hashes);
	memset(plan, 0, sizeof(*plan));
}

static bool at_eof(const window *w)
{
	return w->base + w->len == w->in->size;
}

/* Count the lines up to p[to]. */
static void count_to(window *w, size_t to)
{
	if (w->plan->format != AG_FORMAT_BSON && to > w->counted)
		w->line += ag_split_count_lines(w->p + w->counted, to - w->counted);
	if (to > w->counted)
		w->counted = to;
}

/* The next piece of the file into the window; what is before `at` goes. */
static ag_status slide(window *w, ag_err *err)
{
	uint64_t left = w->in->size - w->base - w->len;
	size_t n = left < AG_CHUNK_INPUT_BYTES ? (size_t)left : AG_CHUNK_INPUT_BYTES;
	ag_status st;

	count_to(w, w->at);
	if (w->at) {
		memmove(w->p, w->p + w->at, w->len - w->at);
		w->base += w->at;
		w->len -= w->at;
		w->counted -= w->at;
		w->at = 0;
	}
	if (w->cap < w->len + n) {
		w->cap = w->len + n + w->len;
		w->p = (char *)ag_xrealloc(w->p, w->cap);
	}
	st = ag_input_read(w->in, w->base + w->len, w->p + w->len, n, err);
	if (st)
		return st;
	if (n)
		add_hash(w->plan, w->p + w->len, n);
	w->len += n;
	return AG_OK;
}

static ag_split_result split(window *w, ag_json_split *json, bool eof, ag_split_item *item)
{
	switch (w->plan->format) {
	case AG_FORMAT_JSON: return ag_json_split_next(json, w->p, w->len, eof, w->at, item);
	case AG_FORMAT_BSON:
		return ag_bson_split_next(w->p, w->len, eof, w->at, w->plan->max_doc_bytes, item);
	default: return ag_csv_split_next(w->plan->csv.sep, w->p, w->len, eof, w->at, item);
	}
}

/* A length in the middle of BSON that cannot be: the block ends behind it, the rest is only hashed. */
static ag_status leave_rest(window *w, ag_err *err)
{
	ag_block *b = &w->plan->blocks[w->plan->n - 1];

	b->end = w->base + w->len;
	while (!at_eof(w)) {
		ag_status st;

		w->at = w->len;
		st = slide(w, err);
		if (st)
			return st;
	}
	return AG_OK;
}

/* Documents of the window into blocks, until more bytes are needed or the file ends. */
static ag_status cut(window *w, const ag_ctx *ctx, ag_json_split *json, bool *ret_done,
                     bool *last_broken, ag_err *err)
{
	ag_plan *plan = w->plan;

	for (unsigned n = 0;; n++) {
		/* A document that is over the limit ends where the window ends. */
		bool full = w->len - w->at > plan->max_doc_bytes, eof = at_eof(w);
		ag_block *b = plan->n ? &plan->blocks[plan->n - 1] : NULL;
		ag_json_split before = *json;
		ag_split_item item;
		ag_split_result r;

		/* The search for the end of a broken document may read the whole window. */
		if (*last_broken || n % 256 == 255) {
			ag_status st = ag_ctx_check(ctx, err);

			if (st)
				return st;
		}
		r = split(w, json, eof || full, &item);
		if (r == AG_SPLIT_END && !eof) {
			r = AG_SPLIT_SKIP;
			item.next = w->len;
		}
		if (r == AG_SPLIT_END || r == AG_SPLIT_MORE) {
			w->at = r == AG_SPLIT_MORE ? item.next : w->len;
			*ret_done = r == AG_SPLIT_END;
			return AG_OK;
		}
		if (!b || w->base + w->at - b->at >= AG_CHUNK_INPUT_BYTES) {
			count_to(w, w->at);
			b = add_block(plan, w->base + w->at);
			b->line = w->line;
			b->json = before;
		}
		if (r == AG_SPLIT_ITEM) {
			*last_broken = item.why != NULL;
			w->line += plan->format == AG_FORMAT_BSON;
			if (item.next == SIZE_MAX) {
				*ret_done = true;
				return leave_rest(w, err);
			}
		}
		w->at = item.next;
		b->end = w->base + w->at;
		if (w->at == w->len && !eof)
			return AG_OK;
	}
}

static ag_status plan_head(window *w, ag_arena *arena, ag_err *err)
{
	ag_plan *plan = w->plan;
	ag_status st;

	if (plan->format == AG_FORMAT_JSON) {
		if (w->len >= 3 && memcmp(w->p, "\xef\xbb\xbf", 3) == 0)
			w->at = 3;
		return AG_OK;
	}
	if (plan->format == AG_FORMAT_BSON)
		return AG_OK;
	st = ag_csv_head_read(w->in->path, w->p, w->len, plan->format == AG_FORMAT_TSV ? '\t' : 0,
	                      arena, &plan->csv, err);
	w->at = plan->csv.bytes;
	return st;
}

static ag_status plan_by_window(ag_plan *plan, const ag_ctx *ctx, const ag_input *in,
                                ag_arena *arena, ag_err *err)
{
	window w = { .in = in, .plan = plan };
	ag_json_split json = { .in_array = false };
	bool done = in->size == 0, last_broken = false, first = true;
	ag_status st = AG_OK;

	while (!st && !done) {
		st = ag_ctx_check(ctx, err);
		if (!st)
			st = slide(&w, err);
		if (!st && first)
			st = plan_head(&w, arena, err);
		first = false;
		if (!st)
			st = cut(&w, ctx, &json, &done, &last_broken, err);
	}
	plan->unclosed_array = json.in_array && !last_broken;
	free(w.p);
	return st;
}

ag_status ag_plan_make(ag_plan *plan, const ag_ctx *ctx, const ag_input *in, ag_arena *arena,
                       ag_err *err)
{
	if (plan->format != AG_FORMAT_NDJSON)
		return plan_by_window(plan, ctx, in, arena, err);
	for (uint64_t at = 0; at < in->size; at += AG_CHUNK_INPUT_BYTES) {
		uint64_t left = in->size - at;

		add_block(plan, at)->end =
			at + (left < AG_CHUNK_INPUT_BYTES ? left : AG_CHUNK_INPUT_BYTES);
	}
	return AG_OK;
}
