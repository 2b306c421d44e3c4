/* argus guard: may this SQL run? Prints the guard's verdict; nothing is sent anywhere.
 *
 * One statement, from the command line or standard input, or one request a line (--ndjson). */
#include <errno.h>
#include <stdio.h>

#include "app/file.h"
#include "cli/cli.h"
#include "guard/sql.h"
#include "query/extjson.h"

#define ORIGIN        "cli.guard"
#define MAX_LINE      (32u << 20) /* of --ndjson: larger than any statement that is judged */
#define MAX_NAMES     1000u
#define MAX_STDIN_SQL (32u << 20)

static const ag_option options[] = {
	{ "schema", 0, "NAME", NULL, NULL, "where names without a schema live (public)" },
	{ "allowed-schemas", 0, "NAMES", NULL, NULL, "further schemas, with commas between them" },
	{ "allowed-tables", 0, "NAMES", NULL, NULL, "only these tables" },
	{ "excluded-tables", 0, "NAMES", NULL, NULL,
	  "never these tables, whatever else allows them" },
	{ "allowed-functions", 0, "NAMES", NULL, NULL, "beside the built-in list" },
	{ "allowed-views", 0, "NAMES", NULL, NULL,
	  "these may show tables of schemas that are not allowed" },
	{ "allowed-types", 0, "NAMES", NULL, NULL,
	  "casts to these types, or to all of an extension" },
	{ "allowed-extensions", 0, "NAMES", NULL, NULL,
	  "all functions, operators and types of these extensions" },
	{ "max-rows", 0, "N", NULL, NULL, "rows that a query gives back (500)" },
	{ "ndjson", 0, NULL, NULL, NULL,
	  "read requests from standard input, one a line; write one verdict a line" },
};

/* "a, b" or ["a","b"] */
static ag_status names(ag_arena *arena, const char *what, const ag_val *v, const ag_str **ret,
                       size_t *nret, ag_err *err)
{
	ag_str *list;
	size_t n = 0;

	*ret = NULL;
	*nret = 0;
	if (!v || v->type == AG_T_NULL)
		return AG_OK;
	if (v->type == AG_T_ARRAY && v->n <= MAX_NAMES) {
		list = ag_new_n(arena, ag_str, v->n + 1);
		for (uint32_t i = 0; i < v->n; i++) {
			if (v->u.items[i].type != AG_T_STRING)
				return ag_fail(err, AG_INVALID, ORIGIN, "%s: want a list of names",
				               what);
			list[n++] = ag_val_text(&v->u.items[i]);
		}
	} else if (v->type == AG_T_STRING) {
		ag_str rest = ag_val_text(v);

		list = ag_new_n(arena, ag_str, MAX_NAMES);
		while (rest.len) {
			const ag_str one = ag_str_trim(ag_str_split(&rest, ','));

			if (one.len && n < MAX_NAMES)
				list[n++] = one;
		}
	} else {
		return ag_fail(err, AG_INVALID, ORIGIN, "%s: want a list of at most %u names", what,
		               MAX_NAMES);
	}
	*ret = list;
	*nret = n;
	return AG_OK;
}

static ag_status policy_of_config(const ag_val *config, ag_arena *arena, ag_sql_policy *p,
                                  ag_err *err)
{
	static const char *const known[] = {
		"schema",          "allowed_schemas",    "allowed_tables",
		"excluded_tables", "allowed_functions",  "allowed_views",
		"allowed_types",   "allowed_extensions", "max_limit",
		"max_rows"
	};
	const ag_val *most, *schema;
	ag_status st;

	if (!config || config->type == AG_T_NULL)
		return AG_OK;
	if (config->type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, ORIGIN, "config: want an object");
	for (uint32_t i = 0; i < config->n; i++) {
		size_t k = 0;

		while (k < AG_NELEM(known) && !ag_str_eqc(config->u.members[i].key, known[k]))
			k++;
		if (k == AG_NELEM(known))
			return ag_fail(err, AG_INVALID, ORIGIN, "config: there is no \"%.*s\"",
			               AG_FMT(config->u.members[i].key));
	}
	schema = ag_val_getc(config, "schema");
	if (schema && schema->type == AG_T_STRING)
		p->schema = ag_val_text(schema);
	else if (schema && schema->type != AG_T_NULL)
		return ag_fail(err, AG_INVALID, ORIGIN, "config: schema: want a name");
	most = ag_val_getc(config, "max_limit");
	if (!most)
		most = ag_val_getc(config, "max_rows");
	if (most && most->type != AG_T_NULL) {
		if ((most->type != AG_T_INT32 && most->type != AG_T_INT64) || most->u.i < 1 ||
		    most->u.i > (int64_t)AG_SQL_MAX_ROWS)
			return ag_fail(err, AG_INVALID, ORIGIN,
			               "config: max_limit: want a whole number from 1 to %u",
			               AG_SQL_MAX_ROWS);
		p->max_rows = (uint64_t)most->u.i;
	}
	{
		const struct {
			const char *key;
			const ag_str **list;
			size_t *n;
		} lists[] = {
			{ "allowed_schemas", &p->allowed_schemas, &p->nallowed_schema },
			{ "allowed_tables", &p->allowed_tables, &p->nallowed_table },
			{ "excluded_tables", &p->excluded_tables, &p->nexcluded_table },
			{ "allowed_functions", &p->allowed_functions, &p->nallowed_function },
			{ "allowed_views", &p->allowed_views, &p->nallowed_view },
			{ "allowed_types", &p->allowed_types, &p->nallowed_type },
			{ "allowed_extensions", &p->allowed_extensions, &p->nallowed_extension },
		};

		st = AG_OK;
		for (size_t i = 0; i < AG_NELEM(lists) && !st; i++)
			st = names(arena, lists[i].key, ag_val_getc(config, lists[i].key),
			           lists[i].list, lists[i].n, err);
	}
	return st;
}

