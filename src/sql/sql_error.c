/* One table: a row is a whole SQLSTATE or a class (its first two characters); the longest that fits says what to do.
 *
 * Every class of PostgreSQL 15's appendix A has a row, so a state that no row names still gets the words of its class.
 * Hints are ours because a server's own hint is often missing; when it has one, the engine puts it instead. */
#include "sql/sql_error.h"

#include <stdio.h>

typedef struct state_row {
	const char *state; /* "42703" or "42" */
	ag_sql_code code;
	const char *class_name;
	const char *hint;
	bool is_lost;
} state_row;

#define HINT_SYNTAX                                                                              \
	"check commas, parentheses, quotes and the spelling of keywords; text stands in single " \
	"quotes, names in double quotes"
#define HINT_COLUMN                                                                      \
	"ask describe_table for the columns; look at upper and lower case, the table's " \
	"alias, and whether it is spelled right"
#define HINT_TABLE                                                                          \
	"ask list_tables for what is there; names are lower case unless quoted; it may be " \
	"in another schema"
#define HINT_FUNCTION                                                                  \
	"check the name and the types of the arguments; cast them where they differ, " \
	"as in x::numeric"
#define HINT_AMBIGUOUS "put the table's name or alias before the column, as in u.id"
#define HINT_GROUPING                                                                         \
	"every selected column stands in GROUP BY or in an aggregate such as max(); windows " \
	"and aggregates are not allowed in WHERE"
#define HINT_TYPE                                                                         \
	"look up the types with describe_table and cast explicitly, as in x::date; test " \
	"for NULL with IS NULL"
#define HINT_VALUE "a value does not fit its type: look at some values, filter or cast them"
#define HINT_PERMISSION                                                                         \
	"this role may only read the project's own tables, and some of them are excluded: ask " \
	"list_tables"
#define HINT_TIMEOUT                                                                            \
	"make it smaller: filter more with WHERE, name the columns you need, aggregate or add " \
	"LIMIT, or do it in steps"
#define HINT_READ_ONLY  "statements are read-only here: write a SELECT"
#define HINT_CONNECTION "the database cannot be reached now; try again later"
#define HINT_LOGIN      "ask the administrator: the database does not let Argus in"
#define HINT_ADMIN \
	"the database has a fault that another statement may not meet; tell the administrator"
#define HINT_EXECUTION "read the message, check names and joins, and simplify the statement"
#define HINT_BUSY      "the database could not do it just now; try again"
#define HINT_LARGE     "it needs more than the database allows: simplify it or do it in steps"

