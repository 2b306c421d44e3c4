/* sandbox_seccomp -- the system calls that a process does not need any more, refused by the kernel.
 *
 * What Landlock cannot say: start nothing, look into no other process, wait for no connection, change no rights of files,
 * do not act as somebody else, and no second door to any of that (io_uring, file handles, Unix sockets of daemons,
 * keys pushed into the terminal). All else stays allowed, for the libraries know best what they call.
 *
 * The kernel compares 64 bits of an argument where the callee reads 32. A comparison below is either of chosen bits
 * (masked), or refuses all but small values: bits set above can get nothing through.
 *
 * source  seccomp(2), libseccomp; for each call its manual page */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/seccomp.h>

#include "base/sandbox_parts.h"

/* Names that this processor does not have are skipped. */
static const char *const refused[] = {
	/* start a program or a process: clone is below */
	"execve", "execveat", "fork", "vfork",
	/* look into others, signal them (kill is below; tkill names a thread of whichever process) */
	"kcmp", "pidfd_getfd", "pidfd_send_signal", "process_madvise", "process_vm_readv",
	"process_vm_writev", "rt_sigqueueinfo", "tkill",
	/* wait for connections: bind is below */
	"accept", "accept4", "listen",
	/* change what is where: file systems, name spaces */
	"chroot", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr", "move_mount",
	"open_tree", "open_tree_attr", "pivot_root", "setns", "umount2", "unshare",
	/* rights and other metadata of files, which Landlock does not guard. fchmod stays: a file of ours, while we
	 * write it, gets its rights by it. */
	"chmod", "chown", "fchmodat", "fchmodat2", "fchown", "fchownat", "file_setattr",
	"fremovexattr", "fsetxattr", "futimesat", "lchown", "lremovexattr", "lsetxattr", "mknod",
	"mknodat", "removexattr", "removexattrat", "setxattr", "setxattrat", "utime", "utimensat",
	"utimes",
	/* by path, where Landlock below ABI 3 knows no truncation; ours truncate what they have open */
	"truncate",
	/* a second door: files by handle, calls without calls, page faults, programs in the kernel */
	"bpf", "io_uring_enter", "io_uring_register", "io_uring_setup", "open_by_handle_at",
	"perf_event_open", "userfaultfd",
	/* keys of the kernel's keyring */
	"add_key", "keyctl", "request_key",
	/* be somebody else */
	"setfsgid", "setfsuid", "setgid", "setgroups", "setregid", "setresgid", "setresuid",
	"setreuid", "setuid",
	/* the machine itself, should this be root */
	"acct", "adjtimex", "clock_adjtime", "clock_settime", "delete_module", "finit_module",
	"init_module", "ioperm", "iopl", "kexec_file_load", "kexec_load", "quotactl", "quotactl_fd",
	"reboot", "sethostname", "setdomainname", "settimeofday", "swapoff", "swapon", "syslog",
	"vhangup"
};

/* Newer than Debian 12's libseccomp; such numbers are the same on every processor. */
static const int refused_numbers[] = {
	452, /* fchmodat2 */
	463, /* setxattrat */
	466, /* removexattrat */
	467, /* open_tree_attr */
	469, /* file_setattr */
};

/* Arguments by number, from 0. */
#define EQ(arg, value)           SCMP_CMP64(arg, SCMP_CMP_EQ, value)
#define NE(arg, value)           SCMP_CMP64(arg, SCMP_CMP_NE, value)
#define GT(arg, value)           SCMP_CMP64(arg, SCMP_CMP_GT, value)
#define MASKED(arg, mask, value) SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, mask, value)

/* A call that is refused when all `n` conditions hold. */
typedef struct refusal {
	const char *call;
	int err;
	unsigned n;
	struct scmp_arg_cmp when[2];
} refusal;

#define LOW_32          0xFFFFFFFFu
#define TYPE_MASK       0xFu /* of socket(): flags are above */
#define FASTOPEN        0x20000000u
#define NETLINK_LEN     12 /* sizeof(struct sockaddr_nl); every other address is longer */
#define ASK_PERSONALITY 0xFFFFFFFFu

