/* table -- rules as tests of a table: dbt, Great Expectations, Soda.
 *
 * All three come from one list of checks of columns and one of conditions on rows. A nested field is a column only when the
 * caller says how its names are joined. A column of a table has one type, and so no rule about types. */
#include "export/rules.h"

#include "base/time.h"

typedef enum check_kind {
	NOT_NULL,
	UNIQUE,
	ONLY,  /* values */
	NEVER, /* values */
	NO_MATCH,
	BETWEEN,
	CONDITION /* text: a condition in SQL that holds for wrong rows */
} check_kind;

typedef struct check {
	check_kind kind;
	ag_str column; /* "": the whole row */
	ag_str text;   /* the pattern or the condition */
	ag_str why;    /* "" or one sentence */
	const ag_val *values;
	size_t nvalue;
	ag_bound min, max;
} check;

typedef struct table {
	const ag_export *rules;
	ag_arena *arena;
	ag_str name, joint; /* joint "": nested fields are left out */
	check *checks;
	size_t ncheck, capacity;
	ag_str *left_out;
	size_t nleft_out;
} table;

/* --- columns --- */

static ag_str column_of(const table *t, const ag_export_node *n)
{
	ag_str above;

	if (!n->path.len || ag_str_eqc(n->name, "*"))
		return AG_S("");
	if (!n->parent->parent)
		return n->name;
	above = t->joint.len ? column_of(t, n->parent) : AG_S("");
	return above.len ? ag_str_printf(t->arena, "%.*s%.*s%.*s", AG_FMT(above), AG_FMT(t->joint),
	                                 AG_FMT(n->name))
	                 : AG_S("");
}

static const ag_export_node *find(const ag_export_node *n, ag_str path)
{
	const ag_export_node *found = NULL;

	if (n->path.len && ag_str_eq(n->path, path))
		return n;
	for (const ag_export_node *k = n->kids; k && !found; k = k->next)
		found = find(k, path);
	return found;
}

static void add(table *t, check c)
{
	if (t->ncheck == t->capacity) {
		check *more = ag_new_n(t->arena, check, t->capacity * 2);

		memcpy(more, t->checks, t->ncheck * sizeof *more);
		t->checks = more;
		t->capacity *= 2;
	}
	t->checks[t->ncheck++] = c;
}

static void leave_out(table *t, const ag_export_rule *r, const char *why)
{
	t->left_out[t->nleft_out++] = ag_str_printf(t->arena, "%.*s: %.*s, %.*s: %s",
	                                            AG_FMT(t->rules->collection), AG_FMT(r->field),
	                                            AG_FMT(r->title), why);
}

static bool is_about_repeats(const ag_export_rule *r)
{
	return !r->filter && ag_str_eqc(r->category, "duplicates");
}

static void node_checks(table *t, const ag_export_node *n)
{
	const ag_str column = column_of(t, n);
	const bool is_value = !(n->kinds & (AG_KIND_OBJECT | AG_KIND_ARRAY | AG_KIND_OTHER));
	/* In a table, null and missing are the same, also of the objects above. */
	const bool is_there = n->present == t->rules->surveyed;
	bool is_unique = ag_str_eqc(n->path, "_id");
	size_t nonly = n->nonly;

	for (const ag_export_node *k = n->kids; k; k = k->next)
		node_checks(t, k);
	if (!column.len || !is_value)
		return;
	if ((is_there || (n->is_required && !n->parent->parent)) && !(n->kinds & AG_KIND_NULL))
		add(t, (check){ .kind = NOT_NULL, .column = column });
	for (size_t i = 0; i < t->rules->nrule; i++) {
		const ag_export_rule *r = &t->rules->rules[i];

		is_unique = is_unique || (is_about_repeats(r) && ag_str_eq(r->field, n->path));
	}
	if (is_unique)
		add(t, (check){ .kind = UNIQUE, .column = column });
	if (n->only) {
		nonly -= n->only[nonly - 1].type == AG_T_NULL;
		add(t,
		    (check){ .kind = ONLY, .column = column, .values = n->only, .nvalue = nonly });
	}
	if (n->nwrong && !n->only)
		add(t, (check){ .kind = NEVER,
		                .column = column,
		                .values = n->wrong,
		                .nvalue = n->nwrong });
	for (size_t i = 0; i < n->nbroken; i++)
		add(t, (check){ .kind = NO_MATCH, .column = column, .text = n->broken[i] });
	if (n->min.value.type != AG_T_MISSING || n->max.value.type != AG_T_MISSING)
		add(t, (check){ .kind = BETWEEN, .column = column, .min = n->min, .max = n->max });
}

