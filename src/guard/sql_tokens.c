/* sql_tokens -- see the header. The scanner has read the whole text without an error; the parser may still refuse it. */
#include "guard/sql_tokens.h"

#include <xxhash.h>

#include "base/utf8.h"

#define T(name) PG_QUERY__TOKEN__##name

static bool is_comment(PgQuery__Token t)
{
	return t == T(SQL_COMMENT) || t == T(C_COMMENT);
}

bool ag_sql_token_is(const ag_sql_tokens *t, size_t i, PgQuery__Token token)
{
	return i < t->n && t->all[i]->token == token;
}

ag_str ag_sql_token_text(const ag_sql_tokens *t, size_t i)
{
	/* Up to the next one: the scanner gives a wrong end to U&"names" and U&'texts'. */
	const size_t start = (size_t)t->all[i]->start;
	const size_t end = i + 1 < t->n ? (size_t)t->all[i + 1]->start : t->sql.len;

	return ag_str_trim(ag_str_make(t->sql.ptr + start, end - start));
}

size_t ag_sql_tokens_next(const ag_sql_tokens *t, size_t i)
{
	while (i < t->end && is_comment(t->all[i]->token))
		i++;
	return i;
}

void ag_sql_tokens_bounds(ag_sql_tokens *t)
{
	size_t i = 0;

	while (i < t->n && (is_comment(t->all[i]->token) || ag_sql_token_is(t, i, T(ASCII_59))))
		i++;
	t->begin = i;
	t->end = i;
	/* A semicolon ends the statement: inside of one there is none (CREATE RULE, CREATE FUNCTION have some; they are
	 * refused whatever their text). */
	for (; i < t->n && !ag_sql_token_is(t, i, T(ASCII_59)); i++)
		if (!is_comment(t->all[i]->token))
			t->end = i + 1;
}

bool ag_sql_tokens_has_outside(const ag_sql_tokens *t, PgQuery__Token word)
{
	size_t depth = 0;

	for (size_t i = t->begin; i < t->end; i++) {
		if (ag_sql_token_is(t, i, T(ASCII_40)))
			depth++;
		else if (ag_sql_token_is(t, i, T(ASCII_41)) && depth)
			depth--;
		else if (depth == 0 && ag_sql_token_is(t, i, word))
			return true;
	}
	return false;
}

/* --- what kind of statement --- */

