/* The threads and their pacer (workers.h).
 *
 * nrunning counts threads that are not parked. The pacer sets `wanted` to `level` and the slow ones; who finds more running
 * than wanted after its work parks itself. level is between nleast and nfast: it grows when nearly each look at the workers
 * finds all of them at work, and is nfast where the machine is crowded. A parked thread that nobody wants for a while ends. A thread that ends joins the one
 * that ended before it, so that ag_workers_stop() only has to join the last. */
#include "http/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/time.h"

#define ORIGIN   "http.workers"
#define SLOW_US  1000 /* at one piece of work */
#define TICK_NS  1000000
#define CALM     50 /* ticks without work, then the pacer sleeps */
#define PARKED_S 10 /* then the thread ends */
/* Looks for one decision, and the share of them, in percent, in which each worker is at work when one more is added; and one
 * less than there are when one is taken away. */
#define WINDOW 64
#define MUCH   92
#define LITTLE 60
/* The pacer itself is late when other programs want all cores: one thread gets the share of one then, and more get more. */
#define LATE_US 1000
#define CROWDED 8 /* looks that are late, in percent of a window, from which on it is so */
#define ROOMY   2 /* below which it is so no more */

struct ag_worker {
	ag_workers *all;
	_Atomic int64_t since_us; /* at work since; 0 = waits for it */
	bool is_used;             /* a thread has it; under the lock */
};

struct ag_workers {
	ag_workers_opts opts;
	atomic_uint nrunning, wanted, nslow;
	atomic_bool pacer_sleeps, is_over;
	pthread_mutex_t lock;
	pthread_cond_t unpark, pace, ended;
	unsigned nthread, nparked, nunpark; /* threads; parked; of those, told to run */
	unsigned nslot;        /* workers[0, nslot) were used once: no more need a look */
	pthread_t pacer, last; /* last: of the threads that have ended */
	bool has_last;
	unsigned level;        /* of the pacer, and what follows */
	unsigned nlook, nbusy; /* nbusy: workers at work, in all looks together */
	unsigned nlate;        /* of these looks */
	bool is_crowded;
	ag_worker workers[];
};

/* --- a worker --- */

void ag_worker_busy(ag_worker *w)
{
	ag_workers *all = w->all;

	/* In this order, and the pacer's in the other: one of the two sees the other. */
	atomic_store(&w->since_us, ag_time_mono_us());
	if (!atomic_load(&all->pacer_sleeps))
		return;
	pthread_mutex_lock(&all->lock);
	pthread_cond_signal(&all->pace);
	pthread_mutex_unlock(&all->lock);
}

void ag_worker_done(ag_worker *w)
{
	atomic_store_explicit(&w->since_us, 0, memory_order_release);
}

static struct timespec seconds_from_now(time_t s)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += s;
	return at;
}

/* With the lock. False: nobody wanted this thread, or all is over: it ends. */
static bool park(ag_workers *all)
{
	const struct timespec until = seconds_from_now(PARKED_S);
	int rc = 0;

	all->nparked++;
	while (all->nunpark == 0 && !atomic_load(&all->is_over) && rc == 0)
		rc = pthread_cond_timedwait(&all->unpark, &all->lock, &until);
	all->nparked--;
	if (all->nunpark == 0)
		return false;
	all->nunpark--;
	return true;
}

/* False: the thread ends. It was counted out of nrunning then. */
static bool may_go_on(ag_workers *all)
{
	unsigned n = atomic_load_explicit(&all->nrunning, memory_order_relaxed);
	bool goes_on;

	do {
		if (n <= atomic_load_explicit(&all->wanted, memory_order_relaxed))
			return true;
	} while (!atomic_compare_exchange_weak(&all->nrunning, &n, n - 1));
	pthread_mutex_lock(&all->lock);
	goes_on = park(all);
	pthread_mutex_unlock(&all->lock);
	return goes_on;
}

