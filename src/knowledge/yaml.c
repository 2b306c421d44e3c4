/* yaml -- see the header. Read as libyaml's events, so that every error has line and column. */
#include "knowledge/yaml.h"

#include <stdio.h>
#include <yaml.h>

#include "base/utf8.h"

#define ORIGIN "knowledge.yaml"

typedef struct reader {
	yaml_parser_t parser;
	ag_str name;
	size_t line; /* of the text's first line */
	size_t nvalue;
	ag_arena *arena;
	ag_err *err;
} reader;

AG_PRINTF(4, 5)
static ag_status wrong(const reader *r, ag_status st, yaml_mark_t at, const char *fmt, ...)
{
	char text[250];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return ag_fail(r->err, st, ORIGIN, "%.*s:%zu:%zu: %s", AG_FMT(ag_utf8_prefix(r->name, 100)),
	               at.line + r->line, at.column + 1, text);
}

static ag_status next(reader *r, yaml_event_t *ev)
{
	if (yaml_parser_parse(&r->parser, ev))
		return AG_OK;
	memset(ev, 0, sizeof(*ev));
	return wrong(r, AG_INVALID, r->parser.problem_mark, "not YAML: %s",
	             r->parser.problem ? r->parser.problem : "cannot be read");
}

static ag_status check_marks(const reader *r, const yaml_event_t *ev, const yaml_char_t *anchor,
                             const yaml_char_t *tag)
{
	if (anchor)
		return wrong(r, AG_INVALID, ev->start_mark, "anchors (&name) are not allowed here");
	if (tag)
		return wrong(r, AG_INVALID, ev->start_mark, "tags (!name) are not allowed here");
	return AG_OK;
}

static ag_status count(reader *r, const yaml_event_t *ev, unsigned depth)
{
	if (depth > AG_YAML_MAX_DEPTH)
		return wrong(r, AG_LIMIT, ev->start_mark, "more than %u levels", AG_YAML_MAX_DEPTH);
	if (++r->nvalue > AG_YAML_MAX_VALUES)
		return wrong(r, AG_LIMIT, ev->start_mark, "more than %u values",
		             AG_YAML_MAX_VALUES);
	return AG_OK;
}

static ag_status read_scalar(const reader *r, const yaml_event_t *ev, ag_val *ret)
{
	const ag_str s = ag_str_make((const char *)ev->data.scalar.value, ev->data.scalar.length);
	ag_status st = check_marks(r, ev, ev->data.scalar.anchor, ev->data.scalar.tag);

	if (st)
		return st;
	if (!ag_utf8_is_text(s))
		return wrong(r, AG_INVALID, ev->start_mark, "a text has a NUL");
	if (ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		*ret = ag_val_str(ag_str_dup(r->arena, s));
	else if (!s.len || ag_str_eqc(s, "~") || ag_str_ieq(s, AG_S("null")))
		*ret = ag_val_null();
	else if (ag_str_ieq(s, AG_S("true")) || ag_str_ieq(s, AG_S("false")))
		*ret = ag_val_bool(ag_str_ieq(s, AG_S("true")));
	else
		*ret = ag_val_str(ag_str_dup(r->arena, s));
	return AG_OK;
}

static ag_status read_value(reader *r, const yaml_event_t *ev, unsigned depth, ag_val *ret);

/* Grows by doubling; the old places stay in the arena. */
static void *grown(ag_arena *arena, void *old, size_t n, size_t *cap, size_t size)
{
	void *p = old;

	if (n < *cap)
		return old;
	*cap = *cap ? 2 * *cap : 8;
	p = ag_arena_alloc_n(arena, *cap, size);
	if (n)
		memcpy(p, old, n * size);
	return p;
}

static ag_status read_list(reader *r, unsigned depth, ag_val *ret)
{
	ag_val *items = NULL;
	size_t n = 0, cap = 0;
	ag_status st = AG_OK;

	for (;;) {
		yaml_event_t ev;
		bool is_end;

		st = next(r, &ev);
		is_end = !st && ev.type == YAML_SEQUENCE_END_EVENT;
		if (!st && !is_end) {
			items = grown(r->arena, items, n, &cap, sizeof(*items));
			st = read_value(r, &ev, depth + 1, &items[n++]);
		}
		yaml_event_delete(&ev);
		if (st || is_end)
			break;
	}
	*ret = ag_val_array(items, n);
	return st;
}

static ag_status read_key(reader *r, const yaml_event_t *ev, const ag_member *members, size_t n,
                          ag_str *ret)
{
	ag_val key;
	ag_status st;

	if (ev->type != YAML_SCALAR_EVENT)
		return wrong(r, AG_INVALID, ev->start_mark, "a key is a text");
	st = read_scalar(r, ev, &key);
	if (st)
		return st;
	*ret = ag_str_dup(r->arena,
	                  ag_str_make((const char *)ev->data.scalar.value, ev->data.scalar.length));
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eq(members[i].key, *ret))
			return wrong(r, AG_INVALID, ev->start_mark, "the key \"%.*s\" comes twice",
			             AG_FMT(ag_utf8_prefix(*ret, 60)));
	}
	return AG_OK;
}

static ag_status read_map(reader *r, unsigned depth, ag_val *ret)
{
	ag_member *members = NULL;
	size_t n = 0, cap = 0;
	ag_status st = AG_OK;

	for (;;) {
		yaml_event_t key = { 0 }, value = { 0 };
		bool is_end;

		st = next(r, &key);
		is_end = !st && key.type == YAML_MAPPING_END_EVENT;
		if (!st && !is_end) {
			members = grown(r->arena, members, n, &cap, sizeof(*members));
			st = read_key(r, &key, members, n, &members[n].key);
		}
		if (!st && !is_end)
			st = next(r, &value);
		if (!st && !is_end)
			st = read_value(r, &value, depth + 1, &members[n++].val);
		yaml_event_delete(&key);
		yaml_event_delete(&value);
		if (st || is_end)
			break;
	}
	*ret = ag_val_object(members, n);
	return st;
}

