/* fix_known -- repairs whose right value another document has: the usual spelling of a text, the value of all other documents
 * with the same key. */
#include <stdlib.h>

#include "query/extjson.h"
#include "repair/fix.h"

#define MAX_COMPARED 20000 /* different texts that a wrong one is compared with */
#define CLEAR_RATIO  3     /* the right text occurs so much more often than the wrong one */
#define MIN_KNOWN    3     /* documents that have it */

/* --- spelling --- */

/* Looked for once per text; *ret_is_new: nothing is known of it yet. */
static ag_str *answer_of(ag_fix *f, ag_str text, bool *ret_is_new)
{
	const size_t before = f->asked.n,
		     i = ag_text_map_add(&f->asked, text.ptr, (uint32_t)text.len, 1);

	*ret_is_new = f->asked.n > before;
	if (f->asked.n > f->capanswer) {
		f->capanswer = f->capanswer ? 2 * f->capanswer : 64;
		f->answer = (ag_str *)ag_xrealloc(f->answer, f->capanswer * sizeof(*f->answer));
	}
	if (*ret_is_new)
		f->answer[i] = AG_S("");
	return &f->answer[i];
}

static void fold(ag_str s, ag_buf *out)
{
	ag_buf_clear(out);
	ag_text_fold(s, out);
}

/* Slips that still leave one word the nearest: two in a long one. */
static size_t most_slips(size_t len)
{
	return len >= 8 ? 2 : len >= 3 ? 1 : 0;
}

static ag_str nearest(const ag_fix *f, ag_str s, size_t most)
{
	const ag_tally *t = f->others;
	const uint64_t wrong = ag_tally_count(f->flagged, s);
	ag_buf a = AG_BUF_INIT(4 * AG_FIX_MAX_LEN), b = AG_BUF_INIT(4 * AG_FIX_MAX_LEN);
	size_t best = SIZE_MAX;
	uint64_t n = 0;
	ag_str ret = AG_S("");
	bool is_tie = false;

	fold(s, &a);
	for (size_t i = 0; i < t->texts.n; i++) {
		const ag_str other = ag_str_make(t->texts.v[i].ptr, t->texts.v[i].len);
		const size_t gap = other.len > s.len ? other.len - s.len : s.len - other.len;
		size_t d;

		if (gap > 2 * most + 2 || other.len > AG_FIX_MAX_LEN || t->texts.v[i].n < MIN_KNOWN)
			continue;
		fold(other, &b);
		d = ag_str_distance(ag_buf_view(&a), ag_buf_view(&b));
		if (d > most || d > best)
			continue;
		/* Two spellings of one word differ in case only: the usual one counts. */
		if (d == best) {
			ag_buf c = AG_BUF_INIT(4 * AG_FIX_MAX_LEN);

			fold(ret, &c);
			is_tie = is_tie || !ag_str_eq(ag_buf_view(&b), ag_buf_view(&c)) ||
			         (t->texts.v[i].n < CLEAR_RATIO * n &&
			          n < CLEAR_RATIO * t->texts.v[i].n);
			ag_buf_release(&c);
			if (is_tie || t->texts.v[i].n < n)
				continue;
		}
		is_tie = d < best ? false : is_tie;
		best = d;
		n = t->texts.v[i].n;
		ret = other;
	}
	ag_buf_release(&a);
	ag_buf_release(&b);
	return is_tie || n < CLEAR_RATIO * wrong ? AG_S("") : ret;
}

static bool give_nearest(ag_fix *f, const ag_val *v, bool is_case, ag_val *ret)
{
	ag_str s, *answer;
	bool is_new;

	if (v->type != AG_T_STRING || !v->n || v->n > AG_FIX_MAX_LEN || f->others->is_full ||
	    f->others->texts.n > MAX_COMPARED ||
	    (ag_text_classify(ag_val_text(v)) & 1u << AG_TEXT_NULL_WORD))
		return false;
	s = ag_val_text(v);
	answer = answer_of(f, s, &is_new);
	if (is_new)
		*answer = nearest(f, s, is_case ? 0 : most_slips(s.len));
	if (!answer->len)
		return false;
	*ret = ag_val_str(*answer);
	return true;
}

bool ag_fix_case(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	(void)row;
	(void)arena;
	return give_nearest(f, v, true, ret);
}

bool ag_fix_spelling(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	(void)row;
	(void)arena;
	return give_nearest(f, v, false, ret);
}

/* --- glued: "Austin TX", where another field of the row says TX --- */

static bool is_value_of(const ag_val *row, ag_str text, unsigned depth)
{
	for (uint32_t i = 0; row->type == AG_T_OBJECT && depth && i < row->n; i++) {
		const ag_val *v = &row->u.members[i].val;
		char number[AG_NUM_MAX];
		int64_t n;

		if (v->type == AG_T_STRING ? ag_str_eq(ag_val_text(v), text)
		    : ag_val_to_i64(v, &n)
		            ? ag_str_eq(ag_str_make(number, ag_num_i64(number, n)), text)
		            : is_value_of(v, text, depth - 1))
			return true;
	}
	return false;
}

static bool is_joint(char c)
{
	return c == ' ' || c == ',' || c == '(' || c == ')' || c == '-' || c == '/' || c == ';';
}

bool ag_fix_glued(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	const ag_str s = v->type == AG_T_STRING ? ag_val_text(v) : AG_S("");

	(void)arena;
	if (s.len > 200)
		return false;
	/* The longest beginning that is a known value, and what follows is another field's. */
	for (size_t end = s.len; end-- > 1;) {
		const ag_str head = ag_str_make(s.ptr, end);
		size_t from = end, to = s.len;

		if (!is_joint(s.ptr[end]) || is_joint(s.ptr[end - 1]) ||
		    ag_tally_count(f->others, head) < MIN_KNOWN)
			continue;
		while (from < to && is_joint(s.ptr[from]))
			from++;
		to -= s.ptr[to - 1] == ')' && to > from;
		if (from == to || !is_value_of(row, ag_str_make(s.ptr + from, to - from), 8))
			continue;
		*ret = ag_val_str(head);
		return true;
	}
	return false;
}

bool ag_fix_swap(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	ag_err ignored = { 0 };
	const ag_val *other = row;
	ag_path path = { 0 };

	(void)v;
	if (!f->partner.len || ag_path_parse(f->partner, arena, &path, &ignored))
		return false;
	for (size_t i = 0; other && i < path.n; i++) {
		if (path.steps[i].kind != AG_STEP_NAME)
			return false;
		other = ag_val_get(other, path.steps[i].name);
	}
	if (!other || other->type == AG_T_NULL || other->type == AG_T_OBJECT ||
	    other->type == AG_T_ARRAY)
		return false;
	*ret = *other;
	return true;
}

bool ag_fix_usual(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	(void)v;
	(void)arena;
	return f->usual && ag_usual_find(f->usual, row, ret);
}
