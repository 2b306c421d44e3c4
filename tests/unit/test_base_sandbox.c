/* The sandbox, tried from inside: each attempt is made by a child of its own, without limits (where it must succeed, or the
 * test could not fail), with Landlock alone, with seccomp alone, with both, and as older kernels would do it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/sandbox_parts.h"

/* in/file, in/link -> ../out/file, out/file, work/file; the children work in it */
static char folder[] = "/tmp/argus-sandbox-XXXXXX";
static int listeners[2]; /* the first one's port may be connected to */
static uint16_t ports[2];

static int ok(long result)
{
	return result < 0 ? errno : 0;
}

static int open_and_close(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int make_folder_inside(void)
{
	return ok(mkdir("in/folder", 0700));
}
static int remove_inside(void)
{
	return ok(unlink("in/file"));
}
static int rename_inside(void)
{
	return ok(rename("in/file", "in/other"));
}
static int truncate_inside(void)
{
	return ok(truncate("in/file", 0));
}
/* What a store does in its folder. */
static int write_where_allowed(void)
{
	int fd = open("work/file", O_RDWR | O_CLOEXEC), e;

	if (fd < 0)
		return errno;
	e = ok(pwrite(fd, "text", 4, 0));
	e = e ? e : ok(ftruncate(fd, 2));
	e = e ? e : ok(fchmod(fd, 0600));
	close(fd);
	e = e ? e : open_and_close("work/new", O_RDWR | O_CREAT);
	e = e ? e : ok(rename("work/new", "work/other"));
	e = e ? e : ok(unlink("work/other"));
	e = e ? e : ok(mkdir("work/folder", 0700));
	return e ? e : ok(rmdir("work/folder"));
}
static int move_where_allowed(void)
{
	return ok(rename("work/file", "work/below/file"));
}
static int make_link_where_allowed(void)
{
	return ok(symlink("/etc", "work/etc"));
}
static int exec_program(void)
{
	char name[] = "true";
	char *const argv[] = { name, NULL };

	execv("/bin/true", argv);
	return errno;
}
static int fork_process(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : ok(waitpid(pid, &status, 0));
}
#ifdef __x86_64__
static int fork_as_of_old(void)
{
	int status;
	long pid = syscall(SYS_fork);

	if (pid == 0)
		syscall(SYS_exit_group, 0);
	return pid < 0 ? errno : ok(waitpid((pid_t)pid, &status, 0));
}
#endif
static int clone_3(void)
{
	uint64_t args[8] = { 0 };
	long pid;
	int status;

	args[4] = SIGCHLD;
	pid = syscall(SYS_clone3, args, sizeof(args));
	if (pid == 0)
		syscall(SYS_exit_group, 0);
	return pid < 0 ? errno : ok(waitpid((pid_t)pid, &status, 0));
}
static int be_traced(void)
{
	return ok(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}
static int signal_parent(void)
{
	return ok(kill(getppid(), SIGCONT));
}
static int signal_self(void)
{
	signal(SIGUSR1, SIG_IGN);
	return raise(SIGUSR1) ? errno : ok(kill(getpid(), SIGUSR1));
}

static int connect_to(uint16_t port, int flags)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), e;

	if (fd < 0)
		return errno;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (flags)
		e = ok(sendto(fd, "x", 1, flags, (const struct sockaddr *)&to, sizeof(to)));
	else
		e = ok(connect(fd, (const struct sockaddr *)&to, sizeof(to)));
	close(fd);
	return e == EINPROGRESS ? 0 : e;
}
static int connect_allowed(void)
{
	return connect_to(ports[0], 0);
}
static int connect_other(void)
{
	return connect_to(ports[1], 0);
}
/* Fast open connects without connect(). */
static int connect_fast(void)
{
	return connect_to(ports[1], MSG_FASTOPEN);
}
static int bind_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), e;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	e = fd < 0 ? errno : ok(bind(fd, (const struct sockaddr *)&at, sizeof(at)));
	close(fd);
	return e;
}
static int listen_unbound(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), e;

	e = fd < 0 ? errno : ok(listen(fd, 1));
	close(fd);
	return e;
}
static int open_socket(int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}
static int udp_sockets(void)
{
	int e = open_socket(AF_INET, SOCK_DGRAM, 0);
	int e6 = open_socket(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK, IPPROTO_UDP);

	return e ? e : e6 == EAFNOSUPPORT && access("/proc/net/if_inet6", F_OK) ? 0 : e6;
}
static int netlink_socket(void)
{
	/* nl_family, padding, nl_pid, nl_groups */
	struct {
		uint16_t family, pad;
		uint32_t pid, groups;
	} at = { .family = AF_NETLINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0), e;

	e = fd < 0 ? errno : ok(syscall(SYS_bind, fd, &at, sizeof(at)));
	close(fd);
	return e;
}
static int socket_pair(void)
{
	int ends[2], e = ok(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));

	if (!e) {
		close(ends[0]);
		close(ends[1]);
	}
	return e;
}
static int ask_own_name(void)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG };
	struct addrinfo *found;
	int e = getaddrinfo("localhost", "80", &hints, &found);

	if (e)
		return e == EAI_SYSTEM ? errno : 1000 - e;
	freeaddrinfo(found);
	return 0;
}