static void leave(ag_worker *w)
{
	ag_workers *all = w->all;
	pthread_t before;
	bool has_before;

	pthread_mutex_lock(&all->lock);
	w->is_used = false;
	before = all->last;
	has_before = all->has_last;
	all->last = pthread_self();
	all->has_last = true;
	if (--all->nthread == 0)
		pthread_cond_signal(&all->ended);
	pthread_mutex_unlock(&all->lock);
	if (has_before)
		pthread_join(before, NULL);
}

static void *run(void *arg)
{
	ag_worker *w = (ag_worker *)arg;
	ag_workers *all = w->all;
	void *own = all->opts.open(all->opts.arg);

	for (;;) {
		if (!all->opts.turn(own, w)) {
			atomic_fetch_sub(&all->nrunning, 1);
			break;
		}
		if (!may_go_on(all))
			break;
	}
	all->opts.close(own);
	leave(w);
	return NULL;
}

/* With the lock. */
static ag_worker *free_slot(ag_workers *all)
{
	unsigned i = 0;

	while (i < all->opts.max && all->workers[i].is_used)
		i++;
	if (i == all->opts.max)
		return NULL;
	if (i >= all->nslot)
		all->nslot = i + 1;
	return &all->workers[i];
}

/* With the lock. */
static bool add_thread(ag_workers *all)
{
	ag_worker *w = free_slot(all);
	pthread_attr_t attr;
	pthread_t t;
	bool ok;

	if (!w)
		return false;
	w->all = all;
	/* Before it runs: it may come to count itself out at once. */
	atomic_fetch_add(&all->nrunning, 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, all->opts.stack_bytes);
	ok = pthread_create(&t, &attr, run, w) == 0;
	pthread_attr_destroy(&attr);
	if (!ok) {
		atomic_fetch_sub(&all->nrunning, 1);
		return false;
	}
	w->is_used = true;
	all->nthread++;
	return true;
}

/* --- the pacer --- */

/* Of the workers: slow ones, and those at work that may become so. With the lock. */
static unsigned count_slow(const ag_workers *all, unsigned *ret_nbusy)
{
	const int64_t now = ag_time_mono_us();
	unsigned n = 0;

	*ret_nbusy = 0;
	for (unsigned i = 0; i < all->nslot; i++) {
		int64_t since = atomic_load(&all->workers[i].since_us);

		const bool is_slow = since && now - since > SLOW_US;

		*ret_nbusy += since && !is_slow;
		n += is_slow;
	}
	return n;
}

static void begin_window(ag_workers *all)
{
	all->nlook = all->nbusy = all->nlate = 0;
}

/* A worker that blocks for less than a millisecond has as little time left as one that computes. */
static void set_level(ag_workers *all, unsigned nbusy)
{
	all->nbusy += nbusy;
	if (++all->nlook < WINDOW)
		return;
	if (100 * all->nlate >= CROWDED * WINDOW)
		all->is_crowded = true;
	else if (100 * all->nlate < ROOMY * WINDOW)
		all->is_crowded = false;
	if (all->is_crowded)
		all->level = all->opts.nfast;
	else if (100 * all->nbusy >= MUCH * WINDOW * all->level && all->level < all->opts.nfast)
		all->level++;
	else if (100 * all->nbusy < LITTLE * WINDOW * (all->level - 1) &&
	         all->level > all->opts.nleast)
		all->level--;
	begin_window(all);
}

static void set_wanted(ag_workers *all, unsigned nslow)
{
	atomic_store(&all->nslow, nslow);
	atomic_store(&all->wanted, all->level + nslow);
}

/* With the lock. False: there are no more threads to be had. */
static bool run_more(ag_workers *all)
{
	const unsigned wanted = atomic_load(&all->wanted);

	while (atomic_load(&all->nrunning) < wanted) {
		if (all->nparked > all->nunpark) {
			all->nunpark++;
			atomic_fetch_add(&all->nrunning, 1);
			pthread_cond_signal(&all->unpark);
		} else if (!add_thread(all)) {
			return false;
		}
	}
	return true;
}

