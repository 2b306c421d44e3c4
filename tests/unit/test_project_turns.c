/* The fair queue: users in turn whatever they send, bounded queues, waits that end, turns that outlive their call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "project/turns.h"

typedef struct call {
	pthread_t thread;
	ag_turns *turns;
	const char *user;
	ag_ctx ctx;
	int watch_fd;
	int64_t wait_ms;
	ag_arena *arena;
	ag_turn *turn;
	ag_sql_failure failure;
	atomic_bool is_over;
	bool ok;
	unsigned *order, number; /* `order` counts those that were served */
} call;

static pthread_mutex_t order_lock = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *arg)
{
	call *c = (call *)arg;

	const ag_turn_request r = { .ctx = &c->ctx,
		                    .user = ag_str_c(c->user),
		                    .wait_ms = c->wait_ms,
		                    .watch_fd = c->watch_fd };

	c->ok = ag_turns_take(c->turns, &r, c->arena, &c->turn, &c->failure);
	pthread_mutex_lock(&order_lock);
	if (c->ok && c->order)
		c->number = ++*c->order;
	pthread_mutex_unlock(&order_lock);
	atomic_store(&c->is_over, true);
	return NULL;
}

static void init(call *c, ag_turns *t, const char *user)
{
	*c = (call){ .turns = t,
		     .user = user,
		     .ctx = { .clock = &ag_clock_system, .nthread = 1 },
		     .watch_fd = -1,
		     .wait_ms = 20000,
		     .arena = ag_arena_new() };
}

static void start(call *c)
{
	assert_int_equal(pthread_create(&c->thread, NULL, take, c), 0);
}

static void finish(call *c)
{
	assert_int_equal(pthread_join(c->thread, NULL), 0);
}

static void now(call *c, ag_turns *t, const char *user)
{
	init(c, t, user);
	take(c);
}

static void release(call *c)
{
	ag_turn_give(c->turn);
	ag_arena_free(c->arena);
}

static void wait_until_waiting(ag_turns *t, unsigned n)
{
	while (ag_turns_waiting(t) != n)
		usleep(500);
}

static void a_flood_of_one_user_delays_another_by_one_call(void **state)
{
	enum { FLOOD = 40 };
	ag_turns *t = ag_turns_new(3, NULL);
	call held[3], flood[FLOOD], other[3];
	unsigned order = 0;

	(void)state;
	now(&held[0], t, "ann");
	now(&held[1], t, "ann");
	now(&held[2], t, "ann");
	assert_true(held[0].ok && held[1].ok && held[2].ok);
	for (int i = 0; i < FLOOD; i++) {
		init(&flood[i], t, "ann");
		flood[i].order = &order;
		start(&flood[i]);
	}
	wait_until_waiting(t, FLOOD);
	for (int i = 0; i < 3; i++) {
		init(&other[i], t, i == 2 ? "cat" : "bob");
		other[i].order = &order;
		start(&other[i]);
		wait_until_waiting(t, FLOOD + 1 + (unsigned)i);
	}
	/* One place after another becomes free. */
	ag_turn_give(held[0].turn);
	held[0].turn = NULL;
	finish(&other[0]);
	assert_int_equal(other[0].number, 1); /* bob, who holds none, before ann's 40 */
	ag_turn_give(held[1].turn);
	held[1].turn = NULL;
	finish(&other[2]);
	assert_int_equal(other[2].number, 2); /* then cat; bob holds one already */
	ag_turn_give(other[0].turn);
	other[0].turn = NULL;
	finish(&other[1]);
	assert_int_equal(other[1].number, 3); /* bob holds none again, ann one */
	ag_turn_give(other[1].turn);
	other[1].turn = NULL;
	for (int done = 0; done < FLOOD;) {
		done = 0;
		for (int i = 0; i < FLOOD; i++) {
			if (!atomic_load(&flood[i].is_over))
				continue;
			done++;
			ag_turn_give(flood[i].turn);
			flood[i].turn = NULL;
		}
		if (other[2].turn)
			ag_turn_give(other[2].turn);
		other[2].turn = NULL;
		usleep(1000);
	}
	for (int i = 0; i < FLOOD; i++) {
		finish(&flood[i]);
		assert_true(flood[i].ok);
		release(&flood[i]);
	}
	for (int i = 0; i < 3; i++)
		release(&other[i]);
	release(&held[0]);
	release(&held[1]);
	release(&held[2]);
	ag_turns_free(t);
}

