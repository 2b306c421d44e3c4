/* The words inside an answer: a table with one row per word, its usage and its reader. Words without a value that only
 * bend the wire format are the quirks of script.h. A reader gets the whole text behind the word and says false when it
 * does not fit; the message then shows the usage of the row. */
#include "script.h"

#include <stdlib.h>

#include "query/extjson.h"

static const char *const quirk_names[] = {
#define X(id, name) [FM_QUIRK_##id] = (name),
	FM_QUIRKS(X)
#undef X
};

/* ---------------------------------------------------------------- values */

/* Text as it stands; in double quotes a JSON string. */
static bool text_value(const fm_line *l, ag_str raw, ag_str *ret)
{
	ag_str rest = raw;
	bool quoted;

	if (!raw.len || raw.ptr[0] != '"') {
		*ret = raw;
		return true;
	}
	return fm_next_word(l->arena, &rest, ret, &quoted) && !ag_str_trim(rest).len;
}

static bool is_json(const fm_line *l, ag_str text)
{
	const ag_extjson_opts opts = { .reject_duplicates = true };
	ag_val v;

	return ag_extjson_parse(text, &opts, l->arena, &v, NULL, NULL, NULL) == AG_OK &&
	       v.type == AG_T_OBJECT;
}

static bool one_word(const fm_line *l, ag_str *ret)
{
	ag_str rest = l->rest;
	bool quoted;

	return fm_next_word(l->arena, &rest, ret, &quoted) && ret->len && !ag_str_trim(rest).len;
}

static bool number(const fm_line *l, uint64_t min, uint64_t max, uint64_t *ret)
{
	ag_str w;

	return one_word(l, &w) && ag_str_to_u64(w, ret) && *ret >= min && *ret <= max;
}

static bool small_number(const fm_line *l, uint64_t min, unsigned *ret)
{
	uint64_t n;

	if (!number(l, min, 1u << 30, &n))
		return false;
	*ret = (unsigned)n;
	return true;
}

static bool add_block(fm_answer *a, fm_block_type type, ag_str name, ag_str text)
{
	if (a->nblock == FM_MAX_BLOCKS)
		return false;
	a->blocks[a->nblock++] = (fm_block){ .type = type, .name = name, .text = text };
	return true;
}

/* ---------------------------------------------------------------- content */

static bool w_text(fm_answer *a, const fm_line *l)
{
	ag_str t;

	return text_value(l, l->rest, &t) && add_block(a, FM_TEXT, AG_S(""), t);
}

static bool w_thinking(fm_answer *a, const fm_line *l)
{
	ag_str t;

	return text_value(l, l->rest, &t) && add_block(a, FM_THINKING, AG_S(""), t);
}

static bool w_redacted(fm_answer *a, const fm_line *l)
{
	ag_str t;

	return one_word(l, &t) && add_block(a, FM_REDACTED, AG_S(""), t);
}

static bool w_refusal(fm_answer *a, const fm_line *l)
{
	ag_str t;

	return text_value(l, l->rest, &t) && t.len && add_block(a, FM_REFUSAL, AG_S(""), t);
}

static bool w_filler(fm_answer *a, const fm_line *l)
{
	static const char words[] = "lorem ipsum dolor sit amet ";
	uint64_t n;
	size_t i;
	char *text;

	if (!number(l, 1, 64u << 20, &n))
		return false;
	text = ag_arena_alloc(l->arena, (size_t)n);
	for (i = 0; i < n; i++)
		text[i] = words[i % (sizeof(words) - 1)];
	return add_block(a, FM_TEXT, AG_S(""), ag_str_make(text, (size_t)n));
}

static bool w_json(fm_answer *a, const fm_line *l)
{
	return is_json(l, l->rest) && add_block(a, FM_JSON, AG_S(""), l->rest);
}

static bool tool(fm_answer *a, const fm_line *l, bool raw)
{
	ag_str rest = l->rest, name, input;
	bool quoted;

	if (!fm_next_word(l->arena, &rest, &name, &quoted) || !name.len)
		return false;
	rest = ag_str_trim(rest);
	if (raw ? !text_value(l, rest, &input) : !is_json(l, input = rest))
		return false;
	return add_block(a, FM_TOOL, name, input);
}

static bool w_tool(fm_answer *a, const fm_line *l)
{
	return tool(a, l, false);
}

static bool w_tool_raw(fm_answer *a, const fm_line *l)
{
	return tool(a, l, true);
}

static bool w_body(fm_answer *a, const fm_line *l)
{
	a->has_body = true;
	return text_value(l, l->rest, &a->body);
}

