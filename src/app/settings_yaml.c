/* argus.yaml: groups of keys and plain values, a list of rows under "ignore:", and under "models:", "projects:" and "mcp_servers:" one more level, a name for
 * each entry.
 *
 * Read as libyaml events, so that every error has line and column and no value is bent on its way (a loader
 * takes "3x" as 3). Anchors, aliases and tags are refused: they can make a small file large, and a settings
 * file needs none. Everything deeper than that is refused, which is the depth limit. */
#include <yaml.h>

#include "app/settings.h"
#include "base/json.h"
#include "llm/wire_request.h"
#include "query/extjson.h"

#define ORIGIN         "app.settings"
#define MAX_YAML_BYTES (1024 * 1024)

typedef struct reader {
	ag_settings *s;
	ag_str name;
	ag_arena *arena;
	ag_err *err;
	yaml_parser_t *parser;
	ag_str group;            /* "" = top level */
	ag_model_setting *model; /* the entry under "models:" that is being read */
	uint32_t model_line[32]; /* where one of its keys was set; 0 = not yet */
	uint32_t group_line[16];
	uint32_t line[AG_SETTINGS_MAX]; /* where a key was set; 0 = not yet */
} reader;

#define MODELS    "models"
#define IGNORE    "ignore"
#define MAX_KEYS  64   /* of a project or server */
#define MAX_ITEMS 1000 /* of a list of theirs */

#define MAX_EXTRA_BYTES 4096 /* of a model's extra_body as JSON: the longest text of a setting */
#define MAX_EXTRA_DEPTH 16

static const char *const groups[] = { "audit",    "ask",         "evaluators", "rules", "catalogue",
	                              "chat",     "sql",         "mcp",        "serve", MODELS,
	                              "projects", "mcp_servers", IGNORE };

/* Their entries are read as they stand: who needs them checks them. */
static bool holds_entries(ag_str group)
{
	return ag_str_eqc(group, "projects") || ag_str_eqc(group, "mcp_servers");
}

static ag_str place(const reader *r, yaml_mark_t at)
{
	return ag_str_printf(r->arena, "%.*s:%zu:%zu", AG_FMT(r->name), at.line + 1, at.column + 1);
}

AG_PRINTF(3, 4) static ag_status wrong(const reader *r, yaml_mark_t at, const char *fmt, ...)
{
	ag_str where = place(r, at);
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return ag_fail(r->err, AG_INVALID, ORIGIN, "%.*s: %s", AG_FMT(where), text);
}

static ag_status next(reader *r, yaml_event_t *ev)
{
	if (!yaml_parser_parse(r->parser, ev)) {
		yaml_mark_t at = r->parser->problem_mark;

		memset(ev, 0, sizeof(*ev));
		return wrong(r, at, "not YAML: %s",
		             r->parser->problem ? r->parser->problem : "cannot be read");
	}
	return AG_OK;
}

/* Refuse what a settings file may not hold, whatever stands around it. */
static ag_status check_event(const reader *r, const yaml_event_t *ev)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (ev->type) {
	case YAML_ALIAS_EVENT:
		return wrong(r, ev->start_mark, "aliases (*name) are not allowed here");
	case YAML_SCALAR_EVENT:
		anchor = ev->data.scalar.anchor;
		tag = ev->data.scalar.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = ev->data.mapping_start.anchor;
		tag = ev->data.mapping_start.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		if (holds_entries(r->group) || ag_str_eqc(r->group, IGNORE)) {
			anchor = ev->data.sequence_start.anchor;
			tag = ev->data.sequence_start.tag;
			break;
		}
		return wrong(r, ev->start_mark, "a list is not allowed here: write key: value");
	default: break;
	}
	if (anchor)
		return wrong(r, ev->start_mark, "anchors (&name) are not allowed here");
	if (tag)
		return wrong(r, ev->start_mark, "tags (!name) are not allowed here");
	return AG_OK;
}

static ag_str scalar(const yaml_event_t *ev)
{
	return ag_str_make((const char *)ev->data.scalar.value, ev->data.scalar.length);
}

static int group_index(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(groups); i++) {
		if (ag_str_eqc(name, groups[i]))
			return (int)i;
	}
	return -1;
}

