/* The guard of SQLite is SQLite: while it compiles a statement it asks its authorizer about every table, column and
 * function, and what this one does not know is refused. So there is no second parser that could read a text otherwise.
 *
 * Tables that a view reads are reported too. A CTE is not, except when none of its columns is used; then its name cannot be
 * distinguished from that of a table, and the program decides (sqlite_sql_program.c), which is read anyway.
 *
 * While the statement runs, only virtual tables compile anything: what they read for themselves. */
#include <stdlib.h>

#include "base/utf8.h"
#include "sql/sqlite_sql.h"
#include "sql/sqlite_sql_text.h"

/* Entries of a list of a verdict: a statement that reads more is taken to read everything. */
#define MAX_SEEN 512u

/* What one compilation met, each once. */
struct ag_sqlite_seen {
	ag_str *tables, *functions;
	size_t ntable, nfunction;
	bool *only_through_view; /* of tables: the list of allowed ones was not asked */
	bool has_with, has_merged_columns;
};

/* --- refusals --- */

static int deny(ag_sqlite_conn *c, ag_sql_rule rule, ag_str message, ag_str hint)
{
	/* Keep the first reason: later ones are often its consequences. */
	if (c->verdict->rule == AG_SQLRULE_ALLOWED) {
		c->verdict->rule = rule;
		c->verdict->message = message;
		c->verdict->hint = hint;
	}
	return SQLITE_DENY;
}

static ag_str lower(ag_arena *arena, ag_str s)
{
	char *copy = ag_str_cstr(arena, s);

	for (char *p = copy; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p + 32);
	return ag_str_c(copy);
}

/* --- what the authorizer asks --- */

static bool is_seen(const ag_str *list, size_t n, ag_str name)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_ieq(list[i], name))
			return true;
	return false;
}

static int add_seen(ag_sqlite_conn *c, ag_str *list, size_t *n, ag_str name)
{
	if (*n == MAX_SEEN)
		return deny(c, AG_SQLRULE_TOO_COMPLEX,
		            AG_S("The statement names more than 512 tables or functions"),
		            AG_S("do it in steps"));
	list[(*n)++] = ag_str_dup(c->arena, name);
	return SQLITE_OK;
}

static int on_function(ag_sqlite_conn *c, ag_str written)
{
	struct ag_sqlite_seen *seen = c->seen;
	ag_str name = lower(c->arena, written);
	ag_sql_verdict v = { 0 };

	if (is_seen(seen->functions, seen->nfunction, name))
		return SQLITE_OK;
	if (!ag_sql_policy_function(&c->owner->opts->policy, NULL, AG_S(""), name, c->arena, &v))
		return deny(c, v.rule, v.message, v.hint);
	return add_seen(c, seen->functions, &seen->nfunction, name);
}

/* A name that is no table of the database. */
static int on_unknown(ag_sqlite_conn *c, ag_str name, bool is_columnless)
{
	if (ag_str_ieq(name, AG_S("json_each")) || ag_str_ieq(name, AG_S("json_tree")))
		return on_function(c, name);
	/* count(*) of a CTE; the modules of SQLite that are tables by themselves are these. */
	if (is_columnless && !ag_str_ieq(name, AG_S("dbstat")) &&
	    !ag_str_ieq(name, AG_S("bytecode")) && !ag_str_ieq(name, AG_S("tables_used")) &&
	    !ag_str_ieq(name, AG_S("fts3tokenize")))
		return SQLITE_OK;
	return deny(c, AG_SQLRULE_SYSTEM,
	            ag_str_printf(c->arena, "Access to the system table %.*s is not permitted",
	                          AG_FMT(name)),
	            AG_S("the structure of tables is given by list_tables and describe_table"));
}

/* Tables that a view reads need not be on the list of allowed ones, as with every other database. That it is a view, and not
 * a CTE with the name of one, is certain when the statement has no WITH; that it is nowhere read directly, when no columns
 * are merged without a call of the authorizer (see sqlite_sql_program.c). */