static bool w_usage(fm_answer *a, const fm_line *l)
{
	ag_str rest = l->rest, w;
	bool quoted;
	fm_usage *u = &a->usage;

	if (!fm_next_word(l->arena, &rest, &w, &quoted) || !ag_str_to_u64(w, &u->input) ||
	    !fm_next_word(l->arena, &rest, &w, &quoted) || !ag_str_to_u64(w, &u->output))
		return false;
	while (fm_next_word(l->arena, &rest, &w, &quoted) && w.ptr) {
		uint64_t *to = ag_str_eqc(w, "cached")        ? &u->cached
		               : ag_str_eqc(w, "cache_write") ? &u->cache_write
		               : ag_str_eqc(w, "thinking")    ? &u->thinking
		                                              : NULL;

		if (!to || !fm_next_word(l->arena, &rest, &w, &quoted) || !ag_str_to_u64(w, to))
			return false;
	}
	a->has_usage = true;
	return u->cached + u->cache_write <= u->input && u->thinking <= u->output;
}

static bool w_finish(fm_answer *a, const fm_line *l)
{
	static const char *const words[] = { "end", "length", "tools", "refusal" };
	ag_str rest = l->rest;
	size_t i;

	if (!fm_next_word(l->arena, &rest, &a->finish, &a->finish_raw) || ag_str_trim(rest).len)
		return false;
	a->has_finish = true;
	if (a->finish_raw)
		return true;
	for (i = 0; i < AG_NELEM(words); i++)
		if (ag_str_eqc(a->finish, words[i]))
			return true;
	return false;
}

static bool w_model(fm_answer *a, const fm_line *l)
{
	return one_word(l, &a->model);
}

static bool w_signature(fm_answer *a, const fm_line *l)
{
	return one_word(l, &a->signature);
}

static bool w_thinking_field(fm_answer *a, const fm_line *l)
{
	return one_word(l, &a->thinking_field);
}

/* ---------------------------------------------------------------- status and errors */

static bool w_status(fm_answer *a, const fm_line *l)
{
	uint64_t n;

	if (!number(l, 200, 599, &n))
		return false;
	a->status = (int)n;
	return true;
}

static bool w_header(fm_answer *a, const fm_line *l)
{
	ptrdiff_t colon = ag_str_find(l->rest, ':');

	if (colon <= 0 || a->nheader == FM_MAX_HEADERS || ag_str_contains(l->rest, AG_S("\n")))
		return false;
	a->headers[a->nheader++] = (fm_header){
		.name = ag_str_make(l->rest.ptr, (size_t)colon),
		.value = ag_str_trim(
			ag_str_make(l->rest.ptr + colon + 1, l->rest.len - (size_t)colon - 1)),
	};
	return true;
}

static bool w_error(fm_answer *a, const fm_line *l)
{
	return text_value(l, l->rest, &a->error) && a->error.len;
}

static bool w_error_type(fm_answer *a, const fm_line *l)
{
	return one_word(l, &a->error_type);
}

static bool w_error_in_stream(fm_answer *a, const fm_line *l)
{
	a->error_in_stream = true;
	return w_error(a, l);
}

/* ---------------------------------------------------------------- delivery */

static bool stop_at(fm_answer *a, const fm_line *l, fm_stop stop, bool each)
{
	if (a->stop != FM_STOP_NONE)
		return false;
	a->stop = stop;
	if (each && ag_str_eqc(l->rest, "each"))
		a->each = FM_EACH;
	else if (each && ag_str_eqc(l->rest, "each_then_whole"))
		a->each = FM_EACH_THEN_WHOLE;
	else
		return number(l, 0, UINT64_MAX, &a->at);
	return true;
}

static bool w_cut(fm_answer *a, const fm_line *l)
{
	return stop_at(a, l, FM_STOP_CUT, true);
}

static bool w_reset(fm_answer *a, const fm_line *l)
{
	return stop_at(a, l, FM_STOP_RESET, true);
}

static bool w_hang_after(fm_answer *a, const fm_line *l)
{
	return stop_at(a, l, FM_STOP_HANG, true);
}

static bool w_drop(fm_answer *a, const fm_line *l)
{
	a->stop = FM_STOP_DROP;
	return !l->rest.len;
}

/* No byte, not even a status line: the wait never ends. */
static bool w_hang(fm_answer *a, const fm_line *l)
{
	a->wait_ms = -1;
	return !l->rest.len;
}

static bool w_pieces(fm_answer *a, const fm_line *l)
{
	if (ag_str_eqc(l->rest, "events")) {
		a->by_event = true;
		return true;
	}
	return small_number(l, 1, &a->piece_bytes);
}

static bool milliseconds(const fm_line *l, int64_t *ret)
{
	uint64_t n;

	if (!number(l, 0, 3600000, &n))
		return false;
	*ret = (int64_t)n;
	return true;
}

static bool w_delay(fm_answer *a, const fm_line *l)
{
	return milliseconds(l, &a->delay_ms);
}

static bool w_wait(fm_answer *a, const fm_line *l)
{
	return milliseconds(l, &a->wait_ms);
}

static bool w_hold(fm_answer *a, const fm_line *l)
{
	bool quoted;
	ag_str rest = l->rest;

	return fm_next_word(l->arena, &rest, &a->hold, &quoted) && a->hold.len &&
	       !ag_str_trim(rest).len;
}

