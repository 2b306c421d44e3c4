/* Figures of answers: cases by hand, then answers from seven grammars with a fixed seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "ask_cases.h"
#include "figures_domains.h"
#include "figures_worlds.h"

/* --- cases by hand --- */

static ag_val parsed(ag_str json, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_err err = { 0 };
	ag_val v = { 0 };

	if (ag_extjson_parse(ag_str_dup(arena, json), &opts, arena, &v, NULL, NULL, &err))
		fail_msg("%.*s: %s", AG_FMT(json), err.msg);
	return v;
}

static ag_figures_result *results_of(const ag_val *v, ag_arena *arena, size_t *ret_n)
{
	ag_figures_result *r = ag_new_n(arena, ag_figures_result, v->n + 1);

	for (uint32_t i = 0; i < v->n; i++) {
		const ag_val *one = &v->u.items[i];

		assert_true(
			ag_figures_result_read(one, ag_val_member_str(one, "name"), arena, &r[i]));
		r[i].sql = ag_val_member_str(one, "sql");
		if (!r[i].row_count)
			r[i].row_count = r[i].nrow;
	}
	*ret_n = v->n;
	return r;
}

static ag_str got_of(const ag_figures_input *in, const ag_figures *f, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(1u << 20);
	ag_str ret;

	for (size_t i = 0; i < f->nfigure; i++) {
		const ag_figure *g = &f->figures[i];

		ag_buf_addf(&out, "%.*s %s", (int)g->len, in->prose.ptr + g->at,
		            ag_figure_verdict_name(g->verdict));
		if (g->verdict == AG_FIGURE_CELL)
			ag_buf_addf(&out, " %.*s %zu %.*s", AG_FMT(in->results[g->result].name),
			            g->row + 1, AG_FMT(in->results[g->result].columns[g->column]));
		else if (g->verdict == AG_FIGURE_COMPUTED)
			ag_buf_addf(&out, " %zu", g->computation + 1);
		else if (g->verdict == AG_FIGURE_EXEMPT)
			ag_buf_addf(&out, " %s", g->why);
		else
			assert_true(g->critique.len > 0);
		ag_buf_addc(&out, '\n');
	}
	ret = ag_str_trim(ag_buf_dup(arena, &out));
	ag_buf_release(&out);
	return ret;
}

static ag_str last_results;
static ag_arena *last_arena;

static bool case_holds(const ask_case *c, ag_arena *arena)
{
	bool has = false;
	const ag_str results = case_section(c, "results", &has);
	const ag_str computations = case_section(c, "computations", NULL);
	ag_val values, list = { 0 };
	ag_figures_input in = { .question = c->text, .prose = case_section(c, "prose", NULL) };
	ag_figures f = { 0 };
	ag_err err = { 0 };
	ag_str got;

	if (has)
		last_results = ag_str_dup(last_arena, results);
	values = parsed(last_results, arena);
	in.results = results_of(&values, arena, &in.nresult);
	if (computations.len) {
		list = parsed(computations, arena);
		in.computations = &list;
	}
	assert_int_equal(ag_figures_check(&in, arena, &f, &err), AG_OK);
	for (size_t i = 0; i < f.ncomputed; i++)
		assert_true(f.computed[i].error.len > 0 || f.computed[i].value.len > 0);
	got = got_of(&in, &f, arena);
	if (ag_str_eq(got, case_section(c, "want", NULL)))
		return true;
	printf("%.*s:\n%.*s\n--- got\n%.*s\n--- because\n%.*s\n", AG_FMT(c->name), AG_FMT(in.prose),
	       AG_FMT(got), AG_FMT(f.critique));
	return false;
}

static void cases_by_hand(void **state)
{
	(void)state;
	last_arena = ag_arena_new();
	assert_true(ask_run_cases("../analyst/figures.cases", case_holds) >= 41);
	last_arena = ag_arena_free(last_arena);
}

/* --- the grammar that the checker was written with --- */

