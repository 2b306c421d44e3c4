/* Signals: the first Ctrl-C asks the work to stop, the second does not wait for it.
 *
 * A handler knows nothing but globals: those below are all of them. Handlers are set without SA_RESTART, so
 * that a read that waits for standard input comes back. */
#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"

static atomic_bool cancelled;
static atomic_bool line_drawn, terminated;
static atomic_int ninterrupt;
static atomic_bool hung_up;

static void on_signal(int sig)
{
	static const char wipe[] = "\r\033[K\n";

	atomic_store(&cancelled, true);
	if (sig == SIGTERM)
		atomic_store(&terminated, true);
	if (sig != SIGINT || atomic_fetch_add(&ninterrupt, 1) == 0)
		return;
	if (atomic_load(&line_drawn) && write(STDERR_FILENO, wipe, sizeof(wipe) - 1) < 0)
		_exit(AG_EXIT_CANCELLED);
	_exit(AG_EXIT_CANCELLED);
}

const atomic_bool *ag_signals_setup(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, stop = { .sa_handler = on_signal };

	sigemptyset(&stop.sa_mask);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	return &cancelled;
}

static void on_hangup(int sig)
{
	(void)sig;
	atomic_store(&hung_up, true);
}

void ag_signals_watch_hangup(void)
{
	struct sigaction reload = { .sa_handler = on_hangup };

	sigemptyset(&reload.sa_mask);
	sigaction(SIGHUP, &reload, NULL);
}

bool ag_signals_hung_up(void)
{
	return atomic_exchange(&hung_up, false);
}

void ag_signals_line_drawn(bool is_drawn)
{
	atomic_store(&line_drawn, is_drawn);
}

bool ag_signals_cancelled(void)
{
	return atomic_load(&cancelled);
}

bool ag_signals_terminated(void)
{
	return atomic_load(&terminated);
}

void ag_signals_reset(void)
{
	atomic_store(&ninterrupt, 0);
	atomic_store(&cancelled, atomic_load(&terminated));
}
