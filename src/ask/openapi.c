/* openapi -- what an API says of itself (OpenAPI 3, Swagger 2), in one line per operation for a model.
 *
 * The document comes from a server, so nothing in it is believed: depth and number of values are limited, texts are cut
 * and lose their control, direction and invisible characters, and what has an unexpected shape is left out. References
 * are followed within the document, one step at a time and only so far.
 *
 * Order: text, references, types, parameters and bodies, one operation, the list. */
#include "ask/api.h"
#include "base/utf8.h"
#include "query/extjson.h"

#define MAX_DEPTH      64
#define MAX_VALUES     200000
#define MAX_REFS       4 /* from reference to reference */
#define MAX_PATH_CHARS 160
#define MAX_SUMMARY    60
#define MAX_NAME       40
#define MAX_PARAMS     16 /* of one operation */
#define MAX_FIELDS     12 /* of one body */
#define MAX_LINE       (16u << 10)
#define MAX_LOOK       200 /* parameters of a list that are looked at */
/* Members and items that are passed while names are looked up, in the whole document: it could be made of references
 * that all lead to one huge object. */
#define MAX_WORK 5000000

/* --- text */

/* Controls, marks of direction, what has no width: nothing that a line of text needs. */
static bool is_harmful(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) || cp == 0xad || cp == 0x61c ||
	       (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff || (cp >= 0xe0000 && cp <= 0xe007f);
}

/* At most max characters on one line, a blank where something harmful or a run of blanks was. */
static void add_clean(ag_buf *out, ag_str s, size_t max)
{
	bool gap = false, any = false;
	size_t at = 0, n = 0;

	while (at < s.len) {
		uint32_t cp = ag_utf8_next(s, &at);
		char bytes[4];

		if (cp == ' ' || is_harmful(cp)) {
			gap = any;
			continue;
		}
		if (n + gap >= max || at > 16 * max) {
			ag_buf_adds(out, "…");
			return;
		}
		if (gap)
			ag_buf_addc(out, ' ');
		n += 1 + gap;
		gap = false;
		any = true;
		ag_buf_add(out, ag_str_make(bytes, ag_utf8_put(bytes, cp)));
	}
}

/* --- references */

typedef struct operation {
	const ag_val *doc, *item, *op; /* op: what stands under "get" */
	ag_arena *arena;
	size_t work;
} operation;

static bool is_tired(operation *o, const ag_val *v)
{
	o->work += v->n + 1;
	return o->work > MAX_WORK;
}

/* "~1" is a slash, "~0" a tilde (RFC 6901). */
static ag_str unescape(ag_str s, ag_arena *arena)
{
	char *p, *to;

	if (ag_str_find(s, '~') < 0)
		return s;
	p = to = ag_str_cstr(arena, s);
	for (size_t i = 0; i < s.len; i++) {
		*to = s.ptr[i];
		if (s.ptr[i] == '~' && i + 1 < s.len && (s.ptr[i + 1] | 1) == '1')
			*to = s.ptr[++i] == '1' ? '/' : '~';
		to++;
	}
	return ag_str_make(p, (size_t)(to - p));
}

/* What {"$ref":"#/components/schemas/Item"} means; the value itself when it is no reference, NULL when it leads nowhere. */
static const ag_val *resolve(operation *o, const ag_val *v)
{
	for (int i = 0; v && i < MAX_REFS; i++) {
		ag_str ref;

		if (is_tired(o, v))
			return NULL;
		ref = ag_val_member_str(v, "$ref");
		if (!ref.len)
			return v;
		if (!ag_str_starts(ref, AG_S("#/")))
			return NULL;
		v = o->doc;
		for (ref = ag_str_make(ref.ptr + 2, ref.len - 2); v && ref.ptr;) {
			if (is_tired(o, v))
				return NULL;
			v = ag_val_get(v, unescape(ag_str_split(&ref, '/'), o->arena));
		}
	}
	return NULL;
}

/* --- types */

static ag_str type_word(const ag_val *type)
{
	if (type && type->type == AG_T_STRING)
		return ag_val_text(type);
	/* OpenAPI 3.1: ["string","null"] */
	for (size_t i = 0; type && type->type == AG_T_ARRAY && i < type->n; i++) {
		const ag_val *item = &type->u.items[i];

		if (item->type == AG_T_STRING && !ag_str_eqc(ag_val_text(item), "null"))
			return ag_val_text(item);
	}
	return AG_S("");
}