static const fg_template first_grammar[] = {
	{ "{e0} had {n00}.", FG_EN, "*" },
	{ "{e0} recorded {n00} and {n01}.", FG_EN, "**" },
	{ "{e0} leads with {n00}, followed by {e1} with {f10}.", FG_EN, "*" },
	{ "{e0} and {e1} had {f00} and {f10} {l0}, respectively.", FG_EN, "c" },
	{ "In {e0}, there were {n00}; in {e1}, {f10}.", FG_EN, "c" },
	{ "- {e0}: {n00}\n- {e1}: {n10}\n- {e2}: {n20}\n", FG_EN, "*" },
	{ "Here are the {l0}:\n\n1. **{e0}** - {f00}\n2. **{e1}** - {f10}\n3. **{e2}** - {f20}\n",
	  FG_EN, "x" },
	{ "| Name | {l0} | {l1} |\n|---|---:|---:|\n| {e0} | {f00} | {f01} |\n| {e1} | {f10} | {f11} |\n",
	  FG_EN, "**" },
	{ "{e0} accounts for {s0} of all {l0}.", FG_EN, "x" },
	{ "{e0} makes up {s0} of {l0}, while {e1} makes up {s1}.", FG_EN, "x" },
	{ "In total, there were {t0} {l0}. {e0} had {f00}.", FG_EN, "c" },
	{ "Overall {l0} came to {t0}, of which {e0} brought {f00}.", FG_EN, "m" },
	{ "{e0} is ahead of {e1} with {n00}.", FG_EN, "*" },
	{ "{e0} did well. It had {n00} and {n01}.", FG_EN, "**" },
	{ "The {l0} of {e0} was {f00}, compared with {f10} for {e1}.", FG_EN, "m" },
	{ "{e0} ({n00}) beat {e1} ({f10}).", FG_EN, "x" },
	{ "With {n00}, {e0} is in front; {e1} has {n10}.", FG_EN, "*" },
	{ "## {e0}\n\n- {l0}: {f00}\n- {l1}: {f01}\n\n## {e1}\n\n- {l0}: {f10}\n- {l1}: {f11}\n",
	  FG_EN, "**" },
	{ "{e0} hatte {n00}.", FG_DE, "*" },
	{ "{e0} liegt mit {n00} vorn, gefolgt von {e1} mit {f10}.", FG_DE, "*" },
	{ "{e0} erzielte {n00} und {n01}.", FG_DE, "**" },
	{ "- {e0}: {n00}\n- {e1}: {n10}\n\nDas ist der Stand und die Liste ist nicht lang.", FG_DE,
	  "*" },
	{ "Auf {e0} entfallen {s0} der {l0}.", FG_DE, "x" },
	{ "Insgesamt waren es {t0} {l0}, davon {f00} bei {e0}.", FG_DE, "c" },
	{ "{e0} a eu {n00}.", FG_FR, "*" },
	{ "{e0} est en tête avec {n00}, suivi de {e1} avec {f10}.", FG_FR, "*" },
	{ "Les résultats de {e0} : {n00} et {n01}.", FG_FR, "**" },
	{ "{e0} représente {s0} des {l0}.", FG_FR, "x" },
	{ "{e0} tuvo {n00}.", FG_ES, "*" },
	{ "{e0} lidera con {n00}, seguido de {e1} con {f10}.", FG_ES, "*" },
	{ "Los datos de {e0}: {n00} y {n01}.", FG_ES, "**" },
	{ "{e0} supone el {s0} de los {l0}.", FG_ES, "x" },
};

/* --- written after the checker was done, with other results and other forms of sentences --- */

