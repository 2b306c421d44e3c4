/* The conditions of a statement, for people who check an answer. A scanner, no parser: what is in quotes and comments is
 * skipped, brackets are counted. */
#include "analyst/answer.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* Behind the closing quote; a doubled one is a part of the text. */
static size_t skip_quoted(ag_str s, size_t i)
{
	const char quote = s.ptr[i++];

	while (i < s.len) {
		if (s.ptr[i] != quote) {
			i++;
		} else if (i + 1 < s.len && s.ptr[i + 1] == quote) {
			i += 2;
		} else {
			return i + 1;
		}
	}
	return i;
}

/* The position after a comment that begins at i; i itself without one. */
static size_t skip_comment(ag_str s, size_t i)
{
	if (i + 1 >= s.len)
		return i;
	if (s.ptr[i] == '-' && s.ptr[i + 1] == '-') {
		while (i < s.len && s.ptr[i] != '\n')
			i++;
	} else if (s.ptr[i] == '/' && s.ptr[i + 1] == '*') {
		for (i += 2; i + 1 < s.len && !(s.ptr[i] == '*' && s.ptr[i + 1] == '/');)
			i++;
		i = i + 2 < s.len ? i + 2 : s.len;
	}
	return i;
}

static bool ends_condition(ag_str word)
{
	static const char *const words[] = { "group",     "order",  "limit", "having",
		                             "union",     "except", "fetch", "window",
		                             "intersect", "offset", "where", NULL };

	for (size_t i = 0; words[i]; i++) {
		if (ag_str_ieq(word, ag_str_c(words[i])))
			return true;
	}
	return false;
}

typedef struct scan {
	ag_str sql;
	ag_str *ret;
	size_t n;
	/* Conditions that are open, innermost last. */
	struct {
		size_t begin, at; /* at: its place in ret */
		unsigned depth;
	} open[AG_ANALYST_MAX_FILTERS];
	size_t nopen;
	unsigned depth;
} scan;

static void close_condition(scan *c, size_t end)
{
	const size_t i = --c->nopen;

	c->ret[c->open[i].at] = ag_str_trim(
		ag_str_make(c->sql.ptr + c->open[i].begin, end - c->open[i].begin));
}

static void take_word(scan *c, size_t begin, size_t end)
{
	const ag_str word = ag_str_make(c->sql.ptr + begin, end - begin);

	if (!ends_condition(word))
		return;
	if (c->nopen && c->open[c->nopen - 1].depth == c->depth)
		close_condition(c, begin);
	if (c->n == AG_ANALYST_MAX_FILTERS ||
	    (!ag_str_ieq(word, AG_S("where")) && !ag_str_ieq(word, AG_S("having"))))
		return;
	c->open[c->nopen].begin = end;
	c->open[c->nopen].at = c->n;
	c->open[c->nopen++].depth = c->depth;
	c->ret[c->n++] = AG_S("");
}

size_t ag_analyst_filters(ag_str sql, ag_str ret[AG_ANALYST_MAX_FILTERS])
{
	scan c = { .sql = sql, .ret = ret };

	for (size_t i = 0; i < sql.len;) {
		const char ch = sql.ptr[i];
		size_t next = skip_comment(sql, i);

		if (next > i) {
			i = next;
		} else if (ch == '\'' || ch == '"') {
			i = skip_quoted(sql, i);
		} else if (is_word(ch)) {
			for (next = i; next < sql.len && is_word(sql.ptr[next]);)
				next++;
			take_word(&c, i, next);
			i = next;
		} else {
			if (ch == ')' && c.nopen && c.open[c.nopen - 1].depth == c.depth)
				close_condition(&c, i);
			if (ch == '(')
				c.depth++;
			else if (ch == ')' && c.depth)
				c.depth--;
			i++;
		}
	}
	while (c.nopen)
		close_condition(&c, sql.len);
	for (size_t i = 0; i < c.n; i++) {
		while (ret[i].len && ret[i].ptr[ret[i].len - 1] == ';')
			ret[i] = ag_str_trim(ag_str_make(ret[i].ptr, ret[i].len - 1));
	}
	return c.n;
}
