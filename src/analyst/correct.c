/* correct -- see the header. The guidance is a table: class, may a model mend it, what to do. */
#include "analyst/correct.h"

#include "base/utf8.h"
#include "query/extjson.h"

#define CRITIQUE_BYTES (24u * 1024)
#define SQL_BYTES      4000u
#define MAX_TABLES     5u  /* whose columns are shown */
#define MAX_COLUMNS    40u /* of a table */

static const struct {
	const char *class_name;
	bool is_mendable;
	const char *guidance;
} rows[] = {
	{ "syntax", true,
	  "Check commas, parentheses, quotes and the spelling of keywords. Put texts in single quotes, "
	  "names in double quotes. An alias of SELECT cannot be used in WHERE." },
	{ "column_not_found", true,
	  "Use the columns below, or describe_table. Check upper and lower case, the alias of the table, "
	  "and the spelling." },
	{ "table_not_found", true,
	  "Look at the tables of the data dictionary. Check the spelling, underscore or hyphen, lower case, "
	  "and whether the table is in another schema." },
	{ "permission", false,
	  "This role may not do that. Only SELECT on the project's own tables is possible, system catalogs "
	  "are closed, and some tables are excluded." },
	{ "refused", true,
	  "Argus does not run this statement. Write one SELECT on the tables of the data dictionary, without "
	  "system catalogs, locks, or functions that have effects. Do not try to get around the rule." },
	{ "timeout", true,
	  "The statement was too slow. Filter more in WHERE, name the columns that you need instead of *, "
	  "aggregate, or go in smaller steps." },
	{ "resource", true,
	  "The statement is too large for the database. Make it simpler, or go in smaller steps." },
	{ "type_mismatch", true,
	  "Look up the types in the data dictionary and cast explicitly, as in CAST(x AS date). Compare "
	  "timestamps with timestamps. Test for NULL with IS NULL." },
	{ "invalid_value", true,
	  "A value does not fit its type. Look at a few values first, then filter or cast them; divide by "
	  "NULLIF(x, 0)." },
	{ "function_not_found", true,
	  "Check the name of the function and the types of its arguments for this database; cast arguments "
	  "where they differ." },
	{ "ambiguous", true,
	  "Put the alias of its table in front of each column, and give each table an alias of its own." },
	{ "grouping", true,
	  "Put each selected column in GROUP BY or in an aggregate. Aggregates are filtered with HAVING, "
	  "not with WHERE." },
	{ "connection", false,
	  "The database cannot be reached now. Do not send the statement again. Tell the user that the "
	  "database does not answer, and that the question can be asked again later." },
	{ "rate_limit", false,
	  "The limit of queries is reached. Do not send the statement again now. Tell the user when it can "
	  "be asked again." },
	{ "cancelled", false,
	  "The statement was stopped. Do not send it again. Tell the user that it was stopped." },
	{ "still_running", false,
	  "An earlier statement does not stop in the database. Send nothing more. Tell the user to ask again "
	  "later, or the administrator to end it." },
	/* The last one: of every class that is not known. */
	{ "execution", true,
	  "Read the message. Check names and joins against the data dictionary, and make the statement "
	  "simpler." },
};

static size_t row_of(const char *class_name)
{
	size_t i = 0;

	while (i + 1 < AG_NELEM(rows) && strcmp(rows[i].class_name, class_name) != 0)
		i++;
	return i;
}

const char *ag_analyst_guidance(const char *class_name)
{
	return rows[row_of(class_name)].guidance;
}

bool ag_analyst_is_mendable(const char *class_name)
{
	return rows[row_of(class_name)].is_mendable;
}

/* --- tables of a statement --- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* Does the statement contain the name as a whole word? */
static bool mentions(ag_str sql, ag_str name)
{
	for (size_t i = 0; name.len && i + name.len <= sql.len; i++) {
		if (ag_str_ieq(ag_str_make(sql.ptr + i, name.len), name) &&
		    (!i || !is_word(sql.ptr[i - 1])) &&
		    (i + name.len == sql.len || !is_word(sql.ptr[i + name.len])))
			return true;
	}
	return false;
}

