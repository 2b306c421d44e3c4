/* source_fixtures -- one row per kind of source, each able to hold any documents it is given.
 *
 * Every test of tests/contract/test_source*.c runs once per row. A fixture writes the documents to where its
 * source reads them and says the URI; what it needs beyond the folder it is given (a server), it skips
 * without. A test has one env: its collection, an arena, and the folder, removed at the end.
 *
 * Two collections serve most tests: "people", seven nested documents after the scenarios of the seed, and
 * "flat", rows that also CSV can hold. */
#ifndef TEST_SOURCE_FIXTURES_H
#define TEST_SOURCE_FIXTURES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "documents/source.h"

typedef struct source_fixture {
	const char *name;
	/* Rows of text only: no nested documents, and a member is missing only at the end. */
	bool is_flat;
	/* The place of the fourth document of "flat"; NULL = its source does not tell. */
	const char *fourth;
	/* Make `docs` the collection "people"; *ret_uri is how to open it. */
	void (*fill)(const char *folder, ag_arena *arena, const ag_val *docs, size_t n,
	             ag_str *ret_uri);
} source_fixture;

extern const source_fixture source_fixtures[];
extern const size_t source_nfixture;

typedef struct env {
	const source_fixture *fixture;
	char folder[64];
	ag_arena *arena;
	ag_source *source;
	ag_err err;
} env;

#define NFLAT 6
extern const char *const source_people[7];
extern const char *const source_flat[NFLAT];

ag_val source_query_of(env *e, const char *text);
void source_open_vals(env *e, const ag_val *docs, size_t n);
void source_open_flat(env *e);
void source_open_people(env *e);
/* The value as relaxed extended JSON. */
void source_assert_text(env *e, const ag_val *v, const char *want);
/* The call failed with this status, and its message holds `part`. */
void source_assert_err(env *e, ag_status got, ag_status want, const char *part);

typedef struct source_test {
	const char *name;
	CMUnitTestFunction run;
	bool is_nested; /* asks about nested documents: nothing for flat sources */
} source_test;

/* Each test on each fixture, as "csv_where"; the number of failed ones. */
int source_run_suite(const source_test *tests, size_t ntest);

#endif
