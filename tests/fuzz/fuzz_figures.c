/* Any bytes as an answer: a question, prose and computations, cut at NUL bytes. Figures come in order, inside the prose,
 * each with what its verdict promises; a second check says the same. The list of them is valid JSON. */
#include <stdlib.h>

#include "analyst/figures.h"
#include "base/utf8.h"
#include "fuzz.h"
#include "query/extjson.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static const char shop[] =
	"[[\"North\",\"2026-05-01\",120,\"5000.40\",0.12],[\"South\",\"2026-06\",95,\"-1234567.80\",0.5],"
	"[\"Two Words\",\"2026-Q3\",12,\"99999999999999999999.5\",1],[null,\"x\",null,\"12\",true]]";

static void check_figures(const ag_figures_input *in, const ag_figures *f, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64u << 20);
	size_t end = 0, nunproven = 0;
	ag_jw w;
	ag_val v;
	const ag_extjson_opts opts = { 0 };

	for (size_t i = 0; i < f->nfigure; i++) {
		const ag_figure *g = &f->figures[i];

		check(g->len > 0 && g->at >= end && g->at + g->len <= in->prose.len);
		end = g->at + g->len;
		check((g->verdict == AG_FIGURE_UNPROVEN) == (g->critique.len > 0));
		check((g->verdict == AG_FIGURE_EXEMPT) == (g->why[0] != '\0'));
		check(g->verdict != AG_FIGURE_CELL || g->has_cell);
		check(!g->has_cell ||
		      (g->result < in->nresult && g->row < in->results[g->result].nrow &&
		       g->column < in->results[g->result].ncolumn));
		check(g->verdict != AG_FIGURE_COMPUTED ||
		      f->computed[g->computation].value.len > 0);
		nunproven += g->verdict == AG_FIGURE_UNPROVEN;
	}
	check(nunproven == f->nunproven);
	ag_jw_init(&w, &out, 0);
	ag_figures_json(in, f, &w);
	check(!out.failed &&
	      !ag_extjson_parse(ag_buf_view(&out), &opts, arena, &v, NULL, NULL, NULL));
	ag_buf_release(&out);
}

static ag_str part(ag_str *rest)
{
	const ag_str s = ag_str_split(rest, '\0');

	return s.ptr ? s : AG_S("");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const ag_str columns[] = { AG_S_INIT("region"), AG_S_INIT("month"),
		                          AG_S_INIT("orders"), AG_S_INIT("total_revenue"),
		                          AG_S_INIT("returnRate") };
	const ag_extjson_opts opts = { .max_values = 10000 };
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_arena *arena = ag_arena_new();
	ag_str rest = ag_str_make(copy, size), sql;
	ag_figures_result results[2] = { { .name = AG_S("r1") }, { .name = AG_S("r2") } };
	ag_figures_input in = { .results = results, .nresult = 2 };
	ag_figures f = { 0 }, again = { 0 };
	ag_err err = { 0 };
	ag_val rows, list;

	check(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	check(!ag_extjson_parse(ag_str_c(shop), &opts, arena, &rows, NULL, NULL, NULL));
	in.prose = part(&rest);
	in.question = part(&rest);
	sql = part(&rest);
	if (!ag_extjson_parse(part(&rest), &opts, arena, &list, NULL, NULL, NULL))
		in.computations = &list;
	for (size_t i = 0; i < 2; i++) {
		results[i].columns = columns + i;
		results[i].ncolumn = 5 - i;
		results[i].rows = rows.u.items;
		results[i].nrow = rows.n - i;
		results[i].row_count = rows.n;
		results[i].is_cut = i == 1;
		results[i].sql = sql;
	}
	in.sql = &sql;
	in.nsql = 1;
	if (ag_figures_check(&in, arena, &f, &err)) {
		check(err.status == AG_LIMIT);
	} else {
		check_figures(&in, &f, arena);
		check(!ag_figures_check(&in, arena, &again, &err) &&
		      again.nunproven == f.nunproven && ag_str_eq(again.critique, f.critique));
	}
	ag_arena_free(arena);
	free(copy);
	return 0;
}
