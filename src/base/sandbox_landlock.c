/* sandbox_landlock -- the files and TCP ports of a process, limited by the kernel.
 *
 * Landlock denies what a ruleset "handles" and no rule allows. So everything the kernel's ABI knows is handled, and the
 * caller's lists are the rules. The C library has no wrappers, and Debian 12's header ends with ABI 2, though its users
 * may run a newer kernel: calls and constants are written down here; they are the kernel's, and never change.
 *
 * What is already open stays usable: the limits are on opening, connecting and changing names.
 *
 * source  Linux, Documentation/userspace-api/landlock.rst and include/uapi/linux/landlock.h (6.16) */
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox_parts.h"

/* The same numbers on every processor. */
#define NR_CREATE_RULESET 444
#define NR_ADD_RULE       445
#define NR_RESTRICT_SELF  446

#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH      1
#define RULE_NET_PORT          2

enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8,
	FS_REFER = 1 << 13,
	FS_TRUNCATE = 1 << 14,

	FS_ABI_1 = (1 << 13) - 1, /* also devices, sockets, FIFOs, links: 6, 9..12 */
	FS_ABI_2 = FS_ABI_1 | FS_REFER,
	FS_ABI_3 = FS_ABI_2 | FS_TRUNCATE,
	FS_ABI_5 = FS_ABI_3 | 1 << 15, /* ioctl on devices */

	/* What a rule for a file that is no folder may name; more is EINVAL. */
	FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE,

	FS_READ = FS_READ_FILE | FS_READ_DIR,
	/* No devices, sockets, FIFOs and links: nothing of ours makes them. */
	FS_WRITE = FS_READ | FS_WRITE_FILE | FS_TRUNCATE | FS_REMOVE_DIR | FS_REMOVE_FILE |
	           FS_MAKE_DIR | FS_MAKE_REG | FS_REFER,

	NET_BIND_TCP = 1 << 0,
	NET_CONNECT_TCP = 1 << 1,

	SCOPE_ABSTRACT_SOCKETS = 1 << 0,
	SCOPE_SIGNALS = 1 << 1,
};

/* The kernel is told how much of it there is: members that an ABI does not know are left away. */
typedef struct ruleset_attr {
	uint64_t fs;
	uint64_t net;    /* from ABI 4 */
	uint64_t scoped; /* from ABI 6 */
} ruleset_attr;

typedef struct
	path_rule { /* the kernel's ends behind `parent`, packed; what follows here it does not read */
	uint64_t allowed;
	int32_t parent;
} path_rule;

typedef struct port_rule {
	uint64_t allowed, port;
} port_rule;

int ag_landlock_abi(int *ret_errno)
{
	long abi = syscall(NR_CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);

	*ret_errno = abi < 0 ? errno : 0;
	return abi < 0 ? 0 : (int)abi;
}

static uint64_t known_fs(int abi)
{
	return abi >= 5 ? FS_ABI_5 : abi >= 3 ? FS_ABI_3 : abi == 2 ? FS_ABI_2 : FS_ABI_1;
}

static int create(int abi, bool any_port)
{
	ruleset_attr attr = { .fs = known_fs(abi) };
	size_t size = offsetof(ruleset_attr, net);

	if (abi >= 4) {
		attr.net = any_port ? NET_BIND_TCP : NET_BIND_TCP | NET_CONNECT_TCP;
		size = offsetof(ruleset_attr, scoped);
	}
	if (abi >= 6) {
		attr.scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
		size = sizeof(attr);
	}
	return (int)syscall(NR_CREATE_RULESET, &attr, size, 0);
}

/* A path that is not there, or not within reach, can be skipped: it only stays forbidden. */
static int allow_path(int ruleset, const char *path, uint64_t allowed)
{
	path_rule rule = { .allowed = allowed };
	struct stat st;
	int e = 0;

	rule.parent = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent < 0)
		return 0;
	if (fstat(rule.parent, &st))
		e = errno;
	else if (!S_ISDIR(st.st_mode))
		rule.allowed &= FS_OF_FILES;
	if (!e && syscall(NR_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0))
		e = errno == EBADFD ? 0
		                    : errno; /* pipes and the like have no rules and need none */
	close(rule.parent);
	return e;
}

static int allow_paths(int ruleset, const char *const *paths, size_t n, uint64_t allowed)
{
	int e = 0;

	for (size_t i = 0; i < n && !e; i++)
		e = allow_path(ruleset, paths[i], allowed);
	return e;
}

static int allow_ports(int ruleset, const uint16_t *ports, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		port_rule rule = { .allowed = NET_CONNECT_TCP, .port = ports[i] };

		if (syscall(NR_ADD_RULE, ruleset, RULE_NET_PORT, &rule, 0))
			return errno;
	}
	return 0;
}

int ag_landlock_enter(const ag_sandbox_opts *o, int abi)
{
	/* LeakSanitizer reads /proc/self when the program ends. */
	static const char *const debugging[] = { "/proc" };
	int ruleset = create(abi, o->any_port), e;

	if (ruleset < 0)
		return errno;
	e = allow_paths(ruleset, o->read, o->nread, FS_READ & known_fs(abi));
	if (!e)
		e = allow_paths(ruleset, o->write, o->nwrite, FS_WRITE & known_fs(abi));
	if (!e && AG_SANDBOX_SANITIZED)
		e = allow_paths(ruleset, debugging, AG_NELEM(debugging), FS_READ & known_fs(abi));
	if (!e && abi >= 4 && !o->any_port)
		e = allow_ports(ruleset, o->ports, o->nport);
	if (!e && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		e = errno;
	if (!e && syscall(NR_RESTRICT_SELF, ruleset, 0))
		e = errno;
	close(ruleset);
	return e;
}