static bool is_read_by_view(const ag_sqlite_conn *c, ag_str by)
{
	const ag_sqlite_relation *r = by.len ? ag_sqlite_conn_relation(c, by) : NULL;

	return r && r->kind == 'v' && !c->seen->has_with && !c->seen->has_merged_columns;
}

static bool is_of_name(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
	       ch == '_' || (unsigned char)ch >= 0x80;
}

static bool has_name(ag_str text, ag_str name)
{
	for (size_t i = 0; name.len && i + name.len <= text.len; i++)
		if (ag_str_ieq(ag_str_make(text.ptr + i, name.len), name) &&
		    (i == 0 || !is_of_name(text.ptr[i - 1])) &&
		    (i + name.len == text.len || !is_of_name(text.ptr[i + name.len])))
			return true;
	return false;
}

static bool is_excluded(const ag_sqlite_conn *c, ag_str name, ag_arena *arena)
{
	ag_sql_policy policy = c->owner->opts->policy;
	ag_sql_verdict v = { 0 };

	policy.allowed_tables = NULL;
	policy.nallowed_table = 0;
	return !ag_sql_policy_table(&policy, NULL, AG_S(""), name, arena, &v);
}

/* Full text indexes show tables that they were declared over (content=payments), and vocabularies show indexes; what a
 * module does with its arguments is not known, so an excluded name among them is enough. */
static const ag_sqlite_relation *excluded_source(const ag_sqlite_conn *c,
                                                 const ag_sqlite_relation *r, unsigned depth)
{
	for (size_t i = 0; r->kind == 'V' && i < c->nrelation; i++) {
		const ag_sqlite_relation *from = &c->relations[i];
		const ag_sqlite_relation *found = NULL;

		if (from == r || from->kind == 's' || !has_name(r->declared, from->name))
			continue;
		if (is_excluded(c, from->name, c->arena))
			return from;
		found = depth < 8 ? excluded_source(c, from, depth + 1) : from;
		if (found)
			return found;
	}
	return NULL;
}

/* By the policy, or by the part of it that holds for tables that a view reads. */
static int check_table(ag_sqlite_conn *c, const ag_sqlite_relation *r, ag_str name, ag_str by,
                       bool is_through_view)
{
	ag_sql_policy policy = c->owner->opts->policy;
	ag_sql_verdict v = { 0 };

	if (is_through_view) {
		policy.allowed_tables = NULL;
		policy.nallowed_table = 0;
	}
	if (!ag_sql_policy_table(&policy, NULL, AG_S(""), r ? r->name : name, c->arena, &v)) {
		if (by.len && v.rule == AG_SQLRULE_TABLE)
			v.message = ag_str_printf(c->arena, "%.*s (read through %.*s)",
			                          AG_FMT(v.message), AG_FMT(by));
		return deny(c, v.rule, v.message, v.hint);
	}
	if (r && excluded_source(c, r, 0))
		return deny(c, AG_SQLRULE_TABLE,
		            ag_str_printf(c->arena,
		                          "Access to table %.*s is not permitted: it reads %.*s",
		                          AG_FMT(r->name), AG_FMT(excluded_source(c, r, 0)->name)),
		            AG_S(""));
	if (!r || r->kind == 's')
		return deny(c, AG_SQLRULE_SYSTEM,
		            ag_str_printf(c->arena,
		                          "Access to the system table %.*s is not permitted",
		                          AG_FMT(name)),
		            AG_S("it belongs to a virtual table: ask that one"));
	return SQLITE_OK;
}

static int on_table(ag_sqlite_conn *c, const ag_sqlite_relation *r, ag_str name, ag_str by)
{
	struct ag_sqlite_seen *seen = c->seen;
	bool is_through_view = is_read_by_view(c, by);
	size_t i = 0;
	int rc;

	while (i < seen->ntable && !ag_str_ieq(seen->tables[i], name))
		i++;
	/* What the program opens was reported, or is read directly. */
	if (i < seen->ntable && (!seen->only_through_view[i] || is_through_view || c->is_opening))
		return SQLITE_OK;
	rc = check_table(c, r, name, by, is_through_view);
	if (!rc && i == seen->ntable)
		rc = add_seen(c, seen->tables, &seen->ntable, r->name);
	if (!rc)
		seen->only_through_view[i] = is_through_view;
	return rc;
}