static ag_status read_value(reader *r, const yaml_event_t *ev, unsigned depth, ag_val *ret)
{
	ag_status st = count(r, ev, depth);

	if (st)
		return st;
	switch (ev->type) {
	case YAML_SCALAR_EVENT: return read_scalar(r, ev, ret);
	case YAML_SEQUENCE_START_EVENT:
		st = check_marks(r, ev, ev->data.sequence_start.anchor,
		                 ev->data.sequence_start.tag);
		return st ? st : read_list(r, depth, ret);
	case YAML_MAPPING_START_EVENT:
		st = check_marks(r, ev, ev->data.mapping_start.anchor, ev->data.mapping_start.tag);
		return st ? st : read_map(r, depth, ret);
	case YAML_ALIAS_EVENT:
		return wrong(r, AG_INVALID, ev->start_mark, "aliases (*name) are not allowed here");
	default: return wrong(r, AG_INVALID, ev->start_mark, "not YAML: a value is missing");
	}
}

/* The events around the one document: true when `ev` is of that type. */
static ag_status expect(reader *r, yaml_event_type_t type, const char *what)
{
	yaml_event_t ev;
	ag_status st = next(r, &ev);

	if (!st && ev.type != type)
		st = wrong(r, AG_INVALID, ev.start_mark, "%s", what);
	yaml_event_delete(&ev);
	return st;
}

static ag_status read_document(reader *r, ag_val *ret)
{
	yaml_event_t ev;
	ag_status st = expect(r, YAML_STREAM_START_EVENT, "not YAML");

	if (!st)
		st = next(r, &ev);
	if (st)
		return st;
	if (ev.type == YAML_STREAM_END_EVENT) { /* nothing but blanks and comments */
		yaml_event_delete(&ev);
		*ret = ag_val_null();
		return AG_OK;
	}
	yaml_event_delete(&ev); /* the document's start */
	st = next(r, &ev);
	if (!st)
		st = read_value(r, &ev, 1, ret);
	yaml_event_delete(&ev);
	if (!st)
		st = expect(r, YAML_DOCUMENT_END_EVENT, "not YAML: one value is wanted");
	return st ? st : expect(r, YAML_STREAM_END_EVENT, "want one document");
}

ag_status ag_yaml_read(ag_str text, ag_str name, size_t line, ag_arena *arena, ag_val *ret,
                       ag_err *err)
{
	reader r = { .name = name, .line = line, .arena = arena, .err = err };
	ag_status st;

	if (text.len > AG_YAML_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s: larger than %u bytes",
		               AG_FMT(ag_utf8_prefix(name, 100)), AG_YAML_MAX_BYTES);
	if (!yaml_parser_initialize(&r.parser))
		return ag_fail(err, AG_INTERNAL, ORIGIN, "out of memory");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text.len ? text.ptr : ""),
	                             text.len);
	st = read_document(&r, ret);
	yaml_parser_delete(&r.parser);
	return st;
}

/* --- writing --- */

/* May the code point be in a YAML text as it is? Line breaks of other kinds than \n would be folded. */
static bool is_plain(uint32_t cp)
{
	return (cp >= 0x20 && cp < 0x7f) || cp == '\t' || cp == '\n' ||
	       (cp >= 0xa0 && cp < 0x2028) || (cp > 0x2029 && cp < 0xd800) ||
	       (cp >= 0xe000 && cp < 0xfeff) || (cp > 0xfeff && cp < 0xfffd) || cp >= 0x10000;
}

static bool is_plain_text(ag_str s, bool *ret_has_line)
{
	*ret_has_line = false;
	for (size_t i = 0; i < s.len;) {
		const uint32_t cp = ag_utf8_next(s, &i);

		if (!is_plain(cp))
			return false;
		*ret_has_line |= cp == '\n';
	}
	/* A first line that begins with a blank would need its indentation told. */
	return s.len && (unsigned char)s.ptr[0] > ' ' && (unsigned char)s.ptr[s.len - 1] > ' ';
}

static void write_quoted(ag_buf *out, ag_str s)
{
	ag_buf_addc(out, '"');
	for (size_t i = 0; i < s.len;) {
		const size_t from = i;
		const uint32_t cp = ag_utf8_next(s, &i);

		if (cp == '"' || cp == '\\')
			ag_buf_addf(out, "\\%c", (char)cp);
		else if (cp == '\n')
			ag_buf_adds(out, "\\n");
		else if (cp == '\t')
			ag_buf_adds(out, "\\t");
		else if (is_plain(cp))
			ag_buf_add(out, ag_str_make(s.ptr + from, i - from));
		else if (cp <= 0xff)
			ag_buf_addf(out, "\\x%02X", (unsigned)cp);
		else
			ag_buf_addf(out, "\\u%04X", (unsigned)cp);
	}
	ag_buf_addc(out, '"');
}

void ag_yaml_write(ag_buf *out, ag_str text, unsigned indent)
{
	bool has_line;

	if (!is_plain_text(text, &has_line) || !has_line) {
		write_quoted(out, text);
		return;
	}
	ag_buf_adds(out, "|-");
	while (text.len) {
		const ag_str line = ag_str_split(&text, '\n');

		ag_buf_addf(out, "\n%*s%.*s", line.len ? (int)indent : 0, "", AG_FMT(line));
	}
}