static const state_row rows[] = {
	/* --- the connection --- */
	{ "08", AG_SQLCODE_CONNECTION, "connection", HINT_CONNECTION, true },
	{ "28", AG_SQLCODE_CONNECTION, "connection", HINT_LOGIN, true },
	{ "3D", AG_SQLCODE_CONNECTION, "connection", HINT_LOGIN, true },
	{ "53300", AG_SQLCODE_CONNECTION, "connection", HINT_CONNECTION, true },
	{ "57P01", AG_SQLCODE_CONNECTION, "connection", HINT_CONNECTION, true },
	{ "57P02", AG_SQLCODE_CONNECTION, "connection", HINT_CONNECTION, true },
	{ "57P03", AG_SQLCODE_CONNECTION, "connection", HINT_CONNECTION, true },
	{ "57P04", AG_SQLCODE_CONNECTION, "connection", HINT_LOGIN, true },
	{ "57P05", AG_SQLCODE_CONNECTION, "connection", HINT_CONNECTION, true },
	{ "25P03", AG_SQLCODE_CONNECTION, "connection", HINT_CONNECTION, true },

	/* --- the text of the statement --- */
	{ "42", AG_SQLCODE_VALIDATION, "syntax", HINT_SYNTAX, false },
	{ "42703", AG_SQLCODE_VALIDATION, "column_not_found", HINT_COLUMN, false },
	{ "42P01", AG_SQLCODE_VALIDATION, "table_not_found", HINT_TABLE, false },
	{ "3F", AG_SQLCODE_VALIDATION, "table_not_found", HINT_TABLE, false },
	{ "42809", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "42883", AG_SQLCODE_VALIDATION, "function_not_found", HINT_FUNCTION, false },
	{ "42704", AG_SQLCODE_VALIDATION, "type_mismatch",
	  "no type, collation or object of that name is there: check its spelling", false },
	{ "42702", AG_SQLCODE_VALIDATION, "ambiguous", HINT_AMBIGUOUS, false },
	{ "42701", AG_SQLCODE_VALIDATION, "ambiguous", "give each column a name of its own",
	  false },
	{ "42712", AG_SQLCODE_VALIDATION, "ambiguous", "give each table an alias of its own",
	  false },
	{ "42710", AG_SQLCODE_VALIDATION, "ambiguous", "give each name once", false },
	{ "42P08", AG_SQLCODE_VALIDATION, "ambiguous", HINT_TYPE, false },
	{ "42P09", AG_SQLCODE_VALIDATION, "ambiguous", HINT_AMBIGUOUS, false },
	{ "42725", AG_SQLCODE_VALIDATION, "ambiguous",
	  "several functions fit: cast the arguments, as in x::text", false },
	{ "42803", AG_SQLCODE_VALIDATION, "grouping", HINT_GROUPING, false },
	{ "42P20", AG_SQLCODE_VALIDATION, "grouping", HINT_GROUPING, false },
	{ "42P10", AG_SQLCODE_VALIDATION, "grouping",
	  "with DISTINCT or set operations ORDER BY names only selected columns; positions are "
	  "those of the list",
	  false },
	{ "42804", AG_SQLCODE_VALIDATION, "type_mismatch", HINT_TYPE, false },
	{ "42846", AG_SQLCODE_VALIDATION, "type_mismatch", HINT_TYPE, false },
	{ "42P18", AG_SQLCODE_VALIDATION, "type_mismatch", HINT_TYPE, false },
	{ "42P21", AG_SQLCODE_VALIDATION, "type_mismatch", HINT_TYPE, false },
	{ "42P22", AG_SQLCODE_VALIDATION, "type_mismatch", HINT_TYPE, false },
	{ "42501", AG_SQLCODE_PERMISSION, "permission", HINT_PERMISSION, false },
	{ "0L", AG_SQLCODE_PERMISSION, "permission", HINT_PERMISSION, false },
	{ "0P", AG_SQLCODE_PERMISSION, "permission", HINT_PERMISSION, false },
	{ "0A", AG_SQLCODE_VALIDATION, "execution",
	  "the database does not support this form: write it another way", false },
	{ "03", AG_SQLCODE_VALIDATION, "syntax", HINT_SYNTAX, false },

	/* --- values --- */
	{ "22", AG_SQLCODE_VALIDATION, "invalid_value", HINT_VALUE, false },
	{ "22012", AG_SQLCODE_VALIDATION, "invalid_value",
	  "guard the divisor, as in a / NULLIF(b, 0)", false },
	{ "22007", AG_SQLCODE_VALIDATION, "invalid_value",
	  "write dates as '2026-01-31' and times as '2026-01-31 08:00:00'", false },
	{ "22008", AG_SQLCODE_VALIDATION, "invalid_value",
	  "write dates as '2026-01-31' and times as '2026-01-31 08:00:00'", false },
	{ "2201B", AG_SQLCODE_VALIDATION, "invalid_value",
	  "the regular expression cannot be read: check brackets and backslashes", false },
	{ "2200G", AG_SQLCODE_VALIDATION, "type_mismatch", HINT_TYPE, false },
	{ "20", AG_SQLCODE_VALIDATION, "invalid_value", "give the CASE an ELSE", false },
	{ "21", AG_SQLCODE_VALIDATION, "execution",
	  "a subquery in place of a value may give one row and one column: use IN, an aggregate or "
	  "LIMIT 1",
	  false },
	{ "23", AG_SQLCODE_VALIDATION, "refused", HINT_READ_ONLY, false },
	{ "44", AG_SQLCODE_VALIDATION, "refused", HINT_READ_ONLY, false },

	/* --- only reading --- */
	{ "25006", AG_SQLCODE_VALIDATION, "refused", HINT_READ_ONLY, false },
	{ "2F", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "2F002", AG_SQLCODE_VALIDATION, "refused", HINT_READ_ONLY, false },
	{ "2F003", AG_SQLCODE_VALIDATION, "refused", HINT_READ_ONLY, false },
	{ "38", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "38002", AG_SQLCODE_VALIDATION, "refused", HINT_READ_ONLY, false },
	{ "38003", AG_SQLCODE_VALIDATION, "refused", HINT_READ_ONLY, false },
	{ "09", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "0F", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "0Z", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "27", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "2B", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "39", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "P0", AG_SQLCODE_VALIDATION, "execution", HINT_EXECUTION, false },
	{ "55", AG_SQLCODE_VALIDATION, "execution",
	  "what the statement reads is not ready for it: choose another table or tell the "
	  "administrator",
	  false },

	/* --- time and size --- */
	/* ag_sql_failure_of_stop() knows the reason. */
	{ "57014", AG_SQLCODE_QUERY_TIMEOUT, "timeout", HINT_TIMEOUT, false },
	{ "55P03", AG_SQLCODE_QUERY_TIMEOUT, "timeout",
	  "somebody else holds a lock on what it reads; try again later", false },
	{ "53", AG_SQLCODE_UNAVAILABLE, "resource", HINT_BUSY, false },
	{ "53400", AG_SQLCODE_TOO_COSTLY, "resource", HINT_LARGE, false },
	{ "54", AG_SQLCODE_VALIDATION, "resource", HINT_LARGE, false },
	{ "40", AG_SQLCODE_UNAVAILABLE, "execution", HINT_BUSY, false },
	{ "72", AG_SQLCODE_UNAVAILABLE, "execution", HINT_BUSY, false },
	{ "57", AG_SQLCODE_UNAVAILABLE, "execution", HINT_BUSY, false },

	/* --- foreign servers --- */
	{ "HV", AG_SQLCODE_UNAVAILABLE, "execution",
	  "the server behind this foreign table does not answer as it should; leave the table out or "
	  "try again later",
	  false },

	/* --- the database's own faults --- */
	{ "58", AG_SQLCODE_INTERNAL, "execution", HINT_ADMIN, false },
	{ "F0", AG_SQLCODE_INTERNAL, "execution", HINT_ADMIN, false },
	{ "XX", AG_SQLCODE_INTERNAL, "execution", HINT_ADMIN, false },

	/* --- a state of the session that Argus did not make: better a new connection --- */
	{ "0B", AG_SQLCODE_INTERNAL, "execution", HINT_BUSY, true },
	{ "24", AG_SQLCODE_INTERNAL, "execution", HINT_BUSY, true },
	{ "25", AG_SQLCODE_INTERNAL, "execution", HINT_BUSY, true },
	{ "26", AG_SQLCODE_INTERNAL, "execution", HINT_BUSY, true },
	{ "2D", AG_SQLCODE_INTERNAL, "execution", HINT_BUSY, true },
	{ "34", AG_SQLCODE_INTERNAL, "execution", HINT_BUSY, true },
	{ "3B", AG_SQLCODE_INTERNAL, "execution", HINT_BUSY, true },

	/* --- no failures at all: a server that sends them as such is not understood --- */
	{ "00", AG_SQLCODE_INTERNAL, "execution", "", false },
	{ "01", AG_SQLCODE_INTERNAL, "execution", "", false },
	{ "02", AG_SQLCODE_INTERNAL, "execution", "", false },
};

