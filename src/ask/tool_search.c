/* tool_search -- search_files: path:line: text, best first. */
#include "ask/search.h"
#include "ask/tools.h"
#include "base/paint.h"

#define RESULT_MAX_BYTES (32u * 1024)

static void add_hit(ag_buf *out, const ag_search_hit *h)
{
	ag_paint_escape(out, h->path, true, false);
	ag_buf_addf(out, ":%u: ", h->line);
	ag_paint_escape(out, h->text, true, false);
	if (h->heading.len)
		ag_buf_addf(out, "   (in #%.*s)", AG_FMT(h->heading));
	ag_buf_addc(out, '\n');
}

static ag_str text_of(const ag_search_result *r, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(RESULT_MAX_BYTES + 8192);
	size_t shown = 0;
	ag_str ret;

	while (shown < r->n && out.len < RESULT_MAX_BYTES)
		add_hit(&out, &r->hits[shown++]);
	if (!r->n)
		ag_buf_addf(&out, "Nothing matches in %zu files. Try fewer or other words%s.",
		            r->nscanned, r->is_cut ? ", or path and glob for fewer files" : "");
	else
		ag_buf_addf(&out, "[%zu of %zu lines in %zu files%s]", shown, r->nline, r->nfile,
		            shown < r->nline ? "; max_results shows up to 100" : "");
	/* What is missing and why, so that nobody takes the rest for all. */
	if (r->is_cut)
		ag_buf_addf(&out,
		            "\n[not all was searched: the cap was reached (%s) after %zu files, "
		            "documentation first, bulky folders last; path and glob search fewer]",
		            r->cut_by, r->nscanned);
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_status ag_ask_search(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena, const ag_val *input,
                        ag_ask_result *ret, ag_err *err)
{
	const ag_search_query q = {
		.text = ag_tool_text(input, "query", arena),
		.is_regex = ag_tool_bool(input, "regex", false),
		.under = ag_tool_text(input, "path", arena),
		.glob = ag_tool_text(input, "glob", arena),
		.max_hits = (unsigned)ag_tool_int(input, "max_results", 20),
	};
	ag_search_result r;
	ag_err why = { 0 };

	if (ag_search_files(t->root, ctx, &q, arena, &r, &why))
		return ag_ask_failed(&why, arena, ret, err);
	ret->ok = true;
	ret->text = text_of(&r, arena);
	return AG_OK;
}
