/* A lexer after SQLite's tokenize.c; lists of literals count as one, so that IN (1, 2) is IN (1, 2, 3). */
#include "sql/sqlite_sql_text.h"

#include <xxhash.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

/* The place after the closing quote; a doubled one does not close. */
static size_t quoted(ag_str sql, size_t at, char close)
{
	for (at++; at < sql.len; at++) {
		if (sql.ptr[at] != close)
			continue;
		if (close == ']' || at + 1 == sql.len || sql.ptr[at + 1] != close)
			return at + 1;
		at++;
	}
	return sql.len;
}

static size_t comment(ag_str sql, size_t at)
{
	if (sql.ptr[at] == '-') {
		while (at < sql.len && sql.ptr[at] != '\n')
			at++;
		return at;
	}
	for (at += 2; at + 1 < sql.len; at++)
		if (sql.ptr[at] == '*' && sql.ptr[at + 1] == '/')
			return at + 2;
	return sql.len;
}

static size_t number(ag_str sql, size_t at)
{
	while (at < sql.len) {
		char c = sql.ptr[at];
		bool is_sign = (c == '+' || c == '-') &&
		               (sql.ptr[at - 1] == 'e' || sql.ptr[at - 1] == 'E');

		if (!is_word(c) && c != '.' && !is_sign)
			break;
		at++;
	}
	return at;
}

ag_sqlite_token ag_sqlite_next(ag_str sql, size_t *at, ag_str *ret)
{
	size_t from = *at, to = from + 1;
	ag_sqlite_token kind = AG_SQLITE_OTHER;
	char c, next;

	*ret = AG_S("");
	if (from >= sql.len)
		return AG_SQLITE_END;
	c = sql.ptr[from];
	next = from + 1 < sql.len ? sql.ptr[from + 1] : '\0';
	if (is_blank(c)) {
		while (to < sql.len && is_blank(sql.ptr[to]))
			to++;
		kind = AG_SQLITE_BLANK;
	} else if ((c == '-' && next == '-') || (c == '/' && next == '*')) {
		to = comment(sql, from);
		kind = AG_SQLITE_COMMENT;
	} else if (c == ';') {
		kind = AG_SQLITE_SEMICOLON;
	} else if (c == '\'') {
		to = quoted(sql, from, '\'');
		kind = AG_SQLITE_LITERAL;
	} else if (c == '"' || c == '`' || c == '[') {
		to = quoted(sql, from, c == '[' ? ']' : c);
		kind = AG_SQLITE_NAME;
	} else if ((c == 'x' || c == 'X') && next == '\'') {
		to = quoted(sql, from + 1, '\'');
		kind = AG_SQLITE_LITERAL;
	} else if (is_digit(c) || (c == '.' && is_digit(next))) {
		to = number(sql, from + 1);
		kind = AG_SQLITE_LITERAL;
	} else if (is_word(c)) {
		while (to < sql.len && is_word(sql.ptr[to]))
			to++;
		kind = AG_SQLITE_WORD;
	}
	*ret = ag_str_make(sql.ptr + from, to - from);
	*at = to;
	return kind;
}

static bool is_nothing(ag_sqlite_token t)
{
	return t == AG_SQLITE_BLANK || t == AG_SQLITE_COMMENT || t == AG_SQLITE_SEMICOLON;
}

ag_str ag_sqlite_skip(ag_str sql)
{
	size_t at = 0, from = 0;
	ag_str token;

	while (is_nothing(ag_sqlite_next(sql, &at, &token)))
		from = at;
	return ag_str_make(sql.ptr + from, sql.len - from);
}

bool ag_sqlite_is_blank(ag_str sql)
{
	return ag_sqlite_skip(sql).len == 0;
}

ag_str ag_sqlite_first_word(ag_str sql)
{
	size_t at = 0;
	ag_str token;

	return ag_sqlite_next(sql, &at, &token) == AG_SQLITE_WORD ? token : AG_S("");
}

bool ag_sqlite_has_word(ag_str sql, ag_str word)
{
	ag_sqlite_token kind;
	size_t at = 0;
	ag_str token;

	while ((kind = ag_sqlite_next(sql, &at, &token)) != AG_SQLITE_END)
		if (kind == AG_SQLITE_WORD && ag_str_ieq(token, word))
			return true;
	return false;
}

bool ag_sqlite_is_closed(ag_str sql)
{
	ag_sqlite_token kind;
	size_t at = 0;
	ag_str token;

	while ((kind = ag_sqlite_next(sql, &at, &token)) != AG_SQLITE_END)
		if (kind == AG_SQLITE_COMMENT && token.ptr[0] == '/' &&
		    (token.len < 4 || !ag_str_ends(token, AG_S("*/"))))
			return false;
	return true;
}

static void add_lower(ag_buf *out, ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		ag_buf_addc(out, c >= 'A' && c <= 'Z' ? (char)(c + 32) : c);
	}
}

uint64_t ag_sqlite_fingerprint(ag_str sql)
{
	/* A blank for each token at most: twice the text is enough. */
	ag_buf form = AG_BUF_INIT(2 * sql.len + 16);
	ag_sqlite_token kind;
	uint64_t hash;
	size_t at = 0;
	ag_str token;

	while ((kind = ag_sqlite_next(sql, &at, &token)) != AG_SQLITE_END) {
		if (is_nothing(kind))
			continue;
		ag_buf_addc(&form, ' ');
		if (kind == AG_SQLITE_LITERAL)
			ag_buf_addc(&form, '?');
		else if (kind == AG_SQLITE_WORD)
			add_lower(&form, token);
		else
			ag_buf_add(&form, token);
		if (ag_str_ends(ag_buf_view(&form), AG_S(" ? , ?"))) {
			form.len -= 4;
			form.ptr[form.len] = '\0';
		}
	}
	hash = XXH64(form.ptr ? form.ptr : "", form.len, 0);
	ag_buf_release(&form);
	return hash ? hash : 1;
}
