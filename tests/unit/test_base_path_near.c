/* The file that was probably meant: in the same folder, in a folder that is misspelt, with another extension. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path_near.h"

static char before[4096], folder[] = "/tmp/argus-near-XXXXXX";

static void touch(const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static int set_up(void **state)
{
	static const char *const files[] = { "orders.json", "customers.ndjson", ".hidden.json",
		                             "data/items.csv", "two words.csv" };

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("data", 0700), 0);
	assert_int_equal(mkdir("many", 0700), 0);
	for (size_t i = 0; i < AG_NELEM(files); i++)
		touch(files[i]);
	return 0;
}

static int take_out(const char *path, const struct stat *sb, int type, struct FTW *at)
{
	(void)sb;
	(void)type;
	(void)at;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(chdir(before), 0);
	return nftw(folder, take_out, 16, FTW_DEPTH | FTW_PHYS);
}

static void near(const char *path, const char *want)
{
	ag_arena *arena = ag_arena_new();
	const ag_str got = ag_path_near(ag_str_c(path), arena);

	if (!ag_str_eqc(got, want))
		fail_msg("\"%s\": want \"%s\", got \"%.*s\"", path, want, AG_FMT(got));
	ag_arena_free(arena);
}

static void names(void **state)
{
	(void)state;
	near("order.json", "orders.json");
	near("./order.json", "./orders.json");
	near("Orders.json", "orders.json");
	near("orders", "orders.json");
	near("customers.csv", "customers.ndjson");
	near("two word.csv", "two words.csv");
	near("xylophone.json", "");
	near("", "");
	near("/", "");
	near("hidden.json", "");
	near(".hiden.json", ".hidden.json");
}

static void folders(void **state)
{
	char whole[100], want[100];

	(void)state;
	near("data/item.csv", "data/items.csv");
	near("dat/items.csv", "data/items.csv");
	near("dta/items.csv", "data/items.csv");
	near("dta/nothing.csv", "data");
	near("dta/deep/er/x.csv", "data");
	near("dta/", "data/");
	near("nowhere/items.csv", "");
	snprintf(whole, sizeof(whole), "%s/order.json", folder);
	snprintf(want, sizeof(want), "%s/orders.json", folder);
	near(whole, want);
}

/* Only the first AG_PATH_NEAR_NAMES of a folder are compared: a wrong name costs no more. */
static void limits(void **state)
{
	char name[40], wide[300];

	(void)state;
	for (int i = 0; i < AG_PATH_NEAR_NAMES + 50; i++) {
		snprintf(name, sizeof(name), "many/file-%d.json", i);
		touch(name);
	}
	near("many/nothing-like-them", "");
	memset(wide, 'a', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	near(wide, "");
}

static void hints(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };

	(void)state;
	ag_fail(&err, AG_NOT_FOUND, "test", "it is not there");
	assert_int_equal(ag_path_near_hint(AG_S("xylophone"), arena, &err), AG_NOT_FOUND);
	assert_string_equal(err.hint, "");
	assert_int_equal(ag_path_near_hint(AG_S("order.json"), arena, &err), AG_NOT_FOUND);
	assert_string_equal(err.hint, "did you mean \"orders.json\"?");
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(folders),
		cmocka_unit_test(limits),
		cmocka_unit_test(hints),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
