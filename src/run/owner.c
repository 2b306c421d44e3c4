/* What /proc says of processes: boot_id, the pid namespace, and field 22 of stat (start in clock ticks since boot), which
 * together name a process for ever (proc(5)). Where /proc is not mounted every owner is unknown. */
#include "run/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/id.h"

#define NPART       5
#define MAX_PROC    1024
#define START_FIELD 22

/* A small file of /proc, without its last line break; "" when it cannot be read. */
static ag_str slurp(const char *path, char buf[MAX_PROC])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return AG_S("");
	n = read(fd, buf, MAX_PROC);
	close(fd);
	return n > 0 ? ag_str_trim(ag_str_make(buf, (size_t)n)) : AG_S("");
}

/* The number in "pid:[4026531836]". */
static ag_str pid_namespace(char buf[MAX_PROC])
{
	const ssize_t n = readlink("/proc/self/ns/pid", buf, MAX_PROC);
	ag_str rest = ag_str_make(buf, n > 0 ? (size_t)n : 0);

	ag_str_split(&rest, '[');
	return ag_str_split(&rest, ']');
}

/* State and start of a process. The name in field 2 may hold anything, so the fields are counted from its last ")". */
static bool stat_of(long pid, char *ret_state, ag_str *ret_start, char buf[MAX_PROC])
{
	char path[64];
	ag_str rest, field = AG_S("");
	size_t at;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	rest = slurp(path, buf);
	at = rest.len;
	while (at > 0 && rest.ptr[at - 1] != ')')
		at--;
	if (!at || at + 2 >= rest.len)
		return false;
	rest = ag_str_make(rest.ptr + at + 1, rest.len - at - 1);
	*ret_state = rest.ptr[0];
	for (int i = 3; i <= START_FIELD; i++)
		field = ag_str_split(&rest, ' ');
	*ret_start = field;
	return field.len > 0;
}

/* This process: the first four parts of its owners. Read once, as it never changes; a child of a fork reads its own. */
static struct {
	pthread_mutex_t lock;
	pid_t pid; /* 0 = not read yet */
	char text[200];
} self = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* With the lock. */
static void read_self(pid_t pid)
{
	char boot[MAX_PROC], ns[MAX_PROC], stat[MAX_PROC], state;
	ag_str start;

	if (!stat_of((long)pid, &state, &start, stat))
		start = AG_S("");
	snprintf(self.text, sizeof(self.text), "%.*s:%.*s:%ld:%.*s",
	         AG_FMT(slurp("/proc/sys/kernel/random/boot_id", boot)), AG_FMT(pid_namespace(ns)),
	         (long)pid, AG_FMT(start));
	self.pid = pid;
}

ag_str ag_owner_new(const ag_clock *clock, ag_arena *arena)
{
	const ag_id id = ag_id_new(clock);
	const pid_t pid = getpid();
	ag_str ret;

	pthread_mutex_lock(&self.lock);
	if (self.pid != pid)
		read_self(pid);
	ret = ag_str_printf(arena, "%s:%s", self.text, id.text);
	pthread_mutex_unlock(&self.lock);
	return ret;
}

static bool split(ag_str owner, ag_str part[NPART])
{
	size_t n = 0;

	while (n < NPART && owner.ptr)
		part[n++] = ag_str_split(&owner, ':');
	for (size_t i = 0; i < n; i++)
		if (!part[i].len)
			return false;
	return n == NPART && !owner.ptr;
}

long ag_owner_pid(ag_str owner)
{
	ag_str part[NPART];
	int64_t pid;

	return split(owner, part) && ag_str_to_i64(part[2], &pid) && pid > 0 && pid <= INT32_MAX
	               ? (long)pid
	               : 0;
}

ag_owner_state ag_owner_state_of(ag_str owner)
{
	char boot[MAX_PROC], ns[MAX_PROC], stat[MAX_PROC], path[64], state;
	const long pid = ag_owner_pid(owner);
	ag_str part[NPART], start;

	if (!pid || !split(owner, part) ||
	    !ag_str_eq(part[0], slurp("/proc/sys/kernel/random/boot_id", boot)) ||
	    !ag_str_eq(part[1], pid_namespace(ns)))
		return AG_OWNER_UNKNOWN;
	if (stat_of(pid, &state, &start, stat))
		return ag_str_eq(start, part[3]) && state != 'Z' && state != 'X' ? AG_OWNER_ALIVE
		                                                                 : AG_OWNER_DEAD;
	/* Only a process that is not there is dead; one that may not be looked at is unknown. */
	snprintf(path, sizeof(path), "/proc/%ld", pid);
	return access(path, F_OK) && errno == ENOENT && !access("/proc/self", F_OK)
	               ? AG_OWNER_DEAD
	               : AG_OWNER_UNKNOWN;
}