static ag_status policy_of_options(ag_cli *c, ag_sql_policy *p, ag_err *err)
{
	ag_arena *arena = c->app.arena;
	const struct {
		const char *option;
		const ag_str **list;
		size_t *n;
	} lists[] = {
		{ "allowed-schemas", &p->allowed_schemas, &p->nallowed_schema },
		{ "allowed-tables", &p->allowed_tables, &p->nallowed_table },
		{ "excluded-tables", &p->excluded_tables, &p->nexcluded_table },
		{ "allowed-functions", &p->allowed_functions, &p->nallowed_function },
		{ "allowed-views", &p->allowed_views, &p->nallowed_view },
		{ "allowed-types", &p->allowed_types, &p->nallowed_type },
		{ "allowed-extensions", &p->allowed_extensions, &p->nallowed_extension },
	};

	*p = (ag_sql_policy){ .schema = ag_cli_value(c, "schema"),
		              .max_rows = ag_cli_number(c, "max-rows", 1, AG_SQL_MAX_ROWS, 0) };
	for (size_t i = 0; i < AG_NELEM(lists); i++) {
		const ag_val text = ag_val_str(ag_cli_value(c, lists[i].option));
		const ag_status st = names(arena, lists[i].option, &text, lists[i].list, lists[i].n,
		                           err);

		if (st)
			return st;
	}
	return ag_sql_policy_check(p, err);
}

/* --- one request a line --- */

/* A line that is no request is answered too, in the same form, so that readers can count lines. */
static void bad_request(ag_buf *out, uint64_t line, const ag_err *err)
{
	ag_buf message = AG_BUF_INIT(2048);
	ag_jw w;

	ag_buf_addf(&message, "line %llu: %s", (unsigned long long)line, err->msg);
	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "verdict", AG_S("deny"));
	ag_jw_kstr(&w, "rule", AG_S("bad_request"));
	ag_jw_kstr(&w, "message", ag_buf_view(&message));
	ag_jw_kstr(
		&w, "hint",
		AG_S("a line is {\"sql\":\"…\",\"config\":{\"schema\":\"…\",\"allowed_schemas\":[],"
	             "\"allowed_tables\":[],\"excluded_tables\":[],\"max_limit\":500}}"));
	ag_jw_kkey(&w, "tables");
	ag_jw_arr(&w);
	ag_jw_arr_end(&w);
	ag_jw_kstr(&w, "sql_executed", AG_S(""));
	ag_jw_obj_end(&w);
	ag_buf_release(&message);
}

static ag_status judge_line(ag_str line, ag_arena *arena, ag_sql_verdict *ret, ag_err *err)
{
	const ag_extjson_opts opts = { .reject_duplicates = true,
		                       .max_depth = 8,
		                       .max_values = 10000 };
	ag_sql_policy p = { 0 };
	const ag_val *sql;
	ag_val request;
	ag_status st = ag_extjson_parse(line, &opts, arena, &request, NULL, NULL, err);

	if (st)
		return st;
	sql = ag_val_getc(&request, "sql");
	if (!sql || sql->type != AG_T_STRING)
		return ag_fail(err, AG_INVALID, ORIGIN, "want an object with \"sql\", a text");
	st = policy_of_config(ag_val_getc(&request, "config"), arena, &p, err);
	if (!st)
		st = ag_sql_policy_check(&p, err);
	if (!st)
		st = ag_sql_guard(ag_val_text(sql), &p, NULL, AG_SQL_RUN, arena, ret, err);
	return st;
}

/* One line without its end, of which no more than MAX_LINE + 1 bytes are kept. False: there is none, or standard input
 * cannot be read, or Ctrl-C. */
