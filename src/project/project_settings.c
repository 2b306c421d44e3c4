/* The fields of a project's settings: one table, from which they are read, checked, written and told. */
#include <stdio.h>

#include "base/utf8.h"
#include "project/project.h"

#define ORIGIN      "project.settings"
#define MAX_LIST    1000u
#define MAX_TEXT    4096u
#define MAX_SECONDS 86400.0
#define FIELD(name) offsetof(ag_project_settings, name)

typedef enum field_type { TEXT, NAMES, COUNT, NUMBER } field_type;

typedef struct field {
	const char *name;
	field_type type;
	double min, max;
	size_t offset, count; /* count: of a list */
	double http_max; /* the most that is set over HTTP, of a text bytes; 0 = it is not changed there */
	const char *by_default, *of_server, *help; /* as of ag_project_setting; NULL = "" */
} field;

static const field fields[] = {
	{ "schema", TEXT, .offset = FIELD(schema),
	  .help = "The schema that statements mean where they name none." },
	{ "readonly_role", TEXT, .offset = FIELD(role),
	  .help = "The role of PostgreSQL that a connection takes on." },
	{ "allowed_schemas", NAMES, .offset = FIELD(allowed_schemas),
	  .count = FIELD(nallowed_schema), .help = "Schemas that statements may read." },
	{ "allowed_tables", NAMES, .offset = FIELD(allowed_tables), .count = FIELD(nallowed_table),
	  .help = "Tables that statements may read; none = all of the allowed schemas." },
	{ "excluded_tables", NAMES, .offset = FIELD(excluded_tables),
	  .count = FIELD(nexcluded_table), .help = "Tables that nobody may read here." },
	{ "allowed_functions", NAMES, .offset = FIELD(allowed_functions),
	  .count = FIELD(nallowed_function),
	  .help = "Functions that statements may call beside those that are known to be safe." },
	{ "allowed_views", NAMES, .offset = FIELD(allowed_views), .count = FIELD(nallowed_view),
	  .help = "Views that statements may read although what is behind them is not known." },
	{ "allowed_types", NAMES, .offset = FIELD(allowed_types), .count = FIELD(nallowed_type),
	  .help = "Types of the database that statements may name." },
	{ "allowed_extensions", NAMES, .offset = FIELD(allowed_extensions),
	  .count = FIELD(nallowed_extension),
	  .help = "Extensions whose functions statements may call." },
	{ "sensitive_words", NAMES, .offset = FIELD(sensitive_words),
	  .count = FIELD(nsensitive_word),
	  .help = "Words in names of columns whose values models do not see as samples." },
	{ "max_rows_per_query", COUNT, .min = 1, .max = AG_SQL_MAX_ROWS, .offset = FIELD(max_rows),
	  .http_max = 10000, .by_default = "500", .help = "Rows of a result; more are cut off." },
	{ "max_result_bytes", COUNT, .min = 1024, .max = 64u << 20, .offset = FIELD(max_bytes),
	  .http_max = 16u << 20, .by_default = "1048576", .help = "Bytes of a result." },
	{ "max_query_timeout_seconds", NUMBER, .min = 0.05, .max = MAX_SECONDS,
	  .offset = FIELD(timeout), .http_max = 300, .by_default = "30",
	  .help = "Seconds that a statement may take." },
	{ "max_connections", COUNT, .min = 1, .max = 1000, .offset = FIELD(connections),
	  .of_server = "max_connections_per_project",
	  .help = "Connections to the database at one time; who comes later waits." },
	{ "max_cost", NUMBER, .min = 0, .max = 1e18, .offset = FIELD(max_cost),
	  .help = "Most that a statement may cost by the database's own estimate; none = it is not asked." },
	{ "max_queries_per_minute", COUNT, .min = 0, .max = 1e12, .offset = FIELD(per_minute),
	  .http_max = 1e6, .of_server = "max_queries_per_minute",
	  .help = "Calls of one user a minute." },
	{ "max_queries_per_hour", COUNT, .min = 0, .max = 1e12, .offset = FIELD(per_hour),
	  .http_max = 1e7, .of_server = "max_queries_per_hour",
	  .help = "Calls of one user an hour." },
	{ "max_queries_per_day", COUNT, .min = 0, .max = 1e12, .offset = FIELD(per_day),
	  .http_max = 1e8, .of_server = "max_queries_per_day", .help = "Calls of one user a day." },
	{ "max_project_queries_per_day", COUNT, .min = 0, .max = 1e12,
	  .offset = FIELD(project_per_day), .http_max = 1e9,
	  .help = "Calls of all users together a day." },
	{ "root", TEXT, .offset = FIELD(root),
	  .help = "The folder that questions about files read." },
	{ "api_base", TEXT, .offset = FIELD(api_base),
	  .help = "The HTTP API that questions about files read." },
	{ "documents", TEXT, .offset = FIELD(documents),
	  .help = "The documents that audits read." },
	{ "documents_secret", TEXT, .offset = FIELD(documents_secret) },
	{ "model", TEXT, .offset = FIELD(model), .help = "The model that answers questions." },
	{ "system_prompt", TEXT, .max = 32768, .offset = FIELD(system_prompt), .http_max = 32768,
	  .help = "Instructions to the model of conversations: how the team calls things, what to mind." },
};