static void *add_one(void *arg)
{
	++*(int *)arg;
	return NULL;
}
static int run_threads(void)
{
	pthread_t thread;
	int n = 0;

	for (int i = 0; i < 3; i++) {
		int e = pthread_create(&thread, NULL, add_one, &n);

		if (e)
			return e;
		pthread_join(thread, NULL);
	}
	return n == 3 ? 0 : 1;
}
static int ask_clock_and_chance(void)
{
	struct timespec t;
	char byte;
	FILE *f = fopen("/dev/urandom", "re");
	int e = !f ? errno : fread(&byte, 1, 1, f) == 1 ? 0 : EIO;

	if (f)
		fclose(f);
	e = e ? e : ok(clock_gettime(CLOCK_REALTIME, &t));
	e = e ? e : ok(getrandom(&byte, 1, 0));
	return e ? e : access("/etc/hosts", R_OK) ? errno : open_and_close("/etc/hosts", O_RDONLY);
}
#ifdef __x86_64__
static int old_call(void)
{
	long ret;

	/* A kernel without such calls answers with a fault, which a sanitizer takes for a bug. */
	if (AG_SANDBOX_SANITIZED)
		return ENOSYS;
	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(20L /* getpid of 32 bits */) : "memory");
	return ret < 0 ? (int)-ret : 0;
}
#endif
/* Sanitizers look for leaks here, and end with another code when they cannot. */
static int end_as_usual(void)
{
	exit(0);
}

#define TRACED(e) (AG_SANDBOX_SANITIZED ? 0 : (e)) /* free for LeakSanitizer */

/* What an attempt gives: without limits 0, with seccomp `seccomp`, with Landlock `landlock` from an ABI on and `below`
 * before it. With both, what seccomp says comes first. */
typedef struct attempt {
	const char *name;
	int (*make)(void);
	int seccomp, landlock, from_abi, below;
	const char *path;     /* make == NULL: opened with these flags, */
	int flags, socket[3]; /* or a socket of this family, type and protocol, */
	long call[6]; /* or this call, used wrong: EPERM counts, whatever else it says is 0 */
	bool at_hosts_mercy; /* a container may refuse it already */
} attempt;

