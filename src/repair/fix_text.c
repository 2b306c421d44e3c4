/* fix_text -- repairs that the value itself is enough for. */
#include "base/utf8.h"
#include "repair/fix.h"

#define MAX_TEXT (1024u * 1024) /* bytes: a longer value is no cell to be repaired by rule */

static bool text_of(const ag_val *v, ag_str *ret)
{
	if (v->type != AG_T_STRING || !v->n || v->n > MAX_TEXT)
		return false;
	*ret = ag_val_text(v);
	return true;
}

/* The result, unless nothing is left. */
static bool give(ag_buf *b, ag_arena *arena, ag_val *ret)
{
	const bool is_good = !b->failed && ag_str_trim(ag_buf_view(b)).len;

	if (is_good)
		*ret = ag_val_str(ag_buf_dup(arena, b));
	ag_buf_release(b);
	return is_good;
}

static bool is_blank(uint32_t cp)
{
	return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0xa0;
}

static bool has_no_width(uint32_t cp)
{
	return cp == 0x200b || cp == 0x2060 || cp == 0xfeff;
}

bool ag_fix_blanks(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	/* The evidence of prose looks at the ends only: double blanks are style there. */
	const bool is_inner = ag_str_contains(f->evidence, AG_S(" {2,}"));
	ag_buf b = AG_BUF_INIT(MAX_TEXT);
	bool is_pending = false;
	size_t at = 0, end = 0;
	ag_str s;

	(void)row;
	if (!text_of(v, &s))
		return false;
	/* Cut off behind a word: without its last blank the text is no better. */
	if (f->others->nsentence * 10 >= f->others->n * 9 && !ag_tally_is_sentence(s))
		return false;
	while (at < s.len) {
		const size_t from = at;
		const uint32_t cp = ag_utf8_next(s, &at);

		if (is_inner && has_no_width(cp))
			continue;
		if (is_blank(cp)) {
			if (!b.len)
				continue;
			if (!is_inner)
				ag_buf_add(&b, ag_str_make(s.ptr + from, at - from));
			is_pending = true;
			continue;
		}
		if (is_inner && is_pending)
			ag_buf_addc(&b, ' ');
		is_pending = false;
		ag_buf_add(&b, ag_str_make(s.ptr + from, at - from));
		end = b.len;
	}
	b.len = end;
	return give(&b, arena, ret);
}

bool ag_fix_encoding(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	ag_buf b = AG_BUF_INIT(MAX_TEXT);
	unsigned left = (1u << AG_TEXT_MOJIBAKE) | (1u << AG_TEXT_REPLACEMENT);
	ag_str s;

	(void)f;
	(void)row;
	if (!text_of(v, &s) || !ag_text_repair(s, &b) ||
	    (ag_text_classify(ag_buf_view(&b)) & left)) {
		ag_buf_release(&b);
		return false;
	}
	return give(&b, arena, ret);
}

/* "&amp;" at the beginning of s; 0: not a known one. */
static uint32_t entity(ag_str s, size_t *ret_len)
{
	static const struct {
		const char *name;
		uint32_t cp;
	} names[] = { { "&amp;", '&' },  { "&lt;", '<' },    { "&gt;", '>' },
		      { "&quot;", '"' }, { "&apos;", '\'' }, { "&nbsp;", ' ' } };
	const ptrdiff_t end = ag_str_find(s, ';');
	uint32_t cp = 0;
	bool is_hex;

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		if (ag_str_starts(s, ag_str_c(names[i].name))) {
			*ret_len = strlen(names[i].name);
			return names[i].cp;
		}
	}
	if (end < 3 || end > 9 || s.ptr[1] != '#')
		return 0;
	is_hex = s.ptr[2] == 'x';
	for (ptrdiff_t i = 2 + is_hex; i < end; i++) {
		const char c = s.ptr[i];
		const uint32_t d = c >= '0' && c <= '9'             ? (uint32_t)(c - '0')
		                   : is_hex && c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
		                   : is_hex && c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
		                                                    : 99;

		if (d == 99)
			return 0;
		cp = cp * (is_hex ? 16 : 10) + d;
	}
	*ret_len = (size_t)end + 1;
	return cp < ' ' || cp > 0x10ffff || (cp >= 0x7f && cp < 0xa0) ||
	                       (cp >= 0xd800 && cp < 0xe000)
	               ? 0
	               : cp;
}

bool ag_fix_entities(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	ag_buf b = AG_BUF_INIT(MAX_TEXT);
	ag_str s;

	(void)f;
	(void)row;
	if (!text_of(v, &s))
		return false;
	/* Text with tags is HTML, and right as it is. */
	if (ag_str_contains(s, AG_S("</")) || ag_str_contains(s, AG_S("<br")))
		return false;
	for (size_t i = 0; i < s.len;) {
		size_t len = 0;
		const uint32_t cp = s.ptr[i] == '&'
		                            ? entity(ag_str_make(s.ptr + i, s.len - i), &len)
		                            : 0;
		char text[4];

		if (cp)
			ag_buf_add(&b, ag_str_make(text, ag_utf8_put(text, cp)));
		else
			ag_buf_addc(&b, s.ptr[i]);
		i += cp ? len : 1;
	}
	/* Escaped twice: how often is not known. */
	if (ag_text_classify(ag_buf_view(&b)) & (1u << AG_TEXT_ENTITY)) {
		ag_buf_release(&b);
		return false;
	}
	return give(&b, arena, ret);
}

bool ag_fix_control(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	ag_buf b = AG_BUF_INIT(MAX_TEXT);
	size_t at = 0;
	ag_str s;

	(void)f;
	(void)row;
	if (!text_of(v, &s))
		return false;
	while (at < s.len) {
		const size_t from = at;
		const uint32_t cp = ag_utf8_next(s, &at);

		/* Those of Latin-1 may be a letter in a broken encoding. */
		if (cp >= 0x80 && cp < 0xa0) {
			ag_buf_release(&b);
			return false;
		}
		if ((cp < ' ' && cp != '\t' && cp != '\n' && cp != '\r') || cp == 0x7f)
			continue;
		ag_buf_add(&b, ag_str_make(s.ptr + from, at - from));
	}
	return give(&b, arena, ret);
}

/* "ann at example.com", "ann@@example.com", "ann@ example.com" */
bool ag_fix_email(ag_fix *f, const ag_val *v, const ag_val *row, ag_arena *arena, ag_val *ret)
{
	ag_buf b = AG_BUF_INIT(400);
	size_t marks = 0;
	ag_str s;

	(void)f;
	(void)row;
	if (!text_of(v, &s) || s.len > 320)
		return false;
	s = ag_str_trim(s);
	for (size_t i = 0; i < s.len; i++) {
		const ag_str rest = ag_str_make(s.ptr + i, s.len - i);

		if (ag_str_starts(rest, AG_S(" at "))) {
			ag_buf_addc(&b, '@');
			marks++;
			i += 3;
		} else if (rest.ptr[0] == '@') {
			if (!b.len || b.ptr[b.len - 1] != '@') {
				ag_buf_addc(&b, '@');
				marks++;
			}
		} else if (rest.ptr[0] != ' ' || !b.len || b.ptr[b.len - 1] != '@') {
			ag_buf_addc(&b, rest.ptr[0]);
		}
	}
	if (marks != 1 || !(ag_text_classify(ag_buf_view(&b)) & (1u << AG_TEXT_EMAIL))) {
		ag_buf_release(&b);
		return false;
	}
	return give(&b, arena, ret);
}
