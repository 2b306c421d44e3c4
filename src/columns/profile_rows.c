/* profile_rows -- count the values of one path, row by row.
 *
 * This loop sees every value of the table once, so it only counts: what can be said of a value (is it a date?
 * how long?) is asked later, once per different value.
 *
 * A number that is an integer of 64 bits is counted as that integer whatever its type, so 1 and 1.0 are one
 * value; every other double by its bits, all NaN as one. */
#include <math.h>

#include "columns/bits.h"
#include "columns/profile_impl.h"

#define TWO53     9007199254740992.0
#define TWO63     9223372036854775808.0
#define QUIET_NAN UINT64_C(0x7ff8000000000000)

void ag_counted_release(ag_counted *c)
{
	ag_u64_map_release(&c->ints);
	ag_u64_map_release(&c->doubles);
	ag_u64_map_release(&c->dates);
	ag_u64_map_release(&c->sizes);
	ag_text_map_release(&c->texts);
	ag_text_map_release(&c->oids);
	ag_any_map_release(&c->decimals);
	ag_any_map_release(&c->others);
}

static void count_double(ag_counted *c, uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	if (d >= -TWO63 && d < TWO63 && (double)(int64_t)d == d) {
		c->nbeyond53 += d > TWO53 || d < -TWO53;
		ag_u64_map_add(&c->ints, (uint64_t)(int64_t)d, 1);
		return;
	}
	if (isnan(d))
		bits = QUIET_NAN;
	else if (!isinf(d) && (d >= TWO63 || d < -TWO63))
		c->nbeyond53++;
	ag_u64_map_add(&c->doubles, bits, 1);
}

/* Texts wait here until they can be counted many at once. */
typedef struct batch {
	ag_text_map *to;
	size_t n;
	ag_text_count texts[AG_TEXT_BATCH];
} batch;

static void flush(batch *b)
{
	ag_text_map_add_many(b->to, b->texts, b->n);
	b->n = 0;
}

static void count_text(batch *b, const ag_chunk *chunk, uint64_t ref)
{
	b->texts[b->n].ptr = chunk->heap + (ref >> 32);
	b->texts[b->n].len = (uint32_t)ref;
	if (++b->n == AG_TEXT_BATCH)
		flush(b);
}

/* The types that are rare enough for the slow way. */
static void count_other(ag_any_map *m, const ag_chunk *chunk, const ag_col *col, uint32_t row,
                        bool is_view)
{
	ag_val v = is_view ? ag_col_view(chunk, col, row) : ag_col_val(chunk, col, row);

	ag_any_map_add(m, &v, 1);
}

static void count_row(ag_counted *c, batch *texts, batch *oids, const ag_chunk *chunk,
                      const ag_col *col, uint32_t row)
{
	unsigned type = col->type[row];
	uint64_t val = col->val[row];
	bool is_view = col->view_type && col->view_type[row] != AG_T_MISSING;

	if (is_view) {
		type = col->view_type[row];
		val = col->view_val[row];
	}
	c->by_type[type]++;
	switch (type) {
	case AG_T_INT32:
	case AG_T_INT64: ag_u64_map_add(&c->ints, val, 1); break;
	case AG_T_DOUBLE: count_double(c, val); break;
	case AG_T_STRING:
	case AG_T_SYMBOL: count_text(texts, chunk, val); break;
	case AG_T_DATE: ag_u64_map_add(&c->dates, val, 1); break;
	case AG_T_BOOL: c->nbool[val != 0]++; break;
	case AG_T_OID: count_text(oids, chunk, val); break;
	case AG_T_ARRAY: ag_u64_map_add(&c->sizes, val, 1); break;
	case AG_T_OBJECT:
	case AG_T_NULL:
	case AG_T_UNDEFINED:
	case AG_T_MISSING: break;
	case AG_T_DECIMAL: count_other(&c->decimals, chunk, col, row, is_view); break;
	default: count_other(&c->others, chunk, col, row, is_view); break;
	}
}

static bool is_null(const ag_col *col, uint32_t row)
{
	return col->type[row] == AG_T_NULL || (col->view_type && col->view_type[row] == AG_T_NULL);
}

/* Is the row's document one of those that count? */
static bool is_chosen(const ag_bits *docs, const ag_chunk *chunk, const ag_col *col, uint32_t row)
{
	return !docs || ag_bits_get(docs, chunk->first_doc + ag_col_doc(chunk, col, row));
}

/* Documents with the path, and with a null there, where a document can have it more than once: all columns
 * of one chunk. */
static void count_docs(const ag_chunk *chunk, const ag_bits *docs, const ag_seg *segs, size_t nseg,
                       ag_counted *c)
{
	ag_bits any, null;

	ag_bits_init(&any, chunk->ndoc);
	ag_bits_init(&null, chunk->ndoc);
	for (size_t i = 0; i < nseg; i++) {
		const ag_col *col = chunk->cols[segs[i].col];

		for (uint32_t r = 0; r < col->n; r++) {
			uint32_t doc = ag_col_doc(chunk, col, r);

			if (docs && !ag_bits_get(docs, chunk->first_doc + doc))
				continue;
			ag_bits_set(&any, doc);
			if (is_null(col, r))
				ag_bits_set(&null, doc);
		}
	}
	c->ndoc += ag_bits_count(&any);
	c->ndoc_null += ag_bits_count(&null);
	ag_bits_release(&any);
	ag_bits_release(&null);
}

