/* Figures of answers from a second generator, written apart from the first: fixed seeds, three sets of sentences.
 *
 * At first sight the checker caught 89.0 % of the wrong figures of the first set and marked 14.3 % of its right answers; of
 * the second set, written when it had been mended after the first, 98.4 % and 1.8 %; of the third, written after that, 92.8 %
 * and none: all that got through were ranks after a verb that it did not know ("places third for"). FIGURES_SEED=9 draws other answers,
 * FIGURES_VERBOSE=1 shows the mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "figures_mixed.h"

static const fm_table fm_tables[] = {
	{ .key = "depot",
	  .rows_are = { "depots", "Depots", "d\xc3\xa9p\xc3\xb4ts" },
	  .rows = { "Ulm", "Graz", "Lille", "Turin", "Bergen" },
	  .cols = { { "pallets_moved",
	              FM_COUNT,
	              { "pallets", "Paletten", "palettes" },
	              800,
	              240000,
	              NULL,
	              NULL },
	            { "fuel_cost",
	              FM_MONEY,
	              { "fuel cost", "Treibstoffkosten", "co\xc3\xbbts de carburant" },
	              150000,
	              480000000,
	              NULL,
	              NULL },
	            { "on_time_rate",
	              FM_FRACTION,
	              { "on-time rate", "P\xc3\xbcnktlichkeitsquote",
	                "taux de ponctualit\xc3\xa9" },
	              4100,
	              9900,
	              NULL,
	              NULL },
	            { "overtime_hours",
	              FM_UNIT,
	              { "overtime",
	                "\xc3\x9c"
	                "berstunden",
	                "heures suppl\xc3\xa9mentaires" },
	              90,
	              9000,
	              "h",
	              "min" } } },
	{ .key = "campaign",
	  .rows_are = { "campaigns", "Kampagnen", "campagnes" },
	  .rows = { "Spring Mailing", "Radio Spot", "Podcast Ads", "Street Posters", "Search Ads",
	            "Trade Fair" },
	  .cols = { { "clicks",
	              FM_COUNT,
	              { "clicks", "Klicks", "clics" },
	              2000,
	              900000,
	              NULL,
	              NULL },
	            { "new_subscribers",
	              FM_COUNT,
	              { "new subscribers", "neue Abonnenten", "nouveaux abonn\xc3\xa9s" },
	              15,
	              7000,
	              NULL,
	              NULL },
	            { "budget_spent",
	              FM_MONEY,
	              { "budget spent", "ausgegebenes Budget", "budget d\xc3\xa9pens\xc3\xa9" },
	              90000,
	              300000000,
	              NULL,
	              NULL },
	            { "bounce_pct",
	              FM_PERCENT,
	              { "bounce rate", "Absprungrate", "taux de rebond" },
	              30,
	              880,
	              NULL,
	              NULL } } },
	{ .key = "month",
	  .rows_are = { "months", "Monate", "mois" },
	  .rows = { "2025-01-01", "2025-02-01", "2025-03-01", "2025-04-01", "2025-06-01" },
	  .names = { { "January", "February 2025", "March", "April 2025", "June" },
	             { "Januar", "Februar 2025", "M\xc3\xa4rz", "April 2025", "Juni" },
	             { "janvier", "f\xc3\xa9vrier 2025", "mars", "avril 2025", "juin" } },
	  .cols = { { "active_accounts",
	              FM_COUNT,
	              { "active accounts", "aktive Konten", "comptes actifs" },
	              300,
	              260000,
	              NULL,
	              NULL },
	            { "net_result",
	              FM_SIGNED,
	              { "net result", "Nettoergebnis", "r\xc3\xa9sultat net" },
	              -40000000,
	              60000000,
	              NULL,
	              NULL },
	            { "invoices",
	              FM_COUNT,
	              { "invoices", "Rechnungen", "factures" },
	              40,
	              8000,
	              NULL,
	              NULL },
	            { "churn_rate",
	              FM_FRACTION,
	              { "churn rate", "Churn-Rate", "taux de churn" },
	              90,
	              2600,
	              NULL,
	              NULL } } },
	{ .key = "crop",
	  .rows_are = { "crops", "Kulturen", "cultures" },
	  .rows = { "Barley", "Winter Wheat", "Sugar Beet", "Maize", "Rapeseed", "Oats" },
	  .cols = { { "area_ha",
	              FM_UNIT,
	              { "area",
	                "Fl\xc3\xa4"
	                "che",
	                "superficie" },
	              120,
	              60000,
	              "ha",
	              "km" },
	            { "harvest_tonnes",
	              FM_UNIT,
	              { "harvest", "Ernte",
	                "r\xc3\xa9"
	                "colte" },
	              400,
	              90000,
	              "t",
	              "kg" },
	            { "subsidy",
	              FM_MONEY,
	              { "subsidy", "Subvention", "subvention" },
	              90000,
	              200000000,
	              NULL,
	              NULL },
	            { "farms", FM_COUNT, { "farms", "Farmen", "fermes" }, 6, 3000, NULL, NULL } } },
};

/* The sentences that the checker was mended with. */
static const fm_sentence fm_first[] = {
	{ "For <r> we see <v> of <c>, for <s> <w>.", FM_EN, "m" },
	{ "<r> moved ahead: <v> <c>, while <s> stayed at <w>.", FM_EN, "c" },
	{ "<c> in <r>: <v>. <d>: <x>.", FM_EN, "**" },
	{ "Take <r>. Its <c> was <v> and its <d> was <x>.", FM_EN, "**" },
	{ "The best-placed of the three, <r>, shows a <c> of <v>; <s> and <q> show <w> and <z>.",
	  FM_EN, "*" },
	{ "<r> has <o> <c>.", FM_EN, "c" },
	{ "<c> of <r> came to <o>.", FM_EN, "m" },
	{ "<r> has <h> the <c> of <s>.", FM_EN, "+" },
	{ "At <v>, <r> has <m> the <c> of <s> (<w>).", FM_EN, "+" },
	{ "<T>.", FM_EN, "+" },
	{ "The <c> lies between <L> and <H>.", FM_EN, "*" },
	{ "<c> goes from <L> (lowest) to <H> (highest).", FM_EN, "+" },
	{ "<r> stands <k> in <c>, with <v>.", FM_EN, "+" },
	{ "By <c>, <r> is the <k>-largest.", FM_EN, "+" },
	{ "<c> in <r> was <v>, <g> from <s>.", FM_EN, "+" },
	{ "Compared to <s>, the <c> of <r> is <g>.", FM_EN, "+" },
	{ "The <c> of <r> is <P> that of <s>.", FM_EN, "p" },
	{ "<r> closed with a <c> of <v>, <s> with <w>.", FM_EN, "s" },
	{ "| | <c> | <d> |\n|---|---|---|\n| <r> | <v> | <x> |\n| <s> | <w> | |\n", FM_EN, "**" },
	{ "- <r>\n  - <c>: <v>\n  - <d>: <x>\n- <s>\n  - <c>: <w>\n", FM_EN, "**" },
	{ "<p> of all <c> belong to <r>.", FM_EN, "+" },
	{ "Altogether the <n> rows add up to <t> in <c>, an average of <a>.", FM_EN, "m" },
	{ "<r> had <D> <c> than <s>.", FM_EN, "c" },
	{ "<s> had <w> <c>. <r> had <v>, that is <D>.", FM_EN, "c" },
	{ "F\xc3\xbcr <r> ergibt sich bei <c> ein Wert von <v>, f\xc3\xbcr <s> einer von <w>.",
	  FM_DE, "*" },
	{ "<r> kommt auf <o> <c>.", FM_DE, "c" },
	{ "<c> von <r>: <v> (<s>: <w>).", FM_DE, "*" },
	{ "Die <c> liegen zwischen <L> und <H>.", FM_DE, "c" },
	{ "Bei <c> gab es in <r> gegen\xc3\xbc"
	  "ber <s> <g>.",
	  FM_DE, "+" },
	{ "<r> hat <h> <s> bei <c>.", FM_DE, "+" },
	{ "<p> der <c> entfallen auf <r>.", FM_DE, "c" },
	{ "<r> hat <D> <c> als <s>.", FM_DE, "c" },
	{ "<T>.", FM_DE, "c" },
	{ "Pour <r>, la valeur de <c> est de <v>, contre <w> pour <s>.", FM_FR, "*" },
	{ "<r> compte <o> <c>.", FM_FR, "c" },
	{ "<c> de <r> : <v> ; <c> de <s> : <w>.", FM_FR, "*" },
	{ "Les <c> vont de <L> \xc3\xa0 <H>.", FM_FR, "c" },
	{ "<p> des <c> reviennent \xc3\xa0 <r>.", FM_FR, "c" },
	{ "<r> a <D> <c> que <s>.", FM_FR, "c" },
};

