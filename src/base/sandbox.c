/* sandbox -- Landlock first, seccomp second, and what came of it told in words.
 *
 * The halves do not depend on each other: where the kernel lacks one, the other still holds. Each changes nothing when it
 * fails. Landlock in the form that every kernel has limits the calling thread and what it starts, so entering while
 * other threads run is refused: they would go on without limits, and the report would be a lie. */
#include "base/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "base/sandbox_parts.h"

#define ORIGIN "base.sandbox"

/* ABI from which Landlock can forbid it */
#define ABI_TRUNCATE 3
#define ABI_PORTS    4

static const char *const system_paths[] = {
	/* names and certificates */
	"/etc/resolv.conf",
	"/run/systemd/resolve", /* where it may lead, and be made anew */
	"/run/resolvconf",
	"/etc/hosts",
	"/etc/host.conf",
	"/etc/nsswitch.conf",
	"/etc/gai.conf",
	"/etc/services",
	"/etc/protocols",
	"/etc/ssl",
	"/etc/pki",
	"/etc/ca-certificates",
	"/etc/crypto-policies",
	"/usr/share/ca-certificates",
	"/usr/local/share/ca-certificates",
	"/var/lib/ca-certificates",
	/* libraries that are loaded when they are needed: curl, look-up of names, character sets */
	"/etc/ld.so.cache",
	"/lib",
	"/lib64",
	"/usr/lib",
	"/usr/lib64",
	"/usr/local/lib",
	"/nix/store",
	"/gnu/store",
	/* time zone, random numbers, number of processors */
	"/etc/localtime",
	"/usr/share/zoneinfo",
	"/dev/null",
	"/dev/urandom",
	"/dev/random",
	"/sys/devices/system/cpu",
};

const char *const *ag_sandbox_system_paths(size_t *ret)
{
	*ret = AG_NELEM(system_paths);
	return system_paths;
}

bool ag_sandbox_is_sanitized(void)
{
	return AG_SANDBOX_SANITIZED;
}

AG_PRINTF(2, 3)
static void miss(ag_sandbox_report *r, const char *fmt, ...)
{
	size_t len = strlen(r->missing);
	va_list ap;

	if (len)
		len += (size_t)snprintf(r->missing + len, sizeof(r->missing) - len, "; ");
	if (len >= sizeof(r->missing))
		return;
	va_start(ap, fmt);
	vsnprintf(r->missing + len, sizeof(r->missing) - len, fmt, ap);
	va_end(ap);
}

/* Threads of this process; 1 when nobody can tell. */
static size_t count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	size_t n = 0;

	if (!tasks)
		return 1;
	for (const struct dirent *e = readdir(tasks); e; e = readdir(tasks))
		n += e->d_name[0] != '.';
	closedir(tasks);
	return n;
}

static void miss_landlock(ag_sandbox_report *r, int e)
{
	char text[64];

	if (e == ENOSYS)
		miss(r, "files and ports are not limited: this kernel has no Landlock");
	else if (e == EOPNOTSUPP)
		miss(r, "files and ports are not limited: Landlock is switched off in this kernel");
	else
		miss(r, "files and ports are not limited: Landlock: %s",
		     strerror_r(e, text, sizeof(text)));
}

/* What holds once the ABI in the report is entered. */
static void told_by_abi(ag_sandbox_report *r, bool any_port)
{
	r->files = true;
	r->ports = r->landlock_abi >= ABI_PORTS && !any_port;
	if (r->landlock_abi < ABI_TRUNCATE)
		miss(r, "truncating files is not limited by Landlock ABI %d", r->landlock_abi);
	if (r->landlock_abi < ABI_PORTS && !any_port)
		miss(r, "ports are not limited by Landlock ABI %d", r->landlock_abi);
}

static void enter_landlock(const ag_sandbox_opts *o, int max_abi, ag_sandbox_report *r)
{
	int e, abi = ag_landlock_abi(&e);

	if (abi > max_abi)
		abi = max_abi;
	r->landlock_abi = abi;
	if (abi)
		e = ag_landlock_enter(o, abi < AG_LANDLOCK_MAX_ABI ? abi : AG_LANDLOCK_MAX_ABI);
	else if (!e)
		e = ENOSYS;
	if (e)
		miss_landlock(r, e);
	else
		told_by_abi(r, o->any_port);
}

static void miss_seccomp(ag_sandbox_report *r, int e)
{
	char text[64];

	if (e == ENOSYS || e == EINVAL)
		miss(r, "starting programs is not forbidden: this kernel has no seccomp filters");
	else if (e == ENOTSUP)
		miss(r, "starting programs is not forbidden: not known for this processor");
	else
		miss(r, "starting programs is not forbidden: seccomp: %s",
		     strerror_r(e, text, sizeof(text)));
}

ag_status ag_sandbox_enter_as(const ag_sandbox_opts *o, int max_abi, bool has_seccomp,
                              ag_sandbox_report *ret, ag_err *err)
{
	/* ThreadSanitizer has a thread of its own. */
	size_t nthread = AG_SANDBOX_SANITIZED ? 1 : count_threads();
	int e;

	if (nthread > 1)
		return ag_fail(err, AG_INTERNAL, ORIGIN,
		               "the sandbox was to be entered with %zu threads running", nthread);
	memset(ret, 0, sizeof(*ret));
	enter_landlock(o, max_abi, ret);
	e = has_seccomp ? ag_seccomp_enter(o->is_worker) : ENOSYS;
	ret->starts_nothing = !e;
	if (e)
		miss_seccomp(ret, e);
	return AG_OK;
}

ag_status ag_sandbox_enter(const ag_sandbox_opts *o, ag_sandbox_report *ret, ag_err *err)
{
	return ag_sandbox_enter_as(o, INT_MAX, true, ret, err);
}

void ag_sandbox_probe(ag_sandbox_report *ret)
{
	int e;

	memset(ret, 0, sizeof(*ret));
	ret->landlock_abi = ag_landlock_abi(&e);
	if (e)
		miss_landlock(ret, e);
	else
		told_by_abi(ret, false);
	e = ag_seccomp_probe();
	ret->starts_nothing = !e;
	if (e)
		miss_seccomp(ret, e);
}
