/* sql_guard -- from a text to a verdict: bytes, tokens, tree, walk, limit.
 *
 * Cheap limits come first, so that nothing large reaches what is slow. The text is judged by the parser that PostgreSQL
 * itself uses, so what is judged is what would run; what would run is made from the text that was judged. */
#include "base/utf8.h"
#include "guard/sql_limit.h"
#include "guard/sql_load.h"
#include "guard/sql_policy.h"
#include "guard/sql_thread.h"
#include "guard/sql_tokens.h"
#include "guard/sql_walk.h"

#define ORIGIN      "guard.sql"
#define DEEP_TOKENS 1000u /* may have needed 2 MB of stack and as much for its tree */

typedef struct judging {
	ag_sql_job job; /* first: the thread knows only this */
	const ag_pg *pg;
	ag_str sql;
	const ag_sql_policy *policy;
	const ag_sql_catalog *catalog;
	ag_sql_purpose purpose;
	ag_arena *arena, *scratch;
	ag_sql_verdict *v;
	ag_err *err;
	ag_status st;
} judging;

/* --- memory for protobuf-c, out of the scratch arena --- */

static void *take(void *arena, size_t n)
{
	return ag_arena_alloc(arena, n);
}

static void forget(void *arena, void *p)
{
	(void)arena;
	(void)p;
}

/* --- before the parser --- */

static bool check_bytes(ag_str sql, const ag_sql_policy *policy, ag_arena *arena, ag_sql_verdict *v)
{
	const size_t most = policy->max_bytes ? policy->max_bytes : AG_SQL_MAX_BYTES;
	size_t at = 0;

	if (sql.len > most)
		return ag_sql_refuse(v, arena, AG_SQLRULE_TOO_LARGE,
		                     "The statement has %zu bytes; at most %zu are allowed",
		                     sql.len, most) ||
		       ag_sql_refuse_hint(v, arena,
		                          "select what is needed by a condition instead of "
		                          "a long list of values");
	while (at < sql.len) {
		const size_t before = at;
		const uint32_t cp = ag_utf8_next(sql, &at);

		if (cp && (cp != 0xFFFD || at - before > 1))
			continue;
		v->position = ag_sql_position(sql, before);
		return ag_sql_refuse(v, arena, AG_SQLRULE_BAD_TEXT, "The statement %s",
		                     cp ? "is not valid UTF-8" : "has a NUL character");
	}
	return true;
}

/* 0x1F, 0o17, 0b1, 1_000: numbers of PostgreSQL 16 */
static bool is_newer_number(ag_str sql, size_t byte)
{
	const char *p = sql.ptr + byte, *end = sql.ptr + sql.len;

	if (end - p > 1 && p[0] == '0' && strchr("xXoObB", p[1]))
		return true;
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return end - p > 1 && *p == '_' && p[1] >= '0' && p[1] <= '9';
}

/* Byte of a character from 1; of the end when there are fewer. */
static size_t byte_of(ag_str sql, uint32_t character)
{
	return character ? ag_utf8_prefix(sql, character - 1).len : 0;
}

/* tokens NULL: not even the scanner could read it. */
static bool refuse_parse(judging *j, const PgQueryError *e, const ag_sql_tokens *tokens)
{
	const ag_str why = ag_str_c(e->message);
	const size_t byte = byte_of(j->sql, (uint32_t)(e->cursorpos > 0 ? e->cursorpos : 0));
	const char *newer = NULL;

	j->v->position = e->cursorpos > 0 ? (uint32_t)e->cursorpos : 0;
	if (ag_str_starts(why, AG_S("memory exhausted")) || ag_str_starts(why, AG_S("stack depth")))
		return ag_sql_refuse(j->v, j->arena, AG_SQLRULE_TOO_COMPLEX,
		                     "The statement is nested too deep for PostgreSQL's parser");
	if (ag_str_starts(why, AG_S("trailing junk after numeric literal")) &&
	    is_newer_number(j->sql, byte))
		newer = "this way to write numbers";
	else if (tokens)
		newer = ag_sql_tokens_newer(tokens, byte);
	if (newer) {
		ag_sql_refuse(j->v, j->arena, AG_SQLRULE_NEWER_SYNTAX,
		              "The guard reads the SQL of PostgreSQL 15, which does not have %s",
		              newer);
		return ag_sql_refuse_hint(j->v, j->arena, "write it with what PostgreSQL 15 has");
	}
	ag_sql_refuse(j->v, j->arena, AG_SQLRULE_PARSE_ERROR,
	              "The statement cannot be parsed: %.*s",
	              (int)(why.len < 300 ? why.len : ag_utf8_prefix(why, 250).len), why.ptr);
	return ag_str_ends(why, AG_S("must have an alias"))
	               ? ag_sql_refuse_hint(j->v, j->arena, "for example FROM (SELECT ...) AS x")
	               : false;
}