/* "orders: id integer, total numeric, …", a line for each table that the statement names. */
static void write_tables(const ag_dictionary *d, ag_str sql, ag_buf *out)
{
	ag_buf text = AG_BUF_INIT(CRITIQUE_BYTES);
	unsigned n = 0;

	for (size_t i = 0; d && i < d->ntable && n < MAX_TABLES; i++) {
		const ag_dict_table *t = &d->tables[i];

		if (!mentions(sql, t->name))
			continue;
		ag_buf_addf(&text, "%s%.*s: ", n++ ? "\n" : "", AG_FMT(t->name));
		for (size_t k = 0; k < t->ncolumn && k < MAX_COLUMNS; k++)
			ag_buf_addf(&text, "%s%.*s %.*s", k ? ", " : "", AG_FMT(t->columns[k].name),
			            AG_FMT(t->columns[k].type));
		if (t->ncolumn > MAX_COLUMNS)
			ag_buf_adds(&text, ", …");
	}
	if (n) {
		ag_buf_adds(out, "The tables that it names, with their columns:\n");
		ag_analyst_fence(out, "tables", ag_buf_view(&text));
	}
	ag_buf_release(&text);
}

/* --- the observation gate --- */

static void write_retry(const ag_analyst_state *s, const char *class_name, ag_buf *out)
{
	const unsigned n = s->nfailed < s->retries ? s->nfailed : s->retries;

	ag_buf_addf(out, "Correct it (retry %u of %u). %s\n", n, s->retries,
	            ag_analyst_guidance(class_name));
	ag_buf_adds(out,
	            "1. Find the cause in the error. 2. Check it against the data dictionary and "
	            "the rules above. 3. Send a corrected query, never the same one. 4. In your "
	            "answer, say in one sentence what you changed.\n");
}

static void write_end(const ag_analyst_state *s, const char *class_name, ag_buf *out)
{
	ag_buf_addf(out,
	            "%u calls failed: no more queries are run for this question. %s\nAnswer now, "
	            "without a query. Say what you tried, what the error means in plain words, and "
	            "what the user can do: ask in other words, ask for something simpler, or look "
	            "at the data dictionary. Do not give figures that no result showed.\n",
	            s->nfailed, ag_analyst_guidance(class_name));
}

