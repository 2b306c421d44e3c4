/* SHA-256: the examples of FIPS 180-4 and NIST's, every length around a block, and what `sha256sum` says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sha256.h"

extern char **environ;

static void published(void **state)
{
	static const struct {
		ag_str in;
		const char *hash;
	} examples[] = {
		{ AG_S_INIT(""),
		  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ AG_S_INIT("abc"),
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ AG_S_INIT("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
		{ AG_S_INIT("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		            "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
		  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
		{ AG_S_INIT("\xbd"),
		  "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b" },
	};
	ag_str nothing = { NULL, 0 };
	char *million = (char *)malloc(1000000);

	(void)state;
	for (size_t i = 0; i < AG_NELEM(examples); i++)
		assert_string_equal(ag_sha256(examples[i].in).text, examples[i].hash);
	assert_string_equal(ag_sha256(nothing).text, examples[0].hash);
	assert_non_null(million);
	memset(million, 'a', 1000000);
	assert_string_equal(ag_sha256(ag_str_make(million, 1000000)).text,
	                    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(million);
}

/* What `sha256sum` prints for the file. */
static void ask_sha256sum(const char *path, char ret[65])
{
	char program[] = "sha256sum", argument[64];
	char *const argv[] = { program, argument, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], status;
	pid_t pid;

	snprintf(argument, sizeof(argument), "%s", path);
	assert_int_equal(pipe(ends), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	assert_int_equal(posix_spawnp(&pid, program, &actions, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(read(ends[0], ret, 64), 64);
	ret[64] = '\0';
	close(ends[0]);
}

static void as_sha256sum_says(void **state)
{
	char path[] = "/tmp/argus-sha256-XXXXXX", theirs[65], bytes[260];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 131 + 7);
	for (size_t len = 1; len<sizeof(bytes); len += len> 50 && len < 70 ? 1 : 23) {
		assert_int_equal(pwrite(fd, bytes, len, 0), (ssize_t)len);
		assert_int_equal(ftruncate(fd, (off_t)len), 0);
		ask_sha256sum(path, theirs);
		assert_string_equal(ag_sha256(ag_str_make(bytes, len)).text, theirs);
	}
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published),
		cmocka_unit_test(as_sha256sum_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