static const struct {
	const char *text;
	bool is_retryable;
} codes[] = {
#define X(name, text, retry) [AG_SQLCODE_##name] = { text, retry },
	AG_SQL_CODE_TABLE(X)
#undef X
};

const char *ag_sql_code_name(ag_sql_code c)
{
	AG_ASSERT(c < AG_SQLCODE_COUNT);
	return codes[c].text;
}

bool ag_sql_code_retryable(ag_sql_code c)
{
	AG_ASSERT(c < AG_SQLCODE_COUNT);
	return codes[c].is_retryable;
}

/* The row of the whole state, else of its class, else NULL. A failure is no hot path: 80 comparisons are nothing. */
static const state_row *find_row(const char *state)
{
	const state_row *found = NULL;

	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		size_t n = strlen(rows[i].state);

		if (strncmp(rows[i].state, state, n) == 0 && (!found || n == 5))
			found = &rows[i];
	}
	return found;
}

void ag_sql_failure_of_state(const char sqlstate[6], ag_sql_failure *ret)
{
	const state_row *row = find_row(sqlstate);

	*ret = (ag_sql_failure){ 0 };
	snprintf(ret->sqlstate, sizeof(ret->sqlstate), "%.5s", sqlstate);
	ret->code = row ? row->code : AG_SQLCODE_INTERNAL;
	ret->class_name = row ? row->class_name : "execution";
	ret->message = AG_S("");
	ret->detail = AG_S("");
	ret->hint = row ? ag_str_c(row->hint) : AG_S("");
	ret->is_connection_lost = row && row->is_lost;
}

void ag_sql_failure_of_stop(ag_sql_stop why, ag_sql_failure *ret)
{
	ag_sql_failure_of_state("57014", ret);
	if (why == AG_SQL_STOP_TIMEOUT) {
		ret->message = AG_S("the statement took longer than allowed and was stopped");
		return;
	}
	ret->code = AG_SQLCODE_CANCELLED;
	ret->class_name = "cancelled";
	ret->hint = AG_S("");
	ret->message = why == AG_SQL_STOP_CLIENT_GONE
	                       ? AG_S("the statement was stopped: its client disconnected")
	                       : AG_S("the statement was stopped");
}