/* Names that other tools have for them. */
static const struct {
	const char *other, *name;
} others[] = {
	{ "llm_model", "model" },
	{ "db_schema", "schema" },
};

static ag_status wrong(const field *f, const char *wanted, ag_err *err)
{
	return ag_fail(err, AG_INVALID, ORIGIN, "%s: want %s", f->name, wanted);
}

static ag_status read_text(const field *f, const ag_val *v, ag_arena *arena, ag_str *ret,
                           ag_err *err)
{
	const unsigned max = f->max > 0 ? (unsigned)f->max : MAX_TEXT;
	char wanted[64];

	snprintf(wanted, sizeof(wanted), "text of at most %u bytes", max);
	if (v->type != AG_T_STRING || v->n > max || memchr(v->u.s, 0, v->n) ||
	    !ag_utf8_valid(ag_val_text(v)))
		return wrong(f, wanted, err);
	*ret = ag_str_dup(arena, ag_str_trim(ag_val_text(v)));
	return AG_OK;
}

/* A list, or names with commas between them (as an option or a variable brings them). */
static ag_status read_names(const field *f, const ag_val *v, ag_arena *arena, char *base,
                            ag_err *err)
{
	ag_str *names = NULL;
	const ag_str *list;
	size_t n = 0;

	if (v->type == AG_T_STRING) {
		ag_str rest = ag_val_text(v);
		const size_t most = 1 + v->n;

		names = ag_new_n(arena, ag_str, most < MAX_LIST ? most : MAX_LIST);
		while (rest.len) {
			const ag_str one = ag_str_trim(ag_str_split(&rest, ','));

			if (!one.len)
				continue;
			if (n == MAX_LIST)
				return wrong(f, "at most 1000 names", err);
			names[n++] = ag_str_dup(arena, one);
		}
	} else if (v->type == AG_T_ARRAY) {
		if (v->n > MAX_LIST)
			return wrong(f, "at most 1000 names", err);
		names = ag_new_n(arena, ag_str, v->n + 1);
		for (uint32_t i = 0; i < v->n; i++) {
			if (read_text(f, &v->u.items[i], arena, &names[n], err))
				return wrong(f, "a list of names", err);
			if (!names[n].len)
				return wrong(f, "a list of names, none of them blank", err);
			n++;
		}
	} else {
		return wrong(f, "a list of names", err);
	}
	list = names;
	memcpy(base + f->offset, &list, sizeof(list));
	memcpy(base + f->count, &n, sizeof(n));
	return AG_OK;
}