/* --- conditions in SQL --- */

static void sql_text(ag_buf *out, ag_str s, char quote)
{
	ag_buf_addc(out, quote);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == quote)
			ag_buf_addc(out, quote);
		ag_buf_addc(out, s.ptr[i]);
	}
	ag_buf_addc(out, quote);
}

/* Small letters, digits and "_" need no quotes in any dialect. */
static void sql_name(ag_buf *out, ag_str s)
{
	bool is_plain = s.len && !(s.ptr[0] >= '0' && s.ptr[0] <= '9');

	for (size_t i = 0; i < s.len; i++)
		is_plain = is_plain && ((s.ptr[i] >= 'a' && s.ptr[i] <= 'z') || s.ptr[i] == '_' ||
		                        (s.ptr[i] >= '0' && s.ptr[i] <= '9'));
	if (is_plain)
		ag_buf_add(out, s);
	else
		sql_text(out, s, '"');
}

static bool sql_value(table *t, const ag_val *v, ag_buf *out)
{
	const ag_str text = v->type == AG_T_STRING ? ag_val_text(v) : AG_S("");

	if (v->type == AG_T_DATE) {
		char iso[AG_TIME_MAX_TEXT];
		const size_t n = ag_time_format(iso, v->u.i);

		ag_buf_addf(out, "CAST('%.*s' AS TIMESTAMP)", (int)n, iso);
	} else if (v->type == AG_T_STRING && !memchr(text.ptr, '\0', text.len)) {
		sql_text(out, text, '\'');
	} else if (v->type == AG_T_BOOL) {
		ag_buf_adds(out, v->u.b ? "TRUE" : "FALSE");
	} else if (v->type == AG_T_INT32 || v->type == AG_T_INT64 ||
	           (v->type == AG_T_DOUBLE && v->u.f - v->u.f == 0)) {
		ag_buf_add(out, ag_extjson_str(t->arena, v, AG_EXTJSON_RELAXED));
	} else {
		return false;
	}
	return true;
}

static bool condition(table *t, const ag_filter *f, ag_buf *out);

static bool joined(table *t, const ag_filter *f, const char *word, ag_buf *out)
{
	for (size_t i = 0; i < f->nkids; i++) {
		if (i)
			ag_buf_addf(out, " %s ", word);
		ag_buf_addc(out, '(');
		if (!condition(t, f->kids[i], out))
			return false;
		ag_buf_addc(out, ')');
	}
	return f->nkids > 0;
}

static bool in_list(table *t, const ag_filter *f, ag_str column, ag_buf *out)
{
	size_t n = 0;

	ag_buf_addc(out, '(');
	sql_name(out, column);
	ag_buf_adds(out, " IN (");
	for (int64_t i = 0; i < f->number; i++) {
		if (f->operand.u.items[i].type == AG_T_NULL)
			continue;
		if (n++)
			ag_buf_adds(out, ", ");
		if (!sql_value(t, &f->operand.u.items[i], out))
			return false;
	}
	ag_buf_adds(out, ")");
	if (f->flag) {
		ag_buf_adds(out, " OR ");
		sql_name(out, column);
		ag_buf_adds(out, " IS NULL");
	}
	ag_buf_addc(out, ')');
	return n > 0 && !f->nkids;
}

/* False: SQL cannot say it, or a field is no column. */
static bool condition(table *t, const ag_filter *f, ag_buf *out)
{
	const ag_export_node *n = f->path.len ? find(t->rules->root, f->path) : NULL;
	const ag_str column = n ? column_of(t, n) : AG_S("");
	const char *op = f->op == AG_F_GT    ? " > "
	                 : f->op == AG_F_GTE ? " >= "
	                 : f->op == AG_F_LT  ? " < "
	                 : f->op == AG_F_LTE ? " <= "
	                                     : " = ";

	switch (f->op) {
	case AG_F_AND: return joined(t, f, "AND", out);
	case AG_F_OR: return joined(t, f, "OR", out);
	case AG_F_NOR:
	case AG_F_NOT:
		/* Unknown is not wrong. */
		ag_buf_adds(out, "NOT COALESCE((");
		if (!joined(t, f, "OR", out))
			return false;
		ag_buf_adds(out, "), FALSE)");
		return true;
	default: break;
	}
	if (!column.len || n->kinds & (AG_KIND_ARRAY | AG_KIND_OBJECT | AG_KIND_OTHER))
		return false;
	switch (f->op) {
	case AG_F_IN: return in_list(t, f, column, out);
	case AG_F_EQ:
	case AG_F_GT:
	case AG_F_GTE:
	case AG_F_LT:
	case AG_F_LTE:
		sql_name(out, column);
		if (f->op == AG_F_EQ && f->operand.type == AG_T_NULL) {
			ag_buf_adds(out, " IS NULL");
			return true;
		}
		ag_buf_adds(out, op);
		return sql_value(t, &f->operand, out);
	case AG_F_EXISTS:
		sql_name(out, column);
		ag_buf_adds(out, f->flag ? " IS NOT NULL" : " IS NULL");
		return true;
	default: return false;
	}
}