static bool internal(judging *j, const char *what)
{
	j->st = ag_fail(j->err, AG_INTERNAL, ORIGIN, "%s of libpg_query cannot be read", what);
	return false;
}

static bool scan(judging *j, ProtobufCAllocator *memory, ag_sql_tokens *ret)
{
	const PgQueryScanResult r = j->pg->scan(j->sql.ptr);
	PgQuery__ScanResult *list = NULL;
	bool ok = true;

	if (r.error)
		ok = refuse_parse(j, r.error, NULL);
	else if (!(list = j->pg->unpack_tokens(memory, r.pbuf.len, (const uint8_t *)r.pbuf.data)))
		ok = internal(j, "the tokens");
	j->pg->free_scan_result(r);
	if (!ok || !list)
		return false;
	*ret = (ag_sql_tokens){ .sql = j->sql, .all = list->tokens, .n = list->n_tokens };
	if (ret->n > AG_SQL_MAX_TOKENS)
		return ag_sql_refuse(
			j->v, j->arena, AG_SQLRULE_TOO_LARGE,
			"The statement has %zu words and signs; at most %u are allowed", ret->n,
			AG_SQL_MAX_TOKENS);
	ag_sql_tokens_bounds(ret);
	return ret->begin < ret->end ||
	       ag_sql_refuse(j->v, j->arena, AG_SQLRULE_EMPTY, "There is no statement in the text");
}

static const PgQuery__ParseResult *parse(judging *j, ProtobufCAllocator *memory,
                                         const ag_sql_tokens *tokens)
{
	const PgQueryProtobufParseResult r = j->pg->parse_protobuf(j->sql.ptr);
	const PgQuery__ParseResult *tree = NULL;

	j->job.was_deep |= tokens->n > DEEP_TOKENS;
	if (r.error)
		refuse_parse(j, r.error, tokens);
	else if (!(tree = j->pg->unpack_tree(memory, r.parse_tree.len,
	                                     (const uint8_t *)r.parse_tree.data)))
		internal(j, "the tree");
	j->pg->free_protobuf_parse_result(r);
	return tree;
}

/* --- the statement --- */

static const PgQuery__Node *only_statement(judging *j, const PgQuery__ParseResult *tree)
{
	if (tree->n_stmts == 0) {
		ag_sql_refuse(j->v, j->arena, AG_SQLRULE_EMPTY,
		              "There is no statement in the text");
		return NULL;
	}
	if (tree->n_stmts > 1) {
		j->v->position = ag_sql_position(j->sql, (size_t)tree->stmts[0]->stmt_location +
		                                                 (size_t)tree->stmts[0]->stmt_len);
		ag_sql_refuse(j->v, j->arena, AG_SQLRULE_MULTIPLE,
		              "Multiple statements are not allowed: the text has %zu",
		              tree->n_stmts);
		ag_sql_refuse_hint(j->v, j->arena, "send them one after another");
		return NULL;
	}
	return tree->stmts[0]->stmt;
}

/* Of the only statement: what stands around it is blank, comment or semicolon. */
static ag_str own_text(const judging *j, const PgQuery__RawStmt *s)
{
	const size_t at = s->stmt_location > 0 ? (size_t)s->stmt_location : 0;
	const size_t n = s->stmt_len > 0 ? (size_t)s->stmt_len : j->sql.len - at;

	return ag_str_trim(ag_str_make(j->sql.ptr + at, n));
}

/* WITH ... DELETE begins with another word than what it does. */
static bool refuse_kind(judging *j, const PgQuery__Node *stmt, const ag_sql_tokens *tokens)
{
	ag_str kind;

	switch (stmt->node_case) {
	case PG_QUERY__NODE__NODE_INSERT_STMT: kind = AG_S("INSERT"); break;
	case PG_QUERY__NODE__NODE_UPDATE_STMT: kind = AG_S("UPDATE"); break;
	case PG_QUERY__NODE__NODE_DELETE_STMT: kind = AG_S("DELETE"); break;
	case PG_QUERY__NODE__NODE_MERGE_STMT: kind = AG_S("MERGE"); break;
	default: kind = ag_sql_tokens_kind(tokens, j->scratch); break;
	}
	j->v->position = ag_sql_position(j->sql, (size_t)tokens->all[tokens->begin]->start);
	ag_sql_refuse(j->v, j->arena, AG_SQLRULE_STATEMENT,
	              "Only SELECT statements are allowed, not %.*s", AG_FMT(kind));
	if (stmt->node_case == PG_QUERY__NODE__NODE_EXPLAIN_STMT)
		return ag_sql_refuse_hint(j->v, j->arena,
		                          "the tool explain_query explains a query without running "
		                          "it");
	return false;
}