/* A number, or the text of one: a YAML scalar is text. */
static bool number_of(const ag_val *v, double *ret)
{
	switch (v->type) {
	case AG_T_INT32:
	case AG_T_INT64: *ret = (double)v->u.i; return true;
	case AG_T_DOUBLE: *ret = v->u.f; return true;
	case AG_T_STRING: return ag_str_to_double(ag_str_trim(ag_val_text(v)), ret);
	default: return false;
	}
}

static ag_status read_number(const field *f, const ag_val *v, char *base, ag_err *err)
{
	char wanted[96];
	double d;

	snprintf(wanted, sizeof(wanted), "%s from %.15g to %.15g",
	         f->type == COUNT ? "a whole number" : "a number", f->min, f->max);
	if (!number_of(v, &d) || !(d >= f->min && d <= f->max))
		return wrong(f, wanted, err);
	if (f->type == NUMBER) {
		memcpy(base + f->offset, &d, sizeof(d));
		return AG_OK;
	}
	if (d != (double)(uint64_t)d)
		return wrong(f, wanted, err);
	memcpy(base + f->offset, &(uint64_t){ (uint64_t)d }, sizeof(uint64_t));
	return AG_OK;
}

static const field *find(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(others); i++) {
		if (ag_str_eqc(name, others[i].other))
			name = ag_str_c(others[i].name);
	}
	for (size_t i = 0; i < AG_NELEM(fields); i++) {
		if (ag_str_eqc(name, fields[i].name))
			return &fields[i];
	}
	return NULL;
}

static ag_status unknown(ag_str name, ag_err *err)
{
	const char *names[AG_NELEM(fields)], *near;

	for (size_t i = 0; i < AG_NELEM(fields); i++)
		names[i] = fields[i].name;
	near = ag_str_nearest(name, names, AG_NELEM(fields));
	ag_fail(err, AG_INVALID, ORIGIN, "a project has no setting \"%.*s\"",
	        AG_FMT(ag_utf8_prefix(name, 60)));
	if (near)
		return ag_err_hint(err, "did you mean \"%s\"?", near);
	return ag_err_hint(err, "`argus help project` lists what a project may have");
}

ag_status ag_project_settings_read(const ag_val *object, ag_arena *arena, ag_project_settings *ret,
                                   ag_err *err)
{
	*ret = (ag_project_settings){ 0 };
	if (object->type != AG_T_OBJECT)
		return ag_fail(err, AG_INVALID, ORIGIN, "want an object of settings");
	for (uint32_t i = 0; i < object->n; i++) {
		const ag_member *m = &object->u.members[i];
		const field *f = find(m->key);
		ag_status st;

		if (!f)
			return unknown(m->key, err);
		if (m->val.type == AG_T_NULL)
			continue;
		if (f->type == TEXT)
			st = read_text(f, &m->val, arena,
			               (ag_str *)(void *)((char *)ret + f->offset), err);
		else if (f->type == NAMES)
			st = read_names(f, &m->val, arena, (char *)ret, err);
		else
			st = read_number(f, &m->val, (char *)ret, err);
		if (st)
			return st;
	}
	return AG_OK;
}

void ag_project_settings_write(const ag_project_settings *s, ag_jw *w)
{
	ag_jw_obj(w);
	for (size_t i = 0; i < AG_NELEM(fields); i++) {
		const field *f = &fields[i];
		const char *at = (const char *)s + f->offset;
		ag_str text;
		const ag_str *names;
		uint64_t n;
		double d;
		size_t count;

		switch (f->type) {
		case TEXT:
			memcpy(&text, at, sizeof(text));
			if (text.len)
				ag_jw_kstr(w, f->name, text);
			break;
		case NAMES:
			memcpy(&names, at, sizeof(names));
			memcpy(&count, (const char *)s + f->count, sizeof(count));
			if (!count)
				break;
			ag_jw_kkey(w, f->name);
			ag_jw_arr(w);
			for (size_t k = 0; k < count; k++)
				ag_jw_str(w, names[k]);
			ag_jw_arr_end(w);
			break;
		case COUNT:
			memcpy(&n, at, sizeof(n));
			if (n)
				ag_jw_kuint(w, f->name, n);
			break;
		case NUMBER:
			memcpy(&d, at, sizeof(d));
			if (d > 0)
				ag_jw_kdouble(w, f->name, d);
			break;
		}
	}
	ag_jw_obj_end(w);
}

