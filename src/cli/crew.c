/* Processes, not threads: a crash takes one of them, and each has its own memory, models and connections.
 *
 * A child that is killed is no reason to end: its job goes on in another one. One that dies again and again is stopped by the attempt
 * limit of its job. */
#include "cli/crew.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 50

typedef struct crew {
	ag_cli *c;
	unsigned n;
	int (*work)(ag_cli *c, unsigned index, void *arg);
	void *arg;
	pid_t pids[AG_CREW_MAX]; /* 0 = has ended */
	int code;
	bool is_told; /* the children were told to stop */
} crew;

/* The child stops as well when its parent is gone, whatever killed that. */
static void begin(crew *w, unsigned i)
{
	const pid_t parent = getpid();
	const pid_t pid = fork();

	if (pid < 0) {
		ag_err err = { 0 };

		ag_fail_errno(&err, errno, "cli.crew", "cannot start another process");
		w->code = ag_cli_fail(w->c, &err);
	}
	w->pids[i] = pid > 0 ? pid : 0;
	if (pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(AG_EXIT_CANCELLED);
	_exit(w->work(w->c, i, w->arg));
}

static bool is_one_left(const crew *w)
{
	for (unsigned i = 0; i < w->n; i++) {
		if (w->pids[i])
			return true;
	}
	return false;
}

static void tell_all(crew *w)
{
	w->is_told = true;
	for (unsigned i = 0; i < w->n; i++) {
		if (w->pids[i])
			kill(w->pids[i], SIGTERM);
	}
}

static void note_end(crew *w, pid_t pid, int status)
{
	unsigned i = 0;

	while (i < w->n && w->pids[i] != pid)
		i++;
	if (i == w->n)
		return;
	w->pids[i] = 0;
	if (WIFSIGNALED(status) && !w->is_told) {
		ag_cli_warn(w->c,
		            "process %ld was killed by signal %d; another one takes its place",
		            (long)pid, WTERMSIG(status));
		begin(w, i);
	} else if (WIFEXITED(status) && WEXITSTATUS(status) > w->code) {
		w->code = WEXITSTATUS(status);
	}
}

int ag_crew_run(ag_cli *c, unsigned n, int (*work)(ag_cli *c, unsigned index, void *arg), void *arg)
{
	crew w = { .c = c, .n = n < AG_CREW_MAX ? n : AG_CREW_MAX, .work = work, .arg = arg };

	for (unsigned i = 0; i < w.n; i++)
		begin(&w, i);
	while (is_one_left(&w)) {
		const struct timespec nap = { .tv_nsec = LOOK_MS * 1000000 };
		int status = 0;
		const pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid > 0)
			note_end(&w, pid, status);
		else if (pid < 0 && errno != EINTR)
			break;
		if (ag_signals_cancelled() && !w.is_told)
			tell_all(&w);
		if (pid <= 0)
			nanosleep(&nap, NULL);
	}
	return w.code;
}

void ag_crew_tell(void *arg, const ag_worker_news *news)
{
	ag_cli *c = arg;
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	const ag_job *j = news->job;
	ag_str what;

	if (!j) {
		ag_cli_warn(c, "%s; waiting for it",
		            news->err ? news->err->msg : "the store is away");
		return;
	}
	what = ag_job_shown(j->kind, j->payload, arena);
	switch (news->word) {
	case AG_WORKER_TOOK:
		if (j->attempts > 1)
			ag_cli_note(c, "job %.18s: %.*s %.*s goes on (attempt %u)", j->id.text,
			            AG_FMT(j->kind), AG_FMT(what), j->attempts);
		break;
	case AG_WORKER_ENDED:
		if (news->err)
			ag_cli_warn(c, "job %.18s: %.*s %.*s is %s: %s", j->id.text,
			            AG_FMT(j->kind), AG_FMT(what), ag_job_state_name(news->state),
			            news->err->msg);
		else
			ag_cli_note(c, "job %.18s: %.*s %.*s is %s", j->id.text, AG_FMT(j->kind),
			            AG_FMT(what), ag_job_state_name(news->state));
		break;
	case AG_WORKER_GAVE_BACK:
		ag_cli_note(c, "job %.18s: %.*s %.*s is queued again: %s", j->id.text,
		            AG_FMT(j->kind), AG_FMT(what), news->err ? news->err->msg : "stopped");
		break;
	case AG_WORKER_LOST:
		ag_cli_warn(c, "job %.18s: %.*s %.*s was lost to another worker", j->id.text,
		            AG_FMT(j->kind), AG_FMT(what));
		break;
	case AG_WORKER_AWAY: break;
	}
}
