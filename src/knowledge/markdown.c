/* markdown -- see the header. */
#include "knowledge/markdown.h"

#include "base/json.h"
#include "base/num.h"
#include "base/time.h"
#include "base/utf8.h"
#include "knowledge/yaml.h"

#define ORIGIN     "knowledge.file"
#define SLUG_BYTES 40u
#define MARK       "---"

/* --- writing --- */

static void write_key(ag_buf *out, const char *key)
{
	ag_buf_addf(out, "%s: ", key);
}

/* A member of an item: a text, or a list of texts. */
static void write_inner(ag_buf *out, const ag_val *v)
{
	if (v->type == AG_T_STRING)
		ag_yaml_write(out, ag_val_text(v), 4);
	for (uint32_t i = 0; v->type == AG_T_ARRAY && i < v->n; i++) {
		ag_buf_adds(out, "\n    - ");
		ag_yaml_write(out, ag_val_text(&v->u.items[i]), 6);
	}
}

static void write_item(ag_buf *out, const ag_val *v)
{
	if (v->type == AG_T_STRING) {
		ag_buf_adds(out, "\n- ");
		ag_yaml_write(out, ag_val_text(v), 2);
		return;
	}
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++) {
		ag_buf_addf(out, "\n%s %.*s: ", i ? " " : "-", AG_FMT(v->u.members[i].key));
		write_inner(out, &v->u.members[i].val);
	}
}

static void write_number(ag_buf *out, double d)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_double(&w, d);
}

static void write_value(ag_buf *out, const ag_val *v)
{
	if (v->type == AG_T_STRING)
		ag_yaml_write(out, ag_val_text(v), 2);
	else if (ag_type_is_number(v->type))
		write_number(out, ag_val_number(v));
	else if (v->type == AG_T_BOOL)
		ag_buf_adds(out, v->u.b ? "true" : "false");
	for (uint32_t i = 0; v->type == AG_T_ARRAY && i < v->n; i++)
		write_item(out, &v->u.items[i]);
	for (uint32_t i = 0; v->type == AG_T_OBJECT && i < v->n; i++) {
		ag_buf_adds(out, "\n  ");
		ag_yaml_write(out, v->u.members[i].key, 0);
		ag_buf_adds(out, ": ");
		ag_yaml_write(out, ag_val_text(&v->u.members[i].val), 4);
	}
}

static void write_time(ag_buf *out, const char *key, int64_t ms)
{
	char text[AG_TIME_MAX_TEXT];

	if (!ms)
		return;
	ag_time_format(text, ms);
	ag_buf_addf(out, "%s: %s\n", key, text);
}

void ag_know_markdown_write(const ag_know *o, ag_buf *out)
{
	const ag_know_type *t = &ag_know_types[o->kind];

	ag_buf_addf(out, MARK "\nkind: %s\n", t->name);
	if (t->text) {
		write_key(out, "name");
		ag_yaml_write(out, o->name, 2);
		ag_buf_addc(out, '\n');
	}
	for (uint32_t i = 0; i < o->body.n; i++) {
		const ag_member *m = &o->body.u.members[i];

		if (ag_str_eqc(m->key, t->text ? t->text : ""))
			continue;
		ag_buf_addf(out, "%.*s: ", AG_FMT(m->key));
		write_value(out, &m->val);
		ag_buf_addc(out, '\n');
	}
	ag_buf_addf(out, "status: %s\nconfidence: ", ag_know_status_name(o->status));
	write_number(out, o->confidence);
	ag_buf_addf(out, "\nuses: %llu\nauthor: ", (unsigned long long)o->uses);
	ag_yaml_write(out, o->author, 2);
	ag_buf_addc(out, '\n');
	write_time(out, "created_at", o->created_ms);
	write_time(out, "changed_at", o->changed_ms);
	write_time(out, "used_at", o->used_ms);
	ag_buf_addf(out, MARK "\n\n%.*s\n", AG_FMT(t->text ? ag_know_text(o, t->text) : o->name));
}

ag_str ag_know_markdown_name(const ag_know *o, ag_arena *arena)
{
	char slug[SLUG_BYTES + 1];
	size_t n = 0;

	for (size_t i = 0; i < o->name.len && n < SLUG_BYTES; i++) {
		const char c = o->name.ptr[i];
		const char low = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);

		if ((low >= 'a' && low <= 'z') || (low >= '0' && low <= '9'))
			slug[n++] = low;
		else if (n && slug[n - 1] != '-')
			slug[n++] = '-';
	}
	while (n && slug[n - 1] == '-')
		n--;
	slug[n] = '\0';
	return ag_str_printf(arena, "%s/%s%s%.*s.md", ag_know_types[o->kind].folder, slug,
	                     n ? "-" : "", AG_FMT(ag_know_short(o)));
}

/* --- reading --- */

typedef struct file {
	ag_str name, front, text;
	ag_arena *arena;
	ag_err *err;
} file;

AG_PRINTF(2, 3) static ag_status wrong(const file *f, const char *fmt, ...)
{
	AG_AUTO(ag_buf_release) ag_buf text = AG_BUF_INIT(400);
	va_list ap;

	va_start(ap, fmt);
	ag_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	return ag_fail(f->err, AG_INVALID, ORIGIN, "%.*s: %.*s",
	               AG_FMT(ag_utf8_prefix(f->name, 100)), AG_FMT(ag_buf_view(&text)));
}

static ag_str line_of(ag_str *rest)
{
	ag_str line = ag_str_split(rest, '\n');

	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	return line;
}