static const attempt attempts[] = {
	{ "read inside", NULL, .path = "in/file", .flags = O_RDONLY },
	{ "list inside", NULL, .path = "in", .flags = O_RDONLY | O_DIRECTORY },
	{ "read outside", NULL, 0, EACCES, 1, .path = "out/file", .flags = O_RDONLY },
	{ "list outside", NULL, 0, EACCES, 1, .path = "out", .flags = O_RDONLY | O_DIRECTORY },
	{ "read outside through a link", NULL, 0, EACCES, 1, .path = "in/link", .flags = O_RDONLY },
	{ "read outside through ..", NULL, 0, EACCES, 1, .path = "in/../out/file",
	  .flags = O_RDONLY },
	{ "read own environment", NULL, 0, TRACED(EACCES), 1, .path = "/proc/self/environ",
	  .flags = O_RDONLY },
	{ "write inside", NULL, 0, EACCES, 1, .path = "in/file", .flags = O_WRONLY },
	{ "create inside", NULL, 0, EACCES, 1, .path = "in/new", .flags = O_WRONLY | O_CREAT },
	{ "make a folder inside", make_folder_inside, 0, EACCES, 1 },
	{ "remove inside", remove_inside, 0, EACCES, 1 },
	{ "rename inside", rename_inside, 0, EACCES, 1 },
	{ "truncate inside", truncate_inside, EPERM, EACCES, 3 },
	{ "truncate by opening", NULL, EPERM, EACCES, 3, .path = "in/file",
	  .flags = O_RDONLY | O_TRUNC },
	{ "truncate by opening where allowed", .path = "work/file", .flags = O_WRONLY | O_TRUNC },
	{ "write where allowed", write_where_allowed },
	{ "move where allowed", move_where_allowed, 0, 0, 2, EXDEV },
	{ "make a link where allowed", make_link_where_allowed, 0, EACCES, 1 },
	{ "exec", exec_program, EPERM, EACCES, 1 },
	{ "fork", fork_process, TRACED(EPERM) },
	{ "clone3", clone_3, ENOSYS, .at_hosts_mercy = true },
	{ "be traced", be_traced, TRACED(EPERM), .at_hosts_mercy = true },
	{ "signal the parent", signal_parent, EPERM, EPERM, 6 },
	{ "signal oneself", signal_self },
	{ "connect to the allowed port", connect_allowed },
	{ "connect to another port", connect_other, 0, EACCES, 4 },
	{ "bind", bind_port, EPERM, EACCES, 4 },
	{ "listen without bind", listen_unbound, EPERM },
	{ "connect with the first bytes", connect_fast, EPERM, -1, .at_hosts_mercy = true },
	{ "Unix socket", NULL, EAFNOSUPPORT, .socket = { AF_UNIX, SOCK_STREAM, 0 } },
	{ "raw socket", .seccomp = EAFNOSUPPORT, .socket = { AF_INET, SOCK_RAW, IPPROTO_ICMP },
	  .at_hosts_mercy = true },
	{ "multipath TCP", .seccomp = EAFNOSUPPORT, .socket = { AF_INET, SOCK_STREAM, 262 },
	  .at_hosts_mercy = true },
	{ "UDP sockets", udp_sockets },
	{ "netlink for addresses", netlink_socket },
	{ "netlink of audit", NULL, EAFNOSUPPORT, .socket = { AF_NETLINK, SOCK_RAW, 9 },
	  .at_hosts_mercy = true },
	{ "pair of sockets", socket_pair },
	{ "look up localhost", ask_own_name },
	{ "threads", run_threads },
	{ "clock, random numbers, hosts", ask_clock_and_chance },
#ifdef __x86_64__
	{ "fork by its own call", fork_as_of_old, EPERM },
	{ "a call of x32", .seccomp = EPERM, .call = { 0x40000000 | SYS_getpid } },
	{ "a call of 32 bits", old_call, EPERM, .at_hosts_mercy = true },
#endif
	{ "ask for the personality", .call = { SYS_personality, 0xFFFFFFFF } },
	{ "change the personality", .seccomp = EPERM, .call = { SYS_personality, 0x0040000 } },
	/* The kernel looks at 32 bits: a filter that looks at 64 is passed by a bit above. */
	{ "type for the user", .seccomp = EPERM,
	  .call = { SYS_ioctl, -1, 0x100005412 /* TIOCSTI */ } },
/* clang-format off */
#define WRONG(name) \
	{ #name, .seccomp = EPERM, .call = { SYS_##name, -1, -1, -1, -1, -1 }, .at_hosts_mercy = true }
	WRONG(accept4), WRONG(add_key), WRONG(bpf), WRONG(clock_settime), WRONG(delete_module),
	WRONG(execve), WRONG(execveat), WRONG(fchmodat), WRONG(fchown), WRONG(fchownat),
	WRONG(finit_module), WRONG(fremovexattr), WRONG(fsconfig), WRONG(fsetxattr),
	WRONG(fsopen), WRONG(init_module), WRONG(io_uring_enter), WRONG(io_uring_setup),
	WRONG(kcmp), WRONG(kexec_load), WRONG(keyctl), WRONG(lsetxattr), WRONG(mknodat),
	WRONG(mount), WRONG(move_mount), WRONG(open_by_handle_at), WRONG(open_tree),
	WRONG(perf_event_open), WRONG(pidfd_send_signal), WRONG(pivot_root),
	WRONG(process_vm_readv), WRONG(process_vm_writev), WRONG(removexattr), WRONG(request_key),
	WRONG(rt_sigqueueinfo), WRONG(rt_tgsigqueueinfo), WRONG(setgid), WRONG(setgroups),
	WRONG(setns), WRONG(setresgid), WRONG(setresuid), WRONG(setreuid), WRONG(settimeofday),
	WRONG(setuid), WRONG(setxattr), WRONG(swapon), WRONG(tgkill), WRONG(tkill),
	WRONG(umount2), WRONG(unshare), WRONG(userfaultfd), WRONG(utimensat),
#ifdef __x86_64__ /* calls that newer processors' kernels do without */
	WRONG(accept), WRONG(chmod), WRONG(chown), WRONG(futimesat), WRONG(lchown), WRONG(mknod),
	WRONG(utime), WRONG(utimes),
#endif
#undef WRONG
	/* clang-format on */
	/* newer than the headers of Debian 12, by number */
	{ "fchmodat2", .seccomp = EPERM, .call = { 452, -1, -1 } },
	{ "setxattrat", .seccomp = EPERM, .call = { 463, -1, -1 } },
	{ "open_tree_attr", .seccomp = EPERM, .call = { 467, -1, -1, -1 } },
	{ "file_setattr", .seccomp = EPERM, .call = { 469, -1, -1, -1 } },
	{ "end as usual", end_as_usual },
};

#define NO_SANDBOX (-1)

static void write_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
}

