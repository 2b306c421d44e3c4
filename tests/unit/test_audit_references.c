/* References between two files of a folder: what is found, how severe, and what refers to nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "../contract/folder.h"
#include "audit/checks.h"
#include "audit/neighbours.h"

#define NPOLICY 60

static const ag_ctx ctx = { 0 };

/* {"claim": 7, name: "P-107"}; every broken-th refers to nothing. */
static void write_claims(const char *path, const char *name, unsigned n, unsigned broken)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (unsigned i = 0; i < n; i++)
		(void)fprintf(f, "{\"claim\":%u,\"%s\":\"P-%u\"}\n", i, name,
		              broken && i % broken == 0 ? 9000 + i : 100 + i % NPOLICY);
	assert_int_equal(fclose(f), 0);
}

static void write_policies(const char *path, unsigned n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (unsigned i = 0; i < n; i++)
		(void)fprintf(f, "{\"policy_no\":\"P-%u\",\"class\":\"a\"}\n", 100 + i);
	assert_int_equal(fclose(f), 0);
}

/* Severity of the finding "referential" in claims.ndjson; -1: there is none. */
static int found_in(const char *name, unsigned n, unsigned broken, unsigned npolicy)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_catalogue_opts o = { 0, 0.05, 0.20, 0.98 };
	char folder[128], claims[160], policies[160];
	ag_neighbours *neighbours;
	ag_source_place *places;
	ag_hypotheses hs;
	ag_source *s;
	ag_frames frames;
	ag_profile p;
	ag_across x;
	size_t nplace;
	int ret = -1;
	ag_err err;

	test_folder_make(folder, "references");
	(void)snprintf(claims, sizeof(claims), "%s/claims.ndjson", folder);
	(void)snprintf(policies, sizeof(policies), "%s/policies.ndjson", folder);
	write_claims(claims, name, n, broken);
	write_policies(policies, npolicy);
	assert_int_equal(ag_source_list(&ctx, ag_str_c(folder), arena, &places, &nplace, &err),
	                 AG_OK);
	assert_int_equal(nplace, 2);
	neighbours = ag_neighbours_new(places, nplace);
	assert_int_equal(ag_source_open_place(&ctx, &places[0], NULL, &s, &err), AG_OK);
	assert_int_equal(ag_source_profile(s, &ctx, arena, &p, &err), AG_OK);
	assert_int_equal(ag_source_frames(s, &ctx, &p, arena, &frames, &err), AG_OK);
	x = (ag_across){ .p = &p,
		         .frames = &frames,
		         .o = &o,
		         .ctx = &ctx,
		         .neighbours = neighbours,
		         .own = places[0].key };
	assert_int_equal(ag_catalogue_run(&x, arena, &hs, &err), AG_OK);
	for (size_t i = 0; i < hs.n; i++) {
		if (strcmp(hs.items[i].category, "referential") != 0)
			continue;
		ret = (int)hs.items[i].severity;
		assert_true(ag_str_contains(hs.items[i].evidence, AG_S("P-9")));
		assert_false(ag_str_contains(hs.items[i].evidence, AG_S("P-101\"")));
	}
	ag_source_close(s);
	ag_neighbours_free(neighbours);
	test_folder_remove(folder);
	return ret;
}

static void broken_references_are_listed(void **state)
{
	(void)state;
	assert_int_equal(found_in("policy_no", 1000, 1000, NPOLICY), AG_MEDIUM);
	assert_int_equal(found_in("policy_no", 1000, 100, NPOLICY), AG_MEDIUM);
	assert_int_equal(found_in("policy_no", 1000, 20, NPOLICY), AG_MEDIUM);
	assert_int_equal(found_in("policy_no", 1000, 10, NPOLICY), AG_LOW);
	assert_int_equal(found_in("policy_no", 1000, 6, NPOLICY), AG_LOW);
	assert_int_equal(found_in("policy_no", 30, 29, NPOLICY), AG_LOW);
}

static void a_field_named_for_the_collection_refers_to_it(void **state)
{
	(void)state;
	assert_int_equal(found_in("policyId", 1000, 100, NPOLICY), AG_MEDIUM);
}

static void near_misses(void **state)
{
	(void)state;
	assert_int_equal(found_in("policy_no", 1000, 0, NPOLICY), -1);     /* all are there */
	assert_int_equal(found_in("policy_no", 1000, 2, NPOLICY), -1);     /* half is not */
	assert_int_equal(found_in("policy_no", 1000, 0, NPOLICY / 2), -1); /* half is elsewhere */
	assert_int_equal(found_in("seat", 1000, 100, NPOLICY), -1); /* short, of another name */
	assert_int_equal(found_in("policy_no", 4, 4, NPOLICY), -1); /* four documents */
	assert_int_equal(found_in("policy_no", 1000, 100, 4), -1);  /* four keys */
}

static void a_number_and_its_text_are_one_key(void **state)
{
	const ag_val text = ag_val_str(AG_S("12")), number = ag_val_int(12),
		     other = ag_val_double(12.5);
	uint64_t a, b;

	(void)state;
	assert_true(ag_neighbour_hash(&text, &a));
	assert_true(ag_neighbour_hash(&number, &b));
	assert_true(a == b);
	assert_false(ag_neighbour_hash(&other, &a));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_references_are_listed),
		cmocka_unit_test(a_field_named_for_the_collection_refers_to_it),
		cmocka_unit_test(near_misses),
		cmocka_unit_test(a_number_and_its_text_are_one_key),
	};

	return cmocka_run_group_tests_name("audit_references", tests, NULL, NULL);
}