/* Written when the checker had been mended with those above, with other results. */
static const fm_table fm_other_tables[] = {
	{ .key = "studio",
	  .rows_are = { "studios", "Studios", "studios" },
	  .rows = { "Blue Room", "Annex", "Loft", "Cellar Stage", "Hall B" },
	  .cols = { { "recordings",
	              FM_COUNT,
	              { "recordings", "Aufnahmen", "enregistrements" },
	              40,
	              9000,
	              NULL,
	              NULL },
	            { "rental_income",
	              FM_MONEY,
	              { "rental income", "Mieteinnahmen", "revenus locatifs" },
	              200000,
	              900000000,
	              NULL,
	              NULL },
	            { "occupancy",
	              FM_FRACTION,
	              { "occupancy", "Auslastung", "taux d'occupation" },
	              1800,
	              9700,
	              NULL,
	              NULL },
	            { "power_kwh",
	              FM_UNIT,
	              { "power use", "Stromverbrauch", "consommation" },
	              900,
	              880000,
	              "kWh",
	              "MWh" } } },
	{ .key = "ferry_line",
	  .rows_are = { "lines", "Linien", "lignes" },
	  .rows = { "Harbour Loop", "Island Express", "Night Boat", "Coast Line", "River Shuttle",
	            "Fjord Tour" },
	  .cols = { { "passengers",
	              FM_COUNT,
	              { "passengers", "Passagiere", "passagers" },
	              900,
	              700000,
	              NULL,
	              NULL },
	            { "operating_result",
	              FM_SIGNED,
	              { "operating result", "Betriebsergebnis", "r\xc3\xa9sultat d'exploitation" },
	              -90000000,
	              90000000,
	              NULL,
	              NULL },
	            { "delay_share_pct",
	              FM_PERCENT,
	              { "share of delays", "Anteil der Versp\xc3\xa4tungen", "part des retards" },
	              11,
	              450,
	              NULL,
	              NULL },
	            { "complaints",
	              FM_COUNT,
	              { "complaints", "Beschwerden", "plaintes" },
	              3,
	              900,
	              NULL,
	              NULL } } },
	{ .key = "quarter",
	  .rows_are = { "quarters", "Quartale", "trimestres" },
	  .rows = { "2025-Q1", "2025-Q2", "2025-Q3", "2025-Q4" },
	  .names = { { "Q1 2025", "Q2", "Q3", "Q4 2025" },
	             { "Q1 2025", "Q2", "Q3", "Q4 2025" },
	             { "Q1 2025", "Q2", "Q3", "Q4 2025" } },
	  .cols = { { "signed_contracts",
	              FM_COUNT,
	              { "signed contracts", "unterzeichnete Vertr\xc3\xa4ge",
	                "contrats sign\xc3\xa9s" },
	              20,
	              5200,
	              NULL,
	              NULL },
	            { "invoiced_amount",
	              FM_MONEY,
	              { "invoiced amount", "Rechnungsbetrag", "montant factur\xc3\xa9" },
	              900000,
	              950000000,
	              NULL,
	              NULL },
	            { "renewal_rate",
	              FM_FRACTION,
	              { "renewal rate", "Verl\xc3\xa4ngerungsrate", "taux de renouvellement" },
	              3100,
	              9800,
	              NULL,
	              NULL },
	            { "support_tickets",
	              FM_COUNT,
	              { "support tickets", "Support-Tickets", "tickets de support" },
	              60,
	              9000,
	              NULL,
	              NULL } } },
};