/* As every attempt finds it. */
static void lay_out(void)
{
	unlink("in/new");
	unlink("in/other");
	rmdir("in/folder");
	unlink("work/other");
	unlink("work/etc");
	unlink("work/below/file");
	write_file("in/file");
	write_file("out/file");
	write_file("work/file");
}

/* The report on entering, for the child's own eyes; exit code 250 when it is not entered at all. */
static void enter(int max_abi, bool has_seccomp)
{
	const char *read[40] = { "in", "/bin/true", "no such path" };
	const char *const write[] = { "work" };
	ag_sandbox_opts o = {
		.read = read, .nread = 3, .write = write, .nwrite = 1, .ports = ports, .nport = 1
	};
	ag_sandbox_report report;
	size_t nsystem;
	const char *const *system = ag_sandbox_system_paths(&nsystem);

	if (nsystem > AG_NELEM(read) - o.nread)
		_exit(250);
	for (size_t i = 0; i < nsystem; i++)
		read[o.nread++] = system[i];
	if (ag_sandbox_enter_as(&o, max_abi, has_seccomp, &report, NULL))
		_exit(250);
	if (report.starts_nothing != has_seccomp || report.files != (max_abi > 0))
		_exit(251);
}

static int make(const attempt *a)
{
	if (a->make)
		return a->make();
	if (a->path)
		return open_and_close(a->path, a->flags);
	if (a->socket[0])
		return open_socket(a->socket[0], a->socket[1], a->socket[2]);
	return syscall(a->call[0], a->call[1], a->call[2], a->call[3], a->call[4], a->call[5]) <
	                               0 &&
	                       errno == EPERM
	               ? EPERM
	               : 0;
}

