/* knowledge_args -- see the header. */
#include "cli/knowledge_args.h"

#include "app/projects.h"
#include "base/utf8.h"
#include "cli/past.h"
#include "knowledge/set.h"
#include "query/extjson.h"

#define ORIGIN "cli.knowledge"

ag_status ag_know_session_open(ag_cli *c, ag_know_session *ret, ag_err *err)
{
	ag_status st = ag_app_store(&c->app, &ret->store, err);

	*ret = (ag_know_session){ .store = ret->store };
	if (!st)
		st = ag_app_find_project(&c->app, AG_S(""), ag_cli_value(c, "project"), &ret->hub,
		                         &ret->who, &ret->place.project, err);
	if (st) {
		ag_know_session_close(ret);
		return st;
	}
	ret->place.hub = ret->hub;
	ret->place.ctx = &c->app.ctx;
	ret->place.who = &ret->who;
	return AG_OK;
}

void ag_know_session_close(ag_know_session *s)
{
	s->hub = ag_project_hub_close(s->hub);
}

bool ag_know_arg_kind(ag_cli *c, ag_str word, ag_know_kind *ret)
{
	const char *names[AG_KNOW_NKIND], *near;

	for (int i = 0; i < AG_KNOW_NKIND; i++) {
		names[i] = ag_know_types[i].name;
		if (ag_str_eqc(word, ag_know_types[i].name) ||
		    ag_str_eqc(word, ag_know_types[i].folder)) {
			*ret = (ag_know_kind)i;
			return true;
		}
	}
	near = ag_str_nearest(word, names, AG_KNOW_NKIND);
	ag_cli_complain(c,
	                "want entry, table, metric, learning, golden or recipe, got \"%.*s\"%s%s%s",
	                AG_FMT(ag_utf8_prefix(word, 40)), near ? "; did you mean \"" : "",
	                near ? near : "", near ? "\"?" : "");
	return false;
}

/* --- FIELD=VALUE --- */

typedef struct fields {
	ag_arena *arena;
	ag_member *members;
	bool *is_given; /* on this command line */
	size_t n;
} fields;

static size_t find_member(fields *f, ag_str key)
{
	for (size_t i = 0; i < f->n; i++) {
		if (ag_str_eq(f->members[i].key, key))
			return i;
	}
	f->members[f->n] = (ag_member){ key, ag_val_null() };
	return f->n++;
}

static ag_val related(ag_str text, ag_arena *arena)
{
	const ptrdiff_t colon = ag_str_find(text, ':');
	ag_member *m = ag_new_n(arena, ag_member, 2);

	if (colon < 0)
		return ag_val_str(text);
	m[0] = (ag_member){ AG_S("table"),
		            ag_val_str(ag_str_trim(ag_str_make(text.ptr, (size_t)colon))) };
	m[1] = (ag_member){ AG_S("join_hint"),
		            ag_val_str(ag_str_trim(ag_str_make(text.ptr + colon + 1,
		                                               text.len - (size_t)colon - 1))) };
	return ag_val_object(m, 2);
}

static void push_item(ag_val *list, ag_val item, ag_arena *arena)
{
	const size_t n = list->type == AG_T_ARRAY ? list->n : 0;
	ag_val *items = ag_new_n(arena, ag_val, n + 1);

	if (n)
		memcpy(items, list->u.items, n * sizeof(*items));
	items[n] = item;
	*list = ag_val_array(items, n + 1);
}

static void put_in_map(ag_val *map, ag_str key, ag_str text, ag_arena *arena)
{
	const ag_val none = ag_val_object(NULL, 0), value = ag_val_str(text);

	if (map->type != AG_T_OBJECT)
		*map = none;
	*map = ag_know_with(map, ag_str_cstr(arena, key), text.len ? &value : NULL, arena);
}

static ag_status take_arg(fields *f, ag_know_kind kind, ag_str arg, ag_err *err)
{
	ag_str value = arg, name = ag_str_split(&value, '='), of = name;
	const ag_str field = ag_str_split(&of, '.');
	const ag_know_field *type = ag_know_field_of(kind, field);
	ag_member *m;
	size_t at;

	if (!value.ptr || !name.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "want FIELD=VALUE, got \"%.*s\"",
		               AG_FMT(ag_utf8_prefix(arg, 60)));
	at = find_member(f, field);
	m = &f->members[at];
	/* The first value of a field takes the place of what was there. */
	if (!f->is_given[at] && !(type && type->form == AG_KNOW_MAP))
		m->val = ag_val_null();
	f->is_given[at] = true;
	if (type && type->form == AG_KNOW_MAP && of.ptr)
		put_in_map(&m->val, of, value, f->arena);
	else if (!value.len)
		m->val = ag_val_null();
	else if (type && type->form == AG_KNOW_LIST)
		push_item(&m->val, ag_val_str(value), f->arena);
	else if (type && type->form == AG_KNOW_RELATED)
		push_item(&m->val, related(value, f->arena), f->arena);
	else
		m->val = ag_val_str(value);
	return AG_OK;
}