static bool is_sqlites_own(ag_str name)
{
	return (name.len > 7 && (ag_str_ieq(ag_str_make(name.ptr, 7), AG_S("sqlite_")) ||
	                         ag_str_ieq(ag_str_make(name.ptr, 7), AG_S("pragma_"))));
}

static int on_read(ag_sqlite_conn *c, ag_str name, ag_str column, ag_str db, ag_str by)
{
	const ag_sqlite_relation *r = ag_sqlite_conn_relation(c, name);

	if (db.len && !ag_str_ieq(db, AG_S("main")))
		return deny(c, AG_SQLRULE_SCHEMA,
		            ag_str_printf(c->arena, "Access to schema %.*s is not permitted",
		                          AG_FMT(db)),
		            AG_S("tables of schema main can be read"));
	if (by.len)
		c->verdict->reads_views = true;
	if (!r && !is_sqlites_own(name))
		return on_unknown(c, name, column.len == 0);
	/* Perhaps a CTE: what is really opened will be asked for again. */
	if (!column.len && !by.len && c->seen->has_with && r && r->kind != 'v' && !c->is_opening)
		return SQLITE_OK;
	return on_table(c, r, name, by);
}

bool ag_sqlite_opens(ag_sqlite_conn *c, ag_str table)
{
	int rc;

	if (!table.len)
		return deny(c, AG_SQLRULE_SYSTEM,
		            AG_S("Access to a table that is not one of the database's is not permitted"),
		            AG_S("")) == SQLITE_OK;
	c->is_opening = true;
	rc = on_read(c, table, AG_S(""), AG_S(""), AG_S(""));
	c->is_opening = false;
	return rc == SQLITE_OK;
}

/* A virtual table reads: its own shadows, and what is not excluded. */
static int on_step_read(const ag_sqlite_conn *c, ag_str table)
{
	const ag_sqlite_relation *r = ag_sqlite_conn_relation(c, table);
	ag_arena *arena = NULL;
	bool is_refused = false;

	if (r && r->kind != 's') {
		arena = ag_arena_new();
		is_refused = is_excluded(c, r->name, arena);
		ag_arena_free(arena);
	}
	return is_refused ? SQLITE_DENY : SQLITE_OK;
}

static int on_step(const ag_sqlite_conn *c, int action, ag_str a)
{
	switch (action) {
	case SQLITE_READ: return on_step_read(c, a);
	case SQLITE_SELECT:
	case SQLITE_FUNCTION:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_PRAGMA: /* full text indexes ask these */
		return ag_str_ieq(a, AG_S("data_version")) || ag_str_ieq(a, AG_S("page_size"))
		               ? SQLITE_OK
		               : SQLITE_DENY;
	default: return SQLITE_DENY;
	}
}

static int on_judge(ag_sqlite_conn *c, int action, ag_str a, ag_str b, ag_str db, ag_str by)
{
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_READ: return on_read(c, a, b, db, by);
	case SQLITE_FUNCTION: return on_function(c, b);
	case SQLITE_UPDATE: /* how SQLite makes a table that is there by itself: dbstat, pragma_table_info … */
		if (ag_str_eqc(a, "sqlite_master"))
			return deny(c, AG_SQLRULE_SYSTEM,
			            AG_S("Access to the tables of SQLite itself is not permitted"),
			            AG_S("the structure of tables is given by list_tables and "
			                 "describe_table"));
		break;
	default: break;
	}
	return deny(c, AG_SQLRULE_STATEMENT, AG_S("Only queries are allowed"),
	            AG_S("write a SELECT"));
}

int ag_sqlite_authorize(void *conn, int action, const char *a, const char *b, const char *db,
                        const char *by)
{
	ag_sqlite_conn *c = conn;

	switch (c->phase) {
	case AG_SQLITE_OWN: return SQLITE_OK;
	case AG_SQLITE_STEP: return on_step(c, action, ag_str_c(a));
	case AG_SQLITE_JUDGE: break;
	}
	return on_judge(c, action, ag_str_c(a), ag_str_c(b), ag_str_c(db), ag_str_c(by));
}

