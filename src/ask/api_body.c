/* api_body -- the body of an answer: counted whole, shown in part, written as JSON.
 *
 * A reader who sees the beginning of a long array will count what it sees; so the count is made here, of all that was
 * read, and a cut never leaves half an element. What is shown is exact text of the answer from its first byte on, with
 * two exceptions: bytes that are no UTF-8 (the writer repairs them), and our own key, should the other side echo it.
 *
 * Order: collecting, where to cut, the key, the JSON. */
#include "ask/api_parts.h"
#include "base/json.h"
#include "base/log.h"
#include "query/extjson.h"

#define MIN_KEY_PIECE 4            /* bytes of the key that a cut may leave at the end */
#define MAX_TEXT      (128u << 10) /* of all members but the body */

void ag_api_body_init(ag_api_body *b, size_t keep)
{
	*b = (ag_api_body){ .keep = keep };
	ag_buf_init(&b->head, keep);
	ag_json_shape_init(&b->shape, keep);
}

void ag_api_body_release(ag_api_body *b)
{
	ag_buf_release(&b->head);
}

void ag_api_body_take(ag_api_body *b, ag_str piece)
{
	size_t room = b->keep - b->head.len;

	b->nbyte += piece.len;
	ag_json_shape_feed(&b->shape, piece);
	ag_buf_add(&b->head, ag_str_make(piece.ptr, piece.len < room ? piece.len : room));
}

/* --- where to cut */

/* Without the beginning of a character whose end is missing. */
static size_t whole_characters(ag_str s)
{
	size_t n = s.len, back = 0;
	unsigned char c;

	while (back < 3 && back < n && ((unsigned char)s.ptr[n - back - 1] & 0xc0) == 0x80)
		back++;
	if (back == n)
		return n;
	c = (unsigned char)s.ptr[n - back - 1];
	if ((c >= 0xf0 && c <= 0xf4 && back < 3) || (c >= 0xe0 && c < 0xf0 && back < 2) ||
	    (c >= 0xc2 && c < 0xe0 && back < 1))
		return n - back - 1;
	return n;
}

/* How many bytes are shown. An object with one long text would lose most of it if it were cut behind its last member. */
static size_t shown_bytes(const ag_api_answer *x)
{
	const ag_api_body *b = &x->body;
	const ag_json_shape *shape = &b->shape;

	if (x->is_whole && b->nbyte <= b->keep)
		return b->head.len;
	if (!shape->is_broken && shape->good_end &&
	    (shape->root == '[' || shape->good_end >= b->head.len / 2))
		return shape->good_end;
	return whole_characters(ag_buf_view(&b->head));
}

/* --- our own key */

static size_t find(ag_str s, size_t from, ag_str part)
{
	const char *p = s.len > from ? memmem(s.ptr + from, s.len - from, part.ptr, part.len)
	                             : NULL;

	return p ? (size_t)(p - s.ptr) : s.len;
}

/* A cut through the key leaves its beginning at the end of the text, which no later search would find. */
static ag_str without_key_piece(ag_str s, ag_str key)
{
	size_t n = key.len - 1 < s.len ? key.len - 1 : s.len;

	for (; n >= MIN_KEY_PIECE; n--) {
		if (memcmp(s.ptr + s.len - n, key.ptr, n) == 0)
			return ag_str_make(s.ptr, s.len - n);
	}
	return s;
}

