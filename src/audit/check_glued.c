/* check_glued -- row 21: a value that holds the value of another field as well.
 *
 * "Austin TX" in a document whose state is TX is "Austin" and "TX" glued together, when "Austin" is a value of the field
 * of its own and other documents with the state TX have it. A name that is longer by design ("Shirt Blue" beside
 * "Shirt") has no such other documents, or is the usual way: then the check is silent.
 *
 * Speaks: up to one half of the documents that have the pair of values. */
#include "audit/checks.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_TEXT_VALUES 50000 /* different texts of a field */
#define MAX_TEXT_BYTES  200
#define MAX_LISTED      1000 /* in the evidence */
#define MAX_STEPS       20000000
#define MIN_PAIRS       3   /* documents that have both values apart, for one glued value */
#define AGREE           0.9 /* of the documents with a glued value have its end in the other field */
#define SHOWN           3

typedef struct search {
	const ag_frame *fr;
	const ag_frame_col *col;
	const ag_val **texts; /* [n] different texts, ordered */
	size_t n;
	ag_grouped rows; /* of col */
	ag_arena *arena;
	uint64_t steps;
} search;

/* A value in two parts: "Austin" and "TX". */
typedef struct parts {
	ag_str head, tail;
} parts;

typedef struct finds {
	ag_val values[MAX_LISTED];
	size_t n;
	uint64_t nrow;   /* rows with a glued value */
	uint64_t npair;  /* rows that have the same two values apart */
	uint64_t nother; /* rows that look glued, but no field has the end */
	bool has_word;   /* an end of two letters or more */
	const ag_frame_col *with;
	ag_str shown;
} finds;

static int text_by_value(const void *a, const void *b)
{
	return ag_str_cmp(ag_val_text(*(const ag_val *const *)a),
	                  ag_val_text(*(const ag_val *const *)b));
}

static int find_text(const void *key, const void *item)
{
	return ag_str_cmp(*(const ag_str *)key, ag_val_text(*(const ag_val *const *)item));
}

/* The code of this text among the values of the field; 0 when no value is equal to it. */
static uint32_t code_of_text(const search *s, ag_str text)
{
	const ag_val *const *at = bsearch(&text, s->texts, s->n, sizeof(*s->texts), find_text);

	return at ? (uint32_t)(*at - s->col->values) + 1 : 0;
}

static ag_str text_of(const ag_val *v, char buf[24])
{
	int n;

	if (v->type == AG_T_STRING)
		return ag_val_text(v);
	if (v->type != AG_T_INT32 && v->type != AG_T_INT64)
		return AG_S("");
	n = snprintf(buf, 24, "%lld", (long long)v->u.i);
	return ag_str_make(buf, (size_t)n);
}

/* Splits at a blank: "Austin TX", "Austin, TX", "Austin (TX)". */
static bool split_at(ag_str text, size_t blank, parts *ret)
{
	ag_str head = ag_str_make(text.ptr, blank),
	       tail = ag_str_make(text.ptr + blank + 1, text.len - blank - 1);

	if (head.len && (head.ptr[head.len - 1] == ',' || head.ptr[head.len - 1] == ';'))
		head.len--;
	if (tail.len > 2 && tail.ptr[0] == '(' && tail.ptr[tail.len - 1] == ')')
		tail = ag_str_make(tail.ptr + 1, tail.len - 2);
	*ret = (parts){ head, tail };
	return head.len && tail.len;
}

/* The field of this row, other than the searched one, that has this text. */
static const ag_frame_col *field_with(const search *s, uint32_t row, ag_str text)
{
	char buf[24];

	for (size_t c = 0; c < s->fr->ncol; c++) {
		const ag_frame_col *col = &s->fr->cols[c];

		if (col != s->col && col->code[row] &&
		    ag_str_eq(text_of(&col->values[col->code[row] - 1], buf), text))
			return col;
	}
	return NULL;
}

static uint64_t count_pairs(search *s, uint32_t code, const ag_frame_col *with, uint32_t with_code)
{
	uint64_t n = 0;

	for (uint32_t i = s->rows.at[code]; i < s->rows.at[code + 1]; i++)
		n += with->code[s->rows.row[i]] == with_code;
	s->steps += s->rows.at[code + 1] - s->rows.at[code];
	return n;
}