static bool read_line(ag_buf *line)
{
	int c = EOF;

	ag_buf_clear(line);
	while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
		if (line->len <= MAX_LINE)
			ag_buf_addc(line, (char)c);
	}
	return (c != EOF || line->len > 0) && !ferror(stdin);
}

/* Verdicts go out as lines come in: the calling program waits for each. */
static int ndjson(ag_cli *c)
{
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(2 * MAX_LINE);
	ag_buf line = AG_BUF_INIT(MAX_LINE + 2);
	int code = AG_EXIT_OK;
	uint64_t n = 0;

	while (code == AG_EXIT_OK && read_line(&line)) {
		const ag_str text = ag_str_trim(ag_buf_view(&line));
		ag_sql_verdict v;
		ag_err err = { 0 };
		ag_status st;
		ag_jw w;

		n++;
		if (!text.len)
			continue;
		if (line.len > MAX_LINE)
			st = ag_fail(&err, AG_INVALID, ORIGIN, "the line is longer than 32 MiB");
		else
			st = judge_line(text, arena, &v, &err);
		if (st == AG_UNAVAILABLE || st == AG_INTERNAL) {
			code = ag_cli_fail(c, &err);
			break;
		}
		ag_buf_clear(&out);
		if (st) {
			bad_request(&out, n, &err);
		} else {
			ag_jw_init(&w, &out, 0);
			ag_sql_verdict_json(&v, &w);
		}
		ag_buf_addc(&out, '\n');
		if (!ag_cli_print(c, ag_buf_view(&out)))
			code = AG_EXIT_FAILED;
		if (c->out_gone)
			break;
		ag_arena_reset(arena);
		if (ag_signals_cancelled())
			code = AG_EXIT_CANCELLED;
	}
	if (code == AG_EXIT_OK && ag_signals_cancelled())
		code = AG_EXIT_CANCELLED;
	if (code == AG_EXIT_OK && ferror(stdin)) {
		ag_err err = { 0 };

		ag_fail_errno(&err, errno, ORIGIN, "cannot read standard input");
		code = ag_cli_fail(c, &err);
	}
	ag_buf_release(&line);
	ag_buf_release(&out);
	ag_arena_free(arena);
	return code;
}

/* --- one statement --- */

static int one(ag_cli *c)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_arena *arena = c->app.arena;
	ag_sql_policy p;
	ag_sql_verdict v;
	ag_err err = { 0 };
	ag_str sql = c->args[0];
	ag_jw w;

	if (policy_of_options(c, &p, &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	if (ag_str_eqc(sql, "-") && ag_file_read(sql, MAX_STDIN_SQL, true, NULL, arena, &sql, &err))
		return ag_cli_fail(c, &err);
	if (ag_sql_guard(sql, &p, NULL, AG_SQL_RUN, arena, &v, &err))
		return ag_cli_fail(c, &err);
	ag_jw_init(&w, &out, 2);
	ag_sql_verdict_json(&v, &w);
	ag_buf_addc(&out, '\n');
	return ag_cli_finish(c, &out, ag_sql_allowed(&v) ? AG_EXIT_OK : AG_EXIT_FAILED);
}

static int run(ag_cli *c)
{
	const bool lines = ag_cli_has(c, "ndjson");

	if (lines && c->narg)
		ag_cli_complain(c, "--ndjson reads standard input: leave the statement away");
	if (!lines && !c->narg)
		ag_cli_complain(c, "want a statement, or - to read it from standard input");
	if (ag_cli_refused(c))
		return AG_EXIT_USAGE;
	return lines ? ndjson(c) : one(c);
}

const ag_command ag_cmd_guard = {
	.name = "guard",
	.summary = "Say whether a SQL statement may run, and why not",
	.group = AG_GROUP_SERVE,
	.usage = "SQL | - [options]",
	.about =
		"Reads the statement as PostgreSQL would and prints a verdict as JSON: allow or deny, the rule, "
		"tables and functions, and the exact text that would be sent. Nothing is sent anywhere.\n\n"
		"Exit code: 0 when it may run, 1 when not. With --ndjson every line of standard input is one "
		"request {\"sql\":…,\"config\":{…}}, every line of the output one verdict, and the exit code 0.\n\n"
		"What is let through is described in docs/guide/sql-guard.md.",
	.examples = "argus guard 'SELECT id FROM users' # allowed, with a limit\n"
		    "argus guard --allowed-tables users,orders 'SELECT * FROM payments' # refused\n"
		    "argus guard --ndjson < statements.ndjson # a verdict a line",
	.options = options,
	.noption = AG_NELEM(options),
	.max_args = 1,
	.flags = AG_COMMAND_WORDS,
	.run = run,
};