static const fg_template second_grammar[] = {
	{ "At {f00} {l0}, {e0} is the clear leader.", FG_EN, "c" },
	{ "Nobody beats {e0}: {n00}.", FG_EN, "*" },
	{ "{e0}'s {l0} stood at {f00}, whereas {e1} only reached {f10}.", FG_EN, "m" },
	{ "We counted {f00} {l0} for {e0} and {f10} for {e1}.", FG_EN, "c" },
	{ "Compared with {e1}, {e0} performed better, posting {n00}.", FG_EN, "*" },
	{ "{e0} (with {n00}) and {e1} (with {n10}) are worth a look.", FG_EN, "*" },
	{ "**{e0}**\n- {n00}\n- {n01}\n\n**{e1}**\n- {n10}\n- {n11}\n", FG_EN, "**" },
	{ "Looking at {l0}, {e0} comes in at {f00}; {e1} follows with {f10} and {e2} with {f20}.",
	  FG_EN, "x" },
	{ "There is a gap between {e0} and {e1}: {f00} versus {f10} {l0}.", FG_EN, "c" },
	{ "{e1} saw {n10}. By contrast, {e0} saw {n00}.", FG_EN, "*" },
	{ "{e0} closed the period with {n00} on {n01}.", FG_EN, "**" },
	{ "| | {l0} |\n|---|---|\n| {e0} | {f00} |\n| {e1} | {f10} |\n\nAs the table shows, {e0} reached {f00}.",
	  FG_EN, "x" },
	{ "Roughly speaking, {s0} of {l0} come from {e0}.", FG_EN, "x" },
	{ "{e0} contributed {s0} of the {t0} {l0} overall.", FG_EN, "c" },
	{ "All {l0} taken together amount to {t0}.", FG_EN, "x" },
	{ "Of the {t0} {l0}, {e0} had {f00}.", FG_EN, "c" },
	{ "1) {e0}: {f00} {l0}\n2) {e1}: {f10} {l0}\n", FG_EN, "c" },
	{ "The figures for {e0} are {n00}, {n01}.", FG_EN, "**" },
	{ "{n00} came from {e0}, {n10} from {e1}.", FG_EN, "*" },
	{ "{e0} sits at {f00} for {l0}.", FG_EN, "*" },
	{ "Bei {e0} lag der Wert für {l0} bei {f00}, bei {e1} dagegen bei {f10}.", FG_DE, "m" },
	{ "Mit {n00} führt {e0} die Liste an.", FG_DE, "*" },
	{ "{e0} kommt auf {n00}, {e1} nur auf {n10}.", FG_DE, "*" },
	{ "Der Anteil von {e0} an den {l0} beträgt {s0}.", FG_DE, "x" },
	{ "Zusammen sind das {t0} {l0}.", FG_DE, "c" },
	{ "Avec {n00}, {e0} arrive devant {e1}, qui compte {n10}.", FG_FR, "*" },
	{ "On compte {f00} {l0} pour {e0} contre {f10} pour {e1}.", FG_FR, "c" },
	{ "La part de {e0} dans les {l0} est de {s0}.", FG_FR, "x" },
	{ "Au total, {t0} {l0} ont été comptés.", FG_FR, "c" },
	{ "{e0} affiche {n00} ; {e1} affiche {n10}.", FG_FR, "*" },
	{ "Con {n00}, {e0} va por delante de {e1}, que suma {n10}.", FG_ES, "*" },
	{ "{e0} alcanzó {n00} y {e1} {f10}.", FG_ES, "*" },
	{ "La cuota de {e0} en los {l0} es del {s0}.", FG_ES, "x" },
	{ "En total hubo {t0} {l0}.", FG_ES, "c" },
	{ "Se contaron {f00} {l0} en {e0}, frente a {f10} en {e1}.", FG_ES, "c" },
};

/* --- a third, written when the checker had been mended after the second --- */