/* With the lock, which it gives up meanwhile. */
static void wait_for_work(ag_workers *all)
{
	unsigned nbusy, nslow;

	atomic_store(&all->pacer_sleeps, true);
	/* Somebody may have begun before he could see that the pacer sleeps: even so long ago that he is slow by now. */
	nslow = count_slow(all, &nbusy);
	if (!nbusy && all->level + nslow <= atomic_load(&all->wanted) &&
	    !atomic_load(&all->is_over))
		pthread_cond_wait(&all->pace, &all->lock);
	atomic_store(&all->pacer_sleeps, false);
}

/* True: it took much longer. */
static bool sleep_a_tick(void)
{
	const struct timespec tick = { 0, TICK_NS };
	const int64_t began_us = ag_time_mono_us();

	nanosleep(&tick, NULL);
	return ag_time_mono_us() - began_us > TICK_NS / 1000 + LATE_US;
}

static void *pace(void *arg)
{
	ag_workers *all = (ag_workers *)arg;
	unsigned calm = 0;

	pthread_mutex_lock(&all->lock);
	while (!atomic_load(&all->is_over)) {
		unsigned nbusy;
		bool is_ticking;

		set_wanted(all, count_slow(all, &nbusy));
		set_level(all, nbusy);
		is_ticking = all->opts.tick && all->opts.tick(all->opts.arg, all->is_crowded);
		/* A thread that was not to be had is tried for again. */
		calm = !run_more(all) || nbusy || is_ticking ? 0 : calm + 1;
		if (calm > CALM) { /* there is time left */
			all->level = all->opts.nleast;
			begin_window(all);
			wait_for_work(all);
			calm = 0;
		}
		pthread_mutex_unlock(&all->lock);
		all->nlate += sleep_a_tick();
		pthread_mutex_lock(&all->lock);
	}
	pthread_mutex_unlock(&all->lock);
	return NULL;
}

unsigned ag_worker_nslow(const ag_worker *w)
{
	return atomic_load(&w->all->nslow);
}

/* --- life --- */

static void release(ag_workers *all)
{
	pthread_cond_destroy(&all->ended);
	pthread_cond_destroy(&all->pace);
	pthread_cond_destroy(&all->unpark);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

static void set_over(ag_workers *all)
{
	pthread_mutex_lock(&all->lock);
	atomic_store(&all->is_over, true);
	pthread_cond_broadcast(&all->unpark);
	pthread_cond_broadcast(&all->pace);
	pthread_mutex_unlock(&all->lock);
}

ag_status ag_workers_start(const ag_workers_opts *o, ag_workers **ret, ag_err *err)
{
	ag_workers *all = (ag_workers *)ag_xcalloc(1, sizeof(*all) + o->max * sizeof(ag_worker));
	pthread_condattr_t attr;
	bool ok;
	int rc;

	AG_ASSERT(o->nfast >= 1 && o->nleast <= o->nfast && o->nfast <= o->max);
	all->opts = *o;
	if (!all->opts.nleast)
		all->opts.nleast = o->nfast;
	all->level = all->opts.nleast;
	pthread_mutex_init(&all->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&all->unpark, &attr);
	pthread_condattr_destroy(&attr);
	pthread_cond_init(&all->pace, NULL);
	pthread_cond_init(&all->ended, NULL);
	atomic_store(&all->wanted, all->level);
	rc = pthread_create(&all->pacer, NULL, pace, all);
	if (rc) {
		release(all);
		return ag_fail_errno(err, rc, ORIGIN, "no thread for the server");
	}
	pthread_mutex_lock(&all->lock);
	ok = run_more(all) || all->nthread > 0;
	pthread_mutex_unlock(&all->lock);
	if (!ok) {
		ag_workers_stop(all);
		return ag_fail(err, AG_UNAVAILABLE, ORIGIN, "no thread for the server");
	}
	*ret = all;
	return AG_OK;
}

ag_workers *ag_workers_stop(ag_workers *all)
{
	if (!all)
		return NULL;
	set_over(all);
	pthread_join(all->pacer, NULL);
	pthread_mutex_lock(&all->lock);
	while (all->nthread)
		pthread_cond_wait(&all->ended, &all->lock);
	pthread_mutex_unlock(&all->lock);
	if (all->has_last)
		pthread_join(all->last, NULL);
	release(all);
	return NULL;
}