/* --- the text --- */

/* Verbs of SQLite that are no query: refused by name, also when SQLite would first stumble over something else. */
static bool is_other_verb(ag_str word)
{
	static const char *const verbs[] = {
		"alter",   "analyze",  "attach",    "begin",   "commit",     "create",   "delete",
		"detach",  "drop",     "end",       "insert",  "pragma",     "reindex",  "release",
		"replace", "rollback", "savepoint", "update",  "vacuum",     "grant",    "revoke",
		"set",     "show",     "copy",      "do",      "call",       "truncate", "merge",
		"lock",    "execute",  "prepare",   "declare", "deallocate", "table",
	};

	for (size_t i = 0; i < AG_NELEM(verbs); i++)
		if (ag_str_ieq(word, ag_str_c(verbs[i])))
			return true;
	return false;
}

static bool refuse(ag_sqlite_conn *c, ag_sql_rule rule, ag_str message, ag_str hint)
{
	deny(c, rule, message, hint);
	return false;
}

/* EXPLAIN [QUERY PLAN] off the front. */
static ag_str without_explain(ag_str sql)
{
	static const char *const words[] = { "explain", "query", "plan" };

	for (size_t i = 0; i < AG_NELEM(words); i++) {
		ag_str word = ag_sqlite_first_word(sql);

		if (!ag_str_ieq(word, ag_str_c(words[i])))
			break;
		sql = ag_sqlite_skip(ag_str_make(sql.ptr + word.len, sql.len - word.len));
	}
	return sql;
}

/* What can be said before SQLite is asked. *sql becomes the statement from its first word on. */
static bool check_text(ag_sqlite_conn *c, ag_sql_purpose purpose, ag_str *sql)
{
	size_t max = c->owner->opts->policy.max_bytes;
	ag_str word;

	if (sql->len > max)
		return refuse(c, AG_SQLRULE_TOO_LARGE,
		              ag_str_printf(c->arena,
		                            "The statement has %zu bytes; at most %zu are allowed",
		                            sql->len, max),
		              AG_S("shorten it"));
	if (ag_str_find(*sql, '\0') >= 0 || !ag_utf8_valid(*sql))
		return refuse(c, AG_SQLRULE_BAD_TEXT,
		              AG_S("The statement holds a NUL byte or is not UTF-8"), AG_S(""));
	if (!ag_sqlite_is_closed(*sql))
		return refuse(c, AG_SQLRULE_PARSE_ERROR, AG_S("unterminated /* comment"),
		              AG_S("close it with */"));
	*sql = ag_sqlite_skip(*sql);
	if (purpose == AG_SQL_EXPLAIN)
		*sql = without_explain(*sql);
	if (sql->len == 0)
		return refuse(c, AG_SQLRULE_EMPTY, AG_S("The statement is empty"),
		              AG_S("write a SELECT"));
	word = ag_sqlite_first_word(*sql);
	if (ag_str_ieq(word, AG_S("explain")))
		return refuse(c, AG_SQLRULE_STATEMENT, AG_S("EXPLAIN is not allowed here"),
		              AG_S("use explain_query for the plan"));
	if (is_other_verb(word))
		return refuse(c, AG_SQLRULE_STATEMENT,
		              ag_str_printf(c->arena, "Only queries are allowed, not %.*s",
		                            AG_FMT(word)),
		              AG_S("write a SELECT"));
	return true;
}

