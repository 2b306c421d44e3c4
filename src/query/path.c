/* path -- the path grammar of Argus, read and written.
 *
 *   path = step *( "." name | "[]" )      name = plain | "`" any "`" | "*"
 *
 * Plain names hold no dot, blank, $, [], * or back tick; everything else is quoted. Formatting and
 * parsing are inverse: format(parse(t)) is the one spelling of t. */
#include "query/path.h"

#define MAX_STEPS 1000

static ag_status bad(ag_err *err, ag_str text, size_t at, const char *what)
{
	return ag_fail(err, AG_INVALID, "query.path", "path \"%.*s\", byte %zu: %s",
	               (int)(text.len > 120 ? 120 : text.len), text.ptr, at, what);
}

static bool is_special(char c)
{
	return c == '.' || c == '$' || c == '[' || c == ']' || c == '*' || c == '`' ||
	       (unsigned char)c <= ' ' || c == 0x7f;
}

static bool needs_quotes(ag_str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (is_special(name.ptr[i]))
			return true;
	}
	return name.len == 0;
}

/* At the opening back tick; `` inside is one back tick. */
static ag_status quoted_name(ag_str text, size_t *at, ag_arena *arena, ag_str *ret, ag_err *err)
{
	char *out = ag_arena_alloc(arena, text.len - *at + 1);
	size_t n = 0, i = *at + 1;

	for (;; i++) {
		if (i >= text.len)
			return bad(err, text, *at, "the quoted name does not end");
		if (text.ptr[i] == '`' && (i + 1 >= text.len || text.ptr[++i] != '`'))
			break;
		out[n++] = text.ptr[i];
	}
	/* i stands behind the closing tick, or on it where the text ends. */
	*at = text.ptr[i] == '`' ? i + 1 : i;
	*ret = ag_str_make(out, n);
	return AG_OK;
}

static ag_status plain_name(ag_str text, size_t *at, ag_str *ret, ag_err *err)
{
	size_t from = *at;

	while (*at < text.len && text.ptr[*at] != '.' && text.ptr[*at] != '[') {
		if (is_special(text.ptr[*at]))
			return bad(err, text, *at, "this character needs a name in back ticks");
		(*at)++;
	}
	if (*at == from)
		return bad(err, text, from, "want a name");
	*ret = ag_str_make(text.ptr + from, *at - from);
	return AG_OK;
}

static ag_status parse_name(ag_str text, size_t *at, ag_arena *arena, ag_step *ret, ag_err *err)
{
	if (*at >= text.len)
		return bad(err, text, *at, "want a name");
	ret->kind = AG_STEP_NAME;
	if (text.ptr[*at] == '`')
		return quoted_name(text, at, arena, &ret->name, err);
	if (text.ptr[*at] == '*') {
		ret->kind = AG_STEP_ANY;
		(*at)++;
		return AG_OK;
	}
	return plain_name(text, at, &ret->name, err);
}

static size_t count_steps(ag_str text)
{
	size_t n = 1;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == '.' || text.ptr[i] == '[';
	return n;
}

ag_status ag_path_parse(ag_str text, ag_arena *arena, ag_path *ret, ag_err *err)
{
	ag_step *steps;
	size_t n = 0, at = 0;
	bool want_name = true;

	if (count_steps(text) > MAX_STEPS)
		return ag_fail(err, AG_LIMIT, "query.path", "a path of more than %d steps",
		               MAX_STEPS);
	steps = ag_new_n(arena, ag_step, count_steps(text));
	/* A path may begin with "[]": the element of an array at the root. */
	if (text.len && text.ptr[0] == '[')
		want_name = false;
	while (want_name || at < text.len) {
		if (want_name) {
			ag_status st = parse_name(text, &at, arena, &steps[n], err);

			if (st)
				return st;
			n++;
			want_name = false;
		} else if (text.ptr[at] == '.') {
			at++;
			want_name = true;
		} else if (at + 1 < text.len && text.ptr[at] == '[' && text.ptr[at + 1] == ']') {
			steps[n++].kind = AG_STEP_ELEM;
			at += 2;
		} else {
			return bad(err, text, at, "want '.' or \"[]\"");
		}
	}
	ret->steps = steps;
	ret->n = n;
	return AG_OK;
}

void ag_path_append(ag_buf *out, const ag_step *step)
{
	if (step->kind == AG_STEP_ELEM) {
		ag_buf_adds(out, "[]");
		return;
	}
	if (out->len)
		ag_buf_addc(out, '.');
	if (step->kind == AG_STEP_ANY) {
		ag_buf_addc(out, '*');
		return;
	}
	if (!needs_quotes(step->name)) {
		ag_buf_add(out, step->name);
		return;
	}
	ag_buf_addc(out, '`');
	for (size_t i = 0; i < step->name.len; i++) {
		if (step->name.ptr[i] == '`')
			ag_buf_addc(out, '`');
		ag_buf_addc(out, step->name.ptr[i]);
	}
	ag_buf_addc(out, '`');
}

void ag_path_format(ag_buf *out, const ag_path *p)
{
	for (size_t i = 0; i < p->n; i++)
		ag_path_append(out, &p->steps[i]);
}

bool ag_path_query_form(const ag_path *p, ag_buf *out)
{
	bool any = false;

	for (size_t i = 0; i < p->n; i++) {
		ag_str name = p->steps[i].name;

		if (p->steps[i].kind == AG_STEP_ANY)
			return false;
		if (p->steps[i].kind == AG_STEP_ELEM)
			continue;
		if (name.len == 0 || name.ptr[0] == '$' || ag_str_find(name, '.') >= 0)
			return false;
		any = true;
	}
	if (!any)
		return false;
	for (size_t i = 0, first = 1; i < p->n; i++) {
		if (p->steps[i].kind != AG_STEP_NAME)
			continue;
		if (!first)
			ag_buf_addc(out, '.');
		first = 0;
		ag_buf_add(out, p->steps[i].name);
	}
	return true;
}
