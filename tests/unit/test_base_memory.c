/* How much memory is free, from /proc and /sys as kernels and containers write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "../contract/folder.h"
#include "base/memory.h"
#include "base/str.h"

#define MB (1024ull * 1024)

static char root[128];

static void put(const char *path, const char *text)
{
	char name[512];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *slash = strchr(name + strlen(root), '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(name, 0700);
		*slash = '/';
	}
	f = fopen(name, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int new_root(void **state)
{
	(void)state;
	test_folder_make(root, "memory");
	put("/proc/self/statm", "5000 1000 500 10 0 2000 0\n");
	put("/proc/meminfo", "MemTotal:  8000 kB\nMemAvailable:  2097152 kB\nSwapFree:  1024 kB\n");
	return 0;
}

static int drop_root(void **state)
{
	(void)state;
	test_folder_remove(root);
	return 0;
}

static uint64_t resident_free(void)
{
	ag_memory m;

	ag_memory_read(root, &m);
	return m.resident_free;
}

static void the_machine(void **state)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	ag_memory m;

	(void)state;
	ag_memory_read(root, &m);
	assert_int_equal(m.address, 5000 * page);
	assert_int_equal(m.resident, 1000 * page);
	assert_int_equal(m.resident_free, 2049 * MB);
	put("/proc/meminfo", "MemTotal:  8000 kB\n");
	assert_true(resident_free() == UINT64_MAX);
	ag_memory_read("/nonexistent/root", &m);
	assert_int_equal(m.address, 0);
	assert_true(m.resident_free == UINT64_MAX);
}

static void groups_v2(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "0::/user.slice/job.scope\n");
	assert_int_equal(resident_free(), 2049 * MB);
	put("/sys/fs/cgroup/user.slice/job.scope/memory.max", "max\n");
	assert_int_equal(resident_free(), 2049 * MB);
	/* The group above limits as well; pages of files can be given up. */
	put("/sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
	put("/sys/fs/cgroup/user.slice/memory.current", "805306368\n");
	assert_int_equal(resident_free(), 256 * MB);
	put("/sys/fs/cgroup/user.slice/memory.stat",
	    "anon 1\ninactive_file 104857600\nactive_file 52428800\n");
	assert_int_equal(resident_free(), 406 * MB);
	put("/sys/fs/cgroup/user.slice/memory.current", "2000000000\n");
	put("/sys/fs/cgroup/user.slice/memory.stat", "");
	assert_int_equal(resident_free(), 0);
}

static void groups_of_a_container(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/memory.max", "536870912\n");
	put("/sys/fs/cgroup/memory.current", "0\n");
	assert_int_equal(resident_free(), 512 * MB);
	/* A path that the container does not see. */
	put("/proc/self/cgroup", "0::/../other/x\n");
	assert_int_equal(resident_free(), 512 * MB);
}

static void groups_v1(void **state)
{
	(void)state;
	put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/box/inner\n0::/\n");
	put("/sys/fs/cgroup/memory/box/inner/memory.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal(resident_free(), 2049 * MB);
	put("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "104857600\n");
	put("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "52428800\n");
	put("/sys/fs/cgroup/memory/box/memory.stat", "total_inactive_file 10485760\n");
	assert_int_equal(resident_free(), 60 * MB);
}

/* Odd texts are no limit, and nothing is read beyond them. */
static void broken_files(void **state)
{
	static const char *const groups[] = { "", "\n", "0::", "0::no slash\n", "4:memory:", "x" };
	char longest[6000];

	(void)state;
	for (size_t i = 0; i < AG_NELEM(groups); i++) {
		put("/proc/self/cgroup", groups[i]);
		assert_int_equal(resident_free(), 2049 * MB);
	}
	memset(longest, 'a', sizeof(longest) - 1);
	memcpy(longest, "0::/", 4);
	longest[sizeof(longest) - 1] = '\0';
	put("/proc/self/cgroup", longest);
	assert_int_equal(resident_free(), 2049 * MB);
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/memory.max", "-5\n");
	assert_int_equal(resident_free(), 2049 * MB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_machine, new_root, drop_root),
		cmocka_unit_test_setup_teardown(groups_v2, new_root, drop_root),
		cmocka_unit_test_setup_teardown(groups_of_a_container, new_root, drop_root),
		cmocka_unit_test_setup_teardown(groups_v1, new_root, drop_root),
		cmocka_unit_test_setup_teardown(broken_files, new_root, drop_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
