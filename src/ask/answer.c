/* answer -- the one JSON object that `argus ask` prints.
 *
 * Keys stand in a fixed order, the seed's three first, so that two answers can be compared line by line. What the model
 * wrote as a call's arguments stays as it was written, byte for byte, save for white space between the values: the whole is
 * one line. Invariant: the text is valid JSON and valid UTF-8 whatever the parts hold, and the hash of a result is that of
 * the text that is printed, not of bytes that were mended on the way. */
#include "ask/answer.h"

#include "base/sha256.h"
#include "base/utf8.h"
#include "query/extjson.h"

/* Readers of other languages recurse: deeper arguments are shown as text. */
#define MAX_ARGS_DEPTH  64
#define MAX_ARGS_VALUES 100000

/* Valid JSON without the white space between its values. */
static ag_str without_blanks(ag_str json, ag_arena *arena)
{
	char *to = ag_arena_alloc(arena, json.len + 1);
	bool in_string = false;
	size_t n = 0;

	for (size_t i = 0; i < json.len; i++) {
		char c = json.ptr[i];

		if (!in_string && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
			continue;
		to[n++] = c;
		if (c == '"')
			in_string = !in_string;
		else if (in_string && c == '\\' && i + 1 < json.len)
			to[n++] = json.ptr[++i];
	}
	return ag_str_make(to, n);
}

ag_str ag_answer_unparsed(ag_str text, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(text.len * 6 + 32);

	ag_buf_adds(&out, "{\"_unparsed\":");
	ag_json_quote(&out, text);
	ag_buf_addc(&out, '}');
	return ag_buf_dup(arena, &out);
}

/* One JSON object: as it is written, or the text as a member of one. */
static ag_str args_json(ag_str args, ag_arena *arena)
{
	const ag_extjson_opts read = { .repair_utf8 = true,
		                       .max_depth = MAX_ARGS_DEPTH,
		                       .max_values = MAX_ARGS_VALUES };
	ag_extjson_notes notes = { 0 };
	ag_val v;

	if (ag_extjson_parse(args, &read, arena, &v, NULL, &notes, NULL))
		return ag_answer_unparsed(args, arena);
	if (v.type == AG_T_STRING)
		return ag_answer_unparsed(ag_val_text(&v), arena);
	if (v.type != AG_T_OBJECT)
		return ag_answer_unparsed(args, arena);
	if (notes.lone_surrogates || notes.invalid_utf8)
		return ag_extjson_str(arena, &v, AG_EXTJSON_RELAXED);
	return without_blanks(args, arena);
}

/* --- calls --- */

static void write_file(ag_jw *w, const ag_seen_file *f)
{
	ag_jw_kkey(w, "file");
	ag_jw_obj(w);
	ag_jw_kstr(w, "path", f->path);
	ag_jw_kstr(w, "sha256", f->sha256);
	ag_jw_kuint(w, "first_line", f->first_line);
	ag_jw_kuint(w, "last_line", f->last_line);
	ag_jw_kuint(w, "lines", f->nline);
	ag_jw_obj_end(w);
}

static void write_call(ag_jw *w, const ag_answer_call *c)
{
	ag_arena *scratch = ag_arena_new();
	ag_str result = c->result, hash = c->sha256;
	ag_sha256_hex again;

	if (!ag_utf8_valid(result)) {
		result = ag_answer_utf8(result, scratch);
		again = ag_sha256(result);
		hash = hash.len ? ag_str_c(again.text) : hash;
	}
	ag_jw_obj(w);
	ag_jw_kstr(w, "tool", c->tool);
	ag_jw_kraw(w, "args", args_json(c->args, scratch));
	ag_jw_kstr(w, "result", result);
	ag_jw_kbool(w, "ok", c->ok);
	ag_jw_kstr(w, "sha256", hash);
	if (c->file.path.len)
		write_file(w, &c->file);
	if (c->folder.len)
		ag_jw_kstr(w, "folder", c->folder);
	if (c->request.len) {
		ag_jw_kstr(w, "request", c->request);
		ag_jw_kint(w, "status", c->status);
	}
	ag_jw_obj_end(w);
	ag_arena_free(scratch);
}

static void write_citation(ag_jw *w, const ag_citation *c)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "path", c->path);
	ag_jw_kstr(w, "anchor", c->anchor);
	ag_jw_kstr(w, "title", c->title);
	ag_jw_kuint(w, "line", c->line);
	ag_jw_kuint(w, "last_line", c->last_line);
	ag_jw_kstr(w, "quote", c->quote);
	ag_jw_kstr(w, "sha256", c->sha256);
	if (c->instead_of.len)
		ag_jw_kstr(w, "instead_of", c->instead_of);
	ag_jw_obj_end(w);
}

static void write_usage(ag_jw *w, const ag_answer *a)
{
	ag_jw_kkey(w, "usage");
	ag_jw_obj(w);
	ag_jw_kuint(w, "model_calls", a->model_calls);
	ag_jw_kuint(w, "input_tokens", a->input_tokens);
	ag_jw_kuint(w, "output_tokens", a->output_tokens);
	ag_jw_kdouble(w, "usd", a->usd);
	ag_jw_obj_end(w);
}

void ag_answer_json(const ag_answer *a, ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "answer", a->answer);
	ag_jw_kstr(&w, "source", a->source);
	ag_jw_kkey(&w, "tool_calls");
	ag_jw_arr(&w);
	for (size_t i = 0; i < a->ncall; i++)
		write_call(&w, &a->calls[i]);
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "citations");
	ag_jw_arr(&w);
	for (size_t i = 0; i < a->ncitation; i++)
		write_citation(&w, &a->citations[i]);
	ag_jw_arr_end(&w);
	ag_jw_kstr(&w, "status", a->status.len ? a->status : AG_S("ok"));
	ag_jw_kstr(&w, "why", a->why);
	ag_jw_kstr(&w, "mode", a->mode.len ? a->mode : AG_S("model"));
	ag_jw_kstr(&w, "question", a->question);
	ag_jw_kstr(&w, "root", a->root);
	ag_jw_kstr(&w, "run", a->run);
	write_usage(&w, a);
	ag_jw_obj_end(&w);
}