static const fm_sentence fm_second[] = {
	{ "In <r>, <c> reached <v>; in <s> it was only <w>.", FM_EN, "+" },
	{ "Looking at <r> first: <v> <c>. Next comes <s>, with <w>.", FM_EN, "c" },
	{ "<r>, <s> and <q> posted a <c> of <v>, <w> and <z>, in that order.", FM_EN, "*" },
	{ "The <c> for <r> (<v>) is <g> compared with <s> (<w>).", FM_EN, "+" },
	{ "<r> recorded well <o> <c>.", FM_EN, "c" },
	{ "You asked about <r>: its <c> amounts to <o>.", FM_EN, "m" },
	{ "<r>'s <c> is <h> that of <s>.", FM_EN, "m" },
	{ "<r> handled <m> as many <c> as <s>: <v> versus <w>.", FM_EN, "c" },
	{ "In short, <T>.", FM_EN, "+" },
	{ "Across all <n> rows the <c> ranges between <L> and <H>.", FM_EN, "*" },
	{ "The <c> was lowest at <L> and peaked at <H>.", FM_EN, "+" },
	{ "<r> comes <k> in terms of <c>.", FM_EN, "+" },
	{ "When sorted by <c>, <r> is in <k> place, at <v>.", FM_EN, "+" },
	{ "<c> went from <w> in <s> to <v> in <r>, <g>.", FM_EN, "+" },
	{ "<r> sits <P> <s> in <c>.", FM_EN, "p" },
	{ "<r> made a <c> of <v>; for <s> it was <w>.", FM_EN, "s" },
	{ "| <c> | <r> | <s> |\n|---|--:|--:|\n| total | <v> | <w> |\n\n<r> had <v>.", FM_EN, "+" },
	{ "**<r>**: <v> (<c>), <x> (<d>)\n\n**<s>**: <w> (<c>)\n", FM_EN, "**" },
	{ "<r> alone brings in <p> of the <c>.", FM_EN, "+" },
	{ "The average <c> is <a>, and the sum is <t>.", FM_EN, "m" },
	{ "There were <D> <c> in <r> than in <s>.", FM_EN, "c" },
	{ "Key points:\n\n* <r> leads <s> with <v> <c> against <w>.\n* <q> has <z>.\n", FM_EN,
	  "c" },
	{ "With its <v>, <r> beats <s> (<w>) on <c>.", FM_EN, "+" },
	{ "Im Fall von <r> betr\xc3\xa4gt der Wert f\xc3\xbcr <c> <v>; <s> erreicht <w>.", FM_DE,
	  "+" },
	{ "<r> verbucht <o> <c>.", FM_DE, "c" },
	{ "Der niedrigste Wert bei <c> ist <L>, der h\xc3\xb6"
	  "chste <H>.",
	  FM_DE, "+" },
	{ "Auf <r> entfallen <v> <c>, also <p>.", FM_DE, "c" },
	{ "Gegen\xc3\xbc"
	  "ber <s> hat <r> <D> <c>.",
	  FM_DE, "c" },
	{ "Es gilt: <T>.", FM_DE, "c" },
	{ "Avec <v> <c>, <r> d\xc3\xa9passe <s> (<w>).", FM_FR, "c" },
	{ "<r> enregistre <o> <c>.", FM_FR, "c" },
	{ "Le total des <c> est de <t>, dont <v> pour <r>.", FM_FR, "c" },
	{ "On observe entre <L> et <H> <c>.", FM_FR, "c" },
	{ "<r> repr\xc3\xa9sente <p> des <c>.", FM_FR, "c" },
};

