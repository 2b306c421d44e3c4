/* prompt -- the planner's two prompts put together; the stable half of the user prompt.
 *
 * Start reading here; the pieces: prompt_system.c (system prompt), prompt_schema.c (fields), prompt_trailer.c (what
 * changes from step to step), prompt_result.c (what a tool said), prompt_evaluator.c (judges), prompt_data.c (escapes,
 * fences, prompt files).
 *
 * Sizes. A user prompt of an ordinary collection has 500 to 1500 tokens (bytes / 4), and never more than
 * AG_PROMPT_MAX_BYTES (4000 tokens). Prefix and trailer have limits of their own; so that the prefix stays the same byte
 * for byte, nothing in it may depend on what the trailer needs. What is cut first:
 *   prefix   1. history: long lines, then lines from the end of each block, down to HISTORY_BYTES
 *            2. the schema, in the order of prompt_schema.c
 *   trailer  all lists at once become shorter, in the order of the levels in prompt_trailer.c
 * Whatever was cut says so in the prompt: "…", "+12", "312 more fields are not shown". */
#include "audit/audit.h"
#include "audit/prompt_parts.h"
#include "audit/tools.h"

#define HISTORY_BYTES \
	3000 /* a third of the prefix: known problems matter, but the data matters more */
#define HISTORY_LINE_BYTES 700 /* a dismissal has 240 bytes of reason and 280 of critique */
#define HISTORY_MAX_BLOCKS 8
#define NAME_BYTES         200

const ag_trace_entry *ag_prompt_last(const ag_audit_state *s, const char *tool)
{
	for (size_t i = s->trace.n; i-- > 0;) {
		const ag_trace_entry *t = &s->trace.items[i];

		if (t->ok && t->result.type == AG_T_OBJECT &&
		    (!tool || ag_str_eqc(t->action, tool)))
			return t;
	}
	return NULL;
}

static void add_run(ag_buf *out, const ag_source_info *info)
{
	ag_prompt_fence(out, "collection");
	ag_buf_adds(out, "collection: ");
	ag_prompt_data(out, info->collection, NAME_BYTES);
	if (info->database.len) {
		ag_buf_adds(out, "\ndatabase: ");
		ag_prompt_data(out, info->database, NAME_BYTES);
	}
	if (info->format.len) {
		ag_buf_adds(out, "\nformat: ");
		ag_prompt_data(out, info->format, NAME_BYTES);
	}
	ag_buf_addf(out, "\ndocuments: %llu\n", (unsigned long long)info->ndoc);
	if (info->broken)
		ag_buf_addf(out, "documents that cannot be read: %llu\n",
		            (unsigned long long)info->broken);
	ag_prompt_fence_end(out);
}

/* ---- history ---- */

typedef struct block {
	size_t first, n; /* lines */
	size_t keep;
} block;

typedef struct history_text {
	ag_str *lines;
	size_t n;
	block blocks[HISTORY_MAX_BLOCKS];
	size_t nblock;
} history_text;

/* A block is a heading and the lines that begin with a blank or a dash below it. */
static bool is_heading(ag_str line)
{
	return line.len && line.ptr[0] != ' ' && line.ptr[0] != '-';
}

static void cut_blocks(ag_str text, ag_arena *arena, history_text *ret)
{
	size_t n = 1;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == '\n';
	ret->lines = ag_new_n(arena, ag_str, n);
	while (text.ptr) {
		const ag_str line = ag_str_split(&text, '\n');

		if (!line.len)
			continue;
		if (!ret->nblock ||
		    (is_heading(line) && ret->nblock < HISTORY_MAX_BLOCKS && ret->n))
			ret->blocks[ret->nblock++].first = ret->n;
		ret->blocks[ret->nblock - 1].n++;
		ret->lines[ret->n++] = line;
	}
}

static void add_history_lines(ag_buf *out, const history_text *h, size_t keep, size_t line_bytes)
{
	for (size_t b = 0; b < h->nblock && !out->failed; b++) {
		const block *bl = &h->blocks[b];

		for (size_t i = 0; i < bl->n && i < keep; i++) {
			ag_prompt_data(out, h->lines[bl->first + i], line_bytes);
			ag_buf_addc(out, '\n');
		}
		if (bl->n > keep)
			ag_buf_addf(out, "… +%zu more lines of this block\n", bl->n - keep);
	}
}