static void rule_check(table *t, const ag_export_rule *r)
{
	const ag_export_node *n = find(t->rules->root, r->filter ? r->filter->path : r->field);
	const ag_str column = n ? column_of(t, n) : AG_S("");
	const ag_str why = ag_str_printf(t->arena, "%.*s: %.*s", AG_FMT(r->title),
	                                 AG_FMT(r->description));
	ag_buf text = AG_BUF_INIT(AG_FILTER_MAX_BYTES);

	if (is_about_repeats(r) && column.len)
		; /* its column is unique */
	else if (!r->filter)
		leave_out(t, r, "a rule about several documents");
	else if (r->is_in_schema && !column.len)
		leave_out(t, r, "no column of the table: --flatten names nested ones");
	else if (r->is_in_schema && r->filter->op == AG_F_TYPE &&
	         r->filter->type_mask != 1u << AG_T_NULL)
		leave_out(t, r, "a column of a table has one type");
	else if (r->is_in_schema)
		; /* the checks of its column say it */
	else if (condition(t, r->filter, &text) && !text.failed)
		add(t, (check){ .kind = CONDITION,
		                .column = AG_S(""),
		                .text = ag_buf_dup(t->arena, &text),
		                .why = why });
	else
		leave_out(t, r, "SQL cannot say it for all databases, or a field is no column");
	ag_buf_release(&text);
}

static table checks_of(const ag_export *r, ag_str name, ag_str joint, ag_arena *arena)
{
	table t = { .rules = r, .arena = arena, .name = name, .joint = joint, .capacity = 64 };

	t.checks = ag_new_n(arena, check, t.capacity);
	t.left_out = ag_new_n(arena, ag_str, r->nrule + 1);
	for (const ag_export_node *k = r->root->kids; k; k = k->next)
		node_checks(&t, k);
	for (size_t i = 0; i < r->nrule; i++)
		rule_check(&t, &r->rules[i]);
	return t;
}

/* --- YAML: every text is a JSON string, which is one of YAML's --- */

/* dbt reads "{{" as the begin of an expression: it is written as one that gives "{{". */
static void dbt_text(ag_buf *out, ag_str s)
{
	ag_buf safe = AG_BUF_INIT(AG_FILTER_MAX_BYTES);

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '{' && i + 1 < s.len && strchr("{%#", s.ptr[i + 1])) {
			ag_buf_addf(&safe, "{{ '{%c' }}", s.ptr[i + 1]);
			i++;
		} else {
			ag_buf_addc(&safe, s.ptr[i]);
		}
	}
	ag_json_quote(out, ag_buf_view(&safe));
	ag_buf_release(&safe);
}

static void list(const table *t, const check *c, bool is_dbt, ag_buf *out)
{
	ag_buf_addc(out, '[');
	for (size_t i = 0; i < c->nvalue; i++) {
		if (i)
			ag_buf_adds(out, ", ");
		if (is_dbt && c->values[i].type == AG_T_STRING)
			dbt_text(out, ag_val_text(&c->values[i]));
		else
			ag_buf_add(out,
			           ag_extjson_str(t->arena, &c->values[i], AG_EXTJSON_RELAXED));
	}
	ag_buf_addc(out, ']');
}

static void head(const table *t, const char *needs, ag_buf *out)
{
	const ag_export *r = t->rules;

	ag_buf_addf(out, "# Made by argus %.*s from run %.*s of %.*s, %llu of %llu documents.\n",
	            AG_FMT(r->argus), AG_FMT(r->run), AG_FMT(r->run_at),
	            (unsigned long long)r->surveyed, (unsigned long long)r->documents);
	ag_buf_adds(out, needs);
}

