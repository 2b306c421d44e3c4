/* tools -- the table, and what all tools share: the repeated call, the time a call may take, the observation.
 *
 * The descriptions are read by models: each says what the tool is for, with an example, and when not to use it. */
#include "ask/tools.h"

#include "query/extjson.h"

#define OBSERVATION_MAX_BYTES (8u << 20)
#define MIN_TOOL_MS           250 /* that a tool has all the same: most need a few */

typedef ag_status (*tool_fn)(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena,
                             const ag_val *input, ag_ask_result *ret, ag_err *err);

/* A tool may not eat the time in which the model answers, nor may many of them, each a half of what is left. */
static ag_ctx limited(const ag_ask_tools *t, const ag_ctx *ctx)
{
	const int64_t longest = t->state->transcript.longest_ms;
	ag_ctx ret = *ctx;
	int64_t now, left, mine;

	if (!t->deadline_ms)
		return ret;
	now = ag_clock_mono(ctx->clock);
	left = t->deadline_ms - now;
	mine = left - (longest + longest / 5 > t->answer_ms ? longest + longest / 5 : t->answer_ms);
	if (mine < MIN_TOOL_MS)
		mine = left / 2 < MIN_TOOL_MS ? left / 2 : MIN_TOOL_MS;
	if (!ret.deadline_ms || now + mine < ret.deadline_ms)
		ret.deadline_ms = now + mine;
	return ret;
}

/* Where in the state this call is; ncall = it is not of a run. */
static size_t place_of(const ag_ask_tools *t, uint64_t seq)
{
	size_t i = t->state->ncall;

	while (i > 0 && t->state->calls[i - 1].seq != seq)
		i--;
	return i ? i - 1 : t->state->ncall;
}

/* Earlier calls that were the same, since the last one that may have changed something. *ret_first: the first of them. */
static unsigned count_same(const ag_ask_tools *t, size_t place, size_t *ret_first)
{
	const ag_answer_call *self = &t->state->calls[place];
	unsigned n = 0;

	for (size_t i = 0; i < place; i++) {
		const ag_answer_call *c = &t->state->calls[i];
		const bool changes = c->request.len && !ag_str_starts(c->request, AG_S("GET ")) &&
		                     !ag_str_starts(c->request, AG_S("HEAD "));

		if (changes && ag_str_eqc(self->tool, "query_api"))
			n = 0;
		if (!ag_str_eq(c->tool, self->tool) || !ag_str_eq(c->args, self->args))
			continue;
		if (!c->sha256.len) /* it runs beside this one: it has no result yet */
			continue;
		if (!n++)
			*ret_first = i;
	}
	return n;
}

static bool is_writing_request(const ag_val *input, ag_arena *arena)
{
	const ag_str method = ag_str_trim(ag_tool_text(input, "method", arena));

	return !ag_str_ieq(method, AG_S("GET")) && !ag_str_ieq(method, AG_S("HEAD"));
}

/* A model that goes in circles is told, not stopped: the second time it gets the same again, the third time a word. The
 * API is asked again the second time, because its answer may be another one; what writes is always sent. */
static bool is_repeated(const ag_ask_tools *t, uint64_t seq, const ag_val *input, ag_arena *arena,
                        ag_ask_result *ret)
{
	const size_t place = place_of(t, seq);
	const bool is_known = place < t->state->ncall;
	const bool is_api = is_known && ag_str_eqc(t->state->calls[place].tool, "query_api");
	size_t first = 0;
	const unsigned n = is_known ? count_same(t, place, &first) : 0;
	const ag_answer_call *c = n ? &t->state->calls[first] : NULL;

	if (!c || (is_api && (n < 2 || is_writing_request(input, arena))))
		return false;
	if (n == 1) {
		*ret = (ag_ask_result){
			.text = c->result, .ok = c->ok, .file = c->file, .folder = c->folder
		};
		return true;
	}
	ret->ok = true;
	ret->text = ag_str_printf(
		arena,
		"You already have this: call %zu was the same and its result stands above. Answer with "
		"what you have, or ask for something else (another file, another path, offset and "
		"limit, search_files).",
		first + 1);
	return true;
}

