/* outline_scan -- words and groups of one line of code. */
#include "ask/outline_code.h"

bool ag_code_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

void ag_code_skip_blanks(ag_code_scan *c)
{
	while (c->i < c->s.len && (c->s.ptr[c->i] == ' ' || c->s.ptr[c->i] == '\t'))
		c->i++;
}

char ag_code_peek(const ag_code_scan *c)
{
	return c->i < c->s.len ? c->s.ptr[c->i] : 0;
}

ag_str ag_code_rest(const ag_code_scan *c)
{
	return ag_str_make(c->s.ptr + c->i, c->s.len - c->i);
}

ag_str ag_code_word(ag_code_scan *c)
{
	size_t from;
	ag_str word;

	ag_code_skip_blanks(c);
	from = c->i;
	if (ag_code_peek(c) >= '0' && ag_code_peek(c) <= '9')
		return AG_S("");
	while (c->i < c->s.len && ag_code_is_word(c->s.ptr[c->i]))
		c->i++;
	word = ag_str_make(c->s.ptr + from, c->i - from);
	ag_code_skip_blanks(c);
	return word;
}

bool ag_code_eat(ag_code_scan *c, const char *word)
{
	ag_str rest, want = ag_str_c(word);

	ag_code_skip_blanks(c);
	rest = ag_code_rest(c);
	if (!ag_str_starts(rest, want))
		return false;
	if (ag_code_is_word(word[0]) && rest.len > want.len && ag_code_is_word(rest.ptr[want.len]))
		return false;
	c->i += want.len;
	ag_code_skip_blanks(c);
	return true;
}

bool ag_code_skip_group(ag_code_scan *c, char open, char close)
{
	size_t depth = 0;

	if (ag_code_peek(c) != open)
		return false;
	for (size_t i = c->i; i < c->s.len; i++) {
		depth += c->s.ptr[i] == open;
		/* "->" and "=>" close no angle. */
		if (c->s.ptr[i] != close || (close == '>' && i && strchr("-=", c->s.ptr[i - 1])))
			continue;
		if (--depth == 0) {
			c->i = i + 1;
			ag_code_skip_blanks(c);
			return true;
		}
	}
	return false;
}

bool ag_code_in(ag_str word, const char *words)
{
	const char *p = words;

	if (!word.len)
		return false;
	while (*p) {
		size_t n = strcspn(p, " ");

		if (n == word.len && memcmp(p, word.ptr, n) == 0)
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}

bool ag_code_is_upper(ag_str word)
{
	bool has_letter = false;

	for (size_t i = 0; i < word.len; i++) {
		char c = word.ptr[i];

		if (c >= 'A' && c <= 'Z')
			has_letter = true;
		else if (c != '_' && !(c >= '0' && c <= '9'))
			return false;
	}
	return has_letter && word.len > 1;
}

bool ag_code_route(ag_outline_build *b, ag_str verb, ag_str raw, ag_str *ret)
{
	ag_str path;
	char name[16];
	size_t i = 0;

	while (i < raw.len && raw.ptr[i] != '"' && raw.ptr[i] != '\'' && raw.ptr[i] != '`')
		i++;
	if (i + 1 >= raw.len || verb.len >= sizeof(name))
		return false;
	path = ag_str_make(raw.ptr + i + 1, raw.len - i - 1);
	for (size_t end = 0; end < path.len; end++) {
		if (path.ptr[end] != raw.ptr[i])
			continue;
		path.len = end;
		for (size_t k = 0; k < verb.len; k++)
			name[k] = (char)(verb.ptr[k] >= 'a' && verb.ptr[k] <= 'z' ? verb.ptr[k] - 32
			                                                          : verb.ptr[k]);
		if (path.len && path.ptr[0] != '/')
			*ret = ag_str_printf(b->arena, "%.*s /%.*s", (int)verb.len, name,
			                     AG_FMT(path));
		else
			*ret = ag_str_printf(b->arena, "%.*s %.*s", (int)verb.len, name,
			                     AG_FMT(path));
		return true;
	}
	return false;
}

ag_str ag_code_title(ag_str raw)
{
	for (;;) {
		raw = ag_str_trim(raw);
		if (!raw.len || !strchr("{;:", raw.ptr[raw.len - 1]))
			break;
		raw.len--;
	}
	if (ag_str_ends(raw, AG_S("=>")))
		raw.len -= 2;
	return ag_str_trim(raw);
}

ag_str ag_code_before(ag_str s, char c)
{
	ptrdiff_t i = ag_str_find(s, c);

	return ag_str_trim(i < 0 ? s : ag_str_make(s.ptr, (size_t)i));
}
