/* Which process writes a run, and whether it still lives: real processes, looked up in /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/owner.h"

static void own_name_is_alive(void **state)
{
	ag_arena *arena = ag_arena_new();
	const ag_str a = ag_owner_new(&ag_clock_system, arena);
	const ag_str b = ag_owner_new(&ag_clock_system, arena);

	(void)state;
	assert_false(ag_str_eq(a, b));
	assert_true(a.len <= 160);
	assert_int_equal(ag_owner_pid(a), getpid());
	assert_int_equal(ag_owner_state_of(a), AG_OWNER_ALIVE);
	ag_arena_free(arena);
}

/* A child's name, as it tells it through a pipe. */
static pid_t child_with_name(char name[256])
{
	int fd[2];
	pid_t pid;
	ssize_t n;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		ag_arena *arena = ag_arena_new();
		const ag_str s = ag_owner_new(&ag_clock_system, arena);

		if (write(fd[1], s.ptr, s.len) == (ssize_t)s.len)
			pause();
		_exit(1);
	}
	n = read(fd[0], name, 255);
	assert_true(n > 0);
	name[n] = '\0';
	close(fd[0]);
	close(fd[1]);
	return pid;
}

/* Alive, killed but not yet waited for, gone. */
static void a_killed_process_is_dead_at_once(void **state)
{
	char name[256];
	const pid_t pid = child_with_name(name);
	siginfo_t info;

	(void)state;
	assert_int_equal(ag_owner_pid(ag_str_c(name)), pid);
	assert_int_equal(ag_owner_state_of(ag_str_c(name)), AG_OWNER_ALIVE);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(ag_owner_state_of(ag_str_c(name)), AG_OWNER_DEAD);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(ag_owner_state_of(ag_str_c(name)), AG_OWNER_DEAD);
}

/* A number that was given again: another start, so another process. */
static void a_number_is_not_a_process(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_str rest = ag_owner_new(&ag_clock_system, arena);
	const ag_str boot = ag_str_split(&rest, ':'), ns = ag_str_split(&rest, ':');
	const ag_str pid = ag_str_split(&rest, ':'), start = ag_str_split(&rest, ':');
	const ag_str other = ag_str_printf(arena, "%.*s:%.*s:%.*s:%.*s1:%.*s", AG_FMT(boot),
	                                   AG_FMT(ns), AG_FMT(pid), AG_FMT(start), AG_FMT(rest));
	const ag_str elsewhere = ag_str_printf(arena, "x%.*s:%.*s:%.*s:%.*s:%.*s", AG_FMT(boot),
	                                       AG_FMT(ns), AG_FMT(pid), AG_FMT(start),
	                                       AG_FMT(rest));

	(void)state;
	assert_int_equal(ag_owner_state_of(other), AG_OWNER_DEAD);
	assert_int_equal(ag_owner_state_of(elsewhere), AG_OWNER_UNKNOWN);
	ag_arena_free(arena);
}

static void other_texts_are_unknown(void **state)
{
	static const char *const texts[] = {
		"",        "a",           "1234:0190c3e2",
		":::::",   "a:b:c:d:e",   "a:b:-1:d:e",
		"a:b:1:d", "a:b:1:d:e:f", "a:b:99999999999999999999:d:e"
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(texts); i++)
		assert_int_equal(ag_owner_state_of(ag_str_c(texts[i])), AG_OWNER_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_name_is_alive),
		cmocka_unit_test(a_killed_process_is_dead_at_once),
		cmocka_unit_test(a_number_is_not_a_process),
		cmocka_unit_test(other_texts_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