void ag_sql_failure_of_running(ag_sql_stop why, bool is_lost, int pid, unsigned limit,
                               ag_arena *arena, ag_sql_failure *ret)
{
	const ag_str backend = pid ? ag_str_printf(arena, " (backend %d)", pid) : AG_S("");

	ag_sql_failure_of_stop(why, ret);
	ret->class_name = "still_running";
	ret->is_still_running = true;
	ret->message = ag_str_printf(
		arena,
		"%s. It was asked to stop, %s%.*s; it counts against the limit of %u connections until it "
		"ends",
		why == AG_SQL_STOP_TIMEOUT       ? "the statement took longer than allowed"
		: why == AG_SQL_STOP_CLIENT_GONE ? "the client of the statement disconnected"
						 : "the statement was cancelled",
		is_lost ? "but the connection was lost and the server may still be running it"
			: "but the server is still running it",
		AG_FMT(backend), limit);
	ret->hint = AG_S(
		"do not send it again: work on smaller values; some functions of the server cannot "
		"be interrupted");
}

void ag_sql_failure_pool_timeout(int64_t waited_ms, ag_arena *arena, ag_sql_failure *ret)
{
	*ret = (ag_sql_failure){
		.code = AG_SQLCODE_POOL_TIMEOUT,
		.class_name = "connection",
		.message = ag_str_printf(
			arena,
			"all connections to the database were in use for %lld ms; the statement was "
			"not sent",
			(long long)waited_ms),
		.detail = AG_S(""),
		.hint = AG_S("other statements are running: try again in a moment"),
		.retry_after_ms = 1000,
	};
}

void ag_sql_failure_of_err(const ag_err *e, ag_arena *arena, ag_sql_failure *ret)
{
	static const struct {
		ag_status status;
		const char *state; /* "" = none */
		ag_sql_code code;
		const char *class_name;
	} of[] = {
		{ AG_TIMEOUT, "57014", AG_SQLCODE_QUERY_TIMEOUT, "timeout" },
		{ AG_CANCELLED, "57014", AG_SQLCODE_CANCELLED, "cancelled" },
		{ AG_UNAVAILABLE, "", AG_SQLCODE_CONNECTION, "connection" },
		{ AG_IO, "", AG_SQLCODE_CONNECTION, "connection" },
		{ AG_PROTOCOL, "", AG_SQLCODE_CONNECTION, "connection" },
		{ AG_NOT_FOUND, "", AG_SQLCODE_NOT_FOUND, "execution" },
		{ AG_DENIED, "", AG_SQLCODE_PERMISSION, "permission" },
		{ AG_INVALID, "", AG_SQLCODE_VALIDATION, "refused" },
		{ AG_LIMIT, "54000", AG_SQLCODE_VALIDATION, "resource" },
	};

	*ret = (ag_sql_failure){
		.code = AG_SQLCODE_INTERNAL,
		.class_name = "execution",
		.message = ag_str_dup(arena, ag_str_c(e->msg)),
		.detail = AG_S(""),
		.hint = ag_str_dup(arena, ag_str_c(e->hint)),
	};
	for (size_t i = 0; i < AG_NELEM(of); i++) {
		if (of[i].status != e->status)
			continue;
		ret->code = of[i].code;
		ret->class_name = of[i].class_name;
		memcpy(ret->sqlstate, of[i].state, strlen(of[i].state) + 1);
		if (ret->hint.len == 0 && e->status == AG_TIMEOUT)
			ret->hint = AG_S(HINT_TIMEOUT);
	}
}

ag_status ag_sql_failure_err(const ag_sql_failure *f, const char *origin, ag_err *err)
{
	const ag_status st = f->code == AG_SQLCODE_PERMISSION  ? AG_DENIED
	                     : f->code == AG_SQLCODE_CANCELLED ? AG_CANCELLED
	                     : f->code == AG_SQLCODE_NOT_FOUND ? AG_NOT_FOUND
	                                                       : AG_UNAVAILABLE;

	ag_fail(err, st, origin, "%.*s", AG_FMT(f->message));
	if (f->hint.len)
		ag_err_hint(err, "%.*s", AG_FMT(f->hint));
	if (err && f->code == AG_SQLCODE_RATE_LIMITED)
		err->retry_s = f->retry_after_ms < 1000 ? 1
		                                        : (int)((f->retry_after_ms + 999) / 1000);
	return st;
}
