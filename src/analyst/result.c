/* result -- see the header. */
#include "analyst/result.h"

#include "base/utf8.h"
#include "query/extjson.h"
#include "sql/sql_error.h"

#define TEXT_MAX_BYTES (4u << 20)
#define ERROR_BYTES    2000u
#define MAX_SHOWN_ROWS 200u

/* --- reading --- */

static const ag_val *array_of(const ag_val *v, const char *key)
{
	const ag_val *list = v ? ag_val_getc(v, key) : NULL;

	return list && list->type == AG_T_ARRAY ? list : NULL;
}

static ag_str first_of(ag_str a, ag_str b)
{
	return a.len ? a : b;
}

/* A failure's words and marks, from the object that has them. */
static void read_error(const ag_val *e, ag_analyst_result *ret)
{
	ret->ok = false;
	ret->error = first_of(ag_val_member_str(e, "message"), ag_val_member_str(e, "error"));
	ret->detail = ag_val_member_str(e, "detail");
	ret->hint = ag_val_member_str(e, "hint");
	ret->code = first_of(ag_val_member_str(e, "code"), ag_val_member_str(e, "error_code"));
	ret->class_name = first_of(ag_val_member_str(e, "class"),
	                           ag_val_member_str(e, "error_class"));
	ret->sqlstate = ag_val_member_str(e, "sqlstate");
	ret->rule = ag_val_member_str(e, "rule");
	ret->retry_after_s = (int64_t)ag_val_member_num(e, "retry_after_seconds");
}

static void read_table(const ag_val *v, ag_analyst_result *ret)
{
	ret->columns = array_of(v, "columns");
	ret->rows = array_of(v, "rows");
	ret->tables = array_of(v, "tables_accessed");
	ret->row_count = ag_val_member_u64(v, "row_count");
	ret->is_cut = ag_val_member_bool(v, "truncated");
	ret->how_to_go_on = ag_val_member_str(v, "how_to_go_on");
	ret->sql = ag_val_member_str(v, "sql_executed");
	if (!ret->columns || !ret->rows)
		ret->data = v;
}

static bool is_true(const ag_val *v)
{
	return v && v->type == AG_T_BOOL && v->u.b;
}

/* {"success":…,"data":{…},"error":{…} or "…"} */
static void read_envelope(const ag_val *v, ag_analyst_result *ret)
{
	const ag_val *data = ag_val_getc(v, "data"), *error = ag_val_getc(v, "error");

	if (data && data->type == AG_T_OBJECT)
		read_table(data, ret);
	if (is_true(ag_val_getc(v, "success")))
		return;
	ret->ok = false;
	if (error && error->type == AG_T_OBJECT)
		read_error(error, ret);
	else
		read_error(v, ret);
	ret->sql = first_of(ret->sql, error ? ag_val_member_str(error, "sql_executed") : ret->sql);
}

/* {"text":"…","ok":true}, of tools that read files. */
static bool read_words(const ag_val *v, bool is_error, ag_analyst_result *ret)
{
	const ag_val *text = ag_val_getc(v, "text"), *ok = ag_val_getc(v, "ok");

	if (!text || text->type != AG_T_STRING || !ok || ok->type != AG_T_BOOL)
		return false;
	ret->ok = !is_error && ok->u.b;
	ret->text = ag_val_text(text);
	if (!ret->ok)
		ret->error = ret->text;
	return true;
}

static void read_object(const ag_val *v, bool is_error, ag_analyst_result *ret)
{
	const ag_val *error = ag_val_getc(v, "error"), *status = ag_val_getc(v, "status");

	if (read_words(v, is_error, ret))
		return;
	if (ag_val_getc(v, "success")) {
		read_envelope(v, ret);
		return;
	}
	read_table(v, ret);
	if (error && error->type == AG_T_STRING && error->n)
		read_error(v, ret);
	else if (error && error->type == AG_T_OBJECT)
		read_error(error, ret);
	else if (is_error || (status && status->type == AG_T_STRING &&
	                      ag_str_eqc(ag_val_text(status), "error")))
		read_error(v, ret);
}

void ag_analyst_result_read(const ag_val *result, bool is_error, ag_arena *arena,
                            ag_analyst_result *ret)
{
	const ag_extjson_opts opts = { .max_values = 4u << 20 };
	const ag_val *text = result ? ag_val_getc(result, "text") : NULL;
	const bool is_foreign = text && text->type == AG_T_STRING && ag_val_getc(result, "server");
	ag_val *inner = ag_new(arena, ag_val);

	*ret = (ag_analyst_result){ .ok = !is_error };
	if (!result || result->type != AG_T_OBJECT)
		return;
	if (!is_foreign) {
		read_object(result, is_error, ret);
		return;
	}
	is_error = is_error || ag_val_member_bool(result, "is_error");
	ret->ok = !is_error;
	if (!ag_extjson_parse(ag_val_text(text), &opts, arena, inner, NULL, NULL, NULL) &&
	    inner->type == AG_T_OBJECT)
		read_object(inner, is_error, ret);
	else
		ret->text = ag_val_text(text);
	if (!ret->ok && !ret->error.len)
		ret->error = ag_val_text(text);
}