static const fg_template third_grammar[] = {
	{ "### Summary\n\n{e0} is the strongest with {n00}. {e1} comes next at {f10}, and {e2} closes the list at {f20}.",
	  FG_EN, "x" },
	{ "Here is what I found:\n\n* **{e0}** - {n00}, {n01}\n* **{e1}** - {n10}, {n11}\n\nLet me know if you need more.",
	  FG_EN, "**" },
	{ "{e0}: {n00} / {n01}", FG_EN, "**" },
	{ "For {e0} the data shows {n00}. The same measure is {f10} for {e1}.", FG_EN, "m" },
	{ "I looked at {e0} and {e1}. The former has {n00}, the latter {n10}.", FG_EN, "*" },
	{ "{e0} reported {n00}, up against {f10} at {e1}.", FG_EN, "m" },
	{ "The query returned {n00} for {e0}; for {e1} it returned {n10}.", FG_EN, "*" },
	{ "{e0} has the edge over {e1}: {f00} {l0} against {f10}.", FG_EN, "c" },
	{ "| {l0} | {e0} | {e1} |\n|:--|--:|--:|\n| Value | {f00} | {f10} |\n", FG_EN, "x" },
	{ "| Item | {l0} |\n|---|---|\n| {e0} | {f00} |\n| {e1} | {f10} |\n| {e2} | {f20} |\n| **Total** | {t0} |\n",
	  FG_EN, "c" },
	{ "With a share of {s0}, {e0} dominates {l0}.", FG_EN, "x" },
	{ "Together, all of them produced {t0} {l0}.", FG_EN, "c" },
	{ "{e0} is responsible for {s0} of {l0} ({f00}).", FG_EN, "x" },
	{ "Only {e0} stands out, at {f00} {l0}. Everything else is lower; {e1}, for example, has {f10}.",
	  FG_EN, "c" },
	{ "We see {n00} in {e0}. That is the number for {e0} alone, {e1} has {n10}.", FG_EN, "*" },
	{ "{e0}, {e1} and {e2} had {f00}, {f10} and {f20} {l0}.", FG_EN, "c" },
	{ "From {f00} {l0} in {e0} it went to {f10} in {e1}.", FG_EN, "c" },
	{ "Answer: {f00} {l0} ({e0}).", FG_EN, "c" },
	{ "Für {e0} ergibt sich: {n00}. Für {e1}: {n10}.", FG_DE, "*" },
	{ "{e0} hat mit {n00} die Nase vor {e1} ({n10}).", FG_DE, "*" },
	{ "Von den {t0} {l0} gehören {f00} zu {e0}.", FG_DE, "c" },
	{ "| Name | {l0} |\n|---|---|\n| {e0} | {f00} |\n| {e1} | {f10} |\n\nDas sind die Werte der Tabelle und mehr ist nicht da.",
	  FG_DE, "x" },
	{ "Pour {e0}, on obtient {n00} ; pour {e1}, {n10}.", FG_FR, "*" },
	{ "{e0} totalise {n00}, tandis que {e1} en est à {f10}.", FG_FR, "x" },
	{ "Sur les {t0} {l0}, {f00} viennent de {e0}.", FG_FR, "c" },
	{ "Para {e0} se obtiene {n00}; para {e1}, {n10}.", FG_ES, "*" },
	{ "{e0} suma {n00}, mientras que {e1} se queda en {f10}.", FG_ES, "x" },
	{ "De los {t0} {l0}, {f00} son de {e0}.", FG_ES, "c" },
};

typedef struct tally {
	size_t made, good;
} tally;

static bool is_verbose(void)
{
	return getenv("FIGURES_VERBOSE") != NULL;
}

static void show(const char *what, const fg_answer *a, const ag_figures *f)
{
	printf("--- %s: %s\n", what, a->text);
	printf("    rows %s\n    comp %s\n", a->rows, a->computations);
	for (size_t i = 0; i < f->nfigure; i++) {
		const ag_figure *g = &f->figures[i];

		printf("    %.*s %s %s r%zu c%zu %.*s\n", (int)g->len, a->text + g->at,
		       ag_figure_verdict_name(g->verdict), g->why, g->row + 1, g->column,
		       AG_FMT(g->critique));
	}
}

typedef struct fg_world_of {
	const fg_set *sets;
	size_t nset;
	const fg_template *templates;
	size_t n;
} fg_world_of;

/* Wrong answers of one class: each must be caught. */
static void run_wrong(const fg_world_of *g, fg_wrong wrong, size_t want, tally *ret)
{
	for (size_t i = 0; i < want * 50 && ret->made < want; i++) {
		ag_arena *arena = ag_arena_new();
		fg_answer a;

		/* Each draw in a statement of its own: the same answers from every compiler. */
		const fg_set *set = &g->sets[fg_below(g->nset)];
		const fg_template *template = &g->templates[fg_below(g->n)];
		const size_t spoil = fg_below(4);

		if (fg_make(set, template, wrong, spoil, &a)) {
			const ag_figures f = fg_check(&a, arena);
			const bool caught = fg_is_caught(&a, &f);

			ret->made++;
			ret->good += caught;
			if (!caught && is_verbose())
				show(fg_wrong_names[wrong], &a, &f);
		}
		ag_arena_free(arena);
	}
}

