/* The line is redrawn ten times a second from the counters that the workers advance; nothing is drawn in the
 * first 0.4 s, so short commands stay quiet. */
#include "cli/progress.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/file.h"
#include "base/fault.h"
#include "report/human.h"

#define FRAME_MS      100
#define SILENT_MS     400
#define RATE_MS       500 /* below it a rate would only flicker */
#define BAR_COLS      12
#define NAME_COLS     24 /* of what is worked on, at most */
#define MIN_NAME_COLS 10
#define LEFT_COLS     21 /* "  100%  a moment left" */
#define MIN_COLUMNS   20 /* a narrower terminal gets no line */
#define FREE_COLS \
	3 /* stay empty: a full line would wrap on some terminals, and so would the ^C that a terminal echoes */

struct ag_progress_line {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
	ag_progress *progress;
	ag_str what;
	bool utf8, colour;
	uint64_t nphase;                       /* of the last frame */
	int64_t phase_ms;                      /* when it began */
	uint64_t phase_docs;                   /* documents at that time */
	uint64_t first_units, first_throttled; /* when the line was begun */
};

static int64_t now_ms(void)
{
	return ag_clock_mono(&ag_clock_system);
}

/* Two blanks and the text, if it fits. */
static void piece(ag_paint *p, size_t room, ag_ink ink, ag_str text)
{
	if (!text.len || p->col + 2 + ag_paint_width(p, text) > room)
		return;
	ag_paint_to(p, p->col + 2);
	ag_paint_text(p, ink, text);
}

static void bar(ag_paint *p, double share)
{
	const size_t full = (size_t)(share * BAR_COLS);

	ag_paint_to(p, p->col + 2);
	for (size_t i = 0; i < BAR_COLS; i++) {
		ag_buf_adds(p->out, p->utf8    ? (i < full ? "\u2501" : "\u2500")
		                    : i < full ? "="
		                               : ".");
		p->col++;
	}
}

static ag_str time_left(uint64_t done, uint64_t total, int64_t elapsed_ms, ag_arena *arena)
{
	double left;

	if (!done || done >= total || elapsed_ms < RATE_MS)
		return AG_S("");
	left = (double)elapsed_ms / 1000 * (double)(total - done) / (double)done;
	if (left < 1)
		return AG_S("a moment left");
	if (left < 90)
		return ag_str_printf(arena, "%.0f s left", left);
	if (left < 90 * 60.0)
		return ag_str_printf(arena, "%.0f min left", left / 60);
	return ag_str_printf(arena, "%.0f h left", left / 3600);
}

/* "124 MB of 296 MB" */
static ag_str amount(uint64_t done, uint64_t total, const char *unit, ag_arena *arena)
{
	const bool is_bytes = strcmp(unit, "bytes") == 0;
	const ag_str a = is_bytes ? ag_human_bytes(done, arena) : ag_human_count(done, arena),
		     b = is_bytes ? ag_human_bytes(total, arena) : ag_human_count(total, arena);

	if (total)
		return ag_str_printf(arena, "%.*s of %.*s%s%s", AG_FMT(a), AG_FMT(b),
		                     is_bytes ? "" : " ", is_bytes ? "" : unit);
	if (!done) /* nothing to boast of */
		return AG_S("");
	return ag_str_printf(arena, "%.*s%s%s", AG_FMT(a), is_bytes ? "" : " ",
	                     is_bytes ? "" : unit);
}

static ag_str rate(const ag_progress_line *l, int64_t elapsed_ms, ag_arena *arena)
{
	const uint64_t docs = atomic_load_explicit(&l->progress->documents, memory_order_relaxed);

	if (docs <= l->phase_docs || elapsed_ms < RATE_MS)
		return AG_S("");
	return ag_str_printf(arena, "%.*s docs/s",
	                     AG_FMT(ag_human_count(
				     (docs - l->phase_docs) * 1000 / (uint64_t)elapsed_ms, arena)));
}

/* What a server charged since the line was begun, and how often it asked to wait. */
static void charge(const ag_progress_line *l, ag_paint *p, size_t room, ag_arena *arena)
{
	const uint64_t milli = atomic_load_explicit(&l->progress->milli_units,
	                                            memory_order_relaxed) -
	                       l->first_units,
		       nwait = atomic_load_explicit(&l->progress->nthrottled,
	                                            memory_order_relaxed) -
	                       l->first_throttled;

	if (milli)
		piece(p, room, AG_INK_DIM,
		      ag_str_printf(arena, "%.*s RU", AG_FMT(ag_human_count(milli / 1000, arena))));
	if (nwait)
		piece(p, room, AG_INK_YELLOW,
		      ag_str_printf(arena, "throttled %.*s", AG_FMT(ag_human_count(nwait, arena))));
}

/* What matters most comes first: the step, how far it is, how long it takes. The rest is there as far as it fits. Of a step
 * whose end nobody knows, a clock shows that something lives. */
