/* json -- the writer: separators are worked out from one bit per level.
 *
 * Invariant: before a value, separate() has written the comma, the line break and the indent that
 * the place needs; a key does it for its value and sets after_key. Values on the top level are not
 * separated, so JSON lines are a loop with a newline of the caller.
 *
 * Strings are the hot path: quote_plain() copies short ones with one memcpy, quote_any() runs of plain
 * text, whose ends are found eight bytes at a time. */
#include "base/json.h"

#include <math.h>

#include "base/num.h"
#include "base/time.h"
#include "base/utf8.h"
#include "base/word.h"

/* Length of the run at p that needs neither an escape nor a look at its UTF-8. */
static size_t plain_run(const char *p, size_t n)
{
	size_t i = 0;

	while (i + 8 <= n && !ag_word_not_plain(ag_word_at(p + i)))
		i += 8;
	for (; i < n; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c < 0x20 || c == '"' || c == '\\' || c >= 0x80)
			break;
	}
	return i;
}

static void escape(ag_buf *out, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char shorts[] = "btn\0fr"; /* \b \t \n, none for \v, \f \r */
	char seq[6] = { '\\', (char)c, '0', '0', hex[c >> 4], hex[c & 15] };

	if (c == '"' || c == '\\') {
		ag_buf_add(out, ag_str_make(seq, 2));
	} else if (c >= '\b' && c <= '\r' && c != '\v') {
		seq[1] = shorts[c - '\b'];
		ag_buf_add(out, ag_str_make(seq, 2));
	} else {
		seq[1] = 'u';
		ag_buf_add(out, ag_str_make(seq, 6));
	}
}

#define SHORT_BYTES 256

/* Quote text that is plain to its end in one go, with the colon of a key. Most keys and values are;
 * asking the buffer for room once instead of three times shows in small objects. */
static AG_ALWAYS_INLINE bool quote_plain(ag_buf *out, ag_str s, bool is_key)
{
	const size_t n = s.len + (is_key ? 3 : 2);
	char *to;

	/* A long text would be read twice where the first escape comes late. */
	if (s.len > SHORT_BYTES || !ag_word_none(s, ag_word_not_plain))
		return false;
	to = ag_buf_room(out, n);
	if (!to)
		return true; /* the limit; it sticks */
	to[0] = '"';
	if (s.len)
		memcpy(to + 1, s.ptr, s.len);
	to[1 + s.len] = '"';
	if (is_key)
		to[2 + s.len] = ':';
	out->len += n;
	return true;
}

static void quote_any(ag_buf *out, ag_str s)
{
	size_t from = 0, i = 0; /* s[from, i) is good text that was not copied yet */

	ag_buf_addc(out, '"');
	for (;;) {
		size_t at;

		if (i < s.len)
			i += plain_run(s.ptr + i, s.len - i);
		if (i == s.len)
			break;
		if ((unsigned char)s.ptr[i] < 0x80) {
			ag_buf_add(out, ag_str_make(s.ptr + from, i - from));
			escape(out, (unsigned char)s.ptr[i]);
			from = ++i;
			continue;
		}
		at = i;
		/* A real U+FFFD is three bytes long; an invalid byte is one. */
		if (ag_utf8_next(s, &i) == 0xFFFD && i - at == 1) {
			ag_buf_add(out, ag_str_make(s.ptr + from, at - from));
			ag_buf_adds(out, "\xEF\xBF\xBD");
			from = i;
		}
	}
	if (i > from)
		ag_buf_add(out, ag_str_make(s.ptr + from, i - from));
	ag_buf_addc(out, '"');
}

void ag_json_quote(ag_buf *out, ag_str s)
{
	if (!quote_plain(out, s, false))
		quote_any(out, s);
}

void ag_jw_init(ag_jw *w, ag_buf *out, int indent)
{
	*w = (ag_jw){ .out = out, .indent = indent };
}

static void newline(ag_jw *w)
{
	size_t n = (size_t)w->indent * (size_t)w->depth;
	char *to;

	ag_buf_addc(w->out, '\n');
	to = ag_buf_room(w->out, n);
	if (to) {
		memset(to, ' ', n);
		w->out->len += n;
	}
}

/* Whether something was already written on the current level, and note that now it is. */
static bool mark_used(ag_jw *w)
{
	unsigned level = (unsigned)w->depth - 1;
	unsigned char bit = (unsigned char)(1u << (level % 8));
	bool was = (w->used[level / 8] & bit) != 0;

	w->used[level / 8] |= bit;
	return was;
}