static ag_str without_key(const ag_api_answer *x, ag_str s, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(SIZE_MAX / 2);
	size_t at = 0, next;
	ag_str ret;

	if (!x->key.len || find(s, 0, x->key) == s.len)
		return s;
	while ((next = find(s, at, x->key)) < s.len) {
		ag_buf_add(&out, ag_str_make(s.ptr + at, next - at));
		ag_buf_adds(&out, "[redacted]");
		at = next + x->key.len;
	}
	ag_buf_add(&out, ag_str_make(s.ptr + at, s.len - at));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* --- the JSON */

static void text_member(ag_jw *w, const ag_api_answer *x, const char *name, ag_str text,
                        ag_arena *arena)
{
	if (text.len)
		ag_jw_kstr(w, name, without_key(x, text, arena));
}

/* The key of a member as text; "" when it is not fit to be shown. */
static ag_str key_text(const ag_json_array *a, ag_arena *arena)
{
	const ag_extjson_opts opts = { .repair_utf8 = true };
	ag_str quoted = ag_str_printf(arena, "\"%.*s\"", (int)a->nkey, a->key);
	ag_err unheard;
	ag_val v;

	if (ag_extjson_parse(quoted, &opts, arena, &v, NULL, NULL, &unheard))
		return AG_S("");
	return ag_val_text(&v);
}

/* In JSON the last one of a name counts. */
static bool comes_again(const ag_json_shape *s, size_t i)
{
	ag_str key = ag_str_make(s->arrays[i].key, s->arrays[i].nkey);

	while (++i < s->narray) {
		if (ag_str_eq(ag_str_make(s->arrays[i].key, s->arrays[i].nkey), key))
			return true;
	}
	return false;
}

/* {"items":257} */
static void member_lengths(ag_jw *w, const ag_api_answer *x, bool is_exact, ag_arena *arena)
{
	const ag_json_shape *s = &x->body.shape;

	ag_jw_kkey(w, is_exact ? "array_lengths" : "array_lengths_at_least");
	ag_jw_obj(w);
	for (size_t i = 0; i < s->narray; i++) {
		if (comes_again(s, i))
			continue;
		ag_jw_key(w, without_key(x, key_text(&s->arrays[i], arena), arena));
		ag_jw_uint(w, s->arrays[i].n);
	}
	ag_jw_obj_end(w);
}

static void lengths(ag_jw *w, ag_api_answer *x, ag_arena *arena)
{
	const ag_json_shape *s = &x->body.shape;
	bool is_exact = x->is_whole && ag_json_shape_end(&x->body.shape);

	/* Read to its end and no JSON: then nothing is known. */
	if (s->is_broken || x->is_encoded || (x->is_whole && !is_exact))
		return;
	if (s->root == '[')
		ag_jw_kuint(w, is_exact ? "array_length" : "array_length_at_least", s->n);
	else if (s->narray)
		member_lengths(w, x, is_exact, arena);
}

static void body_members(ag_jw *w, ag_api_answer *x, ag_arena *arena)
{
	size_t n = shown_bytes(x);
	ag_str shown = ag_str_make(x->body.head.ptr ? x->body.head.ptr : "", n);
	bool is_cut = !x->is_whole || n < x->body.nbyte;

	if (is_cut && x->key.len)
		shown = without_key_piece(shown, x->key);
	if (is_cut) /* the beginning of another key of this process */
		shown.len = ag_log_whole(shown);
	ag_jw_kint(w, "status_code", x->http.status);
	ag_jw_kstr(w, "body", without_key(x, shown, arena));
	text_member(w, x, "content_type", x->http.content_type, arena);
	lengths(w, x, arena);
	if (!is_cut || x->is_encoded)
		return;
	ag_jw_kbool(w, "truncated", true);
	ag_jw_kuint(w, x->is_whole ? "bytes" : "bytes_at_least", x->body.nbyte);
	if (shown.len)
		ag_jw_kstr(w, "shown_bytes", ag_str_printf(arena, "0-%zu", shown.len - 1));
}

ag_str ag_api_answer_json(ag_api_answer *x, ag_arena *arena)
{
	/* A control character is written with six bytes. */
	ag_buf out = AG_BUF_INIT(6 * x->body.keep + MAX_TEXT);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_obj(&w);
	if (x->error) {
		text_member(&w, x, "error", ag_str_c(x->error->msg), arena);
		text_member(&w, x, "hint", ag_str_c(x->error->hint), arena);
	}
	if (x->http.status)
		body_members(&w, x, arena);
	text_member(&w, x, "location", x->http.location, arena);
	text_member(&w, x, "note", x->note, arena);
	ag_jw_obj_end(&w);
	AG_ASSERT(!out.failed);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}