/* The errno of one attempt of a child. */
static int try(const attempt *a, int max_abi, bool has_seccomp)
{
	int status;
	pid_t pid;

	lay_out();
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL); /* cmocka would go on with the tests, in the child */
		if (max_abi != NO_SANDBOX)
			enter(max_abi, has_seccomp);
		_exit(make(a));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static bool can_be_made(const attempt *a)
{
	static enum { UNKNOWN, YES, NO } known[AG_NELEM(attempts)];
	size_t i = (size_t)(a - attempts);
	int e;

	if (known[i])
		return known[i] == YES;
	e = try(a, NO_SANDBOX, false);
	known[i] = e ? NO : YES;
	if (e && !a->at_hosts_mercy)
		fail_msg("%s: %d even without a sandbox", a->name, e);
	if (e)
		print_message("# skip: %s: this machine refuses it anyway (%d)\n", a->name, e);
	return !e;
}

static int expected(const attempt *a, int max_abi, bool has_seccomp)
{
	if (has_seccomp && a->seccomp)
		return a->seccomp;
	return !max_abi ? 0 : max_abi >= a->from_abi ? a->landlock : a->below;
}

/* All attempts on such a kernel. */
static void on_kernel(int max_abi, bool has_seccomp)
{
	int nwrong = 0;

	for (size_t i = 0; i < AG_NELEM(attempts); i++) {
		const attempt *a = &attempts[i];
		int want = expected(a, max_abi, has_seccomp), e;

		if (want < 0 || !can_be_made(a))
			continue;
		e = try(a, max_abi, has_seccomp);
		if (e == want)
			continue;
		print_error("%s, Landlock %d, seccomp %d: want %d (%s), got %d (%s)\n", a->name,
		            max_abi, has_seccomp, want, strerror(want), e, strerror(e));
		nwrong++;
	}
	assert_int_equal(nwrong, 0);
}

static int kernels_abi(void)
{
	int e, abi = ag_landlock_abi(&e);

	return abi > AG_LANDLOCK_MAX_ABI ? AG_LANDLOCK_MAX_ABI : abi;
}

static void skip_without(bool there, const char *what)
{
	if (there)
		return;
	print_message("# skip: this kernel has no %s\n", what);
	skip();
}

static void with_landlock(void **state)
{
	(void)state;
	skip_without(kernels_abi() > 0, "Landlock");
	for (int abi = 1; abi <= kernels_abi(); abi++)
		on_kernel(abi, false);
}

static void with_seccomp(void **state)
{
	(void)state;
	skip_without(!ag_seccomp_probe(), "seccomp");
	on_kernel(0, true);
}

static void with_both(void **state)
{
	(void)state;
	skip_without(kernels_abi() > 0, "Landlock");
	skip_without(!ag_seccomp_probe(), "seccomp");
	on_kernel(kernels_abi(), true);
	on_kernel(1, true);
}

static int set_up(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);

	(void)state;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (size_t i = 0; i < AG_NELEM(listeners); i++) {
		listeners[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		at.sin_port = 0;
		if (bind(listeners[i], (const struct sockaddr *)&at, sizeof(at)) ||
		    listen(listeners[i], 1024) ||
		    getsockname(listeners[i], (struct sockaddr *)&at, &len))
			return -1;
		ports[i] = ntohs(at.sin_port);
	}
	return !mkdtemp(folder) || chdir(folder) || mkdir("in", 0700) || mkdir("out", 0700) ||
	       mkdir("work", 0700) || mkdir("work/below", 0700) ||
	       symlink("../out/file", "in/link");
}

static int tear_down(void **state)
{
	(void)state;
	lay_out();
	unlink("in/file");
	unlink("in/link");
	unlink("out/file");
	unlink("work/file");
	for (size_t i = 0; i < AG_NELEM(listeners); i++)
		close(listeners[i]);
	return rmdir("work/below") || rmdir("in") || rmdir("out") || rmdir("work") || chdir("/") ||
	       rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_landlock),
		cmocka_unit_test(with_seccomp),
		cmocka_unit_test(with_both),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