static void observation(const ag_ask_result *r, ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "text", r->text);
	ag_jw_kbool(&w, "ok", r->ok);
	if (r->file.path.len) {
		ag_jw_kkey(&w, "file");
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "path", r->file.path);
		ag_jw_kstr(&w, "sha256", r->file.sha256);
		ag_jw_kuint(&w, "first_line", r->file.first_line);
		ag_jw_kuint(&w, "last_line", r->file.last_line);
		ag_jw_kuint(&w, "lines", r->file.nline);
		ag_jw_obj_end(&w);
	}
	if (r->folder.len)
		ag_jw_kstr(&w, "folder", r->folder);
	if (r->request.len) {
		ag_jw_kstr(&w, "request", r->request);
		ag_jw_kint(&w, "status", r->status);
	}
	ag_jw_obj_end(&w);
	if (!out->failed)
		return;
	ag_buf_clear(out);
	ag_buf_adds(out, "{\"text\":\"Error: the result is too large\",\"ok\":false}");
}

ag_status ag_ask_failed(const ag_err *why, ag_arena *arena, ag_ask_result *ret, ag_err *err)
{
	if (why->status == AG_CANCELLED) {
		*err = *why;
		return AG_CANCELLED;
	}
	ret->ok = false;
	if (why->status == AG_TIMEOUT) { /* what a user could do about it is no help to a model */
		ret->text = AG_S("Error: this took too long and was stopped: ask for less, or "
		                 "answer with what you have");
		return AG_OK;
	}
	ret->text = ag_str_printf(arena, "Error: %s%s%s", why->msg, why->hint[0] ? ". " : "",
	                          why->hint);
	return AG_OK;
}

static ag_status run(ag_call *c, tool_fn fn, const char *phase, const ag_val *input,
                     ag_tool_output *out, ag_err *err)
{
	ag_ask_tools *t = (ag_ask_tools *)c->env;
	const ag_ctx in_time = limited(t, &c->ctx);
	ag_ask_result r = { 0 };
	ag_status st = AG_OK;

	ag_ctx_phase(&c->ctx, phase, "calls", 0);
	if (!is_repeated(t, c->seq, input, c->arena, &r))
		st = fn(t, &in_time, c->arena, input, &r, err);
	if (st)
		return st;
	observation(&r, &out->json);
	out->summary = ag_str_printf(c->arena, "%s, %zu bytes", r.ok ? "ok" : "error", r.text.len);
	return AG_OK;
}

/* The rows' functions. */
#define TOOL_FN(name, fn, phase)                                                                 \
	static ag_status name(ag_call *c, const ag_val *input, ag_tool_output *out, ag_err *err) \
	{                                                                                        \
		return run(c, fn, phase, input, out, err);                                       \
	}

TOOL_FN(run_read_file, ag_ask_read_file, "reading a file")
TOOL_FN(run_list_files, ag_ask_list_files, "listing a folder")
TOOL_FN(run_query_api, ag_ask_query_api, "asking the API")
TOOL_FN(run_search, ag_ask_search, "searching the files")
TOOL_FN(run_outline, ag_ask_outline, "reading an outline")

static const ag_param read_params[] = {
	{ "path", AG_PARAM_STRING, .required = true,
	  .help = "Relative path from the project root, like wiki/git-workflow.md or "
	          "backend/app/main.py" },
	{ "offset", AG_PARAM_INT, .is_lenient = true,
	  .help = "First line to show, counted from 1 (default 1)" },
	{ "limit", AG_PARAM_INT, .is_lenient = true,
	  .help = "Number of lines to show (default: as many as fit)" },
};

static const ag_param path_params[] = {
	{ "path", AG_PARAM_STRING, .required = true,
	  .help = "Relative path of a folder from the project root, like wiki or "
	          "backend/app/routers; . is the root" },
};