static ag_status unknown_model_key(const reader *r, yaml_mark_t at, ag_str key)
{
	const char *names[32], *near;
	size_t n;
	const ag_setting *t = ag_settings_model_table(&n);

	for (size_t i = 0; i < n; i++)
		names[i] = t[i].key;
	near = ag_str_nearest(key, names, n);
	if (ag_str_eqc(key, "key") || ag_str_eqc(key, "api_key")) {
		wrong(r, at, "a key does not belong into a settings file");
		return ag_err_hint(
			r->err,
			"put it into the environment and name the variable: key_env: ARGUS_MY_KEY");
	}
	wrong(r, at, "a model has no \"%.*s\"", (int)(key.len < 60 ? key.len : 60), key.ptr);
	if (near)
		return ag_err_hint(r->err, "did you mean \"%s\"?", near);
	return ag_err_hint(r->err, "`argus help settings` lists what a model may have");
}

static ag_status unknown_key(const reader *r, yaml_mark_t at, ag_str key)
{
	const char *near = ag_settings_nearest(key);
	const char *near_group = ag_str_nearest(key, groups, AG_NELEM(groups));
	size_t n;
	int row = ag_settings_find(key);
	const ag_setting *t = ag_settings_table(&n);

	if (row >= 0 && t[row].group[0]) {
		wrong(r, at, "\"%s\" does not belong here", t[row].key);
		return ag_err_hint(r->err, "write it under \"%s:\"", t[row].group);
	}
	if (row >= 0) {
		wrong(r, at, "\"%s\" does not belong under \"%.*s:\"", t[row].key,
		      AG_FMT(r->group));
		return ag_err_hint(r->err, "write it at the start of a line, under nothing");
	}
	if (!r->group.len && group_index(key) >= 0) {
		wrong(r, at, "\"%.*s\" is a group of settings and no setting", AG_FMT(key));
		return ag_err_hint(r->err, "write the settings below it, indented");
	}
	wrong(r, at, "unknown setting \"%.*s\"", (int)(key.len < 60 ? key.len : 60), key.ptr);
	if (!r->group.len && near_group)
		near = near_group;
	if (near)
		return ag_err_hint(r->err, "did you mean \"%s\"?", near);
	return ag_err_hint(r->err, "`argus help settings` lists all settings");
}

/* A value of the settings at the level under way. */
static ag_status read_value(reader *r, const yaml_event_t *key, const yaml_event_t *value)
{
	ag_str name = scalar(key), text = scalar(value);
	int row = ag_settings_find(name);
	size_t n;
	const ag_setting *t = ag_settings_table(&n);
	ag_str where;

	if (row < 0 || !ag_str_eqc(r->group, t[row].group))
		return unknown_key(r, key->start_mark, name);
	if (r->line[row])
		return wrong(r, key->start_mark, "\"%s\" was set in line %u already", t[row].key,
		             r->line[row]);
	r->line[row] = (uint32_t)key->start_mark.line + 1;
	where = place(r, value->start_mark);
	if (ag_settings_set(r->s, row, text, AG_PLACE_YAML,
	                    ag_str_printf(r->arena, "%.*s: %s", AG_FMT(where), t[row].key),
	                    r->arena, r->err))
		return r->err ? r->err->status : AG_INVALID;
	r->s->where[row] = where;
	return AG_OK;
}

static bool is_variable(ag_str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i];

		if (!(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && c != '_' &&
		    !(i > 0 && c >= '0' && c <= '9'))
			return false;
	}
	return s.len > 0;
}

static ag_status read_model_value(reader *r, const yaml_event_t *key, const yaml_event_t *value,
                                  ag_str text)
{
	const ag_str name = scalar(key), where = place(r, value->start_mark);
	size_t n, row = 0;
	const ag_setting *t = ag_settings_model_table(&n);

	while (row < n && !ag_str_eqc(name, t[row].key))
		row++;
	if (row == n)
		return unknown_model_key(r, key->start_mark, name);
	AG_ASSERT(row < AG_NELEM(r->model_line));
	if (r->model_line[row])
		return wrong(r, key->start_mark, "\"%s\" was set in line %u already", t[row].key,
		             r->model_line[row]);
	r->model_line[row] = (uint32_t)key->start_mark.line + 1;
	/* Perhaps the key itself was put there: it is not repeated. */
	if (ag_str_eqc(name, "extra_body") && !ag_str_eqc(text, "none") &&
	    ag_wire_check_extra(text, r->err))
		return wrong(r, value->start_mark, "%s",
		             r->err ? ag_str_cstr(r->arena, ag_str_c(r->err->msg)) : "");
	if (ag_str_eqc(name, "key_env") && !is_variable(text)) {
		wrong(r, value->start_mark, "key_env: want the name of an environment variable");
		return ag_err_hint(r->err, "put the key into the environment, and here the name: "
		                           "key_env: ARGUS_MY_KEY");
	}
	return ag_settings_model_set(r->model, row, text,
	                             ag_str_printf(r->arena, "%.*s: %s", AG_FMT(where), t[row].key),
	                             r->arena, r->err);
}

