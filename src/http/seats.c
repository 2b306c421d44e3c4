/* Seats: on each sits the work for one event, on a stack of its own (base/fiber.h), so that a handler may pause
 * (run/pause.h): its worker takes another seat and goes on with other events.
 *
 * A seat that pauses is in a list, and epoll watches its socket, which reports by a mark of the seat and the count of its
 * pauses: a report that comes after the end of the pause is dropped. What was called, or has paused for too long, is in the
 * list of those that are ready, which each worker looks at first. A thread that is no worker wakes one for it. */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "http/parts.h"

#define PAUSE_US   4000 /* then it waits without a pause: its worker is slow, and is replaced */
#define READY_US   1000 /* then a worker is woken for it */
#define MAX_PAUSED 64u
#define SEAT       UINT32_C(0x80000000) /* in the mark of an event: the rest is the place of a seat */

static ag_http_seat *seat_of(ag_pauser *p)
{
	return (ag_http_seat *)(void *)p;
}

/* --- lists; under the lock --- */

static void list_paused(ag_http_seats *all, ag_http_seat *s)
{
	s->state = AG_HTTP_SEAT_PAUSED;
	s->next = NULL;
	s->prev = all->last_paused;
	*(s->prev ? &s->prev->next : &all->first_paused) = s;
	all->last_paused = s;
	if (s->fd >= 0)
		atomic_fetch_add(&all->nsocket, 1);
}

static void unlist_paused(ag_http_seats *all, ag_http_seat *s)
{
	*(s->prev ? &s->prev->next : &all->first_paused) = s->next;
	*(s->next ? &s->next->prev : &all->last_paused) = s->prev;
	if (s->fd >= 0)
		atomic_fetch_sub(&all->nsocket, 1);
}

static void list_ready(ag_http_seats *all, ag_http_seat *s, ag_pause_end end)
{
	s->state = AG_HTTP_SEAT_READY;
	s->end = end;
	s->ready_us = ag_time_mono_us();
	s->next = NULL;
	*all->ready_end = s;
	all->ready_end = &s->next;
	atomic_fetch_add(&all->nready, 1);
}

/* ThreadSanitizer: see epoll_mod() in conns.c. */
static bool arm(ag_httpd *d, int op, int fd, uint64_t mark)
{
	struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT, .data.u64 = mark };

#ifdef AG_HAS_TSAN
	return syscall(SYS_epoll_ctl, d->epoll_fd, op, fd, &e) == 0;
#else
	return epoll_ctl(d->epoll_fd, op, fd, &e) == 0;
#endif
}

/* A socket is added when it is waited for the first time; it leaves when it is closed. */
static bool watch(ag_httpd *d, const ag_http_seat *s)
{
	const uint64_t mark = (uint64_t)s->npause << 32 | SEAT | s->index;

	return arm(d, EPOLL_CTL_MOD, s->fd, mark) ||
	       (errno == ENOENT && arm(d, EPOLL_CTL_ADD, s->fd, mark));
}

/* --- pausing --- */

static void kick(ag_httpd *d)
{
	const uint64_t one = 1;

	if (write(d->seats.kick_fd, &one, sizeof(one)) < 0)
		AG_ASSERT(errno == EINTR || errno == EAGAIN);
}

static ag_pause_end pause_seat(ag_pauser *p, int fd)
{
	ag_http_seat *s = seat_of(p);
	ag_httpd *d = s->d;

	if (atomic_fetch_add(&d->seats.npaused, 1) < MAX_PAUSED && !atomic_load(&d->is_over) &&
	    !atomic_load(&d->seats.is_shut)) {
		s->fd = fd;
		ag_fiber_leave(s->fiber);
	} else {
		s->end = AG_PAUSE_REFUSED;
	}
	atomic_fetch_sub(&d->seats.npaused, 1);
	return s->end;
}

static void wake_seat(ag_pauser *p)
{
	ag_http_seat *s = seat_of(p);
	ag_httpd *d = s->d;
	const ag_pauser *here = ag_pauser_here();
	bool must_kick = false;

	pthread_mutex_lock(&d->seats.lock);
	if (s->state == AG_HTTP_SEAT_PAUSED && s->fd < 0) {
		unlist_paused(&d->seats, s);
		list_ready(&d->seats, s, AG_PAUSE_OVER);
		/* A worker looks at the list when its handler has returned. */
		must_kick = !here || here->pause != pause_seat;
	} else {
		s->is_called = true;
	}
	pthread_mutex_unlock(&d->seats.lock);
	if (must_kick)
		kick(d);
}

/* Its stack has been left: from here on another worker may enter it. */
static void park(ag_http_seat *s)
{
	ag_httpd *d = s->d;
	ag_http_seats *all = &d->seats;

	pthread_mutex_lock(&all->lock);
	if (s->fd < 0 && s->is_called) {
		list_ready(all, s, AG_PAUSE_OVER);
	} else {
		s->npause++;
		s->paused_us = ag_time_mono_us();
		list_paused(all, s);
		if (s->fd >= 0 && !watch(d, s)) {
			unlist_paused(all, s);
			list_ready(all, s, AG_PAUSE_REFUSED);
		}
	}
	s->is_called = false;
	pthread_mutex_unlock(&all->lock);
}

