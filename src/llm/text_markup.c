/* text_markup -- the ways in which models mark a call inside of text. Read from the end upwards: ag_text_markup() finds the
 * mark, the functions above it read what it holds.
 *
 * A block ends at its closing mark; where that is missing, after its last call. One that opens like JSON and cannot be
 * read extends to its closing mark, or to the end of the text: it was cut. */
#include "base/json.h"
#include "llm/json_repair.h"
#include "llm/json_text.h"
#include "llm/text_calls_parts.h"
#include "llm/wire.h"
#include "query/extjson.h"

#define MAX_NAME_BYTES 128

static ag_str from(const ag_text_reader *t, size_t i)
{
	return ag_str_make(t->s.ptr + i, t->s.len - i);
}

static bool begins(const ag_text_reader *t, size_t i, const char *word)
{
	const size_t n = strlen(word);

	return t->s.len - i >= n && !memcmp(t->s.ptr + i, word, n);
}

static size_t skip_space(const ag_text_reader *t, size_t i)
{
	while (i < t->s.len && memchr(" \t\r\n", t->s.ptr[i], 4))
		i++;
	return i;
}

/* Where word begins at i or later, else the end. */
static size_t find(const ag_text_reader *t, size_t i, const char *word)
{
	const char *p = memmem(t->s.ptr + i, t->s.len - i, word, strlen(word));

	return p ? (size_t)(p - t->s.ptr) : t->s.len;
}

/* --- calls --- */

const ag_llm_tool *ag_text_tool(const ag_llm_request *r, ag_str written)
{
	for (int fit = 0; fit < AG_NAME_NFIT; fit++) {
		for (size_t i = 0; i < r->ntool; i++) {
			if (ag_call_name_fits(written, r->tools[i].name, (ag_name_fit)fit))
				return &r->tools[i];
		}
	}
	return NULL;
}

/* UNKNOWN wins over OK: the reply is asked for again, with the name that is unknown. */
static ag_block_state worse(ag_block_state a, ag_block_state b)
{
	return a > b ? a : b;
}

static ag_block_state push_call(ag_text_reader *t, ag_str name, ag_str input)
{
	const ag_llm_tool *tool = ag_text_tool(t->r, name);

	if (!tool) {
		t->unknown = name;
		return AG_BLOCK_UNKNOWN;
	}
	if (t->ncall == AG_WIRE_MAX_TOOL_CALLS) {
		t->ncut++;
		return AG_BLOCK_OK;
	}
	if (t->ncall == t->cap) {
		const size_t cap = t->cap ? 2 * t->cap : 8;
		ag_llm_part *grown = ag_new_n(t->arena, ag_llm_part, cap);

		if (t->ncall)
			memcpy(grown, t->calls, t->ncall * sizeof(*grown));
		t->calls = grown;
		t->cap = cap;
	}
	t->calls[t->ncall++] =
		(ag_llm_part){ .type = AG_LLM_TOOL_CALL, .name = tool->name, .input = input };
	return AG_BLOCK_OK;
}

static ag_block_state take_object(ag_text_reader *t, ag_str json)
{
	ag_written_call call;

	if (!ag_call_of_object(json, t->arena, &call) || (t->want_input && !call.has_input))
		return AG_BLOCK_NONE;
	return push_call(t, call.name, call.input);
}

static ag_block_state take_array(ag_text_reader *t, ag_str json)
{
	ag_block_state ret = AG_BLOCK_NONE;
	size_t pos = 0;
	ag_str item;

	for (item = ag_json_raw_next(json, &pos); item.len; item = ag_json_raw_next(json, &pos)) {
		const ag_block_state one = item.ptr[0] == '{' ? take_object(t, item)
		                                              : AG_BLOCK_NONE;

		if (one == AG_BLOCK_NONE)
			return AG_BLOCK_NONE;
		ret = worse(ret, one);
	}
	return ret;
}

/* --- name(key=value, …) --- */