/* --- extra_body: YAML as JSON --- */

static bool is_json_scalar(ag_str s, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_val v = ag_val_missing();

	return !ag_extjson_parse(s, &opts, arena, &v, NULL, NULL, NULL) && v.type != AG_T_STRING;
}

/* A plain scalar that is a number, true, false or null is one; everything else is a text. */
static void put_scalar(const reader *r, const yaml_event_t *ev, ag_buf *out)
{
	const ag_str s = scalar(ev);

	if (ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && (!s.len || ag_str_eqc(s, "~")))
		ag_buf_adds(out, "null");
	else if (ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && is_json_scalar(s, r->arena))
		ag_buf_add(out, s);
	else
		ag_json_quote(out, s);
}

static ag_status put_node(reader *r, const yaml_event_t *ev, unsigned depth, ag_buf *out);

/* A list or a mapping, behind its start. */
static ag_status put_items(reader *r, bool is_object, unsigned depth, ag_buf *out)
{
	ag_status st = AG_OK;
	bool done = false;

	ag_buf_addc(out, is_object ? '{' : '[');
	for (size_t n = 0; !st && !done; n++) {
		const bool is_key = is_object && n % 2 == 0;
		yaml_event_t ev;

		st = next(r, &ev);
		done = !st &&
		       (ev.type == YAML_SEQUENCE_END_EVENT || ev.type == YAML_MAPPING_END_EVENT);
		if (!st && !done && n)
			ag_buf_addc(out, is_object && !is_key ? ':' : ',');
		if (!st && !done && is_key && ev.type == YAML_SCALAR_EVENT)
			ag_json_quote(out, scalar(&ev));
		else if (!st && !done && is_key)
			st = wrong(r, ev.start_mark, "want a key here");
		else if (!st && !done)
			st = put_node(r, &ev, depth + 1, out);
		yaml_event_delete(&ev);
	}
	ag_buf_addc(out, is_object ? '}' : ']');
	return st;
}

static ag_status put_node(reader *r, const yaml_event_t *ev, unsigned depth, ag_buf *out)
{
	if (depth > MAX_EXTRA_DEPTH)
		return wrong(r, ev->start_mark, "at most %d levels are allowed here",
		             MAX_EXTRA_DEPTH);
	switch (ev->type) {
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		if (ev->type == YAML_MAPPING_START_EVENT
		            ? ev->data.mapping_start.anchor || ev->data.mapping_start.tag
		            : ev->data.sequence_start.anchor || ev->data.sequence_start.tag)
			return wrong(r, ev->start_mark, "anchors and tags are not allowed here");
		return put_items(r, ev->type == YAML_MAPPING_START_EVENT, depth, out);
	case YAML_SCALAR_EVENT: put_scalar(r, ev, out); return AG_OK;
	default: return wrong(r, ev->start_mark, "aliases (*name) are not allowed here");
	}
}

/* A value of a model, the text of a scalar or a mapping's JSON. */
static ag_status read_model_mapping(reader *r, const yaml_event_t *key, const yaml_event_t *value)
{
	ag_buf out = AG_BUF_INIT(MAX_EXTRA_BYTES);
	ag_status st = put_node(r, value, 0, &out);

	if (!st && out.failed)
		st = wrong(r, value->start_mark, "extra_body: at most %d bytes", MAX_EXTRA_BYTES);
	if (!st)
		st = read_model_value(r, key, value, ag_buf_view(&out));
	ag_buf_release(&out);
	return st;
}

/* The items of a list, behind its start. */
static ag_status read_items(reader *r, ag_val *ret)
{
	ag_val *items = ag_new_n(r->arena, ag_val, MAX_ITEMS);
	size_t n = 0;
	bool done = false;
	ag_status st = AG_OK;

	while (!st && !done) {
		yaml_event_t ev;

		st = next(r, &ev);
		done = !st && ev.type == YAML_SEQUENCE_END_EVENT;
		if (!st && !done)
			st = check_event(r, &ev);
		if (!st && !done && ev.type != YAML_SCALAR_EVENT)
			st = wrong(r, ev.start_mark, "want plain values in this list");
		if (!st && !done && n == MAX_ITEMS)
			st = wrong(r, ev.start_mark, "at most %d items", MAX_ITEMS);
		if (!st && !done)
			items[n++] = ag_val_str(ag_str_dup(r->arena, scalar(&ev)));
		yaml_event_delete(&ev);
	}
	*ret = ag_val_array(items, n);
	return st;
}

