/* prompt -- what does it cost to assemble the analyst's prompt from much knowledge and a large schema?
 *
 * usage: prompt [ENTRIES [LEARNINGS [TABLES]]]   default 10000 2000 500
 *
 * Makes them from a fixed seed, one metric in ten entries, and assembles prompts for a few questions: one that names
 * nothing, one that names a metric, one of many words. Printed is the processor time of one prompt, the median of 50 and the worst; beside
 * it what is done once for a store that has changed: reading all objects from SQLite, and counting their words. Exit code 1
 * when the median is above 5 ms. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyst/prompt.h"
#include "knowledge/object.h"

#define ROUNDS  50
#define GOAL_MS 5.0

static uint64_t seed = 42;

static uint32_t rnd(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % below);
}

static const char *const words[] = {
	"revenue", "order",    "customer", "refund",   "region",  "active",    "subscription",
	"monthly", "invoice",  "status",   "paid",     "country", "shipping",  "churn",
	"margin",  "gross",    "net",      "user",     "session", "event",     "product",
	"price",   "discount", "stock",    "supplier", "return",  "warehouse", "campaign",
	"channel", "visit",    "cohort",   "trial",
};

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void check(ag_status st, const ag_err *err)
{
	if (!st)
		return;
	fprintf(stderr, "prompt: %s\n", err->msg);
	exit(1);
}

static ag_str sentence(uint32_t n, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(4000);
	ag_str ret;

	while (n--)
		ag_buf_addf(&b, "%s%s", words[rnd(AG_NELEM(words))], n ? " " : ".");
	ret = ag_buf_dup(arena, &b);
	ag_buf_release(&b);
	return ret;
}

/* --- knowledge --- */

static ag_know entry(size_t i, ag_arena *arena)
{
	const ag_str name = ag_str_printf(arena, "%s %s %zu", words[rnd(32)], words[rnd(32)], i);
	const ag_val tables =
		ag_val_array(&(ag_val){ .type = AG_T_STRING, .n = 6, .u.s = "orders" }, 1);
	const bool is_metric = i % 10 == 0;
	ag_member m[] = {
		{ is_metric ? AG_S("definition") : AG_S("content"),
		  ag_val_str(sentence(25, arena)) },
		{ AG_S("tables"), tables },
		{ AG_S("sql"), ag_val_str(AG_S("SELECT SUM(total) AS value\nFROM orders")) },
	};
	const ag_val fields = ag_val_object(m, is_metric ? 3 : 2);
	ag_know o;
	ag_err err;

	check(ag_know_make(is_metric ? AG_KNOW_METRIC : AG_KNOW_ENTRY, name, &fields, arena, &o,
	                   &err),
	      &err);
	return o;
}

static ag_know learning(size_t i, ag_arena *arena)
{
	const ag_val table = ag_val_str(AG_S("orders"));
	const ag_member m[] = { { AG_S("category"), ag_val_str(AG_S("naming")) },
		                { AG_S("tables"), ag_val_array(&table, 1) } };
	const ag_val fields = ag_val_object(m, 2);
	ag_know o;
	ag_err err;

	check(ag_know_make(AG_KNOW_LEARNING,
	                   ag_str_printf(arena, "Learning %zu: %.*s", i,
	                                 AG_FMT(sentence(12, arena))),
	                   &fields, arena, &o, &err),
	      &err);
	o.confidence = (1 + rnd(10)) / 10.0;
	o.uses = rnd(30);
	return o;
}

/* --- a schema --- */

static ag_dictionary schema(size_t ntable, ag_arena *arena)
{
	ag_dict_table *tables = ag_new_n(arena, ag_dict_table, ntable + 1);

	for (size_t i = 0; i < ntable; i++) {
		ag_dict_column *columns = ag_new_n(arena, ag_dict_column, 12);

		for (size_t k = 0; k < 12; k++)
			columns[k] = (ag_dict_column){
				.name = ag_str_printf(arena, "%s_%s", words[rnd(32)],
				                      words[rnd(32)]),
				.type = AG_S("numeric"),
				.is_nullable = true,
			};
		tables[i] = (ag_dict_table){
			.schema = AG_S("public"),
			.name = ag_str_printf(arena, "%s_%s_%zu", words[rnd(32)], words[rnd(32)],
			                      i),
			.type = "table",
			.comment = sentence(8, arena),
			.row_count = rnd(1000000),
			.columns = columns,
			.ncolumn = 12,
		};
	}
	return (ag_dictionary){ .schema = AG_S("public"), .tables = tables, .ntable = ntable };
}