/* Written after that, with the same results. */
static const fm_sentence fm_third[] = {
	{ "On <c>, <r> delivered <v>. <s> managed just <w>.", FM_EN, "+" },
	{ "Among the <n> rows, <r> tops out with a <c> of <v>, and <s> follows at <w>.", FM_EN,
	  "+" },
	{ "If we compare <r> to <s>, we find <v> against <w> (<c>).", FM_EN, "+" },
	{ "<v> is what <r> has in <c>.", FM_EN, "+" },
	{ "The gap between <r> and <s> is wide: <r> has <D> <c>.", FM_EN, "c" },
	{ "<r>: <c> <g> versus <s>.", FM_EN, "+" },
	{ "Roughly speaking, <r> has <h> the <c> that <s> has.", FM_EN, "+" },
	{ "We can see that <r> contributes <p> of <c>, or <v> in absolute terms.", FM_EN, "+" },
	{ "Note that <T>.", FM_EN, "+" },
	{ "<c>: minimum <L>, maximum <H>.", FM_EN, "+" },
	{ "<r> places <k> for <c>.", FM_EN, "+" },
	{ "<r> lost the lead: its <c> is only <v>, whereas <s> has <w>.", FM_EN, "+" },
	{ "> <r> reported a <c> of <v>.\n>\n> <s> reported <w>.\n", FM_EN, "*" },
	{ "1. **<c>** \xe2\x80\x93 <r>: <v>; <s>: <w>\n2. **<d>** \xe2\x80\x93 <r>: <x>\n", FM_EN,
	  "**" },
	{ "<r> is at <v> <c>, <P> <s>.", FM_EN, "p" },
	{ "The mean <c> works out at <a>; <r> is at <v>.", FM_EN, "m" },
	{ "Laut Ergebnis hat <r> <v> <c> und <s> <w>.", FM_DE, "c" },
	{ "Die Spanne der <c> reicht von <L> bis <H>.", FM_DE, "c" },
	{ "<r> hatte <o> <c>.", FM_DE, "c" },
	{ "Selon les donn\xc3\xa9"
	  "es, <r> a <v> <c> et <s> <w>.",
	  FM_FR, "c" },
	{ "<r> a fait mieux que <s> : <v> <c> contre <w>.", FM_FR, "c" },
};