/* The keys of a project or server, behind the start of its mapping. */
static ag_status read_members(reader *r, ag_val *ret)
{
	ag_member *members = ag_new_n(r->arena, ag_member, MAX_KEYS);
	size_t n = 0;
	bool done = false;
	ag_status st = AG_OK;

	while (!st && !done) {
		yaml_event_t key, value;

		st = next(r, &key);
		done = !st && key.type == YAML_MAPPING_END_EVENT;
		if (!st && !done && key.type != YAML_SCALAR_EVENT)
			st = wrong(r, key.start_mark, "want a key here");
		if (!st && !done && n == MAX_KEYS)
			st = wrong(r, key.start_mark, "at most %d keys", MAX_KEYS);
		for (size_t i = 0; !st && !done && i < n; i++) {
			if (ag_str_eq(members[i].key, scalar(&key)))
				st = wrong(r, key.start_mark, "\"%.*s\" was set already",
				           AG_FMT(members[i].key));
		}
		if (!st && !done) {
			members[n].key = ag_str_dup(r->arena, scalar(&key));
			st = next(r, &value);
			if (!st)
				st = check_event(r, &value);
			if (!st && value.type == YAML_SCALAR_EVENT)
				members[n++].val = ag_val_str(ag_str_dup(r->arena, scalar(&value)));
			else if (!st && value.type == YAML_SEQUENCE_START_EVENT)
				st = read_items(r, &members[n++].val);
			else if (!st)
				st = wrong(r, value.start_mark, "want a value or a list here");
			yaml_event_delete(&value);
		}
		yaml_event_delete(&key);
	}
	*ret = ag_val_object(members, n);
	return st;
}

static ag_status read_entry(reader *r, const yaml_event_t *key)
{
	ag_val value;
	ag_status st = read_members(r, &value);

	return st ? st
	          : ag_settings_entry_add(r->s, r->group, scalar(key), place(r, key->start_mark),
	                                  &value, r->arena, r->err);
}

/* The rows under "ignore:", up to the end of the list. */
static ag_status read_ignores(reader *r)
{
	bool done = false;
	ag_status st = AG_OK;

	while (!st && !done) {
		yaml_event_t ev;
		ag_val row;

		st = next(r, &ev);
		done = !st && ev.type == YAML_SEQUENCE_END_EVENT;
		if (!st && !done)
			st = check_event(r, &ev);
		if (!st && !done && ev.type != YAML_MAPPING_START_EVENT)
			st = wrong(r, ev.start_mark, "want a row like `- path: email`");
		if (!st && !done)
			st = read_members(r, &row);
		if (!st && !done)
			st = ag_settings_ignore_add(r->s, place(r, ev.start_mark), &row, r->arena,
			                            r->err);
		yaml_event_delete(&ev);
	}
	return st;
}

/* "ignore:" with what follows it. */
static ag_status read_ignore_list(reader *r, const yaml_event_t *key)
{
	const int g = group_index(ag_str_c(IGNORE));
	yaml_event_t value;
	ag_status st;

	if (r->group_line[g])
		return wrong(r, key->start_mark, "\"" IGNORE ":\" was opened in line %u already",
		             r->group_line[g]);
	r->group_line[g] = (uint32_t)key->start_mark.line + 1;
	r->group = ag_str_c(IGNORE);
	st = next(r, &value);
	if (!st)
		st = check_event(r, &value);
	if (!st && value.type == YAML_SEQUENCE_START_EVENT)
		st = read_ignores(r);
	else if (!st && (value.type != YAML_SCALAR_EVENT || scalar(&value).len))
		st = wrong(r, value.start_mark, "want a list of rows like `- path: email`");
	yaml_event_delete(&value);
	r->group = AG_S("");
	return st;
}

static ag_status read_mapping(reader *r);

/* An entry under "models:", whose key is its name. */
static ag_status read_model(reader *r, const yaml_event_t *key)
{
	ag_status st = ag_settings_model_add(r->s, scalar(key), place(r, key->start_mark), r->arena,
	                                     &r->model, r->err);

	memset(r->model_line, 0, sizeof(r->model_line));
	if (!st)
		st = read_mapping(r);
	r->model = NULL;
	return st;
}

static ag_status read_group(reader *r, const yaml_event_t *key)
{
	ag_str name = scalar(key);
	int g = r->group.len ? -1 : group_index(name);
	ag_status st;

	if (g < 0 && ag_settings_find(name) >= 0)
		return wrong(r, key->start_mark, "\"%.*s\" wants one value, not a group",
		             AG_FMT(name));
	if (g < 0)
		return unknown_key(r, key->start_mark, name);
	if (r->group_line[g])
		return wrong(r, key->start_mark, "\"%s:\" was opened in line %u already", groups[g],
		             r->group_line[g]);
	r->group_line[g] = (uint32_t)key->start_mark.line + 1;
	r->group = ag_str_c(groups[g]);
	st = read_mapping(r);
	r->group = AG_S("");
	return st;
}