/* Cuts the file at its two marks. */
static ag_status cut(file *f, ag_str whole)
{
	ag_str rest = whole;

	if (ag_str_starts(rest, AG_S("\xef\xbb\xbf")))
		rest = ag_str_make(rest.ptr + 3, rest.len - 3);
	if (!ag_str_eqc(line_of(&rest), MARK))
		return wrong(f, "want front matter: a first line \"---\"");
	f->front = rest;
	while (rest.len) {
		const char *begin = rest.ptr;

		if (!ag_str_eqc(line_of(&rest), MARK))
			continue;
		f->front.len = (size_t)(begin - f->front.ptr);
		f->text = ag_str_trim(rest.len ? rest : AG_S(""));
		return AG_OK;
	}
	return wrong(f, "the front matter has no end: want a line \"---\" after it");
}

static const char *const own[] = { "kind", "name",   "title",      "status",     "confidence",
	                           "uses", "author", "created_at", "changed_at", "used_at" };

static bool is_own(ag_str key)
{
	for (size_t i = 0; i < AG_NELEM(own); i++) {
		if (ag_str_eqc(key, own[i]))
			return true;
	}
	return false;
}

/* The members that are fields of the kind, and the text as the one that it is. */
static ag_val fields_of(const file *f, const ag_val *front, const ag_know_type *t)
{
	ag_member *m = ag_new_n(f->arena, ag_member, front->n + 1);
	size_t n = 0;

	for (uint32_t i = 0; i < front->n; i++) {
		if (!is_own(front->u.members[i].key))
			m[n++] = front->u.members[i];
	}
	if (t->text && f->text.len)
		m[n++] = (ag_member){ ag_str_c(t->text), ag_val_str(f->text) };
	return ag_val_object(m, n);
}

static ag_status take_time(const file *f, const ag_val *front, const char *key, int64_t *ret)
{
	const ag_val *v = ag_val_getc(front, key);
	int64_t ms = 0;

	if (!v || v->type == AG_T_NULL)
		return AG_OK;
	if (v->type != AG_T_STRING || !ag_time_parse_iso(ag_val_text(v), &ms) || ms < 0)
		return wrong(f, "%s: want a time like 2026-03-01T08:30:00Z", key);
	*ret = ms;
	return AG_OK;
}

/* What is no field: state, counts, times. */
static ag_status take_own(const file *f, const ag_val *front, ag_know *o)
{
	const ag_str status = ag_val_member_str(front, "status"),
		     confidence = ag_val_member_str(front, "confidence"),
		     uses = ag_val_member_str(front, "uses"),
		     author = ag_val_member_str(front, "author");
	ag_status st;

	if (status.len && !ag_know_status_read(status, &o->status))
		return wrong(f, "status: want active, review or off, got \"%.*s\"",
		             AG_FMT(ag_utf8_prefix(status, 40)));
	if (confidence.len && (!ag_str_to_double(confidence, &o->confidence) ||
	                       !(o->confidence >= 0 && o->confidence <= 1)))
		return wrong(f, "confidence: want a number from 0 to 1");
	if (uses.len && (!ag_str_to_u64(uses, &o->uses) || o->uses > INT64_MAX))
		return wrong(f, "uses: want a whole number");
	if (ag_utf8_count(author) > 60)
		return wrong(f, "author: want at most 60 characters");
	o->author = author;
	st = take_time(f, front, "created_at", &o->created_ms);
	if (!st)
		st = take_time(f, front, "changed_at", &o->changed_ms);
	return st ? st : take_time(f, front, "used_at", &o->used_ms);
}

static ag_status read_kind(const file *f, const ag_val *front, ag_know_kind *ret)
{
	const ag_str kind = ag_val_member_str(front, "kind");

	*ret = AG_KNOW_ENTRY;
	if (kind.len && !ag_know_kind_read(kind, ret))
		return wrong(
			f,
			"kind: want entry, table, metric, learning, golden or recipe, got \"%.*s\"",
			AG_FMT(ag_utf8_prefix(kind, 40)));
	return AG_OK;
}

static ag_status read_object(const file *f, const ag_val *front, int64_t now_ms, ag_know *ret)
{
	const ag_know_type *t;
	ag_know_kind kind;
	ag_val fields;
	ag_str name;
	ag_err why = { 0 };
	ag_status st;

	if (front->type != AG_T_OBJECT)
		return wrong(f, "the front matter is no list of \"key: value\"");
	st = read_kind(f, front, &kind);
	if (st)
		return st;
	t = &ag_know_types[kind];
	name = ag_val_member_str(front, "name");
	if (!name.len)
		name = ag_val_member_str(front, "title");
	if (!t->text && !name.len)
		name = f->text;
	fields = fields_of(f, front, t);
	if (ag_know_make(kind, name, &fields, f->arena, ret, &why)) {
		wrong(f, "%s", why.msg);
		if (why.hint[0])
			ag_err_hint(f->err, "%s", why.hint);
		return AG_INVALID;
	}
	ret->created_ms = ret->changed_ms = now_ms;
	return take_own(f, front, ret);
}

ag_status ag_know_markdown_read(ag_str text, ag_str name, int64_t now_ms, ag_arena *arena,
                                ag_know *ret, ag_err *err)
{
	file f = { .name = name, .arena = arena, .err = err };
	ag_val front;
	ag_status st;

	if (!ag_utf8_is_text(text))
		return wrong(&f, "is no UTF-8 text");
	st = cut(&f, text);
	if (!st)
		st = ag_yaml_read(f.front, name, 2, arena, &front, err);
	return st ? st : read_object(&f, &front, now_ms, ret);
}