/* --- checking --- */

static ag_figures fm_check(const fm_answer *a, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	ag_val rows, computations;
	ag_str columns[FM_COLS + 1] = { ag_str_c(a->table->key) };
	char list[1600];
	ag_figures ret = { 0 };
	ag_err err = { 0 };
	ag_figures_result r;

	for (size_t i = 0; i < FM_COLS; i++)
		columns[i + 1] = ag_str_c(a->table->cols[i].name);
	snprintf(list, sizeof(list), "[%s]", a->computations);
	if (ag_extjson_parse(ag_str_c(a->rows), &opts, arena, &rows, NULL, NULL, &err) ||
	    ag_extjson_parse(ag_str_dup(arena, ag_str_c(list)), &opts, arena, &computations, NULL,
	                     NULL, &err))
		fail_msg("bad JSON: %s\n%s\n%s", err.msg, a->rows, list);
	r = (ag_figures_result){ .name = AG_S("r1"),
		                 .sql = AG_S(""),
		                 .columns = columns,
		                 .ncolumn = FM_COLS + 1,
		                 .rows = rows.u.items,
		                 .nrow = rows.n,
		                 .row_count = rows.n };
	const ag_figures_input in = { .question = AG_S("Please compare them."),
		                      .prose = ag_str_make(a->text, a->len),
		                      .results = &r,
		                      .nresult = 1,
		                      .computations = &computations };

	assert_int_equal(ag_figures_check(&in, arena, &ret, &err), AG_OK);
	return ret;
}

/* Caught: some figure that overlaps the wrong place, or the other end of its range, is marked. */
static bool fm_is_caught(const fm_answer *a, const ag_figures *f)
{
	for (size_t i = 0; i < f->nfigure; i++) {
		const ag_figure *g = &f->figures[i];

		if (g->at <= a->wrong_at && a->wrong_at < g->at + g->len &&
		    g->verdict == AG_FIGURE_UNPROVEN)
			return true;
	}
	return false;
}