/* One key with what follows it. */
static ag_status read_pair(reader *r, const yaml_event_t *key)
{
	yaml_event_t value;
	ag_status st;

	if (key->type != YAML_SCALAR_EVENT)
		return wrong(r, key->start_mark, "want a key here");
	if (!r->group.len && ag_str_eqc(scalar(key), IGNORE))
		return read_ignore_list(r, key);
	st = next(r, &value);
	if (!st)
		st = check_event(r, &value);
	if (!st && r->model && value.type == YAML_MAPPING_START_EVENT &&
	    ag_str_eqc(scalar(key), "extra_body"))
		st = read_model_mapping(r, key, &value);
	else if (!st && r->model)
		st = value.type == YAML_SCALAR_EVENT
		             ? read_model_value(r, key, &value, scalar(&value))
		             : wrong(r, value.start_mark, "want one value here, not a group");
	else if (!st && value.type == YAML_MAPPING_START_EVENT && ag_str_eqc(r->group, MODELS))
		st = read_model(r, key);
	else if (!st && value.type == YAML_MAPPING_START_EVENT && holds_entries(r->group))
		st = read_entry(r, key);
	else if (!st && (ag_str_eqc(r->group, MODELS) || holds_entries(r->group)))
		st = wrong(r, value.start_mark,
		           "want the settings of this entry below its name, indented");
	else if (!st && value.type == YAML_MAPPING_START_EVENT)
		st = read_group(r, key);
	else if (!st && value.type == YAML_SCALAR_EVENT && !r->group.len &&
	         group_index(scalar(key)) >= 0 && !scalar(&value).len)
		st = AG_OK; /* "audit:" with nothing below it */
	else if (!st)
		st = read_value(r, key, &value);
	yaml_event_delete(&value);
	return st;
}

/* Behind a mapping's start, to its end. Recursion ends at depth 3: read_group() knows no groups in groups, a model no
 * groups at all. */
static ag_status read_mapping(reader *r)
{
	bool done = false;
	ag_status st = AG_OK;

	while (!st && !done) {
		yaml_event_t key;

		st = next(r, &key);
		done = !st && key.type == YAML_MAPPING_END_EVENT;
		if (!st && !done)
			st = check_event(r, &key);
		if (!st && !done)
			st = read_pair(r, &key);
		yaml_event_delete(&key);
	}
	return st;
}

static ag_status read_document(reader *r, const yaml_event_t *ev)
{
	ag_status st = check_event(r, ev);

	if (st)
		return st;
	if (ev->type == YAML_MAPPING_START_EVENT)
		return read_mapping(r);
	if (ev->type == YAML_SCALAR_EVENT && ev->data.scalar.length == 0)
		return AG_OK;
	return wrong(r, ev->start_mark, "want settings as \"key: value\" lines");
}

static ag_status read_stream(reader *r)
{
	bool done = false;
	unsigned ndoc = 0;
	ag_status st = AG_OK;

	while (!st && !done) {
		yaml_event_t ev;

		st = next(r, &ev);
		if (st)
			break;
		switch (ev.type) {
		case YAML_STREAM_END_EVENT: done = true; break;
		case YAML_STREAM_START_EVENT:
		case YAML_DOCUMENT_END_EVENT: break;
		case YAML_DOCUMENT_START_EVENT:
			if (ndoc++)
				st = wrong(r, ev.start_mark,
				           "a second document (---) is not allowed here");
			break;
		default: st = read_document(r, &ev); break;
		}
		yaml_event_delete(&ev);
	}
	return st;
}

ag_status ag_settings_yaml(ag_settings *s, ag_str name, ag_str text, ag_arena *arena, ag_err *err)
{
	yaml_parser_t parser;
	reader r = { .s = s, .name = name, .arena = arena, .err = err, .parser = &parser };
	ag_status st;

	if (text.len > MAX_YAML_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN,
		               "%.*s: a settings file may have 1 MiB at most", AG_FMT(name));
	if (!yaml_parser_initialize(&parser))
		return ag_fail(err, AG_INTERNAL, ORIGIN, "libyaml does not start");
	yaml_parser_set_input_string(&parser, (const unsigned char *)(text.len ? text.ptr : ""),
	                             text.len);
	st = read_stream(&r);
	yaml_parser_delete(&parser);
	return st;
}
