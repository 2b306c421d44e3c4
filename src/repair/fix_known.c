/* fix_known -- repairs whose right value another document has: the usual spelling of a text, the value of all other documents
 * with the same key. */
#include <stdlib.h>

#include "query/extjson.h"
#include "repair/fix.h"

#define MAX_COMPARISONS 5000000 /* of one finding: seconds; texts beyond have no repair */
#define CLEAR_RATIO     3       /* the right text occurs so much more often than the wrong one */
#define RARE_RATIO      10      /* a text that is so much rarer than one beside it is a slip, too */
#define MIN_KNOWN       3       /* documents that have it */

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

/* The texts that occur often enough to be right, folded. */
static void list_known(ag_fix *f)
{
	const ag_tally *t = f->others;
	ag_buf b = AG_BUF_INIT(4 * AG_FIX_MAX_LEN);

	f->known = ag_new_n(f->arena, ag_known, t->texts.n + 1);
	for (size_t i = 0; i < t->texts.n; i++) {
		const ag_str text = ag_str_make(t->texts.v[i].ptr, t->texts.v[i].len);

		if (text.len > AG_FIX_MAX_LEN || t->texts.v[i].n < MIN_KNOWN)
			continue;
		fold(text, &b);
		f->known[f->nknown++] = (ag_known){ text, ag_buf_dup(f->arena, &b),
			                            t->texts.v[i].n };
	}
	ag_buf_release(&b);
}

/* Is it a slip itself, of a text that is far more frequent? */
static bool is_slip(ag_fix *f, const ag_known *k)
{
	for (size_t i = 0; i < f->nknown && f->ncompared < MAX_COMPARISONS; i++) {
		const ag_known *other = &f->known[i];

		if (other->n < RARE_RATIO * k->n || other->folded.len > k->folded.len + 1 ||
		    k->folded.len > other->folded.len + 1)
			continue;
		f->ncompared++;
		if (ag_str_distance(k->folded, other->folded) == 1)
			return true;
	}
	return false;
}

static ag_str nearest(ag_fix *f, ag_str s, size_t most)
{
	const uint64_t wrong = ag_tally_count(f->flagged, s);
	ag_buf b = AG_BUF_INIT(4 * AG_FIX_MAX_LEN);
	const ag_known *best = NULL;
	size_t least = most;
	bool is_tie = false;

	fold(s, &b);
	if (!f->known)
		list_known(f);
	for (size_t i = 0; i < f->nknown && f->ncompared < MAX_COMPARISONS; i++) {
		const ag_known *k = &f->known[i];
		const size_t gap = k->folded.len > b.len ? k->folded.len - b.len
		                                         : b.len - k->folded.len;
		size_t d;

		if (gap > most)
			continue;
		f->ncompared++;
		d = ag_str_distance(ag_buf_view(&b), k->folded);
		if (d > least)
			continue;
		if (best && d == least) {
			const uint64_t more = k->n > best->n ? k->n : best->n,
				       less = k->n > best->n ? best->n : k->n;
			/* Two spellings of one word may differ in case; another word must be far rarer. */
			const bool is_word = ag_str_eq(k->folded, best->folded);

			is_tie = is_tie || more < (is_word ? CLEAR_RATIO : RARE_RATIO) * less;
			if (k->n < best->n)
				continue;
		} else {
			is_tie = false;
		}
		least = d;
		best = k;
	}
	ag_buf_release(&b);
	if (!best || is_tie || best->n < CLEAR_RATIO * wrong || (least && is_slip(f, best)) ||
	    f->ncompared >= MAX_COMPARISONS)
		return AG_S("");
	return best->text;
}

static bool give_nearest(ag_fix *f, const ag_val *v, bool is_case, ag_val *ret)
{
	ag_str s, *answer;
	bool is_new;

	if (v->type != AG_T_STRING || !v->n || v->n > AG_FIX_MAX_LEN || f->others->is_full ||
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
