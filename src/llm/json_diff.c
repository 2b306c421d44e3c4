/* json_diff -- where two JSON texts part, in words.
 *
 * Both trees are walked side by side in the order of the recorded one; the first difference ends the walk. The depth is
 * the parser's limit, so recursion is safe. */
#include "llm/transport.h"

#include "base/json.h"
#include "query/extjson.h"

#define AROUND        40 /* bytes of each text that are shown */
#define BEFORE        12 /* of them before the place where they part: enough to recognise it */
#define MAX_PATH      512
#define MAX_NOTE      2048
#define MAX_SHOWN_VAL 60

typedef struct walk {
	ag_buf path; /* under construction; cut back when a level is left */
	ag_buf note; /* what differs; not empty = found */
} walk;

/* --- words --------------------------------------------------------------------------------------- */

static bool is_tail(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* `n` bytes from `from` on, moved so that no character is cut, quoted. */
static void quote_around(ag_buf *out, ag_str s, size_t from, size_t n)
{
	size_t end = s.len - from < n ? s.len : from + n;

	while (from < end && from > 0 && is_tail(s.ptr[from]))
		from--;
	while (end > from && end < s.len && is_tail(s.ptr[end]))
		end--;
	if (from > 0)
		ag_buf_adds(out, "…");
	ag_json_quote(out, ag_str_make(s.ptr + from, end - from));
	if (end < s.len)
		ag_buf_adds(out, "…");
}

static void note_strings(walk *w, ag_str a, ag_str b)
{
	size_t at = 0, from;

	while (at < a.len && at < b.len && a.ptr[at] == b.ptr[at])
		at++;
	from = at > BEFORE ? at - BEFORE : 0;
	ag_buf_add(&w->note, ag_buf_view(&w->path));
	ag_buf_addf(&w->note, ": byte %zu: recorded ", at);
	quote_around(&w->note, a, from, AROUND);
	ag_buf_adds(&w->note, ", now ");
	quote_around(&w->note, b, from, AROUND);
}

static void put_value(ag_buf *out, const ag_val *v, ag_arena *scratch)
{
	ag_str text;

	if (!v) {
		ag_buf_adds(out, "nothing");
		return;
	}
	if (v->type == AG_T_STRING) {
		quote_around(out, ag_val_text(v), 0, AROUND);
		return;
	}
	text = ag_extjson_str(scratch, v, AG_EXTJSON_RELAXED);
	if (text.len > MAX_SHOWN_VAL) {
		size_t n = MAX_SHOWN_VAL;

		while (n > 0 && is_tail(text.ptr[n]))
			n--;
		ag_buf_add(out, ag_str_make(text.ptr, n));
		ag_buf_adds(out, "…");
		return;
	}
	ag_buf_add(out, text);
}

static void note_values(walk *w, const ag_val *a, const ag_val *b)
{
	ag_arena *scratch = ag_arena_new();

	ag_buf_add(&w->note, ag_buf_view(&w->path));
	ag_buf_adds(&w->note, ": recorded ");
	put_value(&w->note, a, scratch);
	ag_buf_adds(&w->note, ", now ");
	put_value(&w->note, b, scratch);
	ag_arena_free(scratch);
}

/* --- the walk ------------------------------------------------------------------------------------ */

static bool is_plain_name(ag_str key)
{
	for (size_t i = 0; i < key.len; i++) {
		char c = key.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		      (i > 0 && c >= '0' && c <= '9')))
			return false;
	}
	return key.len > 0;
}

static size_t enter_key(walk *w, ag_str key)
{
	size_t before = w->path.len;

	if (is_plain_name(key)) {
		ag_buf_addc(&w->path, '.');
		ag_buf_add(&w->path, key);
	} else {
		ag_buf_addc(&w->path, '[');
		ag_json_quote(&w->path, key);
		ag_buf_addc(&w->path, ']');
	}
	return before;
}

static void leave(walk *w, size_t before)
{
	w->path.len = before;
	w->path.failed = false;
	if (w->path.ptr)
		w->path.ptr[before] = '\0';
}

static void compare(walk *w, const ag_val *a, const ag_val *b);

static void compare_arrays(walk *w, const ag_val *a, const ag_val *b)
{
	uint32_t n = a->n < b->n ? a->n : b->n;

	for (uint32_t i = 0; i < n && !w->note.len; i++) {
		size_t before = w->path.len;

		ag_buf_addf(&w->path, "[%u]", i);
		compare(w, &a->u.items[i], &b->u.items[i]);
		leave(w, before);
	}
	if (!w->note.len && a->n != b->n) {
		ag_buf_add(&w->note, ag_buf_view(&w->path));
		ag_buf_addf(&w->note, ": recorded %u items, now %u", a->n, b->n);
	}
}

static void compare_objects(walk *w, const ag_val *a, const ag_val *b)
{
	bool same_order = a->n == b->n;

	for (uint32_t i = 0; i < a->n && !w->note.len; i++) {
		const ag_member *m = &a->u.members[i];
		const ag_val *other = ag_val_get(b, m->key);
		size_t before = enter_key(w, m->key);

		if (!other)
			note_values(w, &m->val, NULL);
		else
			compare(w, &m->val, other);
		leave(w, before);
		same_order = same_order && ag_str_eq(b->u.members[i].key, m->key);
	}
	for (uint32_t i = 0; i < b->n && !w->note.len; i++) {
		const ag_member *m = &b->u.members[i];
		size_t before = enter_key(w, m->key);

		if (!ag_val_get(a, m->key))
			note_values(w, NULL, &m->val);
		leave(w, before);
	}
	if (!w->note.len && !same_order) {
		ag_buf_add(&w->note, ag_buf_view(&w->path));
		ag_buf_adds(&w->note, ": the members stand in another order");
	}
}

static void compare(walk *w, const ag_val *a, const ag_val *b)
{
	if (a->type != b->type)
		note_values(w, a, b);
	else if (a->type == AG_T_OBJECT)
		compare_objects(w, a, b);
	else if (a->type == AG_T_ARRAY)
		compare_arrays(w, a, b);
	else if (a->type == AG_T_STRING && !ag_str_eq(ag_val_text(a), ag_val_text(b)))
		note_strings(w, ag_val_text(a), ag_val_text(b));
	else if (a->type != AG_T_STRING && !ag_val_eq(a, b))
		note_values(w, a, b);
}

ag_str ag_json_difference(ag_str recorded, ag_str now, ag_arena *arena)
{
	ag_arena *scratch = ag_arena_new();
	walk w = { AG_BUF_INIT(MAX_PATH), AG_BUF_INIT(MAX_NOTE) };
	const ag_extjson_opts plain = { 0 };
	ag_val a, b;
	ag_str ret;

	ag_buf_adds(&w.path, "$");
	if (ag_extjson_parse(recorded, &plain, scratch, &a, NULL, NULL, NULL) ||
	    ag_extjson_parse(now, &plain, scratch, &b, NULL, NULL, NULL)) {
		/* Texts that are no JSON (a GET has none) are compared as they are. */
		if (!ag_str_eq(recorded, now))
			note_strings(&w, recorded, now);
	} else {
		compare(&w, &a, &b);
	}
	ret = ag_buf_dup(arena, &w.note);
	ag_buf_release(&w.path);
	ag_buf_release(&w.note);
	ag_arena_free(scratch);
	return ret;
}