static void compose(const ag_progress_line *l, ag_paint *p, size_t room, ag_arena *arena)
{
	const char *phase = atomic_load_explicit(&l->progress->phase, memory_order_acquire);
	const char *unit = atomic_load_explicit(&l->progress->unit, memory_order_relaxed);
	const uint64_t done = atomic_load_explicit(&l->progress->done, memory_order_relaxed),
		       total = atomic_load_explicit(&l->progress->total, memory_order_relaxed);
	const int64_t elapsed = now_ms() - l->phase_ms;
	const bool has_end = phase && total;
	const double share = has_end && done < total ? (double)done / (double)total : 1;
	const ag_str left = time_left(done, total, elapsed, arena);

	ag_paint_cut(p, AG_INK_BOLD, room, ag_str_c(phase ? phase : "working"));
	if (has_end) {
		piece(p, room, AG_INK_PLAIN,
		      ag_str_printf(arena, "%3u%%", (unsigned)(share * 100)));
		piece(p, room, AG_INK_PLAIN, left);
		/* The bar stays where it is while the time changes. */
		if (left.len)
			ag_paint_to(p, strlen(phase) + LEFT_COLS);
		if (p->col + 2 + BAR_COLS + 2 + NAME_COLS <= room)
			bar(p, share);
	} else {
		piece(p, room, AG_INK_PLAIN,
		      ag_str_printf(arena, "%lld s", (long long)(elapsed / 1000)));
	}
	if (p->col + 2 + MIN_NAME_COLS <= room) {
		const size_t rest = room - p->col - 2;

		ag_paint_to(p, p->col + 2);
		ag_paint_cut(p, AG_INK_DIM, rest < NAME_COLS ? rest : NAME_COLS, l->what);
	}
	if (phase && unit)
		piece(p, room, AG_INK_DIM, amount(done, total, unit, arena));
	if (phase)
		piece(p, room, AG_INK_DIM, rate(l, elapsed, arena));
	charge(l, p, room, arena);
}

static void draw(ag_progress_line *l)
{
	const uint64_t nphase = atomic_load_explicit(&l->progress->nphase, memory_order_relaxed);
	const size_t columns = ag_term_err_columns(); /* a window can change while we wait */
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(4096);
	ag_paint p;

	if (nphase != l->nphase) {
		l->nphase = nphase;
		l->phase_ms = now_ms();
		l->phase_docs = atomic_load_explicit(&l->progress->documents, memory_order_relaxed);
	}
	ag_paint_init(&p, &out, columns, l->colour, l->utf8);
	ag_buf_adds(&out, "\r\033[K");
	if (columns >= MIN_COLUMNS)
		compose(l, &p, columns - FREE_COLS, arena);
	ag_signals_line_drawn(true);
	AG_IGNORE(ag_fd_write(STDERR_FILENO, ag_buf_view(&out)), "a progress line is no result");
	ag_buf_release(&out);
	ag_arena_free(arena);
}

/* Sleep, or wake up because it is over. */
static bool wait_ms(ag_progress_line *l, int64_t ms)
{
	struct timespec until;
	bool stop;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	until.tv_sec += ms / 1000 + until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&l->lock);
	while (!l->stop && pthread_cond_timedwait(&l->wake, &l->lock, &until) != ETIMEDOUT)
		;
	stop = l->stop;
	pthread_mutex_unlock(&l->lock);
	return stop;
}

static void *loop(void *arg)
{
	ag_progress_line *l = arg;
	bool is_drawn = false;

	for (bool stop = wait_ms(l, SILENT_MS); !stop; stop = wait_ms(l, FRAME_MS)) {
		draw(l);
		is_drawn = true;
	}
	if (is_drawn)
		AG_IGNORE(ag_fd_write(STDERR_FILENO, AG_S("\r\033[K")),
		          "a progress line is no result");
	ag_signals_line_drawn(false);
	return NULL;
}

ag_progress_line *ag_progress_start(ag_cli *c, ag_str what)
{
	ag_progress_line *l;
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int e;

	if (!c->term.can_redraw || c->quiet || c->logs)
		return NULL;
	l = ag_xcalloc(1, sizeof(*l));
	l->progress = &c->app.progress;
	for (size_t i = what.len; i-- > 0;) { /* a file's name says enough */
		if (what.ptr[i] == '/' && i + 1 < what.len) {
			what = ag_str_make(what.ptr + i + 1, what.len - i - 1);
			break;
		}
	}
	l->what = what;
	l->utf8 = c->term.utf8;
	l->colour = c->term.err_colour;
	l->phase_ms = now_ms();
	l->first_units = atomic_load_explicit(&l->progress->milli_units, memory_order_relaxed);
	l->first_throttled = atomic_load_explicit(&l->progress->nthrottled, memory_order_relaxed);
	pthread_mutex_init(&l->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&l->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	/* Signals belong to the threads that can wait in a system call. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	e = ag_fault("thread.start") ? errno : pthread_create(&l->thread, NULL, loop, l);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!e)
		return l;
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return NULL;
}

ag_progress_line *ag_progress_stop(ag_progress_line *l)
{
	if (!l)
		return NULL;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	pthread_join(l->thread, NULL);
	pthread_cond_destroy(&l->wake);
	pthread_mutex_destroy(&l->lock);
	free(l);
	return NULL;
}
