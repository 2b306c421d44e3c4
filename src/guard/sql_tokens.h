/* sql_tokens -- what PostgreSQL's scanner says about a text: where the statement is, and what it is like. */
#ifndef AG_GUARD_SQL_TOKENS_H
#define AG_GUARD_SQL_TOKENS_H

#include "base/arena.h"
#include "guard/sql_load.h"

typedef struct ag_sql_tokens {
	ag_str sql; /* NUL-terminated */
	PgQuery__ScanToken **all;
	size_t n;
	/* Of the first statement: its tokens, comments between them included. begin == end: there is none. */
	size_t begin, end;
} ag_sql_tokens;

/* `begin` and `end` from the rest: without comments and semicolons around the statement. */
void ag_sql_tokens_bounds(ag_sql_tokens *t);
/* The next token that is no comment, from i on; t->end when there is none. */
size_t ag_sql_tokens_next(const ag_sql_tokens *t, size_t i);
ag_str ag_sql_token_text(const ag_sql_tokens *t, size_t i);
bool ag_sql_token_is(const ag_sql_tokens *t, size_t i, PgQuery__Token token);

/* Does the word stand outside of all brackets? */
bool ag_sql_tokens_has_outside(const ag_sql_tokens *t, PgQuery__Token word);

/* Names the kind of a statement: "DROP TABLE", "CREATE MATERIALIZED VIEW", "SET". */
ag_str ag_sql_tokens_kind(const ag_sql_tokens *t, ag_arena *arena);

/* The first token of the query in EXPLAIN. has_options: the tree says so (a bracket alone does not: EXPLAIN (SELECT 1)). */
size_t ag_sql_tokens_explained(const ag_sql_tokens *t, bool has_options);

/* A statement like another but for its literals has the same. XXH64 over the tokens: a keyword by its number, a name
 * folded as the server folds it, a literal or parameter as one mark, a list of such as one; no comments, no blanks. Never 0. */
uint64_t ag_sql_tokens_fingerprint(const ag_sql_tokens *t);

/* Syntax of a PostgreSQL after 15, at which its parser therefore stopped: a literal like "IS JSON", else NULL. */
const char *ag_sql_tokens_newer(const ag_sql_tokens *t, size_t error_byte);

/* Character, from 1, of a byte offset from 0. */
uint32_t ag_sql_position(ag_str sql, size_t byte);

#endif
