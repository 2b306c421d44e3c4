/* SQLite's result codes and messages as the SQLSTATE that PostgreSQL would use.
 *
 * Its codes tell little about the text of a statement (all is SQLITE_ERROR), so the beginnings of its messages do; they
 * are part of its tests and have not changed in years. What no row knows is an execution error, never a wrong class. */
#include "base/utf8.h"
#include "sql/sqlite_sql.h"

typedef struct word_row {
	const char *words;
	const char *state;
} word_row;

/* The message begins so: what follows may be anybody's words. */
static const word_row beginnings[] = {
	{ "no such column: ", "42703" },
	{ "no such table: ", "42P01" },
	{ "no such view: ", "42P01" },
	{ "unknown database", "3F000" },
	{ "no such function: ", "42883" },
	{ "no such table-valued function: ", "42883" },
	{ "wrong number of arguments to function", "42883" },
	{ "too many arguments on", "42883" },
	{ "ambiguous", "42702" },
	{ "duplicate WITH table name", "42712" },
	{ "misuse of window function", "42P20" },
	{ "misuse of aliased window function", "42P20" },
	{ "no such window: ", "42P20" },
	{ "misuse of aggregate", "42803" },
	{ "misuse of aliased aggregate", "42803" },
	{ "a GROUP BY clause is required", "42803" },
	{ "HAVING clause on a non-aggregate query", "42803" },
	{ "aggregate functions are not allowed in the GROUP BY", "42803" },
	{ "no such collation sequence", "42704" },
	{ "no such index", "42704" },
	{ "no such module", "42704" },
	{ "circular", "42P19" },
	{ "parser stack overflow", "54001" },
	{ "Expression tree is too large", "54001" },
	{ "too many terms in compound SELECT", "54001" },
	{ "too many FROM clause terms", "54001" },
	{ "at most 64 tables in a join", "54001" },
	{ "too many references to", "54001" },
	{ "LIKE or GLOB pattern too complex", "54001" },
	{ "query aborted", "54001" },
	{ "too many columns", "54011" },
	{ "too many SQL variables", "54000" },
	{ "statement too long", "54000" },
	{ "string or blob too big", "54000" },
	{ "unsafe use of", "42501" },
	{ "not authorized", "42501" },
	{ "malformed JSON", "22032" },
	{ "JSON path error", "22033" },
	{ "bad JSON path", "22033" },
	{ "JSON cannot hold BLOB", "22032" },
	{ "integer overflow", "22003" },
	{ "ESCAPE expression must be a single character", "22019" },
	{ "near ", "42601" },
	{ "incomplete input", "42601" },
	{ "unrecognized token", "42601" },
	{ "SELECTs to the left and right", "42601" },
};

/* The message contains it, after a name or number. */
static const word_row messages[] = {
	{ "column not present in both tables", "42703" },
	{ "is not a function", "42883" },
	{ "term out of range", "42P10" },
	{ "does not match any column in the result set", "42P10" },
	{ "values for", "42P10" },
	{ "recursive", "42P19" },
	{ "recursion", "42P19" },
	{ "is prohibited", "42501" },
	{ "argument to nth_value", "22016" },
	{ "argument of ntile", "22014" },
	{ "offset must be a non-negative", "22013" },
	{ "syntax error", "42601" },
};

/* Of a primary result code, when its message says no more. */
static const struct {
	int rc;
	const char *state;
} codes[] = {
	{ SQLITE_BUSY, "55P03" },       { SQLITE_LOCKED, "55P03" },    { SQLITE_PROTOCOL, "55P03" },
	{ SQLITE_SCHEMA, "40001" },     { SQLITE_INTERRUPT, "57014" }, { SQLITE_NOMEM, "53200" },
	{ SQLITE_FULL, "53100" },       { SQLITE_TOOBIG, "54000" },    { SQLITE_READONLY, "25006" },
	{ SQLITE_AUTH, "42501" },       { SQLITE_PERM, "42501" },      { SQLITE_MISMATCH, "42804" },
	{ SQLITE_CONSTRAINT, "23000" }, { SQLITE_CORRUPT, "XX001" },   { SQLITE_NOTADB, "XX001" },
	{ SQLITE_IOERR, "58030" },      { SQLITE_CANTOPEN, "58030" },  { SQLITE_NOLFS, "58030" },
};

static const char *state_of(int rc, ag_str message)
{
	int primary = rc & 0xff;

	if (primary == SQLITE_ERROR || primary == SQLITE_AUTH) {
		for (size_t i = 0; i < AG_NELEM(beginnings); i++)
			if (ag_str_starts(message, ag_str_c(beginnings[i].words)))
				return beginnings[i].state;
		for (size_t i = 0; i < AG_NELEM(messages); i++)
			if (ag_str_contains(message, ag_str_c(messages[i].words)))
				return messages[i].state;
		return "38000";
	}
	for (size_t i = 0; i < AG_NELEM(codes); i++)
		if (codes[i].rc == primary)
			return codes[i].state;
	return "XX000";
}

/* SQLite gives bytes from 0; -1 when it does not know. */
static uint32_t position_of(sqlite3 *db, ag_str sql)
{
	int at = sqlite3_error_offset(db);

	if (at < 0 || (size_t)at > sql.len)
		return 0;
	return (uint32_t)ag_utf8_count(ag_str_make(sql.ptr, (size_t)at)) + 1;
}

/* One line: a message quotes the statement. */
static ag_str one_line(ag_arena *arena, const char *message)
{
	char *copy = ag_str_cstr(arena, ag_utf8_prefix(ag_str_c(message), 300));

	for (char *p = copy; *p; p++)
		if (*p == '\n' || *p == '\r' || *p == '\t')
			*p = ' ';
	return ag_str_c(copy);
}

void ag_sqlite_failure(ag_sqlite_conn *c, int rc, ag_str sql, ag_arena *arena, ag_sql_failure *ret)
{
	const char *message = c->db ? sqlite3_errmsg(c->db) : sqlite3_errstr(rc);
	uint32_t position = c->db && sql.len ? position_of(c->db, sql) : 0;
	const char *state;

	if (c->is_stopped && (rc & 0xff) != SQLITE_NOMEM) {
		ag_sql_failure_of_stop(AG_SQL_STOP_TIMEOUT, ret); /* the parent knows why */
		return;
	}
	/* Said of the handle before this call, or of nothing. */
	if (!message || !*message || strcmp(message, "not an error") == 0)
		message = sqlite3_errstr(rc);
	state = state_of(rc, ag_str_c(message));
	ag_sql_failure_of_state(state, ret);
	ret->message = one_line(arena, message);
	ret->position = position;
	switch (rc & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		ret->is_connection_lost = true;
		c->must_close = true;
		break;
	case SQLITE_TOOBIG:
		ret->message = AG_S("a value of the statement is larger than 16 MiB");
		ret->hint = AG_S(
			"ask for length(x), or make smaller values before they are joined");
		break;
	case SQLITE_NOMEM:
		ret->message = AG_S("the statement needs more memory than it may have");
		ret->hint = AG_S("select smaller values, or fewer of them at once");
		c->must_close = true;
		break;
	default: break;
	}
}
