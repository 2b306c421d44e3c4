/* statement -- see the header. A token is a word, a text in quotes, or one sign; a blank is only kept between two words. */
#include "knowledge/statement.h"

#define MAX_BYTES (1u << 20)

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Behind a comment or blanks that begin at i; i itself when there are none. */
static size_t skip(ag_str s, size_t i)
{
	for (;;) {
		const size_t from = i;

		while (i < s.len && (unsigned char)s.ptr[i] <= ' ')
			i++;
		if (i + 1 < s.len && s.ptr[i] == '-' && s.ptr[i + 1] == '-') {
			while (i < s.len && s.ptr[i] != '\n')
				i++;
		} else if (i + 1 < s.len && s.ptr[i] == '/' && s.ptr[i + 1] == '*') {
			for (i += 2; i < s.len &&
			             !(s.ptr[i - 1] == '*' && s.ptr[i] == '/' && i > from + 2);)
				i++;
			i += i < s.len;
		}
		if (i == from)
			return i;
	}
}

static size_t quoted(ag_str s, size_t i, ag_buf *out)
{
	const char q = s.ptr[i];
	const size_t from = i++;

	while (i < s.len && s.ptr[i] != q)
		i++;
	i += i < s.len;
	ag_buf_add(out, ag_str_make(s.ptr + from, i - from));
	return i;
}

ag_str ag_know_plain_sql(ag_str sql, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(MAX_BYTES);
	bool after_word = false;
	ag_str ret;
	size_t i;

	for (i = skip(sql, 0); i < sql.len; i = skip(sql, i)) {
		const size_t from = i;

		if (sql.ptr[i] == '\'' || sql.ptr[i] == '"') {
			i = quoted(sql, i, &out);
			after_word = false;
			continue;
		}
		if (!is_word(sql.ptr[i])) {
			ag_buf_addc(&out, sql.ptr[i++]);
			after_word = false;
			continue;
		}
		if (after_word)
			ag_buf_addc(&out, ' ');
		for (; i < sql.len && is_word(sql.ptr[i]); i++)
			ag_buf_addc(&out, (char)(sql.ptr[i] +
			                         32 * (sql.ptr[i] >= 'A' && sql.ptr[i] <= 'Z')));
		after_word = i > from;
	}
	while (out.len && out.ptr[out.len - 1] == ';')
		out.ptr[--out.len] = '\0';
	ret = out.failed ? AG_S("") : ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

bool ag_know_uses_sql(ag_str whole, ag_str part)
{
	if (!part.len || part.len > whole.len)
		return false;
	if (ag_str_eq(whole, part))
		return true;
	for (size_t i = 0; i + part.len + 2 <= whole.len; i++) {
		if (whole.ptr[i] == '(' && whole.ptr[i + 1 + part.len] == ')' &&
		    memcmp(whole.ptr + i + 1, part.ptr, part.len) == 0)
			return true;
	}
	return false;
}
