/* shell_statement -- whole statements: db.orders.find({…}, {…}).sort({…}).skip(5).limit(3), and what runs for them.
 *
 * The cursor's methods are a table: each takes one argument and sets a member of the statement. A method that is given twice
 * counts as in the shell: the last one. */
#include "query/shell_internal.h"

#include "base/utf8.h"

/* --- cursor methods --- */

typedef enum method_kind { NOTHING, SORT, SKIP, LIMIT, PROJECTION, COUNT } method_kind;

static const struct cursor_method {
	const char *name;
	method_kind kind;
} cursor_methods[] = {
	{ "sort", SORT },
	{ "skip", SKIP },
	{ "limit", LIMIT },
	{ "project", PROJECTION },
	{ "projection", PROJECTION },
	{ "count", COUNT },
	{ "pretty", NOTHING },
	{ "toArray", NOTHING },
};

static ag_status want_number(ag_shell *s, size_t start, const ag_val *v, bool may_be_negative,
                             uint64_t *ret)
{
	int64_t i;

	if (!ag_val_to_i64(v, &i) || (i < 0 && !may_be_negative) || i == INT64_MIN)
		return ag_shell_fail_at(s, start, AG_S("want a whole number that is not negative"));
	*ret = (uint64_t)(i < 0 ? -i : i);
	return AG_OK;
}

/* {} says nothing: it is as if it were not there. */
static ag_status want_object(ag_shell *s, size_t start, const ag_val *v, const char *example,
                             ag_val *ret)
{
	if (v->type != AG_T_OBJECT)
		return ag_shell_fail_at(s, start, ag_str_printf(s->arena, "want %s", example));
	*ret = v->n ? *v : (ag_val){ .type = AG_T_MISSING };
	return AG_OK;
}

static ag_status apply_method(ag_shell *s, size_t start, method_kind kind, const ag_val *args,
                              size_t n, ag_shell_statement *ret)
{
	if (kind == NOTHING || kind == COUNT) {
		ret->counts = ret->counts || kind == COUNT;
		return n ? ag_shell_fail_at(s, start, AG_S("want no argument here")) : AG_OK;
	}
	if (n != 1)
		return ag_shell_fail_at(s, start, AG_S("want one argument here"));
	switch (kind) {
	case SORT:
		return want_object(s, start, &args[0], "an order such as {total: -1}", &ret->sort);
	case PROJECTION:
		return want_object(s, start, &args[0], "a projection such as {total: 1, _id: 0}",
		                   &ret->projection);
	case SKIP: return want_number(s, start, &args[0], false, &ret->skip);
	default:
		return want_number(s, start, &args[0], true,
		                   &ret->limit); /* as the shell: -5 is 5 */
	}
}

static ag_status unknown_method(ag_shell *s, size_t start, ag_str name, bool is_cursor)
{
	return ag_shell_fail_at(
		s, start,
		ag_str_printf(
			s->arena,
			is_cursor
				? ".%.*s(…) is not known here: write sort, skip, limit, project or "
				  "count"
				: ".%.*s(…) is not known after this statement: leave it out",
			AG_FMT(ag_utf8_prefix(name, 80))));
}

/* What follows the statement's own call. Methods that change which documents are shown belong to find alone. */
static ag_status parse_methods(ag_shell *s, bool is_cursor, ag_shell_statement *ret)
{
	ag_status st = ag_shell_skip_space(s);
	ag_val args[AG_SHELL_MAX_ARGS];
	size_t n;

	while (!st && ag_shell_accept(s, '.')) {
		const size_t start = s->at;
		const ag_str name = ag_shell_read_name(s);
		size_t i = 0;

		while (i < AG_NELEM(cursor_methods) && !ag_str_eqc(name, cursor_methods[i].name))
			i++;
		if (i == AG_NELEM(cursor_methods) ||
		    (!is_cursor && cursor_methods[i].kind != NOTHING))
			return unknown_method(s, start, name, is_cursor);
		if (!ag_shell_accept(s, '('))
			return ag_shell_expected(s, "'('");
		st = ag_shell_parse_args(s, args, &n);
		if (!st)
			st = apply_method(s, start, cursor_methods[i].kind, args, n, ret);
		if (!st)
			st = ag_shell_skip_space(s);
	}
	return st;
}

/* --- statements --- */