/* The first alternative that is not null: how FastAPI writes an optional parameter. */
static const ag_val *alternative(operation *o, const ag_val *schema)
{
	static const char *const words[] = { "anyOf", "oneOf", "allOf" };

	for (size_t w = 0; w < AG_NELEM(words); w++) {
		const ag_val *list = ag_val_getc(schema, words[w]);

		for (size_t i = 0; list && list->type == AG_T_ARRAY && i < list->n; i++) {
			const ag_val *one = &list->u.items[i];

			if (is_tired(o, one))
				return NULL;
			if (!ag_str_eqc(type_word(ag_val_getc(one, "type")), "null"))
				return one;
		}
	}
	return NULL;
}

static const ag_val *plain_schema(operation *o, const ag_val *schema)
{
	for (int i = 0; i < MAX_REFS; i++) {
		const ag_val *inner;

		schema = resolve(o, schema);
		inner = schema ? alternative(o, schema) : NULL;
		if (!inner)
			return schema;
		schema = inner;
	}
	return NULL;
}

/* " integer", or nothing when it is not known. */
static void add_type(ag_buf *out, operation *o, const ag_val *schema)
{
	const ag_val *plain = plain_schema(o, schema);
	ag_str word = plain ? type_word(ag_val_getc(plain, "type")) : AG_S("");

	if (!word.len)
		return;
	ag_buf_addc(out, ' ');
	add_clean(out, word, MAX_NAME);
}

/* --- parameters and bodies */

/* One of op's own parameters replaces that of its path. */
static bool is_replaced(operation *o, const ag_val *param)
{
	const ag_val *own = ag_val_getc(o->op, "parameters");

	for (size_t i = 0; own && own->type == AG_T_ARRAY && i < own->n && i < MAX_LOOK; i++) {
		const ag_val *p = resolve(o, &own->u.items[i]);

		if (p && ag_str_eq(ag_val_member_str(p, "name"), ag_val_member_str(param, "name")))
			return true;
	}
	return false;
}

/* The list's parameters of one place ("query", "body"), in order; NULL behind the last. */
static const ag_val *next_param(operation *o, const ag_val *list, const char *in, size_t *at)
{
	while (list && list->type == AG_T_ARRAY && *at < list->n && *at < MAX_LOOK) {
		const ag_val *p = resolve(o, &list->u.items[(*at)++]);

		if (p && ag_str_eqc(ag_val_member_str(p, "in"), in) &&
		    ag_val_member_str(p, "name").len)
			return p;
	}
	return NULL;
}

static void add_param(ag_buf *out, operation *o, const ag_val *p, size_t *n)
{
	const ag_val *schema = ag_val_getc(p, "schema");

	if (++*n > MAX_PARAMS)
		return;
	ag_buf_adds(out, *n == 1 ? "; query: " : ", ");
	add_clean(out, ag_val_member_str(p, "name"), MAX_NAME);
	if (ag_val_member_bool(p, "required"))
		ag_buf_addc(out, '*');
	/* In Swagger 2 the parameter is its own schema. */
	add_type(out, o, schema ? schema : p);
}

static void add_query(ag_buf *out, operation *o)
{
	const ag_val *shared = ag_val_getc(o->item, "parameters");
	const ag_val *own = ag_val_getc(o->op, "parameters"), *p;
	size_t n = 0, at = 0;

	while ((p = next_param(o, shared, "query", &at))) {
		if (!is_replaced(o, p))
			add_param(out, o, p, &n);
	}
	at = 0;
	while ((p = next_param(o, own, "query", &at)))
		add_param(out, o, p, &n);
	if (n > MAX_PARAMS)
		ag_buf_addf(out, ", … %zu more", n - MAX_PARAMS);
}

static const ag_val *body_schema(operation *o)
{
	const ag_val *body = resolve(o, ag_val_getc(o->op, "requestBody"));
	size_t at = 0;

	if (body) {
		body = ag_val_getc(body, "content");
		body = body ? ag_val_getc(body, "application/json") : NULL;
	} else {
		body = next_param(o, ag_val_getc(o->op, "parameters"), "body", &at);
	}
	return body ? ag_val_getc(body, "schema") : NULL;
}

static bool is_required(const ag_val *schema, ag_str name)
{
	const ag_val *list = ag_val_getc(schema, "required");

	for (size_t i = 0; list && list->type == AG_T_ARRAY && i < list->n && i < MAX_LOOK; i++) {
		if (list->u.items[i].type == AG_T_STRING &&
		    ag_str_eq(ag_val_text(&list->u.items[i]), name))
			return true;
	}
	return false;
}