/* What is compiled, from the authorizer's point of view in order: is it one query, and only that? */
static bool check_statement(ag_sqlite_conn *c, sqlite3_stmt *stmt, ag_str tail)
{
	if (!ag_sqlite_is_blank(tail))
		return refuse(c, AG_SQLRULE_MULTIPLE, AG_S("Multiple statements are not allowed"),
		              AG_S("send one statement at a time"));
	if (!stmt)
		return refuse(c, AG_SQLRULE_EMPTY, AG_S("The statement is empty"),
		              AG_S("write a SELECT"));
	if (!sqlite3_stmt_readonly(stmt) || sqlite3_stmt_isexplain(stmt) ||
	    sqlite3_column_count(stmt) == 0)
		return refuse(c, AG_SQLRULE_STATEMENT, AG_S("Only queries are allowed"),
		              AG_S("write a SELECT"));
	if (sqlite3_bind_parameter_count(stmt) > 0)
		return refuse(c, AG_SQLRULE_PARAMETER,
		              AG_S("Parameters are not allowed: there is nothing to bind"),
		              AG_S("write the value itself"));
	return true;
}

/* The statement without what follows it: blanks, its semicolon. */
static ag_str whole(ag_str sql, ag_str tail)
{
	ag_str s = ag_str_trim(ag_str_make(sql.ptr, sql.len - tail.len));

	while (s.len && s.ptr[s.len - 1] == ';')
		s = ag_str_trim(ag_str_make(s.ptr, s.len - 1));
	return s;
}

static ag_sql_rule rule_of(const ag_sql_failure *f)
{
	if (strcmp(f->sqlstate, "42703") == 0)
		return AG_SQLRULE_FIELD;
	if (strcmp(f->sqlstate, "42P01") == 0)
		return AG_SQLRULE_TABLE;
	if (strcmp(f->sqlstate, "3F000") == 0)
		return AG_SQLRULE_SCHEMA;
	if (strcmp(f->sqlstate, "42883") == 0)
		return AG_SQLRULE_UNKNOWN_FUNCTION;
	if (strcmp(f->sqlstate, "42501") == 0) /* "unsafe use of x()": not from within a view */
		return AG_SQLRULE_FUNCTION;
	return strcmp(f->class_name, "resource") == 0 ? AG_SQLRULE_TOO_COMPLEX
	                                              : AG_SQLRULE_PARSE_ERROR;
}

/* `text` is what was given to SQLite: the end of the user's. */
static void fail_prepare(ag_sqlite_conn *c, int rc, ag_str text, ag_str original, ag_sql_failure *f)
{
	ag_sqlite_failure(c, rc, text, c->arena, f);
	if (f->position) /* counted from where the statement begins; people count from the start of the text */
		f->position += (uint32_t)ag_utf8_count(
			ag_str_make(original.ptr, original.len - text.len));
	switch (rc & 0xff) {
	case SQLITE_ERROR:
	case SQLITE_AUTH:
	case SQLITE_TOOBIG:
	case SQLITE_MISMATCH: deny(c, rule_of(f), f->message, f->hint); break;
	default: return; /* the file, the memory, a lock: the text was not judged */
	}
	c->verdict->position = f->position;
}

static void check_program(ag_sqlite_conn *c, ag_str sql, ag_sql_failure *f)
{
	int rc = ag_sqlite_program_check(c, sql);

	if (!rc || c->verdict->rule != AG_SQLRULE_ALLOWED)
		return;
	/* It compiled a moment ago: memory, the disk, a deadline. Not judged, so not allowed. */
	ag_sqlite_failure(c, rc, AG_S(""), c->arena, f);
	deny(c, AG_SQLRULE_TOO_COMPLEX, f->message, f->hint);
}

/* --- compiling --- */

void ag_sqlite_forget_last(ag_sqlite_conn *c)
{
	sqlite3_finalize(c->last);
	c->last = NULL;
	c->last_arena = ag_arena_free(c->last_arena);
	ag_buf_clear(&c->last_sql);
}

static const ag_str *dup_list(ag_arena *arena, const ag_str *list, size_t n)
{
	ag_str *copy = n ? ag_new_n(arena, ag_str, n) : NULL;

	for (size_t i = 0; i < n; i++)
		copy[i] = ag_str_dup(arena, list[i]);
	return copy;
}