static size_t word_end(const ag_text_reader *t, size_t i)
{
	while (i < t->s.len) {
		const char c = t->s.ptr[i];

		if (!((c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' ||
		      c == '.' || c == '-'))
			break;
		i++;
	}
	return i;
}

static bool python_arguments(ag_text_reader *t, size_t *i, ag_buf *out)
{
	size_t at = skip_space(t, *i);

	while (at < t->s.len && t->s.ptr[at] != ')') {
		const size_t end = word_end(t, at);
		const ag_str key = ag_str_make(t->s.ptr + at, end - at);
		ag_str value;
		size_t n;

		at = skip_space(t, end);
		if (!key.len || at >= t->s.len || t->s.ptr[at] != '=' ||
		    !ag_json_lenient(from(t, at + 1), t->arena, &value, &n))
			return false;
		if (out->len > 1)
			ag_buf_addc(out, ',');
		ag_json_quote(out, key);
		ag_buf_addc(out, ':');
		ag_buf_add(out, value);
		at = skip_space(t, at + 1 + n);
		if (at < t->s.len && t->s.ptr[at] == ',')
			at = skip_space(t, at + 1);
		else if (at >= t->s.len || t->s.ptr[at] != ')')
			return false;
	}
	*i = at + 1;
	return at < t->s.len;
}

/* print(name(key=value)), default_api.name(key=value) */
static ag_block_state take_python(ag_text_reader *t, size_t *i)
{
	const bool printed = begins(t, *i, "print(");
	size_t at = printed ? skip_space(t, *i + 6) : *i;
	const size_t end = word_end(t, at);
	const ag_str name = ag_str_make(t->s.ptr + at, end - at);
	ag_buf out = AG_BUF_INIT(AG_WIRE_MAX_REPLY_BYTES);
	ag_block_state ret = AG_BLOCK_NONE;

	if (!name.len || name.len > MAX_NAME_BYTES || end >= t->s.len || t->s.ptr[end] != '(')
		return ret;
	at = end + 1;
	ag_buf_addc(&out, '{');
	if (!python_arguments(t, &at, &out)) {
		ret = ag_text_tool(t->r, name) ? AG_BLOCK_BROKEN : AG_BLOCK_NONE;
	} else {
		ag_buf_addc(&out, '}');
		ret = push_call(t, name, ag_buf_dup(t->arena, &out));
		at = skip_space(t, at);
		if (printed && at < t->s.len && t->s.ptr[at] == ')')
			at++;
		*i = at;
	}
	ag_buf_release(&out);
	return ret;
}

/* [name(key=value), …] */
static ag_block_state take_python_list(ag_text_reader *t, size_t *i)
{
	size_t at = skip_space(t, *i + 1);
	ag_block_state ret = AG_BLOCK_NONE;

	while (at < t->s.len && t->s.ptr[at] != ']') {
		const ag_block_state one = take_python(t, &at);

		if (one == AG_BLOCK_NONE || one == AG_BLOCK_BROKEN)
			return one;
		ret = worse(ret, one);
		at = skip_space(t, at);
		if (at < t->s.len && t->s.ptr[at] == ',')
			at = skip_space(t, at + 1);
		else if (at < t->s.len && t->s.ptr[at] != ']')
			return AG_BLOCK_NONE;
	}
	*i = at < t->s.len ? at + 1 : at;
	return ret;
}

static ag_block_state take_one(ag_text_reader *t, size_t *i, bool python)
{
	const char c = t->s.ptr[*i];
	ag_block_state ret;
	ag_str json;
	size_t n;

	if (c != '{' && c != '[')
		return python ? take_python(t, i) : AG_BLOCK_NONE;
	if (!ag_json_lenient(from(t, *i), t->arena, &json, &n))
		return c == '[' && python ? take_python_list(t, i) : AG_BLOCK_BROKEN;
	ret = c == '{' ? take_object(t, json) : take_array(t, json);
	if (ret != AG_BLOCK_NONE)
		*i += n;
	return ret;
}

ag_block_state ag_text_list(ag_text_reader *t, size_t *i, bool python)
{
	ag_block_state ret = AG_BLOCK_NONE;
	size_t at = skip_space(t, *i);

	while (at < t->s.len) {
		const ag_block_state one = take_one(t, &at, python);

		if (one == AG_BLOCK_BROKEN)
			ret = one;
		if (one == AG_BLOCK_NONE || one == AG_BLOCK_BROKEN)
			break;
		ret = worse(ret, one);
		*i = at;
		at = skip_space(t, at);
		if (at < t->s.len && memchr(",;", t->s.ptr[at], 2))
			at = skip_space(t, at + 1);
	}
	return ret;
}

/* --- <function=name>, <invoke name="name"> with parameters --- */

/* The type that the tool's schema has for a parameter; "" = it does not say. */
static ag_str type_of(const ag_llm_tool *tool, ag_str key, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	const ag_val *properties, *p;
	ag_val schema;

	if (!tool || !tool->schema.len ||
	    ag_extjson_parse(tool->schema, &opts, arena, &schema, NULL, NULL, NULL))
		return AG_S("");
	properties = ag_val_getc(&schema, "properties");
	p = properties && properties->type == AG_T_OBJECT ? ag_val_get(properties, key) : NULL;
	return p && p->type == AG_T_OBJECT ? ag_str_dup(arena, ag_val_member_str(p, "type"))
	                                   : AG_S("");
}

/* A parameter's text as JSON: as the schema has it; without one an object or array is itself, else it is a text. */
static void put_parameter(ag_text_reader *t, const ag_llm_tool *tool, ag_str key, ag_str text,
                          ag_buf *out)
{
	const ag_str type = type_of(tool, key, t->arena), trimmed = ag_str_trim(text);
	const bool is_open = trimmed.len && memchr("{[", trimmed.ptr[0], 2);
	ag_str json;
	size_t n;

	if (out->len > 1)
		ag_buf_addc(out, ',');
	ag_json_quote(out, key);
	ag_buf_addc(out, ':');
	if (!ag_str_eqc(type, "string") && (type.len || is_open) &&
	    ag_json_lenient(trimmed, t->arena, &json, &n) && n == trimmed.len) {
		ag_buf_add(out, json);
		return;
	}
	/* The line breaks of the markup are not the value's. */
	if (text.len && text.ptr[0] == '\n')
		text = ag_str_make(text.ptr + 1, text.len - 1);
	if (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	ag_json_quote(out, text);
}

/* The name after "<function=" or "<parameter name=", with its ">"; *i moves past it. */
static bool tag_name(const ag_text_reader *t, size_t *i, ag_str *ret)
{
	size_t end = *i;

	while (end < t->s.len && end - *i < MAX_NAME_BYTES && t->s.ptr[end] != '>' &&
	       t->s.ptr[end] != '\n' && t->s.ptr[end] != '<')
		end++;
	if (end >= t->s.len || t->s.ptr[end] != '>')
		return false;
	*ret = ag_str_trim(ag_str_make(t->s.ptr + *i, end - *i));
	if (ret->len >= 2 && (ret->ptr[0] == '"' || ret->ptr[0] == '\''))
		*ret = ag_str_make(ret->ptr + 1, ret->len - 2);
	*i = end + 1;
	return ret->len > 0;
}

/* Where a parameter's value ends: its own mark, else the next parameter or the end of the call. */
static size_t parameter_end(const ag_text_reader *t, size_t i, size_t *ret_next)
{
	static const char *const stops[] = { "<parameter=", "<parameter ", "</function>",
		                             "</invoke>", "</tool_call>" };

	/* One pass, which ends at the first mark: a search per mark would read the rest of the text for every parameter. */
	for (size_t at = find(t, i, "<"); at < t->s.len; at = find(t, at + 1, "<")) {
		*ret_next = begins(t, at, "</parameter>") ? at + strlen("</parameter>") : at;
		if (*ret_next > at)
			return at;
		for (size_t k = 0; k < AG_NELEM(stops); k++) {
			if (begins(t, at, stops[k]))
				return at;
		}
	}
	*ret_next = t->s.len;
	return t->s.len;
}

static ag_block_state take_function(ag_text_reader *t, size_t *i, const char *close)
{
	ag_buf out = AG_BUF_INIT(AG_WIRE_MAX_REPLY_BYTES);
	ag_block_state ret = AG_BLOCK_BROKEN;
	const ag_llm_tool *tool;
	ag_str name, key, json;
	size_t at = *i, n, next;

	if (!tag_name(t, &at, &name))
		return AG_BLOCK_NONE;
	tool = ag_text_tool(t->r, name);
	at = skip_space(t, at);
	ag_buf_addc(&out, '{');
	if (at < t->s.len && t->s.ptr[at] == '{') {
		if (!ag_json_lenient_object(from(t, at), t->arena, &json, &n))
			goto done;
		ag_buf_clear(&out);
		ag_buf_add(&out, json);
		at += n;
	} else {
		while (begins(t, at, "<parameter=") || begins(t, at, "<parameter ")) {
			at += strlen("<parameter=");
			if (begins(t, at, "name="))
				at += strlen("name=");
			if (!tag_name(t, &at, &key))
				goto done;
			n = parameter_end(t, at, &next);
			put_parameter(t, tool, key, ag_str_make(t->s.ptr + at, n - at), &out);
			at = skip_space(t, next);
		}
		ag_buf_addc(&out, '}');
	}
	ret = push_call(t, name, ag_buf_dup(t->arena, &out));
	*i = at;
	at = skip_space(t, at);
	if (begins(t, at, close))
		*i = at + strlen(close);
done:
	ag_buf_release(&out);
	return ret;
}

/* GLM: name, then <arg_key>k</arg_key><arg_value>v</arg_value> … */
static ag_block_state take_arg_keys(ag_text_reader *t, size_t *i)
{
	ag_buf out = AG_BUF_INIT(AG_WIRE_MAX_REPLY_BYTES);
	size_t at = *i, end = word_end(t, at);
	const ag_str name = ag_str_make(t->s.ptr + at, end - at);
	ag_block_state ret = AG_BLOCK_NONE;

	at = skip_space(t, end);
	if (!name.len || !begins(t, at, "<arg_key>"))
		return ret;
	ag_buf_addc(&out, '{');
	while (begins(t, at, "<arg_key>")) {
		const size_t key = at + strlen("<arg_key>"), key_end = find(t, key, "</arg_key>");
		const size_t value = find(t, key_end, "<arg_value>");
		const size_t value_end = find(t, value, "</arg_value>");

		if (value_end == t->s.len) {
			ag_buf_release(&out);
			return AG_BLOCK_BROKEN;
		}
		put_parameter(t, ag_text_tool(t->r, name),
		              ag_str_trim(ag_str_make(t->s.ptr + key, key_end - key)),
		              ag_str_make(t->s.ptr + value + strlen("<arg_value>"),
		                          value_end - value - strlen("<arg_value>")),
		              &out);
		at = skip_space(t, value_end + strlen("</arg_value>"));
	}
	ag_buf_addc(&out, '}');
	ret = push_call(t, name, ag_buf_dup(t->arena, &out));
	*i = at;
	ag_buf_release(&out);
	return ret;
}

/* --- tokens of templates --- */

/* <|name|> with "_" or "▁" in the name and "|" or "｜" around it; its length, 0 = it is not here. */
static size_t token(const ag_text_reader *t, size_t i, const char *name)
{
	static const char bar[] = "\xEF\xBD\x9C", block[] = "\xE2\x96\x81";
	size_t at = i + 1;

	if (i >= t->s.len || t->s.ptr[i] != '<')
		return 0;
	if (begins(t, at, "|"))
		at++;
	else if (begins(t, at, bar))
		at += 3;
	else
		return 0;
	for (; *name; name++) {
		if (*name == '_' && begins(t, at, block))
			at += 3;
		else if (at < t->s.len && t->s.ptr[at] == *name)
			at++;
		else
			return 0;
	}
	if (begins(t, at, "|>"))
		return at + 2 - i;
	return begins(t, at, bar) && begins(t, at + 3, ">") ? at + 4 - i : 0;
}

static size_t one_of(const ag_text_reader *t, size_t i, const char *const *names, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const size_t len = token(t, i, names[k]);

		if (len)
			return len;
	}
	return 0;
}

static const char *const call_begins[] = { "tool_call_begin" };
static const char *const separators[] = { "tool_sep", "tool_call_argument_begin" };
static const char *const call_ends[] = {
	"tool_call_end",   "tool_calls_end", "tool_calls_section_end", "eom_id", "eot_id",
	"end_of_sentence", "im_end"
};

static size_t skip_ends(const ag_text_reader *t, size_t i)
{
	size_t len = 1, at = i;

	while (len) {
		at = skip_space(t, i);
		len = one_of(t, at, call_ends, AG_NELEM(call_ends));
		i = len ? at + len : i;
	}
	return i;
}

/* DeepSeek: function SEP name, a fence, the arguments; or name SEP arguments. Kimi: functions.name:0 SEP arguments. */
static ag_block_state take_separated(ag_text_reader *t, size_t *i)
{
	size_t at = *i, len = 0, n;
	ag_str name, json;

	while (at < t->s.len && at - *i < MAX_NAME_BYTES && !len) {
		len = one_of(t, at, separators, AG_NELEM(separators));
		at += !len;
	}
	if (!len)
		return AG_BLOCK_BROKEN;
	name = ag_str_trim(ag_str_make(t->s.ptr + *i, at - *i));
	at += len;
	if (ag_str_eqc(name, "function")) {
		ag_str rest = from(t, at);

		name = ag_str_trim(ag_str_split(&rest, '\n'));
		at = rest.ptr ? (size_t)(rest.ptr - t->s.ptr) : t->s.len;
	}
	at = skip_space(t, at);
	if (begins(t, at, "```json"))
		at = skip_space(t, at + strlen("```json"));
	if (!ag_json_lenient_object(from(t, at), t->arena, &json, &n))
		return AG_BLOCK_BROKEN;
	at += n;
	if (begins(t, skip_space(t, at), "```"))
		at = skip_space(t, at) + 3;
	*i = skip_ends(t, at);
	return push_call(t, name, json);
}

/* [TOOL_CALLS]name[ARGS]{…} and [TOOL_CALLS]name{…} */
static ag_block_state take_named(ag_text_reader *t, size_t *i)
{
	const size_t end = word_end(t, *i);
	const ag_str name = ag_str_make(t->s.ptr + *i, end - *i);
	size_t at = skip_space(t, end), n;
	ag_str json;

	if (begins(t, at, "[ARGS]"))
		at = skip_space(t, at + strlen("[ARGS]"));
	if (!name.len || at >= t->s.len || t->s.ptr[at] != '{')
		return AG_BLOCK_NONE;
	if (!ag_json_lenient_object(from(t, at), t->arena, &json, &n))
		return AG_BLOCK_BROKEN;
	*i = at + n;
	return push_call(t, name, json);
}

/* --- blocks --- */

/* All calls of one block, whatever their form. */
static ag_block_state body_of(ag_text_reader *t, size_t *i)
{
	ag_block_state ret = AG_BLOCK_NONE, one;
	size_t at = skip_space(t, *i);

	/* A fence inside of the mark. */
	if (begins(t, at, "```")) {
		ag_str rest = from(t, at);

		ag_str_split(&rest, '\n');
		at = rest.ptr ? skip_space(t, (size_t)(rest.ptr - t->s.ptr)) : t->s.len;
	}
	do {
		if (begins(t, at, "<function="))
			one = (at += strlen("<function="), take_function(t, &at, "</function>"));
		else if (begins(t, at, "<invoke name="))
			one = (at += strlen("<invoke name="), take_function(t, &at, "</invoke>"));
		else
			one = ag_text_list(t, &at, true);
		if (one == AG_BLOCK_NONE)
			one = take_named(t, &at);
		if (one == AG_BLOCK_NONE)
			one = take_arg_keys(t, &at);
		ret = worse(ret, one);
		if (one != AG_BLOCK_NONE && one != AG_BLOCK_BROKEN) {
			*i = at;
			at = skip_space(t, at);
		}
	} while (one != AG_BLOCK_NONE && one != AG_BLOCK_BROKEN && at < t->s.len);
	if (begins(t, skip_space(t, *i), "```"))
		*i = skip_space(t, *i) + 3;
	return ret;
}

typedef struct mark {
	const char *open, *close; /* close "": there is none */
} mark;

static const mark marks[] = {
	{ "<tool_call>", "</tool_call>" },
	{ "<tool_calls>", "</tool_calls>" },
	{ "<tool-call>", "</tool-call>" },
	{ "<toolcall>", "</toolcall>" },
	{ "<tool_code>", "</tool_code>" },
	{ "<function_call>", "</function_call>" },
	{ "<function_calls>", "</function_calls>" },
	{ "<functioncall>", "</functioncall>" },
	{ "[TOOL_CALLS]", "" },
};

static const char *const token_marks[] = { "tool_call", "tool_calls", "tool_call_start",
	                                   "python_tag", "function_call" };
static const char *const token_closes[] = { "/tool_call", "/tool_calls", "tool_call_end",
	                                    "eom_id",     "eot_id",      "/function_call" };

/* The bytes of the opening mark at i; 0 = none. *ret_close: what closes it, "" = a token does, or nothing. */
static size_t opening(const ag_text_reader *t, size_t i, const char **ret_close)
{
	*ret_close = "";
	for (size_t k = 0; k < AG_NELEM(marks); k++) {
		const size_t n = strlen(marks[k].open);

		*ret_close = marks[k].close;
		if (t->s.len - i >= n &&
		    ag_str_ieq(ag_str_make(t->s.ptr + i, n), ag_str_c(marks[k].open)))
			return n;
	}
	*ret_close = "";
	return one_of(t, i, token_marks, AG_NELEM(token_marks));
}

/* Behind the last call: the closing mark belongs to the block. */
static size_t behind_close(const ag_text_reader *t, size_t i, const char *close)
{
	const size_t at = skip_space(t, i);
	size_t n = close[0] && begins(t, at, close) ? strlen(close) : 0;

	if (!n)
		n = one_of(t, at, token_closes, AG_NELEM(token_closes));
	/* One brace too many is a slip of small models. */
	if (!n && begins(t, at, "}") && close[0] && begins(t, skip_space(t, at + 1), close))
		return skip_space(t, at + 1) + strlen(close);
	return n ? at + n : i;
}

/* Closing marks that nothing opened belong to the block before them. */
static size_t behind_strays(const ag_text_reader *t, size_t i)
{
	for (size_t k = 0; k < AG_NELEM(marks);) {
		const size_t at = skip_space(t, i);

		if (marks[k].close[0] && begins(t, at, marks[k].close)) {
			i = at + strlen(marks[k].close);
			k = 0;
		} else {
			k++;
		}
	}
	return i;
}

static bool names_a_tool(const ag_text_reader *t, size_t i, size_t end)
{
	for (size_t k = 0; k < t->r->ntool; k++) {
		if (ag_str_contains(ag_str_make(t->s.ptr + i, end - i), t->r->tools[k].name))
			return true;
	}
	return false;
}

/* What cannot be read: a call when it opens like JSON or names a tool before its closing mark; else the mark is only
 * mentioned. */
static void unreadable(ag_text_reader *t, size_t inner, const char *close, ag_text_block *ret)
{
	const size_t at = skip_space(t, inner), end = close[0] ? find(t, inner, close) : t->s.len;
	const bool is_open = at < t->s.len && memchr("{[", t->s.ptr[at], 2);

	t->ncall = ret->first_call;
	ret->state = AG_BLOCK_NONE;
	if (!is_open && !(close[0] && end < t->s.len && names_a_tool(t, inner, end)) &&
	    at < t->s.len)
		return;
	ret->state = AG_BLOCK_BROKEN;
	ret->end = end < t->s.len ? end + strlen(close) : t->s.len;
}

static void separated(ag_text_reader *t, size_t i, ag_text_block *ret)
{
	size_t n = one_of(t, i, call_begins, AG_NELEM(call_begins));

	while (n) {
		ret->end = i + n;
		ret->state = worse(ret->state, take_separated(t, &ret->end));
		if (ret->state == AG_BLOCK_BROKEN)
			ret->end = t->s.len;
		i = skip_space(t, ret->end);
		n = ret->state == AG_BLOCK_BROKEN
		            ? 0
		            : one_of(t, i, call_begins, AG_NELEM(call_begins));
	}
}

void ag_text_markup(ag_text_reader *t, size_t i, ag_text_block *ret)
{
	static const char *const lists[] = { "tool_calls_begin", "tool_calls_section_begin" };
	const char *close = "";
	size_t n;

	*ret = (ag_text_block){ .begin = i, .end = i, .first_call = t->ncall };
	n = one_of(t, i, lists, AG_NELEM(lists));
	if (one_of(t, skip_space(t, i + n), call_begins, AG_NELEM(call_begins))) {
		separated(t, skip_space(t, i + n), ret);
	} else if (begins(t, i, "<function=") || begins(t, i, "<invoke name=")) {
		ret->end = i;
		ret->state = body_of(t, &ret->end);
		if (ret->state == AG_BLOCK_BROKEN)
			unreadable(t, i, begins(t, i, "<invoke") ? "</invoke>" : "</function>",
			           ret);
	} else {
		n = opening(t, i, &close);
		if (!n)
			return;
		ret->end = i + n;
		ret->state = body_of(t, &ret->end);
		if (ret->state == AG_BLOCK_NONE || ret->state == AG_BLOCK_BROKEN)
			unreadable(t, i + n, close, ret);
		else
			ret->end = behind_close(t, ret->end, close);
	}
	if (ret->state != AG_BLOCK_NONE)
		ret->end = behind_strays(t, ret->end);
	ret->ncall = t->ncall - ret->first_call;
}
