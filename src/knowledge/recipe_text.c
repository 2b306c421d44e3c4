/* recipe_text -- templates and the values in them. Read substitute(): one pass over the template, none over what it wrote.
 *
 * Whether a placeholder of SQL is within quotes is asked of two readers, one for each database: PostgreSQL knows E'…', $tag$ and
 * nested comments, SQLite `…` and […]. It must be outside for both. */
#include "base/utf8.h"
#include "knowledge/recipe.h"

#define ORIGIN "knowledge.recipe"
#define SHOWN  60u

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool has_at(ag_str s, size_t i, const char *what)
{
	const size_t n = strlen(what);

	return i + n <= s.len && memcmp(s.ptr + i, what, n) == 0;
}

/* The placeholder that begins at i, {{name}}; 0 = none does. *ret_name: what is in it, blanks at its ends included. */
static size_t placeholder_at(ag_str s, size_t i, ag_str *ret_name)
{
	size_t k = i + 2, nword = 0;

	if (!has_at(s, i, "{{"))
		return 0;
	while (k < s.len && (is_word(s.ptr[k]) || s.ptr[k] == ' '))
		nword += s.ptr[k++] != ' ';
	if (!nword || !has_at(s, k, "}}"))
		return 0;
	*ret_name = ag_str_make(s.ptr + i + 2, k - i - 2);
	return k + 2 - i;
}

/* --- is it within quotes? --- */

typedef struct reader {
	ag_str s;
	size_t at;
	bool is_postgres;
} reader;

/* After the quote at r->at: two of them are one. */
static void skip_quoted(reader *r, char end, bool has_backslash)
{
	for (r->at++; r->at < r->s.len; r->at++) {
		if (has_backslash && r->s.ptr[r->at] == '\\') {
			r->at++;
		} else if (r->s.ptr[r->at] == end) {
			r->at++;
			if (r->at >= r->s.len || r->s.ptr[r->at] != end || end == ']')
				return;
		}
	}
}

static void skip_comment(reader *r)
{
	unsigned depth = 1;

	for (r->at += 2; r->at < r->s.len && depth;) {
		if (has_at(r->s, r->at, "*/")) {
			depth--;
			r->at += 2;
		} else if (r->is_postgres && has_at(r->s, r->at, "/*")) {
			depth++;
			r->at += 2;
		} else {
			r->at++;
		}
	}
}

/* $tag$ … $tag$; false when no such quote begins here. */
static bool skip_dollar(reader *r)
{
	size_t n = 1;
	ag_str tag;

	while (r->at + n < r->s.len && is_word(r->s.ptr[r->at + n]))
		n++;
	if (r->at + n >= r->s.len || r->s.ptr[r->at + n] != '$')
		return false;
	tag = ag_str_make(r->s.ptr + r->at, n + 1);
	for (r->at += tag.len; r->at < r->s.len; r->at++) {
		if (r->at + tag.len <= r->s.len &&
		    memcmp(r->s.ptr + r->at, tag.ptr, tag.len) == 0) {
			r->at += tag.len;
			return true;
		}
	}
	return true;
}

/* E'…', but not name'…'. */
static bool is_escape_string(const reader *r)
{
	const size_t i = r->at;

	return r->is_postgres && i && (r->s.ptr[i - 1] == 'e' || r->s.ptr[i - 1] == 'E') &&
	       (i == 1 || !is_word(r->s.ptr[i - 2]));
}

/* Over a quote or comment that begins here; false = none does. */
static bool skip_closed(reader *r)
{
	const char c = r->s.ptr[r->at];

	if (c == '\'')
		skip_quoted(r, c, is_escape_string(r));
	else if (c == '"' || (c == '`' && !r->is_postgres))
		skip_quoted(r, c, false);
	else if (c == '[' && !r->is_postgres)
		skip_quoted(r, ']', false);
	else if (has_at(r->s, r->at, "--"))
		while (r->at < r->s.len && r->s.ptr[r->at] != '\n')
			r->at++;
	else if (has_at(r->s, r->at, "/*"))
		skip_comment(r);
	else
		return c == '$' && r->is_postgres && skip_dollar(r);
	return true;
}

static bool is_outside(ag_str s, size_t at, bool is_postgres)
{
	reader r = { .s = s, .is_postgres = is_postgres };

	while (r.at < at) {
		if (!skip_closed(&r))
			r.at++;
	}
	return r.at == at;
}

/* --- the check --- */

static ag_status unknown(const ag_recipe *r, ag_str name, const char *what, ag_err *err)
{
	const char *names[AG_RECIPE_MAX_VARIABLES] = { NULL }, *near;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const bool has_blank = ag_str_trim(name).len != name.len;

	for (size_t i = 0; i < r->nvariable && i < AG_RECIPE_MAX_VARIABLES; i++)
		names[i] = ag_str_cstr(arena, r->variables[i].name);
	if (has_blank && ag_recipe_variable_of(r, ag_str_trim(name)))
		return ag_fail(err, AG_INVALID, ORIGIN, "%s: want {{%.*s}} without blanks", what,
		               AG_FMT(ag_str_trim(name)));
	near = ag_str_nearest(ag_str_trim(name), names, r->nvariable);
	ag_fail(err, AG_INVALID, ORIGIN, "%s: uses {{%.*s}}, which is no variable of the recipe",
	        what, AG_FMT(ag_utf8_prefix(name, SHOWN)));
	return near ? ag_err_hint(err, "did you mean {{%s}}?", near) : AG_INVALID;
}