/* --- the class of a failure --- */

typedef struct words_of {
	const char *a, *b; /* both are in the text; b NULL = a alone */
	const char *class_name;
} words_of;

/* In the order of the reference. Only for servers that say nothing but a text. */
static const words_of by_words[] = {
	{ "syntax error", NULL, "syntax" },
	{ "parse error", NULL, "syntax" },
	{ "column", "does not exist", "column_not_found" },
	{ "column", "not found", "column_not_found" },
	{ "no such column", NULL, "column_not_found" },
	{ "relation", "does not exist", "table_not_found" },
	{ "table", "does not exist", "table_not_found" },
	{ "table", "not found", "table_not_found" },
	{ "no such table", NULL, "table_not_found" },
	{ "not permitted", NULL, "refused" },
	{ "not allowed", NULL, "refused" },
	{ "only select", NULL, "refused" },
	{ "permission denied", NULL, "permission" },
	{ "access denied", NULL, "permission" },
	{ "rate limit", NULL, "rate_limit" },
	{ "timeout", NULL, "timeout" },
	{ "cancelled", NULL, "timeout" },
	{ "canceling statement", NULL, "timeout" },
	{ "timed out", NULL, "timeout" },
	{ "could not connect", NULL, "connection" },
	{ "is ambiguous", NULL, "ambiguous" },
	{ "group by", NULL, "grouping" },
	{ "function", "does not exist", "function_not_found" },
	{ "operator does not exist", NULL, "type_mismatch" },
	{ "type", "mismatch", "type_mismatch" },
	{ "type", "cannot", "type_mismatch" },
	{ "invalid input syntax", NULL, "invalid_value" },
	{ "division by zero", NULL, "invalid_value" },
};

static const struct {
	const char *code, *class_name;
} by_code[] = {
	{ "QUERY_TIMEOUT", "timeout" },         { "CONNECTION_ERROR", "connection" },
	{ "CONNECTION_TIMEOUT", "connection" }, { "UNAVAILABLE", "connection" },
	{ "RATE_LIMITED", "rate_limit" },       { "PERMISSION_DENIED", "permission" },
	{ "NOT_FOUND", "table_not_found" },     { "TOO_COSTLY", "resource" },
	{ "CANCELLED", "cancelled" },           { "AUTH_TOKEN_EXPIRED", "connection" },
};

static const char *const classes[] = {
	"syntax",        "column_not_found", "table_not_found", "function_not_found", "ambiguous",
	"grouping",      "type_mismatch",    "invalid_value",   "permission",         "timeout",
	"cancelled",     "connection",       "refused",         "rate_limit",         "resource",
	"still_running", "execution",
};

static ag_str lower(ag_str s, ag_buf *out)
{
	for (size_t i = 0; i < s.len; i++)
		ag_buf_addc(out,
		            s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? (char)(s.ptr[i] + 32) : s.ptr[i]);
	return ag_buf_view(out);
}

static const char *class_by_words(ag_str error)
{
	ag_buf out = AG_BUF_INIT(ERROR_BYTES + 8);
	const ag_str text = lower(ag_utf8_prefix(error, ERROR_BYTES), &out);
	const char *ret = "execution";

	for (size_t i = AG_NELEM(by_words); i-- > 0;) {
		const words_of *w = &by_words[i];

		if (ag_str_contains(text, ag_str_c(w->a)) &&
		    (!w->b || ag_str_contains(text, ag_str_c(w->b))))
			ret = w->class_name;
	}
	ag_buf_release(&out);
	return ret;
}

const char *ag_analyst_error_class(const ag_analyst_result *r)
{
	char state[6] = "";
	ag_sql_failure f = { 0 };

	for (size_t i = 0; i < AG_NELEM(classes); i++) {
		if (ag_str_eqc(r->class_name, classes[i]))
			return classes[i];
	}
	if (r->rule.len)
		return "refused";
	if (r->sqlstate.len == 5) {
		memcpy(state, r->sqlstate.ptr, 5);
		ag_sql_failure_of_state(state, &f);
		if (f.class_name)
			return f.class_name;
	}
	for (size_t i = 0; i < AG_NELEM(by_code); i++) {
		if (ag_str_eqc(r->code, by_code[i].code))
			return by_code[i].class_name;
	}
	return class_by_words(r->error);
}

/* --- for a model --- */

