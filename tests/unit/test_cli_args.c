/* The command line: what is taken, what is refused, and that the tables are whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/cli.h"

/* words: the command, then its arguments, separated by one blank. */
static ag_cli *parse(const char *words)
{
	ag_cli *c = calloc(1, sizeof(*c));
	ag_str rest = ag_str_c(words);
	char *argv[32];
	int argc = 0;

	ag_app_init(&c->app, NULL);
	ag_buf_init(&c->complaints, 64 * 1024);
	c->term.utf8 = true;
	c->command = ag_cli_find(ag_str_split(&rest, ' '));
	assert_non_null(c->command);
	while (rest.ptr) {
		assert_true(argc < 32);
		argv[argc++] = ag_str_cstr(c->app.arena, ag_str_split(&rest, ' '));
	}
	ag_cli_parse(c, argc, argv);
	return c;
}

static void done(ag_cli *c)
{
	ag_buf_release(&c->complaints);
	ag_app_release(&c->app);
	free(c);
}

static void refuses(const char *words, const char *why)
{
	ag_cli *c = parse(words);
	ag_str got = ag_buf_view(&c->complaints);

	if (!got.len || !ag_str_contains(got, ag_str_c(why)))
		fail_msg("%s: want \"%s\", got \"%.*s\"", words, why, AG_FMT(got));
	done(c);
}

static void takes(const char *words, size_t narg)
{
	ag_cli *c = parse(words);

	if (c->complaints.len)
		fail_msg("%s: %s", words, c->complaints.ptr);
	assert_int_equal(c->narg, narg);
	done(c);
}

static void forms(void **state)
{
	ag_cli *c = parse("audit --seed=7 a.json --out x.txt -ojson -vq b.json -v -- --seed");

	(void)state;
	assert_int_equal(c->complaints.len, 0);
	assert_int_equal(c->narg, 3);
	assert_true(ag_str_eqc(c->args[0], "a.json") && ag_str_eqc(c->args[1], "b.json"));
	assert_true(ag_str_eqc(c->args[2], "--seed"));
	assert_int_equal(c->nset, 2);
	assert_int_equal(c->sets[0].row, ag_settings_find(AG_S("seed")));
	assert_true(ag_str_eqc(c->sets[0].text, "7"));
	assert_string_equal(c->sets[0].where, "--seed");
	assert_true(ag_str_eqc(c->sets[1].text, "json"));
	assert_true(ag_str_eqc(ag_cli_value(c, "out"), "x.txt"));
	assert_true(c->quiet && ag_cli_has(c, "verbose") && !ag_cli_has(c, "config"));
	done(c);
}

static void accepted(void **state)
{
	(void)state;
	takes("audit -", 1);
	takes("verify -", 1);
	takes("audit a -n all", 1);
	takes("audit a -nall --strict --show-values", 1);
	takes("runs", 0);
	takes("query a {}", 2);
	takes("audit a --set seed=7 --set threads=2", 1);
	takes("audit a --as-of=", 1); /* the value is judged later, by its row */
}

static void refused(void **state)
{
	(void)state;
	refuses("inspect", "want SOURCE");
	refuses("audit a --sed 7", "unknown option \"--sed\"; did you mean \"--seed\"?");
	refuses("audit a --nothing-like-it", "unknown option \"--nothing-like-it\"\n");
	refuses("audit a -z", "unknown option \"-z\"");
	refuses("audit a --strict=yes", "--strict takes no value");
	refuses("audit a --seed", "--seed: want a value (N)");
	refuses("audit a --out --quiet", "--out: want a value (FILE)");
	refuses("audit a --seed -- 7", "--seed: want a value (N)");
	refuses("audit a -n", "--sample-size: want a value (N|all)");
	refuses("audit ", "argument 1 is empty");
	refuses("show a b", "one argument too many: \"b\"");
	refuses("query a", "want SOURCE FILTER");
	refuses("audit a --set seed", "--set: want KEY=VALUE");
	refuses("audit a --set sead=1", "unknown setting \"sead\"; did you mean \"seed\"?");
	refuses("runs --fail-on high", "unknown option \"--fail-on\"");
	/* Control characters of an argument stay out of the terminal. */
	refuses("audit a --\033[31m", "unknown option \"--\\u001b[31m\"");
}