/* "<= 130", "> 0", or both joined by AND with the column before the second. */
static ag_str range(table *t, const check *c, bool names_column)
{
	ag_buf out = AG_BUF_INIT(AG_FILTER_MAX_BYTES);
	const ag_bound *bounds[] = { &c->min, &c->max };
	ag_str ret;

	for (int i = 0; i < 2; i++) {
		if (bounds[i]->value.type == AG_T_MISSING)
			continue;
		if (out.len)
			ag_buf_adds(&out, " AND ");
		if (out.len || names_column) {
			sql_name(&out, c->column);
			ag_buf_addc(&out, ' ');
		}
		ag_buf_addf(&out, "%s%s ", i ? "<" : ">", bounds[i]->is_open ? "" : "=");
		ag_buf_add(&out, ag_extjson_str(t->arena, &bounds[i]->value, AG_EXTJSON_RELAXED));
	}
	ret = ag_buf_dup(t->arena, &out);
	ag_buf_release(&out);
	return ret;
}

static void dbt_check(table *t, const check *c, ag_buf *out)
{
	switch (c->kind) {
	case NOT_NULL: ag_buf_adds(out, "          - not_null\n"); return;
	case UNIQUE: ag_buf_adds(out, "          - unique\n"); return;
	case ONLY:
	case NEVER:
		ag_buf_addf(out,
		            "          - %s:\n              arguments:\n                values: ",
		            c->kind == ONLY ? "accepted_values" : "dbt_utils.not_accepted_values");
		list(t, c, true, out);
		break;
	case NO_MATCH:
		ag_buf_adds(
			out,
			"          - dbt_expectations.expect_column_values_to_not_match_regex:\n"
			"              arguments:\n                regex: ");
		dbt_text(out, c->text);
		break;
	case BETWEEN:
		ag_buf_adds(out, "          - dbt_utils.expression_is_true:\n"
		                 "              arguments:\n                expression: ");
		dbt_text(out, range(t, c, false));
		break;
	case CONDITION: return;
	}
	ag_buf_addc(out, '\n');
}

static void dbt(table *t, ag_buf *out)
{
	ag_str column = AG_S("");
	bool some = false;

	head(t,
	     "# dbt 1.10.5 or later, with the packages dbt-labs/dbt_utils and metaplane/dbt_expectations.\n",
	     out);
	ag_buf_adds(out, "version: 2\nmodels:\n  - name: ");
	dbt_text(out, t->name);
	ag_buf_addc(out, '\n');
	for (size_t i = 0; i < t->ncheck; i++) {
		if (t->checks[i].kind != CONDITION)
			continue;
		ag_buf_adds(out, some ? "" : "    data_tests:\n");
		ag_buf_adds(out, "      - dbt_utils.expression_is_true:\n          description: ");
		dbt_text(out, t->checks[i].why);
		ag_buf_adds(out, "\n          arguments:\n            expression: ");
		dbt_text(out, ag_str_printf(t->arena, "NOT COALESCE((%.*s), FALSE)",
		                            AG_FMT(t->checks[i].text)));
		ag_buf_addc(out, '\n');
		some = true;
	}
	ag_buf_adds(out, "    columns:\n");
	for (size_t i = 0; i < t->ncheck; i++) {
		const check *c = &t->checks[i];

		if (c->kind == CONDITION)
			continue;
		if (!ag_str_eq(c->column, column)) {
			column = c->column;
			ag_buf_adds(out, "      - name: ");
			dbt_text(out, column);
			ag_buf_adds(out, "\n        data_tests:\n");
		}
		dbt_check(t, c, out);
	}
}

/* One line of a check: plain where it is plain YAML. */
static void soda_check(const check *c, const char *metric, const char *end, ag_buf *out)
{
	ag_buf line = AG_BUF_INIT(64 * 1024), name = AG_BUF_INIT(64 * 1024);

	sql_name(&name, c->column);
	ag_buf_addf(&line, "%s(%.*s) = 0", metric, (int)name.len, name.ptr);
	ag_buf_adds(out, "  - ");
	if (ag_str_eq(ag_buf_view(&name), c->column))
		ag_buf_add(out, ag_buf_view(&line));
	else
		ag_json_quote(out, ag_buf_view(&line));
	ag_buf_adds(out, end);
	ag_buf_release(&line);
	ag_buf_release(&name);
}

static void soda_rows(table *t, const check *c, ag_str wrong, ag_buf *out)
{
	ag_buf_adds(out, "  - failed rows:\n      name: ");
	ag_json_quote(out, c->why.len ? c->why
	                              : ag_str_printf(t->arena, "%.*s is out of range",
	                                              AG_FMT(c->column)));
	ag_buf_adds(out, "\n      fail condition: ");
	ag_json_quote(out, wrong);
	ag_buf_addc(out, '\n');
}