/* Of an allowed verdict: it has no words. */
static void dup_verdict(ag_arena *arena, const ag_sql_verdict *from, ag_sql_verdict *ret)
{
	*ret = *from;
	ret->sql = ag_str_dup(arena, from->sql);
	ret->tables = dup_list(arena, from->tables, from->ntable);
	ret->functions = dup_list(arena, from->functions, from->nfunction);
}

static void keep_last(ag_sqlite_conn *c, ag_str original, ag_sql_purpose purpose,
                      sqlite3_stmt *stmt)
{
	ag_sqlite_forget_last(c);
	ag_buf_add(&c->last_sql, original);
	c->last = stmt;
	c->last_is_explain = purpose == AG_SQL_EXPLAIN;
	c->last_arena = ag_arena_new();
	dup_verdict(c->last_arena, c->verdict, &c->last_verdict);
}

static void fill_verdict(ag_sqlite_conn *c, ag_str sql)
{
	ag_sql_verdict *v = c->verdict;

	v->tables = c->seen->tables;
	v->ntable = c->seen->ntable;
	v->functions = c->seen->functions;
	v->nfunction = c->seen->nfunction;
	v->max_rows = c->owner->opts->policy.max_rows;
	v->fingerprint = ag_sqlite_fingerprint(sql);
	if (v->rule == AG_SQLRULE_ALLOWED)
		v->sql = sql;
}

void ag_sqlite_compile(ag_sqlite_conn *c, ag_str original, ag_sql_purpose purpose, ag_arena *arena,
                       sqlite3_stmt **ret, ag_sql_verdict *ret_verdict, ag_sql_failure *ret_failure)
{
	struct ag_sqlite_seen seen = { 0 };
	sqlite3_stmt *stmt = NULL;
	const char *tail = NULL;
	ag_str sql = original;
	int rc;

	*ret = NULL;
	if (c->last && c->last_is_explain == (purpose == AG_SQL_EXPLAIN) &&
	    ag_str_eq(ag_buf_view(&c->last_sql), original)) {
		dup_verdict(arena, &c->last_verdict, ret_verdict);
		*ret = c->last;
		return;
	}
	*ret_verdict = (ag_sql_verdict){ .message = AG_S(""), .hint = AG_S(""), .sql = AG_S("") };
	c->arena = arena;
	c->verdict = ret_verdict;
	if (!check_text(c, purpose, &sql)) {
		if (ret_verdict->rule == AG_SQLRULE_STATEMENT)
			ret_verdict->fingerprint = ag_sqlite_fingerprint(sql);
		return;
	}
	sql = ag_str_make(ag_str_cstr(arena, sql),
	                  sql.len); /* ends in a NUL: SQLite copies it less */
	seen.tables = ag_new_n(arena, ag_str, MAX_SEEN);
	seen.functions = ag_new_n(arena, ag_str, MAX_SEEN);
	seen.only_through_view = ag_new_n(arena, bool, MAX_SEEN);
	seen.has_with = ag_sqlite_has_word(sql, AG_S("with"));
	seen.has_merged_columns = ag_sqlite_has_word(sql, AG_S("natural")) ||
	                          ag_sqlite_has_word(sql, AG_S("using"));
	c->seen = &seen;
	c->phase = AG_SQLITE_JUDGE;
	rc = sqlite3_prepare_v3(c->db, sql.ptr, (int)sql.len + 1, SQLITE_PREPARE_PERSISTENT, &stmt,
	                        &tail);
	c->phase = AG_SQLITE_OWN;
	if (rc && ret_verdict->rule == AG_SQLRULE_ALLOWED)
		fail_prepare(c, rc, sql, original, ret_failure);
	else if (!rc && check_statement(c, stmt, ag_str_c(tail)))
		check_program(c, whole(sql, ag_str_c(tail)), ret_failure);
	fill_verdict(c, rc ? sql : whole(sql, ag_str_c(tail)));
	if (!rc && ret_verdict->rule == AG_SQLRULE_ALLOWED) {
		keep_last(c, original, purpose, stmt);
		*ret = stmt;
	} else {
		sqlite3_finalize(stmt);
	}
	c->seen = NULL;
	c->verdict = NULL;
}