static void separate(ag_jw *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (w->depth == 0 || w->depth > AG_JW_MAX_DEPTH)
		return;
	if (mark_used(w))
		ag_buf_addc(w->out, ',');
	if (w->indent > 0)
		newline(w);
}

static void open_level(ag_jw *w, char c)
{
	unsigned level = (unsigned)w->depth;

	separate(w);
	ag_buf_addc(w->out, c);
	w->depth++;
	if (level >= AG_JW_MAX_DEPTH)
		w->out->failed = true; /* goes on counting, so that the ends still match */
	else
		w->used[level / 8] &= (unsigned char)~(1u << (level % 8));
}

static void close_level(ag_jw *w, char c)
{
	unsigned level = (unsigned)w->depth - 1;
	bool used;

	AG_ASSERT(w->depth > 0 && !w->after_key);
	used = level < AG_JW_MAX_DEPTH && (w->used[level / 8] >> (level % 8) & 1);
	w->depth--;
	if (used && w->indent > 0)
		newline(w);
	ag_buf_addc(w->out, c);
}

void ag_jw_obj(ag_jw *w)
{
	open_level(w, '{');
}

void ag_jw_obj_end(ag_jw *w)
{
	close_level(w, '}');
}

void ag_jw_arr(ag_jw *w)
{
	open_level(w, '[');
}

void ag_jw_arr_end(ag_jw *w)
{
	close_level(w, ']');
}

void ag_jw_key(ag_jw *w, ag_str key)
{
	AG_ASSERT(w->depth > 0 && !w->after_key);
	separate(w);
	if (!quote_plain(w->out, key, true)) {
		quote_any(w->out, key);
		ag_buf_addc(w->out, ':');
	}
	if (w->indent > 0)
		ag_buf_addc(w->out, ' ');
	w->after_key = true;
}

void ag_jw_str(ag_jw *w, ag_str s)
{
	separate(w);
	ag_json_quote(w->out, s);
}

void ag_jw_raw(ag_jw *w, ag_str json)
{
	separate(w);
	ag_buf_add(w->out, json);
}

void ag_jw_int(ag_jw *w, int64_t v)
{
	char text[AG_NUM_MAX];

	ag_jw_raw(w, ag_str_make(text, ag_num_i64(text, v)));
}

void ag_jw_uint(ag_jw *w, uint64_t v)
{
	char text[AG_NUM_MAX];

	ag_jw_raw(w, ag_str_make(text, ag_num_u64(text, v)));
}

void ag_jw_double(ag_jw *w, double v)
{
	char text[AG_NUM_MAX];

	if (!isfinite(v))
		ag_jw_null(w);
	else
		ag_jw_raw(w, ag_str_make(text, ag_num_double(text, v, false)));
}

void ag_jw_bool(ag_jw *w, bool v)
{
	ag_jw_raw(w, v ? AG_S("true") : AG_S("false"));
}

void ag_jw_null(ag_jw *w)
{
	ag_jw_raw(w, AG_S("null"));
}

void ag_jw_kkey(ag_jw *w, const char *key)
{
	ag_jw_key(w, ag_str_c(key));
}

void ag_jw_kstr(ag_jw *w, const char *key, ag_str s)
{
	ag_jw_kkey(w, key);
	ag_jw_str(w, s);
}

void ag_jw_kint(ag_jw *w, const char *key, int64_t v)
{
	ag_jw_kkey(w, key);
	ag_jw_int(w, v);
}

void ag_jw_kuint(ag_jw *w, const char *key, uint64_t v)
{
	ag_jw_kkey(w, key);
	ag_jw_uint(w, v);
}

void ag_jw_kdouble(ag_jw *w, const char *key, double v)
{
	ag_jw_kkey(w, key);
	ag_jw_double(w, v);
}

void ag_jw_kbool(ag_jw *w, const char *key, bool v)
{
	ag_jw_kkey(w, key);
	ag_jw_bool(w, v);
}

void ag_jw_knull(ag_jw *w, const char *key)
{
	ag_jw_kkey(w, key);
	ag_jw_null(w);
}

void ag_jw_ktime(ag_jw *w, const char *key, int64_t ms)
{
	char text[AG_TIME_MAX_TEXT];

	ag_jw_kstr(w, key, ag_str_make(text, ag_time_format(text, ms)));
}

void ag_jw_ktime_or_null(ag_jw *w, const char *key, int64_t ms)
{
	if (ms)
		ag_jw_ktime(w, key, ms);
	else
		ag_jw_knull(w, key);
}

void ag_jw_kraw(ag_jw *w, const char *key, ag_str json)
{
	ag_jw_kkey(w, key);
	ag_jw_raw(w, json);
}