static ag_str critique_of(const ag_analyst_gates *g, const ag_analyst_state *s,
                          const ag_analyst_result *r, ag_str sql, ag_arena *arena)
{
	const char *class_name = ag_analyst_error_class(r);
	ag_buf out = AG_BUF_INIT(CRITIQUE_BYTES);
	ag_str ret;

	if (ag_analyst_gave_up(s))
		write_end(s, class_name, &out);
	else if (!ag_analyst_is_mendable(class_name))
		ag_buf_addf(&out, "%s\n", ag_analyst_guidance(class_name));
	else
		write_retry(s, class_name, &out);
	if (sql.len) {
		ag_buf_adds(&out, "The statement that failed:\n");
		ag_analyst_fence(&out, "sql", ag_utf8_prefix(sql, SQL_BYTES));
		write_tables(g->dictionary, sql, &out);
	}
	ret = ag_str_trim(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	return ret;
}

static ag_verdict pass(const char *reason)
{
	return (ag_verdict){ .kind = AG_PASS,
		             .score = 1,
		             .reason = ag_str_c(reason),
		             .evaluated_by = AG_S("rules") };
}

/* It was applied to the state before it is judged, so its failure is counted already. */
static ag_status judge_output(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                              ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	const ag_analyst_gates *g =
		(const ag_analyst_gates *)(const void *)((const char *)self -
	                                                 offsetof(ag_analyst_gates, output));
	const ag_extjson_opts opts = { 0 };
	ag_analyst_result r;
	ag_val v, input;
	ag_status st;

	(void)ctx;
	st = ag_extjson_parse(s->observation->json, &opts, arena, &v, NULL, NULL, err);
	if (st)
		return st;
	ag_analyst_result_read(&v, s->observation->is_error, arena, &r);
	*ret = pass("the call gave a result");
	if (r.ok)
		return AG_OK;
	if (ag_extjson_parse(s->proposal->input, &opts, arena, &input, NULL, NULL, NULL))
		input = ag_val_missing();
	*ret = (ag_verdict){
		.kind = AG_FAIL,
		.reason = ag_str_printf(arena, "%s: %.*s", ag_analyst_error_class(&r),
		                        AG_FMT(ag_utf8_prefix(r.error, 300))),
		.critique = critique_of(g, s->state, &r, ag_analyst_sql_of(&input), arena),
		.evaluated_by = AG_S("rules"),
	};
	return AG_OK;
}

/* --- the action gate --- */

/* Equal but for blanks and a last semicolon? */
static bool is_same_sql(ag_str a, ag_str b)
{
	size_t i = 0, k = 0;

	a = ag_str_trim(a);
	b = ag_str_trim(b);
	while (a.len && a.ptr[a.len - 1] == ';')
		a = ag_str_trim(ag_str_make(a.ptr, a.len - 1));
	while (b.len && b.ptr[b.len - 1] == ';')
		b = ag_str_trim(ag_str_make(b.ptr, b.len - 1));
	while (i < a.len && k < b.len) {
		const bool blank_a = (unsigned char)a.ptr[i] <= ' ';
		const bool blank_b = (unsigned char)b.ptr[k] <= ' ';

		if (blank_a != blank_b || (!blank_a && a.ptr[i] != b.ptr[k]))
			return false;
		while (blank_a && (unsigned char)a.ptr[i] <= ' ')
			i++;
		while (blank_b && (unsigned char)b.ptr[k] <= ' ')
			k++;
		i += !blank_a;
		k += !blank_b;
	}
	return i == a.len && k == b.len;
}

/* The call that failed with this statement before, or NULL. */
static const ag_analyst_query *failed_before(const ag_analyst_state *s, ag_str sql)
{
	for (size_t i = s->nquery; i-- > 0;) {
		const ag_analyst_query *q = &s->queries[i];

		if (q->has_output && !q->result.ok && q->sql.len && is_same_sql(q->sql, sql))
			return q;
	}
	return NULL;
}

static ag_status judge_call(const ag_evaluator *self, const ag_ctx *ctx, const ag_subject *s,
                            ag_arena *arena, ag_verdict *ret, ag_err *err)
{
	const ag_analyst_state *state = s->state;
	const ag_str sql = s->input ? ag_analyst_sql_of(s->input) : AG_S("");
	const ag_analyst_query *before = sql.len ? failed_before(state, sql) : NULL;

	(void)self, (void)ctx, (void)err;
	*ret = pass("the call may be made");
	if (ag_analyst_gave_up(state))
		*ret = (ag_verdict){
			.kind = AG_FAIL,
			.reason = AG_S("the retries of this question are used up"),
			.critique = AG_S("The retries of this question are used up: nothing more "
			                 "is run. Answer without a query."),
			.evaluated_by = AG_S("rules"),
		};
	else if (before)
		*ret = (ag_verdict){
			.kind = AG_FAIL,
			.reason = AG_S("this statement failed before in this question"),
			.critique = ag_str_printf(
				arena,
				"This statement was not run: you sent it before, and it failed "
				"(class %s). Change it. %s",
				ag_analyst_error_class(&before->result),
				ag_analyst_guidance(ag_analyst_error_class(&before->result))),
			.evaluated_by = AG_S("rules"),
		};
	return AG_OK;
}

void ag_analyst_gates_init(ag_analyst_gates *g, const ag_dictionary *dictionary)
{
	*g = (ag_analyst_gates){
		.action = { .name = "rules", .evaluate = judge_call },
		.output = { .name = "rules", .evaluate = judge_output },
		.dictionary = dictionary,
	};
}