ag_status ag_recipe_check_text(const ag_recipe *r, ag_str text, bool is_sql, const char *what,
                               ag_err *err)
{
	for (size_t i = 0; i < text.len;) {
		ag_str name;
		const size_t n = placeholder_at(text, i, &name);

		if (n && !ag_recipe_variable_of(r, name))
			return unknown(r, name, what, err);
		if (n && is_sql && (!is_outside(text, i, true) || !is_outside(text, i, false))) {
			ag_fail(err, AG_INVALID, ORIGIN,
			        "%s: {{%.*s}} is within quotes or a comment", what, AG_FMT(name));
			return ag_err_hint(err,
			                   "leave the quotes out, a value becomes a literal; "
			                   "for a part of a text: '%%' || {{%.*s}} || '%%'",
			                   AG_FMT(ag_utf8_prefix(name, 20)));
		}
		i += n ? n : 1;
	}
	return AG_OK;
}

/* --- values --- */

/* Between double quotes, on one line, without a mark that could close a fence or open a placeholder. */
static void write_string(ag_buf *out, ag_str value)
{
	for (size_t i = 0; i < value.len; i++) {
		const unsigned char c = (unsigned char)value.ptr[i];

		if (c == '"' || c == '\\')
			ag_buf_addf(out, "\\%c", (char)c);
		else if (c == '\n')
			ag_buf_adds(out, "\\n");
		else if (c < 0x20 || c == '<' || c == '>' || has_at(value, i, "{{") ||
		         has_at(value, i, "}}"))
			ag_buf_addf(out, "\\u%04x", c);
		else
			ag_buf_addc(out, (char)c);
	}
}

static void write_in_prompt(const ag_recipe_variable *v, ag_str value, bool in_quotes, ag_buf *out)
{
	if (v->type != AG_RECIPE_STRING) {
		ag_buf_add(out, value);
		return;
	}
	if (!in_quotes)
		ag_buf_addc(out, '"');
	write_string(out, value);
	if (!in_quotes)
		ag_buf_addc(out, '"');
}

static void write_literal(ag_buf *out, ag_str value)
{
	ag_buf_addc(out, '\'');
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] == '\'')
			ag_buf_addc(out, '\'');
		ag_buf_addc(out, value.ptr[i]);
	}
	ag_buf_addc(out, '\'');
}

/* Blanks keep it apart from what is beside it; a minus in parentheses begins no comment. */
static void write_in_sql(const ag_recipe_variable *v, ag_str value, ag_buf *out)
{
	ag_buf_addc(out, ' ');
	if (v->type == AG_RECIPE_NUMBER)
		ag_buf_addf(out, value.ptr[0] == '-' ? "(%.*s)" : "%.*s", AG_FMT(value));
	else if (v->type == AG_RECIPE_BOOLEAN)
		ag_buf_adds(out, ag_str_eqc(value, "true") ? "TRUE" : "FALSE");
	else
		write_literal(out, value);
	ag_buf_addc(out, ' ');
}

/* NULL has every type, where a text without a default stands. */
static void write_sample(const ag_recipe_variable *v, ag_buf *out)
{
	if (v->has_default && (v->type == AG_RECIPE_STRING || v->by_default.len))
		write_in_sql(v, v->by_default, out);
	else if (v->type == AG_RECIPE_SELECT && v->options)
		write_in_sql(v, ag_val_text(&v->options->u.items[0]), out);
	else if (v->type == AG_RECIPE_NUMBER)
		ag_buf_adds(out, " 1 ");
	else if (v->type == AG_RECIPE_BOOLEAN)
		ag_buf_adds(out, " TRUE ");
	else
		ag_buf_adds(out, " NULL ");
}

/* values NULL: samples. */
static ag_status substitute(const ag_recipe *r, ag_str text, const ag_val *values, bool is_sql,
                            ag_arena *arena, ag_str *ret, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(AG_RECIPE_MAX_BYTES);

	for (size_t i = 0; i < text.len && !out.failed;) {
		const ag_recipe_variable *v = NULL;
		ag_str name, value;
		const size_t n = placeholder_at(text, i, &name);

		if (n)
			v = ag_recipe_variable_of(r, name);
		if (!v) {
			ag_buf_addc(&out, text.ptr[i++]);
			continue;
		}
		value = values ? ag_val_text(ag_val_get(values, name)) : AG_S("");
		if (!values)
			write_sample(v, &out);
		else if (is_sql)
			write_in_sql(v, value, &out);
		else
			write_in_prompt(v, value,
			                i && text.ptr[i - 1] == '"' && has_at(text, i + n, "\""),
			                &out);
		i += n;
	}
	if (out.failed)
		return ag_fail(err, AG_LIMIT, ORIGIN,
		               "with its values the %s is larger than %u bytes",
		               is_sql ? "statement" : "question", AG_RECIPE_MAX_BYTES);
	*ret = ag_buf_dup(arena, &out);
	return AG_OK;
}

ag_status ag_recipe_prompt(const ag_recipe *r, ag_str text, const ag_val *values, ag_arena *arena,
                           ag_str *ret, ag_err *err)
{
	return substitute(r, text, values, false, arena, ret, err);
}

ag_status ag_recipe_sql(const ag_recipe *r, ag_str text, const ag_val *values, ag_arena *arena,
                        ag_str *ret, ag_err *err)
{
	return substitute(r, text, values, true, arena, ret, err);
}

ag_status ag_recipe_sample_sql(const ag_recipe *r, ag_str text, ag_arena *arena, ag_str *ret,
                               ag_err *err)
{
	return substitute(r, text, NULL, true, arena, ret, err);
}