static void soda(table *t, ag_buf *out)
{
	head(t, "", out);
	ag_json_quote(out, ag_str_printf(t->arena, "checks for %.*s", AG_FMT(t->name)));
	ag_buf_adds(out, ":\n");
	for (size_t i = 0; i < t->ncheck; i++) {
		const check *c = &t->checks[i];

		switch (c->kind) {
		case NOT_NULL: soda_check(c, "missing_count", "\n", out); break;
		case UNIQUE: soda_check(c, "duplicate_count", "\n", out); break;
		case ONLY:
		case NEVER:
			soda_check(c, "invalid_count", ":\n", out);
			ag_buf_adds(out, c->kind == ONLY ? "      valid values: "
			                                 : "      invalid values: ");
			list(t, c, false, out);
			ag_buf_addc(out, '\n');
			break;
		case NO_MATCH:
			soda_check(c, "invalid_count", ":\n      invalid regex: ", out);
			ag_json_quote(out, c->text);
			ag_buf_addc(out, '\n');
			break;
		case BETWEEN:
			soda_rows(t, c,
			          ag_str_printf(t->arena, "NOT (%.*s)", AG_FMT(range(t, c, true))),
			          out);
			break;
		case CONDITION: soda_rows(t, c, c->text, out); break;
		}
	}
}

/* --- Great Expectations --- */

static void gx_limit(const table *t, const ag_bound *b, const char *key, const char *strict,
                     ag_jw *w)
{
	if (b->value.type == AG_T_MISSING)
		return;
	ag_jw_kkey(w, key);
	ag_jw_raw(w, ag_extjson_str(t->arena, &b->value, AG_EXTJSON_RELAXED));
	ag_jw_kbool(w, strict, b->is_open);
}

static void gx_kwargs(const table *t, const check *c, ag_jw *w)
{
	const ag_val values = ag_val_array(c->values, c->nvalue);

	if (c->column.len)
		ag_jw_kstr(w, "column", c->column);
	switch (c->kind) {
	case ONLY:
	case NEVER:
		ag_jw_kkey(w, "value_set");
		ag_jw_raw(w, ag_extjson_str(t->arena, &values, AG_EXTJSON_RELAXED));
		break;
	case NO_MATCH: ag_jw_kstr(w, "regex", c->text); break;
	case BETWEEN:
		gx_limit(t, &c->min, "min_value", "strict_min", w);
		gx_limit(t, &c->max, "max_value", "strict_max", w);
		break;
	case CONDITION:
		ag_jw_kstr(w, "unexpected_rows_query",
		           ag_str_printf(t->arena, "SELECT * FROM {batch} WHERE %.*s",
		                         AG_FMT(c->text)));
		break;
	default: break;
	}
}

static void gx(const table *t, ag_buf *out)
{
	static const char *const types[] = {
		[NOT_NULL] = "expect_column_values_to_not_be_null",
		[UNIQUE] = "expect_column_values_to_be_unique",
		[ONLY] = "expect_column_values_to_be_in_set",
		[NEVER] = "expect_column_values_to_not_be_in_set",
		[NO_MATCH] = "expect_column_values_to_not_match_regex",
		[BETWEEN] = "expect_column_values_to_be_between",
		[CONDITION] = "unexpected_rows_expectation",
	};
	ag_jw w;

	ag_jw_init(&w, out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "name", t->name);
	ag_jw_kkey(&w, "expectations");
	ag_jw_arr(&w);
	for (size_t i = 0; i < t->ncheck; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "type", ag_str_c(types[t->checks[i].kind]));
		ag_jw_kkey(&w, "kwargs");
		ag_jw_obj(&w);
		gx_kwargs(t, &t->checks[i], &w);
		ag_jw_obj_end(&w);
		ag_jw_kkey(&w, "meta");
		ag_jw_obj(&w);
		if (t->checks[i].why.len)
			ag_jw_kstr(&w, "notes", t->checks[i].why);
		ag_jw_obj_end(&w);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "meta");
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "made_by", ag_str_printf(t->arena, "argus %.*s", AG_FMT(t->rules->argus)));
	ag_jw_kstr(&w, "run", t->rules->run);
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	ag_buf_addc(out, '\n');
}

void ag_export_table(const ag_export *r, ag_export_format format, ag_str name, ag_str joint,
                     ag_arena *arena, ag_buf *out, ag_str **ret_left_out, size_t *ret_n)
{
	table t = checks_of(r, name.len ? name : r->collection, joint, arena);

	switch (format) {
	case AG_EXPORT_DBT: dbt(&t, out); break;
	case AG_EXPORT_SODA: soda(&t, out); break;
	default: gx(&t, out); break;
	}
	*ret_left_out = t.left_out;
	*ret_n = t.nleft_out;
}
