/* The look-up in the embedded table against a walk over the whole table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/embedded.h"

static void every_file_is_found_and_sorted(void **state)
{
	(void)state;
	for (size_t i = 0; i < ag_embedded_nfile; i++) {
		const ag_embedded *f = &ag_embedded_files[i];

		assert_ptr_equal(ag_embedded_find(f->path), f);
		assert_int_equal(f->ptr[f->len], 0);
		if (i > 0)
			assert_true(strcmp(ag_embedded_files[i - 1].path, f->path) < 0);
	}
}

static void unknown_path_is_null(void **state)
{
	(void)state;
	assert_null(ag_embedded_find(""));
	assert_null(ag_embedded_find("no/such/file"));
	assert_null(ag_embedded_find("~"));
}

static void prefix_lists_neighbours(void **state)
{
	const ag_embedded *first = NULL;
	size_t expected = 0;

	(void)state;
	for (size_t i = 0; i < ag_embedded_nfile; i++)
		expected += strncmp(ag_embedded_files[i].path, "prompts/", 8) == 0;
	assert_int_equal(ag_embedded_list("prompts/", &first), expected);
	assert_int_equal(first != NULL, expected > 0);
	for (size_t i = 0; i < expected; i++)
		assert_memory_equal(first[i].path, "prompts/", 8);

	assert_int_equal(ag_embedded_list("", &first), ag_embedded_nfile);
	assert_int_equal(ag_embedded_list("no/such/", &first), 0);
	assert_null(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_is_found_and_sorted),
		cmocka_unit_test(unknown_path_is_null),
		cmocka_unit_test(prefix_lists_neighbours),
	};

	return cmocka_run_group_tests_name("embedded", tests, NULL, NULL);
}