static void run_right(const fg_world_of *g, size_t want, tally *ret)
{
	for (size_t i = 0; i < want * 50 && ret->made < want; i++) {
		ag_arena *arena = ag_arena_new();
		fg_answer a;

		const fg_set *set = &g->sets[fg_below(g->nset)];
		const fg_template *template = &g->templates[fg_below(g->n)];

		if (fg_make(set, template, FG_RIGHT, 0, &a)) {
			const ag_figures f = fg_check(&a, arena);

			ret->made++;
			ret->good += f.nunproven == 0;
			if (f.nunproven && is_verbose())
				show("right", &a, &f);
		}
		ag_arena_free(arena);
	}
}

static void grammar(const char *name, const fg_world_of *g, uint64_t seed)
{
	const char *other = getenv("FIGURES_SEED");
	tally wrong = { 0 }, right = { 0 };

	/* Other answers than those that the build checks. */
	fg_state = seed + (other ? strtoull(other, NULL, 10) : 0);
	for (fg_wrong w = FG_WRONG_ROW; w < FG_NWRONG; w++) {
		tally one = { 0 };

		run_wrong(g, w, 100, &one);
		printf("# %s: wrong %s: %zu of %zu caught\n", name, fg_wrong_names[w], one.good,
		       one.made);
		wrong.made += one.made;
		wrong.good += one.good;
	}
	run_right(g, 600, &right);
	printf("# %s: %zu of %zu wrong figures caught; %zu of %zu right answers marked\n", name,
	       wrong.good, wrong.made, right.made - right.good, right.made);
	assert_true(wrong.made >= 300 && right.made >= 300);
	assert_int_equal(wrong.good, wrong.made);
	assert_true((right.made - right.good) * 50 <= right.made);
}

static void figures_of_the_first_grammar(void **state)
{
	const fg_world_of g = { fg_sets, FG_NSET, first_grammar, AG_NELEM(first_grammar) };

	(void)state;
	grammar("first grammar", &g, 1);
}

static void figures_of_the_second_grammar(void **state)
{
	const fg_world_of g = { fg_other_sets, FG_NOTHER, second_grammar,
		                AG_NELEM(second_grammar) };

	(void)state;
	grammar("second grammar", &g, 2);
}

static void figures_of_the_third_grammar(void **state)
{
	const fg_world_of g = { fg_third_sets, FG_NTHIRD, third_grammar, AG_NELEM(third_grammar) };

	(void)state;
	grammar("third grammar", &g, 3);
}

static void figures_of_the_fourth_grammar(void **state)
{
	const fg_world_of g = { fg_fourth_sets, FG_NFOURTH, fourth_grammar,
		                AG_NELEM(fourth_grammar) };

	(void)state;
	grammar("fourth grammar", &g, 4);
}

static void figures_of_the_fifth_grammar(void **state)
{
	const fg_world_of g = { fg_fifth_sets, FG_NFIFTH, fifth_grammar, AG_NELEM(fifth_grammar) };

	(void)state;
	grammar("fifth grammar", &g, 5);
}

static void figures_of_the_sixth_grammar(void **state)
{
	const fg_world_of g = { fg_sixth_sets, FG_NSIXTH, sixth_grammar, AG_NELEM(sixth_grammar) };

	(void)state;
	grammar("sixth grammar", &g, 6);
}

static void figures_of_the_seventh_grammar(void **state)
{
	const fg_world_of g = { fg_seventh_sets, FG_NSEVENTH, seventh_grammar,
		                AG_NELEM(seventh_grammar) };

	(void)state;
	grammar("seventh grammar", &g, 7);
}

/* --- limits --- */

