/* What the sandbox says of itself, on kernels that lack it and where it cannot be entered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sandbox_parts.h"

/* In a child an assertion of cmocka would jump into the parent's tests. */
#define CHECK(x)                                                                \
	do {                                                                    \
		if (!(x)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x); \
			_exit(1);                                               \
		}                                                               \
	} while (0)

static const ag_sandbox_opts nothing = { .any_port = true };

static int kernels_abi(void)
{
	int e, abi = ag_landlock_abi(&e);

	return abi > AG_LANDLOCK_MAX_ABI ? AG_LANDLOCK_MAX_ABI : abi;
}

static int read_hosts(void)
{
	int fd = open("/etc/hosts", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int bind_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int e = bind(fd, (const struct sockaddr *)&at, sizeof(at)) ? errno : 0;

	close(fd);
	return e;
}

/* The discard port of this machine: refused by nobody who listens, or by the kernel. */
static int connect_somewhere(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), e;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	e = connect(fd, (const struct sockaddr *)&to, sizeof(to)) ? errno : 0;
	close(fd);
	return e == ECONNREFUSED ? 0 : e;
}

static void reports(void)
{
	const uint16_t port = 80;
	const ag_sandbox_opts o = { .ports = &port, .nport = 1 };
	ag_sandbox_report r;

	/* Each time anew, within the earlier ones: what is allowed can only become less. */
	CHECK(!ag_sandbox_enter_as(&o, 0, false, &r, NULL));
	CHECK(!r.files && !r.ports && !r.starts_nothing && !r.landlock_abi);
	CHECK(!strcmp(r.missing,
	              "files and ports are not limited: this kernel has no Landlock; starting "
	              "programs is not forbidden: this kernel has no seccomp filters"));
	CHECK(!read_hosts() && !connect_somewhere() && !bind_port());
	if (kernels_abi() < 4)
		return;
	CHECK(!ag_sandbox_enter_as(&o, 2, false, &r, NULL));
	CHECK(r.files && !r.ports && r.landlock_abi == 2);
	CHECK(strstr(r.missing, "truncating files is not limited by Landlock ABI 2; ports are not "
	                        "limited by Landlock ABI 2; starting"));
	CHECK(read_hosts() == EACCES && !connect_somewhere() && !bind_port());
	CHECK(!ag_sandbox_enter_as(&o, 4, false, &r, NULL));
	CHECK(r.files && r.ports && r.landlock_abi == 4);
	CHECK(connect_somewhere() == EACCES && bind_port() == EACCES);
	if (ag_seccomp_probe())
		return;
	CHECK(!ag_sandbox_enter(&o, &r, NULL));
	CHECK(r.files && r.ports && r.starts_nothing && r.landlock_abi >= 4);
	CHECK(!strcmp(r.missing, "") && bind_port() == EPERM);
}

static void any_port(void)
{
	ag_sandbox_report r;

	CHECK(!ag_sandbox_enter_as(&nothing, kernels_abi(), false, &r, NULL));
	CHECK(!r.ports && !strstr(r.missing, "ports are"));
	CHECK(!connect_somewhere());
	CHECK(bind_port() == (kernels_abi() >= 4 ? EACCES : 0));
	CHECK(read_hosts() == (kernels_abi() ? EACCES : 0));
}

/* The kernel lets a process enter Landlock 16 times. */
static void too_often(void)
{
	ag_sandbox_report r;

	for (int i = 0; i < 16; i++)
		CHECK(!ag_sandbox_enter_as(&nothing, kernels_abi(), false, &r, NULL));
	CHECK(!ag_sandbox_enter_as(&nothing, kernels_abi(), false, &r, NULL));
	if (kernels_abi())
		CHECK(!r.files && strstr(r.missing, "limited: Landlock: Argument list too long"));
}

static void *wait_for_end(void *arg)
{
	char byte;

	return read(*(int *)arg, &byte, 1) < 0 ? arg : NULL;
}

static void with_threads(void)
{
	ag_sandbox_report r;
	pthread_t thread;
	int ends[2];
	ag_err err;

	CHECK(!pipe(ends));
	CHECK(!pthread_create(&thread, NULL, wait_for_end, &ends[0]));
	CHECK(ag_sandbox_enter(&nothing, &r, &err) == AG_INTERNAL);
	CHECK(strstr(err.msg, "2 threads"));
	CHECK(!read_hosts() && !bind_port());
	close(ends[1]);
	pthread_join(thread, NULL);
	CHECK(!ag_sandbox_enter(&nothing, &r, &err));
}

static void in_child(void (*fn)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(20);
		fn();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void kernels(void **state)
{
	(void)state;
	in_child(reports);
}

static void ports_may_be_free(void **state)
{
	(void)state;
	in_child(any_port);
}

static void refused_by_the_kernel(void **state)
{
	(void)state;
	in_child(too_often);
}

static void threads_are_running(void **state)
{
	(void)state;
	if (AG_SANDBOX_SANITIZED) {
		print_message("# skip: sanitizers have threads of their own\n");
		skip();
	}
	in_child(with_threads);
}

static void probe(void **state)
{
	ag_sandbox_report r;

	(void)state;
	ag_sandbox_probe(&r);
	assert_int_equal(r.files, kernels_abi() > 0);
	assert_int_equal(r.ports, kernels_abi() >= 4);
	assert_int_equal(r.starts_nothing, !ag_seccomp_probe());
	assert_int_equal(r.missing[0] == '\0', r.ports && r.starts_nothing);
	assert_int_equal(read_hosts(), 0); /* nothing was entered */
	assert_int_equal(bind_port(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels),
		cmocka_unit_test(ports_may_be_free),
		cmocka_unit_test(refused_by_the_kernel),
		cmocka_unit_test(threads_are_running),
		cmocka_unit_test(probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