static void add_word(ag_buf *out, ag_str word)
{
	if (out->len)
		ag_buf_addc(out, ' ');
	for (size_t i = 0; i < word.len && i < 40; i++) {
		const char c = word.ptr[i];

		ag_buf_addc(out, (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
	}
}

ag_str ag_sql_tokens_kind(const ag_sql_tokens *t, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(200);
	size_t i = t->begin;
	ag_str ret;

	if (i < t->end) {
		const PgQuery__Token first = t->all[i]->token;
		bool more = first == T(CREATE) || first == T(ALTER) || first == T(DROP) ||
		            first == T(REFRESH) || first == T(IMPORT_P) || first == T(SECURITY);

		add_word(&out, ag_sql_token_text(t, i));
		while (more && (i = ag_sql_tokens_next(t, i + 1)) < t->end) {
			switch (t->all[i]->token) {
			case T(OR):
			case T(REPLACE):
			case T(TEMP):
			case T(TEMPORARY):
			case T(LOCAL):
			case T(GLOBAL):
			case T(UNLOGGED):
			case T(UNIQUE):
			case T(TRUSTED):
			case T(RECURSIVE): continue;
			case T(MATERIALIZED):
			case T(FOREIGN):
			case T(EVENT):
			case T(DEFAULT): break;
			default: more = false; break;
			}
			if (t->all[i]->keyword_kind != PG_QUERY__KEYWORD_KIND__NO_KEYWORD)
				add_word(&out, ag_sql_token_text(t, i));
		}
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

size_t ag_sql_tokens_explained(const ag_sql_tokens *t, bool has_options)
{
	size_t i = ag_sql_tokens_next(t, t->begin + 1);
	size_t depth = 0;

	if (!has_options)
		return i;
	if (!ag_sql_token_is(t, i, T(ASCII_40))) {
		while (ag_sql_token_is(t, i, T(VERBOSE)) || ag_sql_token_is(t, i, T(ANALYZE)) ||
		       ag_sql_token_is(t, i, T(ANALYSE)))
			i = ag_sql_tokens_next(t, i + 1);
		return i;
	}
	for (; i < t->end; i++) {
		if (ag_sql_token_is(t, i, T(ASCII_40)))
			depth++;
		else if (ag_sql_token_is(t, i, T(ASCII_41)) && --depth == 0)
			return ag_sql_tokens_next(t, i + 1);
	}
	return t->end;
}

/* --- fingerprint --- */

static bool is_literal(PgQuery__Token t)
{
	switch (t) {
	case T(FCONST):
	case T(SCONST):
	case T(USCONST):
	case T(BCONST):
	case T(XCONST):
	case T(ICONST):
	case T(PARAM): return true;
	default: return false;
	}
}

/* A name as the server folds it: ASCII only, which is what it does in UTF-8. */
static uint64_t hash_name(ag_str name, uint64_t hash)
{
	char part[64];
	size_t n = 0;

	if (name.len && (name.ptr[0] == '"' || ag_str_contains(name, AG_S("\""))))
		return XXH64(name.ptr, name.len, hash);
	for (size_t i = 0; i < name.len; i++) {
		const char c = name.ptr[i];

		part[n++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
		if (n == sizeof(part)) {
			hash = XXH64(part, n, hash);
			n = 0;
		}
	}
	return XXH64(part, n, hash);
}

static uint64_t hash_token(const ag_sql_tokens *t, size_t i, uint64_t hash)
{
	const int32_t token = (int32_t)t->all[i]->token;

	if (is_literal(t->all[i]->token))
		return XXH64("?", 1, hash);
	hash = XXH64(&token, sizeof(token), hash);
	if (token == T(IDENT) || token == T(UIDENT))
		return hash_name(ag_sql_token_text(t, i), hash);
	if (token == T(Op)) {
		const ag_str op = ag_sql_token_text(t, i);

		return XXH64(op.ptr, op.len, hash);
	}
	return hash;
}

uint64_t ag_sql_tokens_fingerprint(const ag_sql_tokens *t)
{
	uint64_t hash = 1; /* of this way to make one */
	bool was_literal = false;

	for (size_t i = ag_sql_tokens_next(t, t->begin); i < t->end;
	     i = ag_sql_tokens_next(t, i + 1)) {
		const size_t next = ag_sql_tokens_next(t, i + 1);

		/* 1, 2, 3 is one literal: IN lists and VALUES differ in length from day to day */
		if (was_literal && ag_sql_token_is(t, i, T(ASCII_44)) && next < t->end &&
		    is_literal(t->all[next]->token)) {
			i = next;
			continue;
		}
		hash = hash_token(t, i, hash);
		was_literal = is_literal(t->all[i]->token);
	}
	return hash ? hash : 1;
}

/* --- syntax of later versions --- */

static bool is_word(const ag_sql_tokens *t, size_t i, const char *word)
{
	return i < t->end && ag_str_ieq(ag_sql_token_text(t, i), ag_str_c(word));
}

/* Words that end in what a later PostgreSQL reads on, and where 15 stops. */
static const char *newer_words(const ag_sql_tokens *t, size_t at, size_t before, size_t before_that)
{
	if (is_word(t, at, "JSON") && (is_word(t, before, "IS") || (is_word(t, before, "NOT") &&
	                                                            is_word(t, before_that, "IS"))))
		return "IS JSON";
	if (is_word(t, at, "LOCAL") && is_word(t, before, "AT"))
		return "AT LOCAL";
	/* 15 takes ALL for the start of GROUP BY ALL (a, b) */
	if (is_word(t, before, "ALL") && is_word(t, before_that, "BY"))
		return "GROUP BY ALL";
	if (is_word(t, at, "RETURNING") && is_word(t, t->begin, "MERGE"))
		return "MERGE ... RETURNING";
	return NULL;
}

static const char *newer_function(const ag_sql_tokens *t, size_t i)
{
	static const char *const names[] = { "JSON_TABLE",     "JSON_QUERY",    "JSON_VALUE",
		                             "JSON_EXISTS",    "JSON_OBJECT",   "JSON_ARRAY",
		                             "JSON_OBJECTAGG", "JSON_ARRAYAGG", "JSON_SCALAR",
		                             "JSON_SERIALIZE", "JSON" };

	for (size_t k = 0; k < AG_NELEM(names); k++)
		if (is_word(t, i, names[k]))
			return names[k];
	return NULL;
}

const char *ag_sql_tokens_newer(const ag_sql_tokens *t, size_t error_byte)
{
	size_t before = t->end, before_that = t->end, at;
	size_t open[64], depth = 0; /* what stands before each open bracket */

	for (at = ag_sql_tokens_next(t, t->begin);
	     at < t->end && (size_t)t->all[at]->start < error_byte;
	     at = ag_sql_tokens_next(t, at + 1)) {
		if (ag_sql_token_is(t, at, T(ASCII_40)) && depth < AG_NELEM(open))
			open[depth++] = before;
		else if (ag_sql_token_is(t, at, T(ASCII_41)) && depth)
			depth--;
		before_that = before;
		before = at;
	}
	if (newer_words(t, at, before, before_that))
		return newer_words(t, at, before, before_that);
	while (depth)
		if (newer_function(t, open[--depth]))
			return newer_function(t, open[depth]);
	return NULL;
}

uint32_t ag_sql_position(ag_str sql, size_t byte)
{
	return (uint32_t)ag_utf8_count(ag_str_make(sql.ptr, byte < sql.len ? byte : sql.len)) + 1;
}