void ag_analyst_fence(ag_buf *out, const char *name, ag_str text)
{
	ag_buf_addf(out, "<data name=\"%s\">\n", name);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '<')
			ag_buf_adds(out, "\\u003c");
		else
			ag_buf_addc(out, text.ptr[i]);
	}
	ag_buf_adds(out, "\n</data>\n");
}

static void names(ag_buf *out, const ag_val *list)
{
	for (uint32_t i = 0; list && i < list->n; i++)
		if (list->u.items[i].type == AG_T_STRING)
			ag_buf_addf(out, "%s%.*s", i ? ", " : "",
			            AG_FMT(ag_val_text(&list->u.items[i])));
}

/* One row a line; returns how many were written. */
static uint32_t write_rows(const ag_analyst_result *r, size_t max_bytes, ag_buf *out,
                           ag_arena *arena)
{
	ag_buf rows = AG_BUF_INIT(TEXT_MAX_BYTES);
	uint32_t n = 0;

	if (r->tables && r->tables->n) {
		ag_buf_adds(&rows, "tables: ");
		names(&rows, r->tables);
		ag_buf_addc(&rows, '\n');
	}
	ag_buf_adds(&rows, "columns: ");
	names(&rows, r->columns);
	while (n < r->rows->n && n < MAX_SHOWN_ROWS) {
		const ag_str row = ag_extjson_str(arena, &r->rows->u.items[n], AG_EXTJSON_RELAXED);

		if (rows.len + row.len + 1 > max_bytes && n)
			break;
		ag_buf_addf(&rows, "\n%.*s", AG_FMT(ag_utf8_prefix(row, max_bytes)));
		n++;
	}
	ag_analyst_fence(out, "rows", ag_buf_view(&rows));
	ag_buf_release(&rows);
	return n;
}

static void write_table(const ag_analyst_result *r, ag_str name, size_t max_bytes, ag_buf *out,
                        ag_arena *arena)
{
	uint32_t n;

	ag_buf_addf(out, "Result %.*s: %llu row%s%s.", AG_FMT(name),
	            (unsigned long long)r->row_count, r->row_count == 1 ? "" : "s",
	            r->is_cut ? ", cut: there are more" : ", the whole result");
	ag_buf_addc(out, '\n');
	n = write_rows(r, max_bytes, out, arena);
	if (n < r->rows->n)
		ag_buf_addf(
			out,
			"Only the first %u of these rows are shown to you. The user sees all of "
			"them. Aggregate or filter in SQL; do not add up rows yourself.\n",
			n);
	if (r->is_cut)
		ag_buf_adds(out,
		            "The database has more rows than were given: filter, aggregate, or "
		            "order and limit. Tell the user that the result is cut.\n");
	if (!r->row_count)
		ag_buf_adds(out, "No row fits. Say so; check filters and spelling before you "
		                 "conclude that no such row exists.\n");
}

static void add_part(ag_buf *out, const char *label, ag_str text)
{
	if (text.len)
		ag_buf_addf(out, "%s%.*s", label, AG_FMT(ag_utf8_prefix(text, ERROR_BYTES)));
}

/* All of it may hold values of the data. */
static void write_failure(const ag_analyst_result *r, ag_buf *out)
{
	const char *class_name = ag_analyst_error_class(r);
	ag_buf words = AG_BUF_INIT(TEXT_MAX_BYTES);

	ag_buf_addf(out, "Error, class %s", class_name);
	add_part(&words, "", r->error);
	add_part(&words, "\ndetail: ", r->detail);
	add_part(&words, "\nhint: ", r->hint);
	add_part(&words, "\nSQLSTATE: ", r->sqlstate);
	if (strcmp(class_name, "refused") == 0)
		add_part(&words, "\nrule: ", r->rule);
	ag_buf_adds(out, ":\n");
	ag_analyst_fence(out, "error", ag_buf_view(&words));
	ag_buf_release(&words);
	if (r->retry_after_s > 0)
		ag_buf_addf(out, "It may be asked again in %lld s.\n", (long long)r->retry_after_s);
}

ag_str ag_analyst_result_text(const ag_analyst_result *r, ag_str name, size_t max_bytes,
                              ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(TEXT_MAX_BYTES);
	ag_str ret, json;

	if (!r->ok) {
		write_failure(r, &out);
	} else if (ag_analyst_is_table(r)) {
		write_table(r, name, max_bytes, &out, arena);
	} else {
		json = r->data ? ag_extjson_str(arena, r->data, AG_EXTJSON_RELAXED) : r->text;
		ag_analyst_fence(&out, "result", ag_utf8_prefix(json, max_bytes));
		if (json.len > max_bytes)
			ag_buf_addf(&out, "It is cut: it has %zu bytes.\n", json.len);
	}
	ret = ag_str_trim(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	return ret;
}