static const refusal refusals[] = {
	/* A new thread is no new process. The flags of clone3 lie in memory, where no filter looks: the C library
	 * goes on with clone when the kernel seems not to have it. */
	{ "clone", EPERM, 1, { MASKED(0, CLONE_THREAD, 0) } },
	{ "clone3", ENOSYS, 0, { { 0 } } },
	{ "ptrace", EPERM, 0, { { 0 } } },
	{ "personality", EPERM, 1, { NE(0, ASK_PERSONALITY) } },
	/* getaddrinfo() asks the kernel over netlink which addresses this machine has, and binds that socket. */
	{ "bind", EPERM, 1, { NE(2, NETLINK_LEN) } },
	/* Connections that Landlock does not see: its rules are for plain TCP and connect(). */
	{ "socket", EAFNOSUPPORT, 1, { GT(2, IPPROTO_UDP) } },
	{ "socket", EAFNOSUPPORT, 2, { EQ(0, AF_INET), MASKED(1, TYPE_MASK, SOCK_RAW) } },
	{ "socket", EAFNOSUPPORT, 2, { EQ(0, AF_INET), MASKED(1, 4, 4) } },
	{ "socket", EAFNOSUPPORT, 2, { EQ(0, AF_INET), MASKED(1, 8, 8) } },
	{ "socket", EAFNOSUPPORT, 2, { EQ(0, AF_INET6), MASKED(1, TYPE_MASK, SOCK_RAW) } },
	{ "socket", EAFNOSUPPORT, 2, { EQ(0, AF_INET6), MASKED(1, 4, 4) } },
	{ "socket", EAFNOSUPPORT, 2, { EQ(0, AF_INET6), MASKED(1, 8, 8) } },
	{ "socket", EAFNOSUPPORT, 2, { EQ(0, AF_NETLINK), GT(2, 0 /* NETLINK_ROUTE */) } },
	{ "sendto", EPERM, 1, { MASKED(3, FASTOPEN, FASTOPEN) } },
	{ "sendmsg", EPERM, 1, { MASKED(2, FASTOPEN, FASTOPEN) } },
	{ "sendmmsg", EPERM, 1, { MASKED(3, FASTOPEN, FASTOPEN) } },
	/* Typing for the user, into the shell that reads the terminal after us. */
	{ "ioctl", EPERM, 1, { MASKED(1, LOW_32, TIOCSTI) } },
	{ "ioctl", EPERM, 1, { MASKED(1, LOW_32, TIOCLINUX) } },
	/* Truncation without the right to write, where Landlock is below ABI 3. */
	{ "open", EPERM, 1, { MASKED(1, O_TRUNC | O_ACCMODE, O_TRUNC | O_RDONLY) } },
	{ "openat", EPERM, 1, { MASKED(2, O_TRUNC | O_ACCMODE, O_TRUNC | O_RDONLY) } },
};

/* Unix sockets lead to daemons that start programs for whoever asks (containers, the session bus) and to agents
 * that hold keys. Names are looked up in files and with DNS instead. Pairs (socketpair) stay. */
static bool is_family_needed(unsigned family)
{
	return family == AF_INET || family == AF_INET6 || family == AF_NETLINK;
}

static int refuse(scmp_filter_ctx filter, const char *call, int err, unsigned n,
                  const struct scmp_arg_cmp *when)
{
	int nr = seccomp_syscall_resolve_name(call);

	return nr == __NR_SCMP_ERROR
	               ? 0
	               : seccomp_rule_add_array(filter, SCMP_ACT_ERRNO((uint16_t)err), nr, n, when);
}

static int refuse_families(scmp_filter_ctx filter)
{
	struct scmp_arg_cmp above = GT(0, AF_NETLINK);
	int e = refuse(filter, "socket", EAFNOSUPPORT, 1, &above);

	for (unsigned family = 0; family < AF_NETLINK && !e; family++) {
		struct scmp_arg_cmp same = EQ(0, family);

		if (!is_family_needed(family))
			e = refuse(filter, "socket", EAFNOSUPPORT, 1, &same);
	}
	return e;
}

/* abort() and threads signal their own process. */
static int refuse_signals(scmp_filter_ctx filter)
{
	static const char *const calls[] = { "kill", "tgkill", "rt_tgsigqueueinfo" };
	struct scmp_arg_cmp others = NE(0, (uint64_t)getpid());
	int e = 0;

	for (size_t i = 0; i < AG_NELEM(calls) && !e; i++)
		e = refuse(filter, calls[i], EPERM, 1, &others);
	return e;
}

/* LeakSanitizer looks at the threads from a process of its own when the program ends. */
static bool is_for_debugging(const char *call)
{
	return AG_SANDBOX_SANITIZED && (!strcmp(call, "clone") || !strcmp(call, "ptrace"));
}