bool ag_http_seat_run(ag_http_seat *s)
{
	bool is_over;

	if (!s->fiber) {
		ag_http_serve(s);
		return true;
	}
	ag_pauser_set(&s->pauser);
	is_over = ag_fiber_enter(s->fiber);
	ag_pauser_set(NULL);
	if (!is_over)
		park(s);
	return is_over;
}

/* --- what goes on --- */

ag_http_seat *ag_http_seat_claim(ag_httpd *d, uint64_t mark)
{
	const uint32_t index = (uint32_t)mark & ~SEAT;
	ag_http_seats *all = &d->seats;
	ag_http_seat *s;

	pthread_mutex_lock(&all->lock);
	s = index < all->n ? all->all[index] : NULL;
	if (s && s->state == AG_HTTP_SEAT_PAUSED && s->fd >= 0 && s->npause == mark >> 32) {
		unlist_paused(all, s);
		s->state = AG_HTTP_SEAT_TAKEN;
		s->end = AG_PAUSE_OVER;
	} else {
		s = NULL;
	}
	pthread_mutex_unlock(&all->lock);
	return s;
}

bool ag_http_is_seat(uint64_t mark)
{
	return (uint32_t)mark & SEAT;
}

ag_http_seat *ag_http_seat_ready(ag_httpd *d)
{
	ag_http_seats *all = &d->seats;
	ag_http_seat *s;

	if (!atomic_load(&all->nready))
		return NULL;
	pthread_mutex_lock(&all->lock);
	s = all->ready;
	if (s) {
		all->ready = s->next;
		if (!all->ready)
			all->ready_end = &all->ready;
		atomic_fetch_sub(&all->nready, 1);
		s->state = AG_HTTP_SEAT_TAKEN;
	}
	pthread_mutex_unlock(&all->lock);
	return s;
}

bool ag_http_seats_look(ag_httpd *d, bool is_all)
{
	ag_http_seats *all = &d->seats;
	const int64_t now = ag_time_mono_us();
	bool must_kick, is_any;

	if (!atomic_load(&all->npaused))
		return false;
	pthread_mutex_lock(&all->lock);
	must_kick = all->ready && now - all->ready->ready_us > READY_US;
	for (ag_http_seat *s = all->first_paused; s && (is_all || now - s->paused_us > PAUSE_US);
	     s = all->first_paused) {
		unlist_paused(all, s);
		list_ready(all, s, AG_PAUSE_LATE);
		must_kick = true;
	}
	is_any = all->first_paused || all->ready;
	pthread_mutex_unlock(&all->lock);
	if (must_kick)
		kick(d);
	return is_any;
}

/* --- life --- */

static void sit(void *seat)
{
	ag_http_serve((ag_http_seat *)seat);
}

static ag_http_seat *seat_new(ag_httpd *d)
{
	ag_http_seat *s = (ag_http_seat *)ag_xcalloc(1, sizeof(*s));

	s->pauser = (ag_pauser){ pause_seat, wake_seat };
	s->d = d;
	s->in = (char *)ag_xmalloc(AG_HTTPD_IN_BYTES);
	s->turn = ag_http_turn_new(d);
	s->fiber = ag_fiber_new(AG_HTTPD_STACK_BYTES, sit, s);
	return s;
}

ag_http_seat *ag_http_seat_take(ag_httpd *d)
{
	ag_http_seats *all = &d->seats;
	ag_http_seat *s;

	pthread_mutex_lock(&all->lock);
	s = all->spare;
	if (s)
		all->spare = s->next;
	pthread_mutex_unlock(&all->lock);
	if (s)
		return s;
	s = seat_new(d);
	pthread_mutex_lock(&all->lock);
	AG_ASSERT(all->n < all->max); /* each worker has one, and each that pauses */
	s->index = all->n;
	all->all[all->n++] = s;
	pthread_mutex_unlock(&all->lock);
	return s;
}

void ag_http_seat_give(ag_http_seat *s)
{
	ag_http_seats *all = &s->d->seats;

	pthread_mutex_lock(&all->lock);
	s->next = all->spare;
	all->spare = s;
	pthread_mutex_unlock(&all->lock);
}

bool ag_http_seats_open(ag_httpd *d, unsigned nworker)
{
	ag_http_seats *all = &d->seats;
	struct epoll_event e = { .events = EPOLLIN | EPOLLET, .data.u64 = AG_HTTP_KICK };

	all->max = nworker + MAX_PAUSED;
	all->all = (ag_http_seat **)ag_xcalloc(all->max, sizeof(*all->all));
	all->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return all->kick_fd >= 0 && epoll_ctl(d->epoll_fd, EPOLL_CTL_ADD, all->kick_fd, &e) == 0;
}

void ag_http_seats_init(ag_http_seats *all)
{
	pthread_mutex_init(&all->lock, NULL);
	all->ready_end = &all->ready;
	all->kick_fd = -1;
}

void ag_http_seats_release(ag_http_seats *all)
{
	for (unsigned i = 0; i < all->n; i++) {
		ag_http_turn_free(all->all[i]->turn);
		free(all->all[i]->in);
		ag_fiber_free(all->all[i]->fiber);
		free(all->all[i]);
	}
	free(all->all);
	if (all->kick_fd >= 0)
		close(all->kick_fd);
	pthread_mutex_destroy(&all->lock);
}