typedef struct fm_tally {
	size_t made, good;
} fm_tally;

static void fm_report(const char *what, const fm_answer *a, const ag_figures *f)
{
	printf("--- %s: %s\n    rows %s\n    comp %s\n", what, a->text, a->rows, a->computations);
	for (size_t i = 0; i < f->nfigure; i++) {
		const ag_figure *g = &f->figures[i];

		printf("    %.*s %s %s r%zu c%zu%s\n", (int)g->len, a->text + g->at,
		       ag_figure_verdict_name(g->verdict), g->why, g->row + 1, g->column,
		       g->at <= a->wrong_at && a->wrong_at < g->at + g->len && a->made ? " <- wrong"
		                                                                       : "");
	}
}

typedef struct fm_world {
	const char *name;
	const fm_table *tables;
	size_t ntable;
	const fm_sentence *sentences;
	size_t n;
} fm_world;

static void fm_run(const fm_world *g, fm_wrong wrong, size_t want, uint64_t *seed, fm_tally *ret)
{
	for (size_t i = 0; i < want * 60 && ret->made < want; i++) {
		ag_arena *arena = ag_arena_new();
		fm_answer a;
		uint64_t draw = *seed += UINT64_C(0x9E3779B97F4A7C15);

		draw ^= draw >> 29;
		if (fm_make(&g->tables[draw % g->ntable], &g->sentences[(draw >> 8) % g->n], wrong,
		            draw, &a)) {
			const ag_figures f = fm_check(&a, arena);
			const bool good = wrong == FM_RIGHT ? f.nunproven == 0
			                                    : fm_is_caught(&a, &f);

			ret->made++;
			ret->good += good;
			if (!good && getenv("FIGURES_VERBOSE"))
				fm_report(fm_wrong_names[wrong], &a, &f);
		}
		ag_arena_free(arena);
	}
}

static void fm_grammar(const fm_world *g, uint64_t seed)
{
	const char *other = getenv("FIGURES_SEED");
	fm_tally right = { 0 }, wrong = { 0 };

	seed += other ? strtoull(other, NULL, 10) : 0;
	for (fm_wrong w = FM_ROW; w < FM_NWRONG; w++) {
		fm_tally one = { 0 };

		fm_run(g, w, 100, &seed, &one);
		printf("# %s: wrong %s: %zu of %zu caught\n", g->name, fm_wrong_names[w], one.good,
		       one.made);
		wrong.made += one.made;
		wrong.good += one.good;
	}
	fm_run(g, FM_RIGHT, 600, &seed, &right);
	printf("# %s: %zu of %zu wrong figures caught; %zu of %zu right answers marked\n", g->name,
	       wrong.good, wrong.made, right.made - right.good, right.made);
	assert_true(wrong.made >= 300 && right.made >= 300);
	assert_int_equal(wrong.good, wrong.made);
	assert_true((right.made - right.good) * 50 <= right.made);
}

static void figures_of_the_first_sentences(void **state)
{
	const fm_world g = { "mixed, first", fm_tables, AG_NELEM(fm_tables), fm_first,
		             AG_NELEM(fm_first) };

	(void)state;
	fm_grammar(&g, 1);
}

static void figures_of_the_second_sentences(void **state)
{
	const fm_world g = { "mixed, second", fm_other_tables, AG_NELEM(fm_other_tables), fm_second,
		             AG_NELEM(fm_second) };

	(void)state;
	fm_grammar(&g, 2);
}

static void figures_of_the_third_sentences(void **state)
{
	const fm_world g = { "mixed, third", fm_other_tables, AG_NELEM(fm_other_tables), fm_third,
		             AG_NELEM(fm_third) };

	(void)state;
	fm_grammar(&g, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_of_the_first_sentences),
		cmocka_unit_test(figures_of_the_second_sentences),
		cmocka_unit_test(figures_of_the_third_sentences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
