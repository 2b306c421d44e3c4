/* fault -- one chosen point, counted; all others cost a load and a branch.
 *
 * `chosen` is a global like the log's sink: a point deep in the store cannot be handed a plan through every call
 * above it. It is written by ag_fault_setup() before threads start; after that only the counters change. */
#include "base/fault.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define MAX_NUMBER_LEN 9 /* digits: no overflow, and nobody waits for the billionth call */

static const ag_fault_point points[] = {
	{ "file.open", "open a settings file or report, make the new file of --out" },
	{ "file.read", "read a settings file or a report" },
	{ "file.rename", "put the file of --out in its place" },
	{ "file.stat", "look at a settings file or a report" },
	{ "file.sync", "bring the file of --out to disk" },
	{ "file.write", "write the file of --out" },
	{ "files.list", "list a folder of data files" },
	{ "files.stat", "look at a path before it is read as data" },
	{ "input.open", "open a data file" },
	{ "input.read", "read a piece of a data file" },
	{ "input.spool", "keep a piece of standard input in a file" },
	{ "input.stat", "look at an open data file" },
	{ "net.read", "read a piece of the body of an HTTP answer" },
	{ "net.send", "send an HTTP request" },
	{ "stdout.write", "write to standard output" },
	{ "store.begin", "begin a transaction of the store" },
	{ "store.commit", "commit a transaction of the store" },
	{ "store.lease", "take or renew the right to write a run" },
	{ "store.migrate", "bring the schema of the store up to date" },
	{ "store.open", "make, open or set up the file of the store" },
	{ "store.read", "read a row of the store" },
	{ "store.sync", "bring the write-ahead log of the store to disk" },
	{ "store.write", "put rows into the store, or take them out" },
	{ "thread.start", "start a thread" },
};

static struct {
	_Atomic(const ag_fault_point *) point; /* NULL: no fault */
	unsigned long from;                    /* the first call that fails */
	bool onwards;                          /* and all later ones */
	bool kills;                            /* no call fails: the process dies after it */
	atomic_ulong ncall, nfailed;
} chosen;

const ag_fault_point *ag_fault_points(size_t *ret_n)
{
	*ret_n = AG_NELEM(points);
	return points;
}

static const ag_fault_point *find(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(points); i++) {
		if (ag_str_eqc(name, points[i].name))
			return &points[i];
	}
	return NULL;
}

/* Reads "3", "3+" or "3!"; returns 0 for anything else. */
static unsigned long number_of(ag_str text, bool *ret_onwards, bool *ret_kills)
{
	unsigned long n = 0;

	*ret_onwards = ag_str_ends(text, AG_S("+"));
	*ret_kills = ag_str_ends(text, AG_S("!"));
	text.len -= *ret_onwards || *ret_kills;
	if (text.len > MAX_NUMBER_LEN)
		return 0;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return 0;
		n = n * 10 + (unsigned long)(text.ptr[i] - '0');
	}
	return n;
}

ag_status ag_fault_setup(const char *text, ag_err *err)
{
	ag_str all = ag_str_c(text);
	ptrdiff_t colon = ag_str_find(all, ':');
	const ag_fault_point *point;
	ag_str name;

	atomic_store(&chosen.point, NULL);
	atomic_store(&chosen.ncall, 0);
	atomic_store(&chosen.nfailed, 0);
	if (!all.len)
		return AG_OK;
	name = ag_str_make(all.ptr, colon < 0 ? all.len : (size_t)colon);
	point = find(name);
	if (!point) {
		ag_fail(err, AG_INVALID, "base.fault", "AG_FAULT: there is no point \"%.*s\"",
		        (int)(name.len < 60 ? name.len : 60), name.ptr);
		return ag_err_hint(err, "AG_FAULT=list argus lists the points");
	}
	if (colon >= 0)
		chosen.from = number_of(ag_str_make(all.ptr + colon + 1,
		                                    all.len - (size_t)colon - 1),
		                        &chosen.onwards, &chosen.kills);
	if (colon < 0 || !chosen.from) {
		ag_fail(err, AG_INVALID, "base.fault", "AG_FAULT: which call of %s shall fail?",
		        point->name);
		return ag_err_hint(err, "want %s:3 for the third, %s:3+ for all from the third on",
		                   point->name, point->name);
	}
	atomic_store(&chosen.point, point);
	return AG_OK;
}

bool ag_fault(const char *point)
{
	const ag_fault_point *p = atomic_load_explicit(&chosen.point, memory_order_relaxed);
	unsigned long n;

	if (AG_LIKELY(!p))
		return false;
	AG_ASSERT(find(ag_str_c(point))); /* a point that is not in the table is never tested */
	if (strcmp(p->name, point) != 0)
		return false;
	n = atomic_fetch_add(&chosen.ncall, 1) + 1;
	if (chosen.kills || n < chosen.from || (n > chosen.from && !chosen.onwards))
		return false;
	atomic_fetch_add(&chosen.nfailed, 1);
	errno = EIO;
	return true;
}

void ag_fault_after(const char *point)
{
	const ag_fault_point *p = atomic_load_explicit(&chosen.point, memory_order_relaxed);

	if (p && chosen.kills && strcmp(p->name, point) == 0 &&
	    atomic_load(&chosen.ncall) >= chosen.from)
		kill(getpid(), SIGKILL);
}

const ag_fault_point *ag_fault_counts(unsigned long *ret_calls, unsigned long *ret_failed)
{
	*ret_calls = atomic_load(&chosen.ncall);
	*ret_failed = atomic_load(&chosen.nfailed);
	return atomic_load(&chosen.point);
}