/* --- measuring --- */

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double measure(const char *name, ag_analyst_prompt_opts *o, const char *question)
{
	double ms[ROUNDS];
	size_t bytes = 0;

	o->question = ag_str_c(question);
	for (size_t i = 0; i < ROUNDS; i++) {
		ag_arena *arena = ag_arena_new();
		const double began = cpu_ms();
		ag_analyst_prompt p;
		ag_err err;

		check(ag_analyst_prompt_make(o, arena, &p, &err), &err);
		ms[i] = cpu_ms() - began;
		bytes = p.system.len;
		ag_arena_free(arena);
	}
	qsort(ms, ROUNDS, sizeof(*ms), by_value);
	printf("%-28s %7.2f ms, worst %7.2f ms, %zu bytes\n", name, ms[ROUNDS / 2], ms[ROUNDS - 1],
	       bytes);
	return ms[ROUNDS / 2];
}

static ag_know_set *stored(const ag_know *list, size_t n, ag_arena *arena)
{
	ag_object_row *rows = ag_new_n(arena, ag_object_row, n + 1);
	ag_know_set *set = NULL;
	ag_store *store;
	double began;
	ag_err err;

	for (size_t i = 0; i < n; i++)
		rows[i] = ag_know_row(&list[i], AG_S("p"), arena);
	check(ag_store_open(AG_S("memory:"), &store, &err), &err);
	check(ag_store_put_objects(store, rows, n, &err), &err);
	began = cpu_ms();
	check(ag_know_set_load(store, AG_S("p"), &set, &err), &err);
	printf("%-28s %7.2f ms, once for a store that has changed\n", "reading all objects",
	       cpu_ms() - began);
	began = cpu_ms();
	check(ag_know_set_load(store, AG_S("p"), &set, &err), &err);
	printf("%-28s %7.2f ms, each time\n", "looking for changes", cpu_ms() - began);
	ag_store_close(store);
	return set;
}

int main(int argc, char **argv)
{
	const size_t nentry = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000,
		     nlearning = argc > 2 ? strtoul(argv[2], NULL, 10) : 2000,
		     ntable = argc > 3 ? strtoul(argv[3], NULL, 10) : 500;
	ag_arena *arena = ag_arena_new();
	const ag_project project = { .id = AG_S("p"), .source = AG_S("postgresql://h/d") };
	const ag_dictionary d = schema(ntable, arena);
	ag_know *list = ag_new_n(arena, ag_know, nentry + nlearning + 1);
	ag_analyst_prompt_opts o = {
		.project = &project, .dictionary = &d, .retries = 3, .learns = true
	};
	double *scores, began, worst = 0;
	bool *named;

	for (size_t i = 0; i < nentry; i++)
		list[i] = entry(i, arena);
	for (size_t i = 0; i < nlearning; i++)
		list[nentry + i] = learning(i, arena);
	printf("%zu entries and metrics, %zu learnings, %zu tables\n", nentry, nlearning, ntable);
	o.knowledge = stored(list, nentry + nlearning, arena);
	began = cpu_ms();
	ag_know_rank(o.knowledge, AG_S("first"), arena, &scores, &named);
	printf("%-28s %7.2f ms, once for a set\n", "counting their words", cpu_ms() - began);
	{
		const double ms[] = {
			measure("a question, no metric", &o, "What happened yesterday in the zoo?"),
			measure("a question with a metric", &o,
			        "What was the gross revenue by region and country last month?"),
			measure("a long question", &o,
			        "revenue order customer refund region active subscription monthly invoice status paid "
			        "country shipping churn margin gross net user session event product price discount stock "
			        "supplier return warehouse campaign channel visit cohort trial by day and by week"),
		};

		for (size_t i = 0; i < AG_NELEM(ms); i++)
			worst = ms[i] > worst ? ms[i] : worst;
	}
	printf("goal: at most %.0f ms of processor time for a prompt: %s\n", GOAL_MS,
	       worst <= GOAL_MS ? "met" : "not met");
	ag_know_set_free(o.knowledge);
	ag_arena_free(arena);
	return worst > GOAL_MS;
}
