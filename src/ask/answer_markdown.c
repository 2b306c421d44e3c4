/* answer_markdown -- an answer for people: its words, where they come from, one line of what was done.
 *
 *   A branch is protected under Settings > Rules.
 *
 *   Sources:
 *   - wiki/github.md:282 (#protect-a-branch)
 *     > Open the settings of the repository.
 *
 *   (read files 2 times, asked the API once, asked the model 3 times, 1,204 tokens)
 *
 * The answer's own line breaks stay; what stands in one line below it (paths, titles, quotes) cannot start another, so a
 * file's name cannot look like a source. Lines are wrapped, and control characters shown, by whoever prints this. */
#include "ask/answer.h"

#include "base/num.h"

/* Text on one line: control characters are blanks. */
static void add_line(ag_buf *out, ag_str s)
{
	s = ag_str_trim(s);
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		ag_buf_addc(out, c < 0x20 || c == 0x7F ? ' ' : (char)c);
	}
}

static void add_citation(ag_buf *out, const ag_citation *c)
{
	ag_buf_adds(out, "- ");
	add_line(out, c->path);
	if (c->line)
		ag_buf_addf(out, ":%u", c->line);
	if (c->anchor.len) {
		ag_buf_adds(out, " (#");
		add_line(out, c->anchor);
		ag_buf_addc(out, ')');
	}
	ag_buf_addc(out, '\n');
	if (ag_str_trim(c->quote).len) {
		ag_buf_adds(out, "  > ");
		add_line(out, c->quote);
		ag_buf_addc(out, '\n');
	}
}

/* Is the source one of the files that follow? Then it needs no line of its own. */
static bool is_cited(const ag_answer *a)
{
	for (size_t i = 0; i < a->ncitation; i++) {
		const ag_citation *c = &a->citations[i];

		if (ag_str_starts(a->source, c->path) &&
		    (a->source.len == c->path.len || a->source.ptr[c->path.len] == '#'))
			return true;
	}
	return false;
}

static void add_sources(const ag_answer *a, ag_buf *out)
{
	bool own_line = a->source.len && !is_cited(a);

	if (!own_line && !a->ncitation)
		return;
	ag_buf_adds(out, "\nSources:\n");
	if (own_line) {
		ag_buf_adds(out, "- ");
		add_line(out, a->source);
		ag_buf_addc(out, '\n');
	}
	for (size_t i = 0; i < a->ncitation; i++)
		add_citation(out, &a->citations[i]);
}

/* --- what was done --- */

static void add_times(ag_buf *out, const char *what, size_t n)
{
	char number[AG_NUM_MAX];

	if (!n)
		return;
	ag_num_grouped(number, n);
	if (out->len)
		ag_buf_adds(out, ", ");
	if (n == 1)
		ag_buf_addf(out, "%s once", what);
	else
		ag_buf_addf(out, "%s %s times", what, number);
}

static void add_work(const ag_answer *a, ag_buf *out)
{
	static const struct {
		const char *tool, *what;
	} works[] = {
		{ "read_file", "read files" },    { "list_files", "listed folders" },
		{ "search_files", "searched" },   { "outline", "looked at an outline" },
		{ "query_api", "asked the API" },
	};
	size_t known = 0;

	for (size_t i = 0; i < AG_NELEM(works); i++) {
		size_t n = 0;

		for (size_t k = 0; k < a->ncall; k++)
			n += ag_str_eqc(a->calls[k].tool, works[i].tool);
		add_times(out, works[i].what, n);
		known += n;
	}
	add_times(out, "something else", a->ncall - known);
	add_times(out, "asked the model", a->model_calls);
	if (a->input_tokens || a->output_tokens) {
		char number[AG_NUM_MAX];

		ag_num_grouped(number, a->input_tokens + a->output_tokens);
		ag_buf_addf(out, "%s%s tokens", out->len ? ", " : "", number);
	}
	if (a->usd > 0)
		ag_buf_addf(out, ", %.4f USD", a->usd);
}

void ag_answer_markdown(const ag_answer *a, ag_buf *out)
{
	ag_str answer = ag_str_trim(a->answer);
	ag_buf work = AG_BUF_INIT(4096);

	ag_buf_add(out, answer.len ? answer : AG_S("There is no answer."));
	ag_buf_addc(out, '\n');
	add_sources(a, out);
	if (ag_str_eqc(a->mode, "offline"))
		ag_buf_adds(&work, "without a model");
	add_work(a, &work);
	if (ag_str_eqc(a->status, "partial"))
		ag_buf_addf(&work, "%spartial%s", work.len ? "; " : "", a->why.len ? ": " : "");
	if (ag_str_eqc(a->status, "partial"))
		add_line(&work, a->why);
	if (work.len) {
		ag_buf_adds(out, "\n(");
		ag_buf_add(out, ag_buf_view(&work));
		ag_buf_adds(out, ")\n");
	}
	ag_buf_release(&work);
}