/* splitmix64's mixer: sums of it differ for different sets of documents. */
static uint64_t mark_of(uint64_t doc)
{
	uint64_t z = doc + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static bool is_nothing(const ag_col *col, uint32_t row)
{
	/* The length of a text is the low half of its reference. */
	return is_null(col, row) || col->type[row] == AG_T_UNDEFINED ||
	       (col->view_type && col->type[row] == AG_T_STRING && (uint32_t)col->val[row] == 0);
}

/* A second pass over the column: only where some document has no value. */
static void mark_filled(const ag_table *t, const ag_bits *docs, const ag_node *node, ag_counted *c)
{
	for (size_t i = 0; i < node->nseg; i++) {
		const ag_chunk *chunk = ag_table_chunk(t, node->segs[i].chunk);
		const ag_col *col = chunk->cols[node->segs[i].col];

		for (uint32_t r = 0; r < col->n; r++) {
			if (is_nothing(col, r) || !is_chosen(docs, chunk, col, r))
				continue;
			c->nfilled++;
			c->filled_mark += mark_of(chunk->first_doc + ag_col_doc(chunk, col, r));
		}
	}
}

ag_status ag_profile_rows(const ag_table *t, const ag_ctx *ctx, const ag_bits *docs,
                          const ag_node *node, ag_counted *ret, ag_err *err)
{
	bool is_once = !node->in_array && !node->in_map;
	batch texts = { .to = &ret->texts }, oids = { .to = &ret->oids };

	for (size_t i = 0, to; i < node->nseg; i = to) {
		const ag_chunk *chunk = ag_table_chunk(t, node->segs[i].chunk);
		ag_status st = ag_ctx_check(ctx, err);

		if (st)
			return st;
		for (to = i; to < node->nseg && node->segs[to].chunk == node->segs[i].chunk; to++) {
			const ag_col *col = chunk->cols[node->segs[to].col];

			for (uint32_t r = 0; !docs && r < col->n; r++)
				count_row(ret, &texts, &oids, chunk, col, r);
			for (uint32_t r = 0; docs && r < col->n; r++)
				if (is_chosen(docs, chunk, col, r))
					count_row(ret, &texts, &oids, chunk, col, r);
		}
		if (!is_once)
			count_docs(chunk, docs, node->segs + i, to - i, ret);
	}
	flush(&texts);
	flush(&oids);
	if (is_once) {
		for (unsigned type = 0; type < AG_NTYPE; type++)
			ret->ndoc += ret->by_type[type];
		ret->ndoc_null = ret->by_type[AG_T_NULL];
		mark_filled(t, docs, node, ret);
	}
	return AG_OK;
}

void ag_profile_written(const ag_table *t, const ag_node *node, ag_path_profile *ret)
{
	ret->date.written = AG_DATE_ISO;
	for (size_t i = 0; i < node->nseg; i++) {
		const ag_chunk *chunk = ag_table_chunk(t, node->segs[i].chunk);
		const ag_col *col = chunk->cols[node->segs[i].col];

		for (uint32_t r = 0; col->view_type && r < col->n; r++) {
			int first, second;
			ag_date_format f;

			if (col->view_type[r] != AG_T_DATE)
				continue;
			f = ag_text_date_format(ag_chunk_heap_str(chunk, col->val[r]), &first,
			                        &second);
			/* All views of a column are of one notation: the first ISO date settles it. */
			if (f == AG_DATE_ISO || f == AG_DATE_NONE)
				break;
			ret->date.written = f;
			ret->str.day_first += first > 12;
			ret->str.month_first += second > 12;
		}
	}
}

/* Add n occurrences of a decimal to the integer or double that equals it; false when none does. */
static bool join_decimal(ag_counted *c, const ag_val *v, uint64_t n)
{
	int64_t i;
	double d;
	uint64_t bits;

	if (ag_val_to_i64(v, &i)) {
		ag_u64_map_add(&c->ints, (uint64_t)i, n);
		return true;
	}
	d = ag_dec128_to_double(v->u.dec);
	if (isnan(d)) {
		ag_u64_map_add(&c->doubles, QUIET_NAN, n);
		return true;
	}
	if (ag_dec128_cmp_double(v->u.dec, d) != 0)
		return false;
	memcpy(&bits, &d, sizeof(bits));
	ag_u64_map_add(&c->doubles, bits, n);
	return true;
}

void ag_profile_join_decimals(ag_counted *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->decimals.n; i++)
		if (!join_decimal(c, &c->decimals.v[i].val, c->decimals.v[i].n))
			c->decimals.v[kept++] = c->decimals.v[i];
	c->decimals.n = kept; /* the slots are stale now: nothing is added any more */
}
