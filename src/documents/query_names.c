/* query_names -- a slip in a field's name gives no error in MongoDB, only no documents: say so. */
#include "documents/query_names.h"

#include "base/utf8.h"
#include "query/path_set.h"

#define MAX_FIELDS   16   /* of one query: each may cost a pass over the documents */
#define MAX_NAMES    1000 /* candidates for the nearest name */
#define NAME_DOCS    200  /* documents they are taken from */
#define MAX_NAME_LEN 200  /* bytes shown of a name */
#define MAX_DEPTH    20

/* Does the document have the path? Arrays are looked into; a number may be the place of an item. */
static bool has_path(const ag_val *v, ag_str path, unsigned depth)
{
	const char *dot = path.len ? memchr(path.ptr, '.', path.len) : NULL;
	const size_t n = dot ? (size_t)(dot - path.ptr) : path.len;

	if (depth > MAX_DEPTH)
		return false;
	if (v->type == AG_T_ARRAY) {
		for (uint32_t i = 0; i < v->n; i++) {
			if (v->u.items[i].type == AG_T_OBJECT &&
			    has_path(&v->u.items[i], path, depth + 1))
				return true;
		}
		return false;
	}
	v = ag_val_get(v, ag_str_make(path.ptr, n));
	return v && (!dot || has_path(v, ag_str_make(dot + 1, path.len - n - 1), depth + 1));
}

static void collect(const ag_val *v, ag_str prefix, ag_path_set *names, unsigned depth)
{
	if (depth > MAX_DEPTH)
		return;
	if (v->type == AG_T_ARRAY) {
		for (uint32_t i = 0; i < v->n && names->n < MAX_NAMES; i++)
			collect(&v->u.items[i], prefix, names, depth + 1);
	}
	if (v->type != AG_T_OBJECT)
		return;
	for (uint32_t i = 0; i < v->n && names->n < MAX_NAMES; i++) {
		const ag_member *m = &v->u.members[i];
		ag_str path;

		if (!m->key.len || m->key.len > MAX_NAME_LEN || prefix.len > MAX_NAME_LEN)
			continue;
		path = ag_path_set_join(names, prefix, m->key);
		ag_path_set_add(names, path);
		collect(&m->val, path, names, depth + 1);
	}
}

/* The nearest name, or else the shortest that ends in ".field". */
static ag_str nearest(ag_str field, const ag_path_set *names, ag_arena *arena)
{
	const char **list = ag_new_n(arena, const char *, names->n + 1);
	ag_str best = AG_S("");
	const char *near;

	for (size_t i = 0; i < names->n; i++)
		list[i] = ag_str_cstr(arena, names->paths[i]);
	near = ag_str_nearest(field, list, names->n);
	if (near)
		return ag_str_c(near);
	for (size_t i = 0; i < names->n; i++) {
		const ag_str p = names->paths[i];

		if (p.len > field.len && (!best.len || p.len < best.len) &&
		    p.ptr[p.len - field.len - 1] == '.' &&
		    ag_str_eq(ag_str_make(p.ptr + p.len - field.len, field.len), field))
			best = p;
	}
	return best;
}

static bool is_absent(ag_source *s, const ag_ctx *ctx, ag_str field, const ag_found *found,
                      ag_arena *arena)
{
	const ag_member exists = { AG_S("$exists"), ag_val_bool(true) };
	const ag_val op = ag_val_object(&exists, 1);
	const ag_member member = { field, op };
	const ag_val filter = ag_val_object(&member, 1);
	ag_err ignored;
	uint64_t n = 0;

	for (size_t i = 0; found && i < found->ndoc; i++) {
		if (has_path(&found->docs[i], field, 0))
			return false;
	}
	return !ag_source_count(s, ctx, arena, &filter, &n, &ignored) && !n;
}

static void read_names(ag_source *s, const ag_ctx *ctx, ag_arena *arena, ag_path_set *names)
{
	ag_found some = { 0 };
	ag_err ignored;

	if (ag_source_find(s, ctx, arena, NULL, NAME_DOCS, &some, &ignored))
		return;
	for (size_t i = 0; i < some.ndoc; i++)
		collect(&some.docs[i], AG_S(""), names, 0);
}

static ag_str note_of(ag_str shown, ag_str field, ag_str near, ag_arena *arena)
{
	if (!near.len)
		return ag_str_printf(arena, "no document has the field \"%.*s\"", AG_FMT(shown));
	if (ag_str_eq(near, field))
		return ag_str_printf(
			arena,
			"\"%.*s\" is one name with a dot or \"$\" in it, which no filter "
			"can ask for; rename it",
			AG_FMT(shown));
	return ag_str_printf(arena,
	                     "no document has the field \"%.*s\"; the nearest name is \"%.*s\"",
	                     AG_FMT(shown), AG_FMT(near));
}

size_t ag_query_absent(ag_source *s, const ag_ctx *ctx, const ag_safe_query *q,
                       const ag_found *found, ag_arena *arena, const ag_str **ret)
{
	const ag_filter *f = q->filter ? q->filter : ag_pipeline_leading_match(q->pipeline);
	ag_str *notes = ag_new_n(arena, ag_str, MAX_FIELDS);
	ag_path_set names = { .arena = arena };
	const ag_str *fields;
	size_t n, nnote = 0;

	*ret = notes;
	if (!f || !ag_source_info_of(s)->ndoc)
		return 0;
	ag_filter_paths(f, arena, &fields, &n);
	for (size_t i = 0; i < n && i < MAX_FIELDS; i++) {
		const ag_str shown = ag_utf8_prefix(fields[i], MAX_NAME_LEN);

		/* The result documents of a pipeline are not those that it reads. */
		if (!fields[i].len ||
		    !is_absent(s, ctx, fields[i], q->filter ? found : NULL, arena))
			continue;
		if (!names.n)
			read_names(s, ctx, arena, &names);
		notes[nnote++] = note_of(shown, fields[i], nearest(fields[i], &names, arena),
		                         arena);
	}
	return nnote;
}