ag_status ag_project_settings_text(const ag_project_settings *s, ag_arena *arena, ag_str *ret,
                                   ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_IDENTITY_MAX_SETTINGS);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_project_settings_write(s, &w);
	if (out.failed)
		return ag_fail(err, AG_LIMIT, ORIGIN,
		               "the settings of a project have at most %u bytes",
		               AG_IDENTITY_MAX_SETTINGS);
	*ret = ag_buf_dup(arena, &out);
	return AG_OK;
}

/* --- one at a time, for people --- */

static ag_str value_of(const field *f, const ag_project_settings *s, ag_arena *arena)
{
	const char *at = (const char *)s + f->offset;
	ag_buf out = AG_BUF_INIT(AG_IDENTITY_MAX_SETTINGS);
	const ag_str *names;
	ag_str text = AG_S("");
	size_t count = 0;
	uint64_t n = 0;
	double d = 0;

	switch (f->type) {
	case TEXT: memcpy(&text, at, sizeof(text)); return text;
	case COUNT:
		memcpy(&n, at, sizeof(n));
		return n ? ag_str_printf(arena, "%llu", (unsigned long long)n) : AG_S("");
	case NUMBER:
		memcpy(&d, at, sizeof(d));
		return d > 0 ? ag_str_printf(arena, "%.15g", d) : AG_S("");
	case NAMES: break;
	}
	memcpy(&names, at, sizeof(names));
	memcpy(&count, (const char *)s + f->count, sizeof(count));
	for (size_t i = 0; i < count; i++) {
		ag_buf_adds(&out, i ? ", " : "");
		ag_buf_add(&out, names[i]);
	}
	text = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return text;
}

void ag_project_settings_list(const ag_project_settings *s, ag_arena *arena,
                              ag_project_setting **ret, size_t *nret)
{
	static const char *const forms[] = {
		[TEXT] = "text", [NAMES] = "names", [COUNT] = "count", [NUMBER] = "number"
	};
	size_t n = 0;

	*ret = ag_new_n(arena, ag_project_setting, AG_NELEM(fields));
	for (size_t i = 0; i < AG_NELEM(fields); i++) {
		const field *f = &fields[i];

		if (!f->help) /* a secret */
			continue;
		(*ret)[n++] = (ag_project_setting){
			.name = f->name,
			.help = f->help,
			.form = forms[f->type],
			.by_default = f->by_default ? f->by_default : "",
			.of_server = f->of_server,
			.value = value_of(f, s, arena),
			.may_change = f->http_max > 0,
			/* 0 stands for "not set", and that is an empty value here. */
			.min = f->type == COUNT && f->min < 1 ? 1 : f->min,
			.max = f->http_max,
		};
	}
	*nret = n;
}

ag_status ag_project_settings_change(ag_project_settings *s, ag_str name, ag_str value,
                                     ag_arena *arena, ag_err *err)
{
	const field *f = find(name);
	field narrow;
	ag_val v;

	if (!f || !f->help)
		return unknown(name, err);
	if (f->http_max <= 0) {
		ag_fail(err, AG_DENIED, ORIGIN, "%s is not changed over HTTP", f->name);
		return ag_err_hint(err, "on the server: argus project set ID %s=...", f->name);
	}
	narrow = *f;
	narrow.max = f->http_max;
	narrow.min = f->type == COUNT && f->min < 1 ? 1 : f->min;
	v = ag_val_str(value);
	if (f->type == TEXT)
		return read_text(&narrow, &v, arena, (ag_str *)(void *)((char *)s + f->offset),
		                 err);
	if (value.len)
		return read_number(&narrow, &v, (char *)s, err);
	memset((char *)s + f->offset, 0, f->type == COUNT ? sizeof(uint64_t) : sizeof(double));
	return AG_OK;
}