static void add_body(ag_buf *out, operation *o)
{
	const ag_val *schema = plain_schema(o, body_schema(o));
	const ag_val *fields = schema ? ag_val_getc(schema, "properties") : NULL;

	if (!schema)
		return;
	if (!fields || fields->type != AG_T_OBJECT) {
		ag_buf_adds(out, "; body:");
		add_type(out, o, schema);
		return;
	}
	ag_buf_adds(out, "; body: ");
	for (size_t i = 0; i < fields->n && i < MAX_FIELDS; i++) {
		const ag_member *m = &fields->u.members[i];

		ag_buf_adds(out, i ? ", " : "");
		add_clean(out, m->key, MAX_NAME);
		if (is_required(schema, m->key))
			ag_buf_addc(out, '*');
		add_type(out, o, &m->val);
	}
	if (fields->n > MAX_FIELDS)
		ag_buf_addf(out, ", … %zu more", (size_t)fields->n - MAX_FIELDS);
}

/* --- the list */

static const char *method_of(ag_str key)
{
	static const char *const methods[] = { "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE" };

	for (size_t i = 0; i < AG_NELEM(methods); i++) {
		if (ag_str_ieq(key, ag_str_c(methods[i])))
			return methods[i];
	}
	return NULL;
}

/* "GET /items/{id} Read item; query: limit integer, lab* string" */
static void add_operation(ag_buf *line, operation *o, const char *method, ag_str base, ag_str path)
{
	ag_str summary = ag_val_member_str(o->op, "summary");

	if (!summary.len)
		summary = ag_val_member_str(o->op, "description");
	ag_buf_adds(line, method);
	ag_buf_addc(line, ' ');
	add_clean(line, base, MAX_PATH_CHARS);
	add_clean(line, path, MAX_PATH_CHARS);
	if (summary.len)
		ag_buf_addc(line, ' ');
	add_clean(line, summary, MAX_SUMMARY);
	add_query(line, o);
	add_body(line, o);
}

typedef struct list {
	ag_buf out; /* limit: max_bytes */
	size_t max_bytes, nmore;
} list;

/* Room for "\n… 12345 more" stays free until it is known that it is not needed. */
#define TAIL_BYTES 24

static void add_line(list *l, ag_str line)
{
	if (l->out.len + 1 + line.len + TAIL_BYTES > l->max_bytes) {
		l->nmore++;
		return;
	}
	if (l->out.len)
		ag_buf_addc(&l->out, '\n');
	ag_buf_add(&l->out, line);
}

static void add_path(list *l, operation *o, ag_str base, ag_str path, ag_buf *line)
{
	if (!ag_str_starts(path, AG_S("/")) || !o->item || o->item->type != AG_T_OBJECT)
		return;
	for (size_t i = 0; i < o->item->n; i++) {
		const ag_member *m = &o->item->u.members[i];
		const char *method = method_of(m->key);

		if (!method || m->val.type != AG_T_OBJECT)
			continue;
		o->op = &m->val;
		if (l->nmore) { /* the list is full: the rest is only counted */
			l->nmore++;
			continue;
		}
		ag_buf_clear(line);
		add_operation(line, o, method, base, path);
		if (!line->failed)
			add_line(l, ag_buf_view(line));
	}
}

/* Swagger 2 has it; "servers" of OpenAPI 3 says where others reach it, which we know better. */
static ag_str base_path(const ag_val *doc)
{
	ag_str base = ag_val_member_str(doc, "basePath");

	while (base.len && base.ptr[base.len - 1] == '/')
		base.len--;
	return ag_str_starts(base, AG_S("/")) ? base : AG_S("");
}

static void add_paths(list *l, const ag_val *doc, ag_arena *scratch)
{
	const ag_val *paths = ag_val_getc(doc, "paths");
	operation o = { .doc = doc, .arena = scratch };
	ag_buf line = AG_BUF_INIT(MAX_LINE);

	for (size_t i = 0; paths && paths->type == AG_T_OBJECT && i < paths->n; i++) {
		const ag_member *m = &paths->u.members[i];

		o.item = resolve(&o, &m->val);
		add_path(l, &o, base_path(doc), m->key, &line);
	}
	ag_buf_release(&line);
}

ag_str ag_openapi_summary(ag_str json, size_t max_bytes, ag_arena *arena)
{
	const ag_extjson_opts opts = { .repair_utf8 = true,
		                       .max_depth = MAX_DEPTH,
		                       .max_values = MAX_VALUES };
	ag_arena *scratch = ag_arena_new();
	list l = { .max_bytes = max_bytes };
	ag_err unheard;
	ag_str ret;
	ag_val doc;

	ag_buf_init(&l.out, max_bytes);
	if (!ag_extjson_parse(json, &opts, scratch, &doc, NULL, NULL, &unheard))
		add_paths(&l, &doc, scratch);
	if (l.nmore && l.out.len)
		ag_buf_addf(&l.out, "\n… %zu more", l.nmore);
	ret = ag_buf_dup(arena, &l.out);
	ag_buf_release(&l.out);
	ag_arena_free(scratch);
	return ret;
}