ag_status ag_know_arg_fields(ag_cli *c, ag_know_kind kind, const ag_str *args, size_t n,
                             const ag_val *base, ag_val *ret, ag_err *err)
{
	const size_t nbase = base ? base->n : 0;
	fields f = { .arena = c->app.arena,
		     .members = ag_new_n(c->app.arena, ag_member, nbase + n + 1),
		     .is_given = ag_new_n(c->app.arena, bool, nbase + n + 1) };
	ag_status st = AG_OK;

	for (size_t i = 0; i < nbase; i++)
		f.members[f.n++] = base->u.members[i];
	for (size_t i = 0; i < n && !st; i++)
		st = take_arg(&f, kind, args[i], err);
	*ret = ag_val_object(f.members, f.n);
	return st;
}

/* --- showing --- */

static const char *state_of(const ag_know *o, ag_ink *ink)
{
	*ink = o->status == AG_KNOW_ACTIVE   ? AG_INK_GREEN
	       : o->status == AG_KNOW_REVIEW ? AG_INK_YELLOW
	                                     : AG_INK_DIM;
	return ag_know_status_name(o->status);
}

void ag_know_show_line(const ag_know *o, int64_t now_ms, bool with_kind, ag_paint *p)
{
	ag_str name = o->name;
	ag_ink ink;
	const char *state = state_of(o, &ink);

	ag_paint_text(p, AG_INK_CYAN, ag_know_short(o));
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	if (with_kind) {
		ag_paint_lit(p, AG_INK_DIM, ag_know_types[o->kind].name);
		ag_paint_to(p, 20);
	}
	if (o->kind == AG_KNOW_LEARNING) {
		ag_paint_textf(p, ink, "%s %d%%", state,
		               (int)(ag_know_confidence(o, now_ms) * 100 + 0.5));
		ag_paint_to(p, with_kind ? 32 : 22);
	} else if (o->status != AG_KNOW_ACTIVE) {
		ag_paint_textf(p, ink, "%s  ", state);
	}
	name = ag_str_split(&name, '\n');
	ag_paint_cut(p, AG_INK_PLAIN, p->width > p->col + 10 ? p->width - p->col : 10, name);
	ag_paint_nl(p);
}

static void fact(ag_paint *p, const char *label, ag_str value)
{
	ag_paint_to(p, 2);
	ag_paint_lit(p, AG_INK_DIM, label);
	ag_paint_to(p, 22);
	ag_paint_wrap(p, AG_INK_PLAIN, 22, value);
	ag_paint_nl(p);
}

static void fact_value(ag_paint *p, ag_str label, const ag_val *v)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const char *name = ag_str_cstr(arena, label);

	if (v->type == AG_T_STRING) {
		ag_str text = ag_val_text(v);

		for (bool first = true; text.len || first; first = false)
			fact(p, first ? name : "", ag_str_split(&text, '\n'));
		return;
	}
	if (v->type == AG_T_ARRAY && v->n) {
		for (uint32_t i = 0; i < v->n; i++)
			fact_value(p, i ? AG_S("") : label, &v->u.items[i]);
		return;
	}
	if (v->type == AG_T_OBJECT && ag_val_getc(v, "table")) {
		fact(p, name,
		     ag_str_printf(arena, "%.*s: %.*s", AG_FMT(ag_val_member_str(v, "table")),
		                   AG_FMT(ag_val_member_str(v, "join_hint"))));
		return;
	}
	if (v->type == AG_T_OBJECT) {
		for (uint32_t i = 0; i < v->n; i++) {
			const ag_member *m = &v->u.members[i];
			const ag_str text = m->val.type == AG_T_STRING
			                            ? ag_val_text(&m->val)
			                            : ag_extjson_str(arena, &m->val,
			                                             AG_EXTJSON_RELAXED);

			fact(p, i ? "" : name,
			     ag_str_printf(arena, "%.*s: %.*s", AG_FMT(m->key), AG_FMT(text)));
		}
		return;
	}
	fact(p, name, ag_extjson_str(arena, v, AG_EXTJSON_RELAXED));
}

void ag_know_show_text(const ag_know *o, int64_t now_ms, ag_paint *p)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();

	ag_paint_wrap(p, AG_INK_BOLD, 0, o->name);
	ag_paint_nl(p);
	fact(p, "kind", ag_str_c(ag_know_types[o->kind].name));
	fact(p, "id", ag_know_short(o));
	for (uint32_t i = 0; i < o->body.n; i++)
		fact_value(p, o->body.u.members[i].key, &o->body.u.members[i].val);
	fact(p, "status", ag_str_c(ag_know_status_name(o->status)));
	if (o->kind == AG_KNOW_LEARNING)
		fact(p, "confidence",
		     ag_str_printf(arena, "%d%%, used %llu times",
		                   (int)(ag_know_confidence(o, now_ms) * 100 + 0.5),
		                   (unsigned long long)o->uses));
	fact(p, "by", o->author.len ? o->author : AG_S("nobody is named"));
	fact(p, "changed", ag_past_when(o->changed_ms, arena));
}