static bool has_analyze(const PgQuery__ExplainStmt *e)
{
	for (size_t i = 0; i < e->n_options; i++)
		if (e->options[i]->node_case != PG_QUERY__NODE__NODE_DEF_ELEM ||
		    ag_str_ieq(ag_str_c(e->options[i]->def_elem->defname), AG_S("analyze")))
			return true;
	return false;
}

static bool judge(judging *j, bool is_explained);

/* The query inside is judged as a text of its own: that text is what the caller will explain. */
static bool judge_explained(judging *j, const PgQuery__Node *stmt, const ag_sql_tokens *tokens,
                            ag_str text)
{
	const PgQuery__ExplainStmt *e = stmt->explain_stmt;
	const ag_str whole = j->sql;
	size_t first, at;
	bool ok;

	if (has_analyze(e)) {
		ag_sql_refuse(
			j->v, j->arena, AG_SQLRULE_STATEMENT,
			"Only SELECT statements are allowed, not EXPLAIN ANALYZE: it runs the "
			"statement");
		return ag_sql_refuse_hint(j->v, j->arena, "use EXPLAIN without ANALYZE");
	}
	first = ag_sql_tokens_explained(tokens, e->n_options > 0);
	if (first >= tokens->end)
		return refuse_kind(j, stmt, tokens);
	at = (size_t)tokens->all[first]->start;
	j->sql = ag_str_dup(j->scratch,
	                    ag_str_make(whole.ptr + at,
	                                (size_t)(text.ptr + text.len - whole.ptr) - at));
	ok = judge(j, true);
	if (j->v->position)
		j->v->position += ag_sql_position(whole, at) - 1;
	j->sql = whole;
	return ok;
}

static bool walk(judging *j, const PgQuery__SelectStmt *select)
{
	ag_sql_walk w = { .pg = j->pg,
		          .policy = j->policy,
		          .catalog = j->catalog,
		          .arena = j->arena,
		          .scratch = j->scratch,
		          .v = j->v,
		          .sql = j->sql };
	const bool ok = ag_sql_walk_statement(&w, select);

	/* The walk counts bytes from 1: nodes have them, and most statements are not refused. */
	if (j->v->position)
		j->v->position = ag_sql_position(j->sql, j->v->position - 1);
	return ok;
}

static bool judge(judging *j, bool is_explained)
{
	ProtobufCAllocator memory = { take, forget, j->scratch };
	ag_sql_tokens tokens;
	const PgQuery__ParseResult *tree;
	const PgQuery__Node *stmt;
	ag_str text;

	if (!scan(j, &memory, &tokens))
		return false;
	j->v->fingerprint = ag_sql_tokens_fingerprint(&tokens);
	tree = parse(j, &memory, &tokens);
	stmt = tree ? only_statement(j, tree) : NULL;
	if (!stmt)
		return false;
	text = own_text(j, tree->stmts[0]);
	if (stmt->node_case == PG_QUERY__NODE__NODE_EXPLAIN_STMT && !is_explained &&
	    j->purpose == AG_SQL_EXPLAIN)
		return judge_explained(j, stmt, &tokens, text);
	if (stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
		return refuse_kind(j, stmt, &tokens);
	if (!walk(j, stmt->select_stmt))
		return false;
	ag_sql_limit(stmt->select_stmt, &tokens, text, j->policy, j->purpose, j->arena, j->v);
	return true;
}

static void run(ag_sql_job *job, ag_arena *scratch)
{
	judging *j = (judging *)job;

	j->scratch = scratch;
	j->sql = ag_str_dup(scratch, j->sql); /* the parser wants a NUL behind it */
	judge(j, false);
}

ag_status ag_sql_guard(ag_str sql, const ag_sql_policy *policy, const ag_sql_catalog *catalog,
                       ag_sql_purpose purpose, ag_arena *arena, ag_sql_verdict *ret, ag_err *err)
{
	ag_sql_verdict v = { .message = AG_S(""), .hint = AG_S(""), .sql = AG_S("") };
	judging j = { .sql = sql,
		      .policy = policy,
		      .catalog = catalog,
		      .purpose = purpose,
		      .arena = arena,
		      .v = &v,
		      .err = err };
	ag_status st;

	if (policy->dialect != AG_SQL_POSTGRES)
		return ag_fail(err, AG_INTERNAL, ORIGIN, "only PostgreSQL has a parser here");
	if (check_bytes(sql, policy, arena, &v)) {
		j.job.run = run;
		st = ag_pg_load(&j.pg, err);
		if (!st)
			st = ag_sql_thread_run(&j.job, err);
		if (st || j.st)
			return st ? st : j.st;
	}
	*ret = v;
	return AG_OK;
}
