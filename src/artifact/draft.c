/* draft -- see the header. */
#include "artifact/draft.h"

#include "base/utf8.h"
#include "query/extjson.h"

#define ORIGIN     "artifact"
#define MAX_VALUES 400000u

static const char *const kinds[AG_ARTIFACT_NKIND] = { "react", "plotly", "html", "markdown",
	                                              "svg" };

const char *ag_artifact_kind_name(ag_artifact_kind k)
{
	return kinds[k];
}

bool ag_artifact_kind_read(ag_str name, ag_artifact_kind *ret)
{
	for (int i = 0; i < AG_ARTIFACT_NKIND; i++) {
		if (ag_str_ieq(name, ag_str_c(kinds[i]))) {
			*ret = (ag_artifact_kind)i;
			return true;
		}
	}
	return false;
}

ag_status ag_artifact_check_kind(ag_str name, ag_artifact_kind *ret, ag_err *err)
{
	if (ag_artifact_kind_read(ag_str_trim(name), ret))
		return AG_OK;
	return ag_fail(err, AG_INVALID, ORIGIN,
	               "artifact_type: want react, plotly, html, markdown or svg, got \"%.*s\"",
	               AG_FMT(ag_utf8_prefix(name, 60)));
}

/* A text that can be kept, with at most so many characters. */
static ag_status check_text(const char *field, ag_str text, size_t max_chars, ag_err *err)
{
	const size_t n = ag_utf8_count(text);

	if (!ag_utf8_is_text(text))
		return ag_fail(err, AG_INVALID, ORIGIN, "%s: not UTF-8 text", field);
	if (n > max_chars)
		return ag_fail(err, AG_LIMIT, ORIGIN, "%s: want at most %zu characters, got %zu",
		               field, max_chars, n);
	return AG_OK;
}

static ag_status check_size(const char *field, size_t n, size_t max, ag_err *err)
{
	if (n <= max)
		return AG_OK;
	ag_fail(err, AG_LIMIT, ORIGIN, "%s: want at most %zu bytes, got %zu", field, max, n);
	return ag_err_hint(err,
	                   "let source_queries bring the data, and keep the code to what draws it");
}

ag_status ag_artifact_check_code(ag_str code, ag_err *err)
{
	if (!ag_str_trim(code).len)
		return ag_fail(err, AG_INVALID, ORIGIN, "code: is blank");
	if (!ag_utf8_is_text(code))
		return ag_fail(err, AG_INVALID, ORIGIN, "code: not UTF-8 text");
	return check_size("code", code.len, AG_ARTIFACT_CODE_BYTES, err);
}

ag_status ag_artifact_check_title(ag_str title, ag_err *err)
{
	if (!ag_utf8_width(ag_str_trim(title)))
		return ag_fail(err, AG_INVALID, ORIGIN, "title: is blank");
	return check_text("title", title, AG_ARTIFACT_TITLE_CHARS, err);
}

ag_status ag_artifact_check_description(ag_str text, ag_err *err)
{
	return check_text("description", text, AG_ARTIFACT_DESCRIPTION_CHARS, err);
}

/* A text that holds JSON is taken as what it holds: models send it so. */
static ag_status read_json(const char *field, const ag_val *v, ag_arena *arena, ag_val *ret,
                           ag_err *err)
{
	const ag_extjson_opts opts = { .max_values = MAX_VALUES };
	ag_err why = { 0 };
	ag_status st;

	*ret = *v;
	if (v->type != AG_T_STRING)
		return AG_OK;
	st = check_size(field, v->n, AG_ARTIFACT_DATA_BYTES, err);
	if (!st && ag_extjson_parse(ag_val_text(v), &opts, arena, ret, NULL, NULL, &why))
		st = ag_fail(err, AG_INVALID, ORIGIN, "%s: a text that is no JSON: %.200s", field,
		             why.msg);
	return st;
}

static unsigned depth_of(const ag_val *v, unsigned limit)
{
	unsigned deepest = 0;

	if ((v->type != AG_T_OBJECT && v->type != AG_T_ARRAY) || !limit)
		return 1;
	for (uint32_t i = 0; i < v->n; i++) {
		const ag_val *one = v->type == AG_T_OBJECT ? &v->u.members[i].val : &v->u.items[i];
		const unsigned d = depth_of(one, limit - 1);

		deepest = d > deepest ? d : deepest;
	}
	return deepest + 1;
}