static bool w_deltas(fm_answer *a, const fm_line *l)
{
	return small_number(l, 0, &a->delta_bytes);
}

static bool w_tool_parts(fm_answer *a, const fm_line *l)
{
	return small_number(l, 0, &a->tool_parts);
}

static bool w_framing(fm_answer *a, const fm_line *l)
{
	static const char *const words[] = { [FM_FRAMING_CHUNKED] = "chunked",
		                             [FM_FRAMING_LENGTH] = "length",
		                             [FM_FRAMING_CLOSE] = "close" };
	size_t i;

	for (i = FM_FRAMING_CHUNKED; i < AG_NELEM(words); i++)
		if (ag_str_eqc(l->rest, words[i]))
			a->framing = (fm_framing)i;
	return a->framing != FM_FRAMING_AUTO;
}

/* ---------------------------------------------------------------- the table */

static const struct {
	const char *name, *usage;
	bool is_long; /* may go on in deeper lines */
	bool (*read)(fm_answer *a, const fm_line *l);
} words[] = {
	{ "body", "body TEXT", true, w_body },
	{ "cut", "cut BYTES|each|each_then_whole", false, w_cut },
	{ "delay", "delay MS (0..3600000)", false, w_delay },
	{ "deltas", "deltas BYTES (0 = all at once)", false, w_deltas },
	{ "drop", "drop", false, w_drop },
	{ "error", "error TEXT", true, w_error },
	{ "error_in_stream", "error_in_stream TEXT", true, w_error_in_stream },
	{ "error_type", "error_type WORD", false, w_error_type },
	{ "filler", "filler BYTES (1..67108864)", false, w_filler },
	{ "finish", "finish end|length|tools|refusal|\"as the server says\"", false, w_finish },
	{ "framing", "framing chunked|length|close", false, w_framing },
	{ "hang", "hang", false, w_hang },
	{ "hang_after", "hang_after BYTES|each|each_then_whole", false, w_hang_after },
	{ "header", "header NAME: VALUE (at most 16)", false, w_header },
	{ "hold", "hold PATH", false, w_hold },
	{ "json", "json {one JSON object}", true, w_json },
	{ "model", "model NAME", false, w_model },
	{ "pieces", "pieces BYTES|events", false, w_pieces },
	{ "redacted_thinking", "redacted_thinking DATA", false, w_redacted },
	{ "refusal", "refusal TEXT", true, w_refusal },
	{ "reset", "reset BYTES|each|each_then_whole", false, w_reset },
	{ "signature", "signature DATA", false, w_signature },
	{ "status", "status 200..599", false, w_status },
	{ "text", "text TEXT or text \"JSON string\"", true, w_text },
	{ "thinking", "thinking TEXT", true, w_thinking },
	{ "thinking_field", "thinking_field NAME", false, w_thinking_field },
	{ "tool", "tool NAME {one JSON object}", true, w_tool },
	{ "tool_parts", "tool_parts BYTES (0 = all at once)", false, w_tool_parts },
	{ "tool_raw", "tool_raw NAME TEXT", true, w_tool_raw },
	{ "usage", "usage INPUT OUTPUT [cached N] [cache_write N] [thinking N]", false, w_usage },
	{ "wait", "wait MS (0..3600000)", false, w_wait },
};

static ag_status unknown(const fm_line *l, ag_err *err)
{
	const char *names[AG_NELEM(words) + AG_NELEM(quirk_names)], *nearest;
	size_t i, n = 0;

	for (i = 0; i < AG_NELEM(words); i++)
		names[n++] = words[i].name;
	for (i = 0; i < AG_NELEM(quirk_names); i++)
		names[n++] = quirk_names[i];
	nearest = ag_str_nearest(l->word, names, n);
	return fm_script_fail(l, err, "unknown word \"%.*s\" in an answer%s%s%s", AG_FMT(l->word),
	                      nearest ? "; did you mean \"" : "", nearest ? nearest : "",
	                      nearest ? "\"?" : "");
}

ag_status fm_script_word(fm_answer *a, const fm_line *l, ag_err *err)
{
	size_t i;

	for (i = 0; i < AG_NELEM(words); i++) {
		if (!ag_str_eqc(l->word, words[i].name))
			continue;
		if (l->has_more_lines && !words[i].is_long)
			return fm_script_fail(l, err,
			                      "\"%s\" takes one line; the next is indented deeper",
			                      words[i].name);
		if (!words[i].read(a, l))
			return fm_script_fail(l, err, "%s \"%.*s\": want: %s", words[i].name,
			                      (int)(l->rest.len < 100 ? l->rest.len : 100),
			                      l->rest.ptr, words[i].usage);
		return AG_OK;
	}
	for (i = 0; i < AG_NELEM(quirk_names); i++) {
		if (!ag_str_eqc(l->word, quirk_names[i]))
			continue;
		if (l->rest.len)
			return fm_script_fail(l, err, "\"%s\" takes no value", quirk_names[i]);
		a->quirks |= 1u << i;
		return AG_OK;
	}
	return unknown(l, err);
}