static void all_complaints_at_once(void **state)
{
	ag_cli *c = parse("inspect --nope --sed -n");

	(void)state;
	assert_non_null(strstr(c->complaints.ptr, "--nope"));
	assert_non_null(strstr(c->complaints.ptr, "--seed"));
	assert_non_null(strstr(c->complaints.ptr, "--sample-size: want a value"));
	assert_non_null(strstr(c->complaints.ptr, "want SOURCE"));
	done(c);
}

static void numbers(void **state)
{
	static const char *const bad[] = {
		"runs --limit 0",   "runs --limit 1001",
		"runs --limit -1",  "runs --limit +1",
		"runs --limit 3x",  "runs --limit=",
		"runs --limit 1e2", "runs --limit 99999999999999999999"
	};
	ag_cli *c = parse("runs --limit 7");

	(void)state;
	assert_int_equal(ag_cli_number(c, "limit", 1, 1000, 20), 7);
	assert_int_equal(c->complaints.len, 0);
	done(c);
	c = parse("runs");
	assert_int_equal(ag_cli_number(c, "limit", 1, 1000, 20), 20);
	done(c);
	for (size_t i = 0; i < AG_NELEM(bad); i++) {
		c = parse(bad[i]);
		ag_cli_number(c, "limit", 1, 1000, 20);
		if (!c->complaints.len || !strstr(c->complaints.ptr, "from 1 to 1000"))
			fail_msg("%s was taken", bad[i]);
		done(c);
	}
}

static void check_options(const ag_command *cmd, const ag_option *o, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (o[i].setting && ag_settings_find(ag_str_c(o[i].setting)) < 0)
			fail_msg("%s --%s sets \"%s\", which is no setting", cmd->name, o[i].name,
			         o[i].setting);
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(o[i].name, o[k].name);
			assert_true(!o[i].letter || o[i].letter != o[k].letter);
		}
	}
}

static void tables_are_whole(void **state)
{
	size_t n, ncommon;
	const ag_command *const *list = ag_cli_commands(&n);

	ag_cli_common_options(&ncommon);
	(void)state;
	assert_true(n >= 10);
	for (size_t i = 0; i < n; i++) {
		const ag_command *cmd = list[i];
		const size_t noption = ag_cli_noption(cmd);
		ag_option all[AG_CLI_MAX_OPTIONS];

		assert_non_null(cmd->run);
		assert_true(strlen(cmd->summary) > 10 && cmd->usage && cmd->about);
		assert_true(cmd->group >= AG_GROUP_CHECK && cmd->group < AG_GROUP_END);
		assert_true(!i || cmd->group >= list[i - 1]->group);
		assert_true(noption + ncommon <= AG_CLI_MAX_OPTIONS);
		assert_ptr_equal(ag_cli_find(ag_str_c(cmd->name)), cmd);
		for (size_t k = 0; k < noption; k++)
			assert_true(ag_cli_option(cmd, k, &all[k]));
		for (size_t k = 0; k < ncommon; k++)
			all[noption + k] = ag_cli_common_option(cmd, k);
		check_options(cmd, all, noption + ncommon);
	}
	assert_string_equal(ag_cli_nearest(AG_S("adit")), "audit");
	assert_null(ag_cli_nearest(AG_S("xylophone")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),   cmocka_unit_test(accepted),
		cmocka_unit_test(refused), cmocka_unit_test(all_complaints_at_once),
		cmocka_unit_test(numbers), cmocka_unit_test(tables_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