/* v, of the code given, in two parts, of which the first is a value of the field. */
static void look_at(search *s, uint32_t code, uint32_t head_code, const parts *p, finds *f)
{
	const uint64_t n = s->rows.at[code + 1] - s->rows.at[code];
	const uint32_t row = s->rows.row[s->rows.at[code]];
	const ag_frame_col *with = field_with(s, row, p->tail);
	uint64_t npair;

	s->steps += s->fr->ncol;
	if (!with || (double)count_pairs(s, code, with, with->code[row]) < AGREE * (double)n) {
		f->nother += n;
		return;
	}
	npair = count_pairs(s, head_code, with, with->code[row]);
	if (npair < MIN_PAIRS && npair < n) {
		f->nother += n;
		return;
	}
	f->nrow += n;
	f->npair += npair;
	f->has_word = f->has_word ||
	              (p->tail.len > 1 && (p->tail.ptr[0] > '9' || p->tail.ptr[0] < '0'));
	f->with = with;
	if (f->n < SHOWN)
		f->shown = ag_str_printf(s->arena, "%.*s%s\"%.*s\"", AG_FMT(f->shown),
		                         f->n ? ", " : "",
		                         AG_FMT(ag_val_text(&s->col->values[code - 1])));
	if (f->n < MAX_LISTED)
		f->values[f->n++] = s->col->values[code - 1];
}

static void find_glued(search *s, finds *f)
{
	for (size_t i = 0; i < s->n && s->steps < MAX_STEPS; i++) {
		const ag_str text = ag_val_text(s->texts[i]);
		const uint32_t code = (uint32_t)(s->texts[i] - s->col->values) + 1;
		parts p;

		for (size_t k = text.len; k-- > 1;) {
			const uint32_t head = text.ptr[k] == ' ' && split_at(text, k, &p)
			                              ? code_of_text(s, p.head)
			                              : 0;

			if (head && head != code) {
				look_at(s, code, head, &p, f);
				break;
			}
		}
	}
}

/* A value that is glued is one more text: a field without repeats has no values to compare. */
static bool can_be_searched(const ag_frame_col *c)
{
	return c->nvalue >= 2 && c->nvalue <= MAX_TEXT_VALUES && c->nvalue < c->nfilled &&
	       c->f->str.n * 2 >= c->f->nscalar;
}

static search search_of(const ag_frame *fr, const ag_frame_col *c, ag_arena *arena)
{
	search s = { .fr = fr,
		     .col = c,
		     .texts = ag_new_n(arena, const ag_val *, c->nvalue),
		     .rows = ag_frame_group(fr, c, arena),
		     .arena = arena };

	for (uint32_t i = 0; i < c->nvalue; i++)
		if (c->values[i].type == AG_T_STRING && c->values[i].n &&
		    c->values[i].n <= MAX_TEXT_BYTES)
			s.texts[s.n++] = &c->values[i];
	qsort(s.texts, s.n, sizeof(*s.texts), text_by_value);
	return s;
}

static void suspect_glued(const search *s, const finds *f, ag_hypotheses *out)
{
	ag_arena *a = out->arena;
	const ag_val list = ag_ev_arr(a, f->values, f->n);
	ag_hypothesis *h;

	if (!f->n || f->nother > f->nrow || (f->nrow < MIN_PAIRS && !f->has_word) ||
	    f->nrow > f->npair)
		return;
	h = ag_suspect(out, s->col->f, "pattern_violation", AG_MEDIUM, 0.85,
	               ag_ev_where(a, s->col->f, OBJ(a, KV("$in", list))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(h, "", "two fields of a source were loaded into one",
	               "keep the first part, and map both fields at the writer");
	h->what = ag_str_printf(a, "values also hold what is in %.*s", AG_FMT(f->with->f->path));
	h->detail = ag_str_printf(a, "for example %.*s", AG_FMT(f->shown));
}

ag_status ag_check_glued(AG_ACROSS_ARGS)
{
	ag_status st = AG_OK;

	for (size_t i = 0; !st && i < x->frames->n; i++) {
		const ag_frame *fr = &x->frames->items[i];

		for (size_t c = 0; !st && c < fr->ncol; c++) {
			AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
			finds *f = ag_new(scratch, finds);
			search s;

			st = ag_ctx_check(x->ctx, err);
			if (st || !can_be_searched(&fr->cols[c]))
				continue;
			s = search_of(fr, &fr->cols[c], scratch);
			find_glued(&s, f);
			suspect_glued(&s, f, out);
		}
	}
	return st;
}