/* After "db": up to the name of the method, which is the last name before "(". */
static ag_status statement_method(ag_shell *s, ag_str *ret, size_t *ret_at)
{
	ag_status st = AG_OK;
	ag_val args[AG_SHELL_MAX_ARGS];
	size_t n;

	for (*ret = AG_S(""), *ret_at = s->at; !st;) {
		st = ag_shell_skip_space(s);
		if (st)
			return st;
		if (ag_shell_accept(s, '[')) { /* db["orders"] */
			st = ag_shell_parse_value(s, &args[0]);
			if (!st && !ag_shell_accept(s, ']'))
				st = ag_shell_expected(s, "']'");
		} else if (ag_shell_accept(s, '(')) {
			if (!ag_str_eqc(*ret, "getCollection") &&
			    !ag_str_eqc(*ret, "getSiblingDB")) {
				s->at--;
				return AG_OK;
			}
			st = ag_shell_parse_args(s, args, &n);
		} else if (ag_shell_accept(s, '.')) {
			*ret_at = s->at;
			*ret = ag_shell_read_name(s);
		} else {
			return ag_shell_expected(s, "a statement such as db.orders.find({…})");
		}
	}
	return st;
}

static const struct statement {
	const char *name;
	bool is_pipeline, is_find, counts;
	uint64_t limit;
} statements[] = {
	{ .name = "find", .is_find = true },
	{ .name = "findOne", .is_find = true, .limit = 1 },
	{ .name = "countDocuments", .counts = true },
	{ .name = "count", .counts = true },
	{ .name = "aggregate", .is_pipeline = true },
};

static const struct statement *find_statement(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(statements); i++)
		if (ag_str_eqc(name, statements[i].name))
			return &statements[i];
	return NULL;
}

static ag_status take_args(ag_shell *s, size_t start, const struct statement *what,
                           const ag_val *args, size_t n, ag_shell_statement *ret)
{
	if (n > (what->is_find ? 2 : 1))
		return ag_shell_fail_at(s, start,
		                        what->is_find
		                                ? AG_S("want a filter and a projection at most")
		                                : AG_S("want one argument here"));
	ret->query = n ? args[0] : ag_val_object(NULL, 0);
	if (what->is_pipeline && (!n || args[0].type != AG_T_ARRAY))
		return ag_shell_fail_at(s, start, AG_S("want a pipeline […] in aggregate(…)"));
	if (!what->is_pipeline && ret->query.type != AG_T_OBJECT)
		return ag_shell_fail_at(s, start, AG_S("want a filter {…} in this statement"));
	return n == 2 ? want_object(s, start, &args[1], "a projection such as {total: 1, _id: 0}",
	                            &ret->projection)
	              : AG_OK;
}

ag_status ag_shell_parse_statement(ag_shell *s, ag_shell_statement *ret)
{
	ag_val args[AG_SHELL_MAX_ARGS];
	const struct statement *what;
	size_t start, n;
	ag_str method;
	ag_status st;

	s->at += 2;
	st = statement_method(s, &method, &start);
	if (st)
		return st;
	what = find_statement(method);
	if (!what)
		return ag_shell_fail_at(s, start,
		                        AG_S("of statements find, findOne, countDocuments, count "
		                             "and aggregate are read"));
	s->at++;
	st = ag_shell_parse_args(s, args, &n);
	if (!st)
		st = take_args(s, start, what, args, n, ret);
	ret->counts = what->counts;
	ret->limit = what->limit;
	/* findOne gives a document, which has no methods. */
	return st ? st : parse_methods(s, what->is_find && !what->limit, ret);
}

/* --- what runs --- */

bool ag_shell_needs_pipeline(const ag_shell_statement *q)
{
	return !q->counts &&
	       (q->skip || q->projection.type != AG_T_MISSING || q->sort.type != AG_T_MISSING);
}

static void add_stage(ag_val *stages, uint32_t *n, ag_arena *arena, ag_str name, ag_val arg)
{
	ag_member *m = ag_new(arena, ag_member);

	*m = (ag_member){ name, arg };
	stages[(*n)++] = ag_val_object(m, 1);
}

ag_val ag_shell_pipeline(const ag_shell_statement *q, uint64_t limit, ag_arena *arena)
{
	ag_val *stages = ag_new_n(arena, ag_val, 5);
	uint32_t n = 0;

	add_stage(stages, &n, arena, AG_S("$match"), q->query);
	if (q->sort.type != AG_T_MISSING)
		add_stage(stages, &n, arena, AG_S("$sort"), q->sort);
	if (q->skip)
		add_stage(stages, &n, arena, AG_S("$skip"), ag_val_int((int64_t)q->skip));
	if (limit)
		add_stage(stages, &n, arena, AG_S("$limit"), ag_val_int((int64_t)limit));
	if (q->projection.type != AG_T_MISSING)
		add_stage(stages, &n, arena, AG_S("$project"), q->projection);
	return ag_val_array(stages, n);
}