/* The largest answer over the most cells: no input makes the check slow. */
static void the_largest_answer_is_checked_in_time(void **state)
{
	static const ag_str columns[] = { AG_S_INIT("region"), AG_S_INIT("orders"),
		                          AG_S_INIT("total_revenue"), AG_S_INIT("avg_price") };
	ag_arena *arena = ag_arena_new();
	ag_buf prose = AG_BUF_INIT(AG_FIGURES_MAX_PROSE);
	ag_figures_result results[AG_FIGURES_MAX_RESULTS];
	ag_figures_input in = { .results = results,
		                .nresult = AG_NELEM(results),
		                .question = AG_S("How many?") };
	ag_figures f;
	ag_err err = { 0 };
	struct timespec from, to;

	(void)state;
	for (size_t r = 0; r < AG_NELEM(results); r++) {
		ag_val *rows = ag_new_n(arena, ag_val, 780);

		for (size_t i = 0; i < 780; i++) {
			ag_val *cells = ag_new_n(arena, ag_val, 4);

			cells[0] = ag_val_str(ag_str_printf(arena, "Shop %zu", i));
			for (size_t c = 1; c < 4; c++)
				cells[c] = ag_val_int((int64_t)(i * c * 7 + r));
			rows[i] = ag_val_array(cells, 4);
		}
		results[r] = (ag_figures_result){ .name = ag_str_printf(arena, "r%zu", r),
			                          .columns = columns,
			                          .ncolumn = 4,
			                          .rows = rows,
			                          .nrow = 780,
			                          .row_count = 780 };
	}
	for (size_t i = 0; i < 990 && prose.len + 70 < AG_FIGURES_MAX_PROSE; i++)
		ag_buf_addf(&prose, "Shop %zu had %zu.5 orders and revenue, ", i % 780,
		            i * 13 % 6000);
	while (prose.len + 40 < AG_FIGURES_MAX_PROSE)
		ag_buf_addf(&prose, "word%c ](](* ", (char)('a' + prose.len % 26));
	in.prose = ag_buf_view(&prose);
	clock_gettime(CLOCK_MONOTONIC, &from);
	assert_int_equal(ag_figures_check(&in, arena, &f, &err), AG_OK);
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("# %zu figures, %zu bytes, 64 results of 780 rows: %ld ms\n", f.nfigure,
	       in.prose.len,
	       (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000);
	assert_true(f.nunproven > 0);
	assert_true(to.tv_sec - from.tv_sec < 60);
	ag_buf_release(&prose);
	ag_arena_free(arena);
}

static void answers_beyond_the_limits_are_refused(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf prose = AG_BUF_INIT(1u << 20);
	ag_figures_input in = { 0 };
	ag_figures f;
	ag_err err = { 0 };

	(void)state;
	for (size_t i = 0; i <= AG_FIGURES_MAX_FIGURES; i++)
		ag_buf_adds(&prose, "1, ");
	in.prose = ag_buf_view(&prose);
	assert_int_equal(ag_figures_check(&in, arena, &f, &err), AG_LIMIT);
	assert_non_null(strstr(err.msg, "2000 numbers"));
	while (prose.len <= AG_FIGURES_MAX_PROSE)
		ag_buf_adds(&prose, "x ");
	in.prose = ag_buf_view(&prose);
	assert_int_equal(ag_figures_check(&in, arena, &f, &err), AG_LIMIT);
	assert_non_null(strstr(err.msg, "bytes"));
	ag_buf_release(&prose);
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_by_hand),
		cmocka_unit_test(figures_of_the_first_grammar),
		cmocka_unit_test(figures_of_the_second_grammar),
		cmocka_unit_test(figures_of_the_third_grammar),
		cmocka_unit_test(figures_of_the_fourth_grammar),
		cmocka_unit_test(figures_of_the_fifth_grammar),
		cmocka_unit_test(figures_of_the_sixth_grammar),
		cmocka_unit_test(figures_of_the_seventh_grammar),
		cmocka_unit_test(the_largest_answer_is_checked_in_time),
		cmocka_unit_test(answers_beyond_the_limits_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