static int add_rules(scmp_filter_ctx filter)
{
	int e = 0;

	for (size_t i = 0; i < AG_NELEM(refused) && !e; i++)
		e = refuse(filter, refused[i], EPERM, 0, NULL);
	for (size_t i = 0; i < AG_NELEM(refused_numbers) && !e; i++)
		e = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), refused_numbers[i], 0,
		                           NULL);
	for (size_t i = 0; i < AG_NELEM(refusals) && !e; i++) {
		const refusal *r = &refusals[i];

		if (!is_for_debugging(r->call))
			e = refuse(filter, r->call, r->err, r->n, r->when);
	}
	if (!e)
		e = refuse_families(filter);
	return e ? e : refuse_signals(filter);
}

/* --- a worker: what it needs --- */

static const char *const worker_calls[] = {
	/* files, as far as Landlock lets it open them */
	"access",
	"close",
	"faccessat",
	"faccessat2",
	"fdatasync",
	"fstat",
	"fsync",
	"ftruncate",
	"getcwd",
	"lseek",
	"lstat",
	"mkdir",
	"mkdirat",
	"newfstatat",
	"open",
	"openat",
	"pread64",
	"pwrite64",
	"read",
	"readlink",
	"readlinkat",
	"rmdir",
	"stat",
	"statx",
	"unlink",
	"unlinkat",
	"write",
	/* memory: mmap and mprotect are below */
	"brk",
	"madvise",
	"mremap",
	"munmap",
	/* time, waiting, itself */
	"clock_gettime",
	"clock_nanosleep",
	"exit",
	"exit_group",
	"futex",
	"getegid",
	"geteuid",
	"getgid",
	"getpid",
	"getrandom",
	"getrlimit",
	"getrusage",
	"gettid",
	"gettimeofday",
	"getuid",
	"nanosleep",
	"poll",
	"ppoll",
	"restart_syscall",
	"rt_sigaction",
	"rt_sigprocmask",
	"rt_sigreturn",
	"sched_yield",
	"setrlimit",
	"sigaltstack",
	"time",
};

/* Commands of fcntl: locks, and nothing that changes who hears of its parent's end. */
static const int worker_fcntl[] = {
	F_GETFD,     F_SETFD,     F_GETLK,      F_SETLK, F_SETLKW,
	F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETFL, F_DUPFD_CLOEXEC
};

static int allow(scmp_filter_ctx filter, const char *call, unsigned n,
                 const struct scmp_arg_cmp *when)
{
	int nr = seccomp_syscall_resolve_name(call);

	/* Below 0: this processor has no such call. */
	return nr < 0 ? 0 : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, nr, n, when);
}

static int add_worker_rules(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp no_code = MASKED(2, PROT_EXEC, 0);
	const struct scmp_arg_cmp own_limits = EQ(0, 0);
	const struct scmp_arg_cmp own_signals = EQ(0, (uint64_t)getpid()); /* abort() */
	int e = 0;

	for (size_t i = 0; i < AG_NELEM(worker_calls) && !e; i++)
		e = allow(filter, worker_calls[i], 0, NULL);
	for (size_t i = 0; i < AG_NELEM(worker_fcntl) && !e; i++) {
		const struct scmp_arg_cmp command = EQ(1, (uint64_t)worker_fcntl[i]);

		e = allow(filter, "fcntl", 1, &command);
	}
	if (!e)
		e = allow(filter, "mmap", 1, &no_code);
	if (!e)
		e = allow(filter, "mprotect", 1, &no_code);
	if (!e)
		e = allow(filter, "prlimit64", 1, &own_limits);
	return e ? e : allow(filter, "tgkill", 1, &own_signals);
}

static int load(scmp_filter_ctx filter, bool is_worker)
{
	/* Calls of another architecture (32 bits, x32) would be other calls by the same numbers. */
	int e = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));

	/* Else every refusal of the kernel is ECANCELED. */
	AG_IGNORE(seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1), "only words are lost");
	/* We run no foreign code, so kernels before 5.16 need not slow it down. Not all know the flag. */
	AG_IGNORE(seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1), "only speed is lost");
	if (!e)
		e = is_worker ? add_worker_rules(filter) : add_rules(filter);
	return e ? e : seccomp_load(filter);
}

int ag_seccomp_probe(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	uint32_t action = SECCOMP_RET_ERRNO;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) ? errno : 0;
#else
	/* Elsewhere the arguments of clone are in another order, and nobody has tried. */
	return ENOTSUP;
#endif
}

int ag_seccomp_enter(bool is_worker)
{
	int e = ag_seccomp_probe();
	scmp_filter_ctx filter;

	if (e)
		return e;
	/* A sanitizer calls more than a list of ours could name. */
	is_worker = is_worker && !AG_SANDBOX_SANITIZED;
	filter = seccomp_init(is_worker ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ALLOW);
	if (!filter)
		return ENOMEM;
	e = load(filter, is_worker);
	seccomp_release(filter);
	return -e;
}