/* Each block keeps its beginning: there the patterns stand that were seen most. */
static ag_status add_history(ag_buf *out, const ag_history *h, ag_arena *arena, ag_err *err)
{
	static const size_t keeps[] = { SIZE_MAX, 30, 20, 14, 10, 7, 5, 3, 2, 1 };
	history_text text = { 0 };
	ag_status st;
	ag_str how;
	ag_buf lines = AG_BUF_INIT(HISTORY_BYTES);

	cut_blocks(ag_history_text(h, arena), arena, &text);
	if (!text.n)
		return AG_OK;
	st = ag_prompt_file("prompts/audit/note_history.md", NULL, 0, arena, &how, err);
	if (st) {
		ag_buf_release(&lines);
		return st;
	}
	add_history_lines(&lines, &text, SIZE_MAX, HISTORY_LINE_BYTES);
	for (size_t k = 0; k < AG_NELEM(keeps) && lines.failed; k++) {
		ag_buf_clear(&lines);
		add_history_lines(&lines, &text, keeps[k], HISTORY_LINE_BYTES / 3);
	}
	ag_buf_addf(out, "\nHISTORY of earlier runs of this collection. %.*s\n",
	            AG_FMT(ag_str_trim(how)));
	ag_prompt_fence(out, "history");
	ag_buf_add(out, ag_buf_view(&lines));
	ag_prompt_fence_end(out);
	ag_buf_release(&lines);
	return AG_OK;
}

/* ---- both halves ---- */

/* What a planner must know of this kind of source to write filters that mean what it says. */
static ag_status add_note(ag_buf *out, const ag_source_info *info, ag_arena *arena, ag_err *err)
{
	ag_status st;
	ag_str note;

	if (!ag_str_eqc(info->format, "csv") && !ag_str_eqc(info->format, "tsv"))
		return AG_OK;
	st = ag_prompt_file("prompts/audit/note_csv.md", NULL, 0, arena, &note, err);
	if (!st)
		ag_buf_addf(out, "\n%.*s\n", AG_FMT(note));
	return st;
}

static void add_schema(ag_buf *out, ag_audit *a, size_t max, ag_arena *arena)
{
	const ag_trace_entry *sample = ag_prompt_last(ag_audit_state_of(a), "schema_sample");
	const size_t end = out->len + max - sizeof("</data>");

	if (!sample) {
		ag_buf_adds(out, "\nSCHEMA: not sampled yet. Call schema_sample.\n");
		return;
	}
	ag_buf_addf(out,
	            "\nSCHEMA of %llu sampled documents: path | types | counts (not named = 0) | "
	            "distinct (+ = more) | sample values; of all documents where profiled\n",
	            (unsigned long long)ag_val_member_u64(&sample->result, "documents_sampled"));
	ag_prompt_fence(out, "schema");
	ag_prompt_schema(out, &sample->result, ag_audit_state_of(a),
	                 ag_audit_opts_of(a)->show_values, end - out->len, arena);
	ag_prompt_fence_end(out);
}

ag_status ag_prompt_prefix(ag_audit *a, ag_arena *arena, ag_str *ret, ag_err *err)
{
	const ag_source_info *info = ag_source_info_of(ag_audit_source(a));
	const ag_audit_state *s = ag_audit_state_of(a);
	ag_buf out = AG_BUF_INIT(AG_PROMPT_PREFIX_BYTES);
	ag_buf history = AG_BUF_INIT(2UL * HISTORY_BYTES);
	ag_status st = AG_OK;

	if (s->has_history)
		st = add_history(&history, &s->history, arena, err);
	add_run(&out, info);
	if (!st)
		st = add_note(&out, info, arena, err);
	if (!st) {
		add_schema(&out, a, AG_PROMPT_PREFIX_BYTES - out.len - history.len, arena);
		ag_buf_add(&out, ag_buf_view(&history));
		AG_ASSERT(!out.failed);
		*ret = ag_buf_dup(arena, &out);
	}
	ag_buf_release(&out);
	ag_buf_release(&history);
	return st;
}

/* After the builtin planner: what is left to do. */
static ag_status add_note_of_both(ag_arena *arena, ag_str *io, ag_err *err)
{
	ag_str note;
	const ag_status st = ag_prompt_file("prompts/audit/note_both.md", NULL, 0, arena, &note,
	                                    err);

	if (!st)
		*io = ag_str_printf(arena, "%.*s\n\n%.*s", AG_FMT(*io), AG_FMT(note));
	return st;
}

ag_status ag_prompt_planner(void *env, ag_arena *arena, ag_prompt *ret, ag_err *err)
{
	ag_audit *a = env;
	ag_prompt p = { 0 };
	ag_status st = ag_prompt_system(ag_audit_opts_of(a), ag_audit_tools.tools,
	                                ag_audit_tools.ntool, arena, &p.system, err);

	if (!st && ag_planner_both_budget(a))
		st = add_note_of_both(arena, &p.system, err);
	if (!st)
		st = ag_prompt_prefix(a, arena, &p.prefix, err);
	if (st)
		return st;
	p.trailer = ag_prompt_trailer(a, true, arena);
	*ret = p;
	return AG_OK;
}