static void a_full_queue_refuses_at_once(void **state)
{
	static call flood[AG_TURNS_USER_QUEUE];
	ag_turns *t = ag_turns_new(2, NULL);
	call held, kept, more, other;

	(void)state;
	now(&held, t, "ann");
	now(&kept, t, "ann");
	for (size_t i = 0; i < AG_TURNS_USER_QUEUE; i++) {
		init(&flood[i], t, "ann");
		start(&flood[i]);
	}
	wait_until_waiting(t, AG_TURNS_USER_QUEUE);
	now(&more, t, "ann");
	assert_false(more.ok);
	assert_int_equal(more.failure.code, AG_SQLCODE_POOL_TIMEOUT);
	assert_true(more.failure.retry_after_ms > 0);
	assert_true(ag_str_contains(more.failure.message, AG_S("queue for the database is full")));
	assert_true(ag_str_contains(more.failure.message, AG_S("256 calls of this user")));
	init(&other, t, "bob"); /* has a queue of his own */
	start(&other);
	wait_until_waiting(t, AG_TURNS_USER_QUEUE + 1);
	ag_turn_give(held.turn);
	held.turn = NULL;
	finish(&other);
	assert_true(other.ok);
	release(&other);
	for (size_t left = AG_TURNS_USER_QUEUE; left > 0;) {
		left = AG_TURNS_USER_QUEUE;
		for (size_t i = 0; i < AG_TURNS_USER_QUEUE; i++) {
			if (!atomic_load(&flood[i].is_over))
				continue;
			ag_turn_give(flood[i].turn);
			flood[i].turn = NULL;
			left--;
		}
	}
	for (size_t i = 0; i < AG_TURNS_USER_QUEUE; i++) {
		finish(&flood[i]);
		release(&flood[i]);
	}
	ag_arena_free(more.arena);
	release(&kept);
	release(&held);
	ag_turns_free(t);
}

static void waiting_ends(void **state)
{
	ag_turns *t = ag_turns_new(1, NULL);
	atomic_bool flag = false;
	ag_progress progress = { .phase = NULL };
	call held, late, deadline, cancelled, gone;
	int pair[2];

	(void)state;
	now(&held, t, "ann");
	init(&late, t, "bob");
	late.wait_ms = 30;
	take(&late);
	assert_false(late.ok);
	assert_int_equal(late.failure.code, AG_SQLCODE_POOL_TIMEOUT);
	init(&deadline, t, "bob");
	deadline.ctx.deadline_ms = ag_clock_mono(&ag_clock_system) + 30;
	take(&deadline);
	assert_false(deadline.ok);
	init(&cancelled, t, "bob");
	cancelled.ctx.cancel = &flag;
	cancelled.ctx.progress = &progress;
	start(&cancelled);
	wait_until_waiting(t, 1);
	assert_string_equal(atomic_load(&progress.phase), "queued");
	atomic_store(&flag, true);
	finish(&cancelled);
	assert_int_equal(cancelled.failure.code, AG_SQLCODE_CANCELLED);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	init(&gone, t, "bob");
	gone.watch_fd = pair[0];
	start(&gone);
	wait_until_waiting(t, 1);
	close(pair[1]);
	finish(&gone);
	close(pair[0]);
	assert_int_equal(gone.failure.code, AG_SQLCODE_CANCELLED);
	assert_true(ag_str_contains(gone.failure.message, AG_S("was not sent")));
	release(&late);
	release(&deadline);
	release(&cancelled);
	release(&gone);
	release(&held);
	ag_turns_free(t);
}

/* A statement that runs on holds the place of its call. */
static void a_held_turn_keeps_its_place(void **state)
{
	ag_turns *t = ag_turns_new(1, NULL);
	call first, second;
	ag_sql_hold hold;

	(void)state;
	now(&first, t, "ann");
	hold = ag_turn_hold(first.turn);
	hold.keep(hold.arg);
	ag_turn_give(first.turn);
	first.turn = NULL;
	init(&second, t, "bob");
	second.wait_ms = 30;
	take(&second);
	assert_false(second.ok);
	hold.release(hold.arg);
	take(&second);
	assert_true(second.ok);
	release(&first);
	release(&second);
	ag_turns_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flood_of_one_user_delays_another_by_one_call),
		cmocka_unit_test(a_full_queue_refuses_at_once),
		cmocka_unit_test(waiting_ends),
		cmocka_unit_test(a_held_turn_keeps_its_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