static const ag_param outline_params[] = {
	{ "path", AG_PARAM_STRING, .required = true,
	  .help = "Relative path of a Markdown or source file" },
};

static const ag_param search_params[] = {
	{ "query", AG_PARAM_STRING, .required = true, .min = 1, .max = 1000,
	  .help = "Words in any order, or a regular expression when regex is true" },
	{ "path", AG_PARAM_STRING, .help = "Only below this folder" },
	{ "glob", AG_PARAM_STRING, .max = 200, .help = "Only files whose name fits, like *.py" },
	{ "regex", AG_PARAM_BOOL, .is_lenient = true,
	  .help = "query is a regular expression (default false)" },
	{ "max_results", AG_PARAM_INT, .is_lenient = true, .min = 1, .max = 100,
	  .help = "Lines to show (default 20)" },
};

static const ag_param api_params[] = {
	{ "method", AG_PARAM_STRING, .required = true,
	  .help = "HTTP method: GET, POST, PUT, PATCH, DELETE or HEAD" },
	{ "path", AG_PARAM_STRING, .required = true,
	  .help = "Path and query, beginning with one slash, like /items/ or "
	          "/analytics/completion-rate?lab=lab-01" },
	{ "body", AG_PARAM_STRING, .is_lenient = true,
	  .help = "JSON text, for POST, PUT and PATCH only" },
	{ "auth", AG_PARAM_BOOL, .is_lenient = true,
	  .help = "Send the API key (default true). false: what does somebody without a key get?" },
};

static const ag_tool rows[] = {
	{ .name = "read_file",
	  .help = "Read a file of the project: documentation (wiki/*.md), source code, "
	          "configuration. Use it before you answer anything about a file, and read both "
	          "files when two are compared. A long file shows its beginning and an outline "
	          "with line numbers: read on with offset and limit. Not for folders "
	          "(list_files) and not for live data (query_api).",
	  .params = read_params,
	  .nparam = AG_NELEM(read_params),
	  .flags = AG_TOOL_READS,
	  .max_output_bytes = OBSERVATION_MAX_BYTES,
	  .run = run_read_file },
	{ .name = "list_files",
	  .help = "List the names in a folder of the project, one per line. Use it to find out "
	          "which pages or modules there are, like wiki or backend/app/routers. It shows "
	          "names only: read_file shows what is in them.",
	  .params = path_params,
	  .nparam = AG_NELEM(path_params),
	  .flags = AG_TOOL_READS,
	  .max_output_bytes = OBSERVATION_MAX_BYTES,
	  .run = run_list_files },
	{ .name = "query_api",
	  .help = "Call the project's running HTTP API. Use it for live data (how many items: GET "
	          "/items/ and count), for status codes, and to reproduce an error before reading "
	          "its source. With auth false the key is left out. The result is JSON with "
	          "status_code and body; of a long list array_length tells how many elements it "
	          "has, though only the first are shown. Not for documentation and source code.",
	  .params = api_params,
	  .nparam = AG_NELEM(api_params),
	  .max_output_bytes = OBSERVATION_MAX_BYTES,
	  .run = run_query_api },
	{ .name = "search_files",
	  .help = "Search all text files of the project for words or a regular expression; gives "
	          "path:line: text, best first. Use it when you do not know which file to read, "
	          "then read that file: a line found here is no proof of what stands around it.",
	  .params = search_params,
	  .nparam = AG_NELEM(search_params),
	  .flags = AG_TOOL_READS,
	  .max_output_bytes = OBSERVATION_MAX_BYTES,
	  .run = run_search },
	{ .name = "outline",
	  .help = "The headings of a Markdown file with their anchors, or the definitions of a "
	          "source file, each with its line. Use it on long files before read_file with "
	          "offset and limit.",
	  .params = outline_params,
	  .nparam = AG_NELEM(outline_params),
	  .flags = AG_TOOL_READS,
	  .max_output_bytes = OBSERVATION_MAX_BYTES,
	  .run = run_outline },
};

const ag_tool_set ag_ask_tool_table = { .tools = rows, .ntool = AG_NELEM(rows) };
