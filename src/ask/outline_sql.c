/* outline_sql -- CREATE statements of SQL. One ends at the ";" outside of brackets and bodies, or where the next begins. */
#include <stdlib.h>

#include "ask/outline_code.h"

#define MASK (AG_CODE_DASH | AG_CODE_QUOTES | AG_CODE_SINGLE)

static bool eat(ag_code_scan *c, const char *word)
{
	ag_code_scan at = *c;

	if (!ag_str_ieq(ag_code_word(&at), ag_str_c(word)))
		return false;
	*c = at;
	return true;
}

static bool eat_one_of(ag_code_scan *c, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (eat(c, words[i]))
			return true;
	return false;
}

/* schema.name, with or without quotes; read from the raw line, for the mask has blanks between quotes. */
static ag_str name_of(ag_str raw, size_t at)
{
	size_t end = at;
	char quote = 0;

	for (; end < raw.len; end++) {
		char c = raw.ptr[end];

		if (quote) {
			if (c == quote)
				quote = 0;
		} else if (c == '"' || c == '`' || c == '[') {
			quote = c == '[' ? ']' : c;
		} else if (!ag_code_is_word(c) && c != '.') {
			break;
		}
	}
	raw = ag_str_make(raw.ptr + at, end - at);
	while (raw.len && strchr("\"`]", raw.ptr[raw.len - 1]))
		raw.len--;
	for (size_t i = raw.len; i > 0; i--)
		if (raw.ptr[i - 1] && strchr(".\"`[", raw.ptr[i - 1]))
			return ag_str_make(raw.ptr + i, raw.len - i);
	return raw;
}

/* Behind CREATE … kind; *has_body: it may hold statements of its own. */
static bool create(ag_code_scan *c, bool *has_body)
{
	static const char *const before[] = { "or",     "replace",      "temp",     "temporary",
		                              "unique", "materialized", "virtual",  "unlogged",
		                              "global", "local",        "recursive" };
	static const char *const kinds[] = { "table",  "view",     "index",  "type",
		                             "schema", "sequence", "domain", "extension" };
	static const char *const bodies[] = { "function", "procedure", "trigger" };

	if (!eat(c, "create"))
		return false;
	while (eat_one_of(c, before, AG_NELEM(before)))
		;
	*has_body = eat_one_of(c, bodies, AG_NELEM(bodies));
	if (!*has_body && !eat_one_of(c, kinds, AG_NELEM(kinds)))
		return false;
	eat(c, "concurrently");
	if (eat(c, "if")) {
		eat(c, "not");
		eat(c, "exists");
	}
	return true;
}

/* $$ or $tag$ on the line: how often. */
static unsigned dollars(ag_str line)
{
	unsigned n = 0;

	for (size_t i = 0; i < line.len; i++) {
		size_t end = i + 1;

		if (line.ptr[i] != '$')
			continue;
		while (end < line.len && line.ptr[end] != '$' && ag_code_is_word(line.ptr[end]))
			end++;
		if (end < line.len && line.ptr[end] == '$')
			n++;
		i = end;
	}
	return n;
}

typedef struct statement {
	size_t item; /* + 1; 0 = none is open */
	int paren;
	bool has_body, in_begin, in_dollars;
} statement;

/* Does the open statement end on this line? */
static bool ends(statement *s, ag_str line)
{
	ag_code_scan c = { line, 0 };
	bool is_end = eat(&c, "end");

	c.i = 0;
	if (s->has_body && (eat(&c, "begin") || ag_str_ends(line, AG_S(" BEGIN"))))
		s->in_begin = true;
	if (dollars(line) % 2)
		s->in_dollars = !s->in_dollars;
	for (size_t i = 0; i < line.len; i++) {
		s->paren += line.ptr[i] == '(';
		s->paren -= line.ptr[i] == ')' && s->paren > 0;
	}
	return ag_str_ends(line, AG_S(";")) && !s->paren && !s->in_dollars &&
	       (!s->in_begin || is_end || dollars(line));
}

void ag_outline_sql(ag_outline_build *b)
{
	char *masked = ag_code_mask(b->text, MASK);
	statement s = { .item = 0 };
	unsigned last = 0;

	for (size_t i = 1; i <= b->nline && b->n < AG_OUTLINE_MAX_ITEMS; i++) {
		ag_str raw = ag_outline_line(b, i), line = raw;
		ag_code_scan c;
		bool has_body;

		line.ptr = masked + (raw.ptr - b->text.ptr);
		line = ag_str_trim(line);
		if (!line.len)
			continue;
		raw = ag_str_make(raw.ptr + (line.ptr - (masked + (raw.ptr - b->text.ptr))),
		                  line.len);
		c = (ag_code_scan){ line, 0 };
		if (!s.in_dollars && create(&c, &has_body)) {
			ag_str name = name_of(raw, c.i);

			if (s.item)
				b->items[s.item - 1].stop = last;
			s = (statement){ .has_body = has_body };
			if (name.len && ag_outline_add(b, ag_code_title(ag_code_before(raw, '(')),
			                               name, 1, (unsigned)i))
				s.item = b->n;
		}
		last = (unsigned)i;
		if (s.item && ends(&s, line)) {
			b->items[s.item - 1].stop = last;
			s = (statement){ .item = 0 };
		}
	}
	free(masked);
}