static ag_status check_shape(const ag_val *v, ag_err *err)
{
	if (v->type == AG_T_OBJECT)
		return AG_OK;
	if (v->type != AG_T_ARRAY)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "data: want an object or a list of objects, got %s",
		               ag_type_alias(v->type));
	for (uint32_t i = 0; i < v->n; i++) {
		if (v->u.items[i].type != AG_T_OBJECT)
			return ag_fail(err, AG_INVALID, ORIGIN,
			               "data: want a list of objects, item %u is %s", i + 1,
			               ag_type_alias(v->u.items[i].type));
	}
	return AG_OK;
}

ag_status ag_artifact_check_data(const ag_val *v, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_val data;
	ag_str text;
	ag_status st = read_json("data", v, arena, &data, err);

	if (!st)
		st = check_shape(&data, err);
	if (!st && depth_of(&data, AG_ARTIFACT_DATA_DEPTH + 1) > AG_ARTIFACT_DATA_DEPTH)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "data: more than %u levels deep",
		             AG_ARTIFACT_DATA_DEPTH);
	if (st)
		return st;
	text = ag_extjson_str(arena, &data, AG_EXTJSON_RELAXED);
	st = check_size("data", text.len, AG_ARTIFACT_DATA_BYTES, err);
	if (!st && !ag_utf8_is_text(text))
		st = ag_fail(err, AG_INVALID, ORIGIN, "data: not UTF-8 text");
	if (!st)
		*ret = text;
	return st;
}

/* "source_queries[2]" is where the second one stands. */
static ag_status check_query(const ag_val *q, size_t at, ag_err *err)
{
	const ag_str name = ag_val_member_str(q, "name"), sql = ag_val_member_str(q, "sql");

	if (q->type != AG_T_OBJECT || !ag_str_trim(name).len || !ag_str_trim(sql).len)
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "source_queries: item %zu: want {\"name\", \"sql\"}, both texts",
		               at);
	for (uint32_t i = 0; i < q->n; i++) {
		const ag_str key = q->u.members[i].key;

		if (!ag_str_eqc(key, "name") && !ag_str_eqc(key, "sql"))
			return ag_fail(err, AG_INVALID, ORIGIN,
			               "source_queries: item %zu: unknown member \"%.*s\"", at,
			               AG_FMT(ag_utf8_prefix(key, 40)));
	}
	if (!ag_utf8_is_text(name) || !ag_utf8_is_text(sql))
		return ag_fail(err, AG_INVALID, ORIGIN, "source_queries: item %zu: not UTF-8 text",
		               at);
	if (ag_utf8_count(name) > AG_ARTIFACT_QUERY_NAME_CHARS)
		return ag_fail(err, AG_LIMIT, ORIGIN,
		               "source_queries: item %zu: name: want at most %u characters", at,
		               AG_ARTIFACT_QUERY_NAME_CHARS);
	if (sql.len > AG_ARTIFACT_QUERY_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN,
		               "source_queries: \"%.*s\": sql: want at most %u bytes, got %zu",
		               AG_FMT(name), AG_ARTIFACT_QUERY_BYTES, sql.len);
	return AG_OK;
}

static ag_str queries_json(const ag_val *list, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(4u << 20);
	ag_str ret;
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_jw_arr(&w);
	for (uint32_t i = 0; i < list->n; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "name", ag_str_trim(ag_val_member_str(&list->u.items[i], "name")));
		ag_jw_kstr(&w, "sql", ag_str_trim(ag_val_member_str(&list->u.items[i], "sql")));
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_status ag_artifact_check_queries(const ag_val *v, ag_arena *arena, ag_str *ret, ag_err *err)
{
	ag_val list;
	ag_status st = read_json("source_queries", v, arena, &list, err);

	if (!st && list.type != AG_T_ARRAY)
		st = ag_fail(err, AG_INVALID, ORIGIN,
		             "source_queries: want a list of {\"name\", \"sql\"}, got %s",
		             ag_type_alias(list.type));
	if (!st && list.n > AG_ARTIFACT_MAX_QUERIES)
		st = ag_fail(err, AG_LIMIT, ORIGIN, "source_queries: want at most %u, got %u",
		             AG_ARTIFACT_MAX_QUERIES, list.n);
	for (uint32_t i = 0; !st && i < list.n; i++) {
		st = check_query(&list.u.items[i], i + 1, err);
		for (uint32_t k = 0; !st && k < i; k++) {
			const ag_str name = ag_str_trim(
				ag_val_member_str(&list.u.items[i], "name"));

			if (ag_str_eq(name,
			              ag_str_trim(ag_val_member_str(&list.u.items[k], "name"))))
				st = ag_fail(err, AG_INVALID, ORIGIN,
				             "source_queries: the name \"%.*s\" comes twice",
				             AG_FMT(name));
		}
	}
	if (!st)
		*ret = list.n ? queries_json(&list, arena) : AG_S("");
	return st;
}
