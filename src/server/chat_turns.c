/* Turns that are under way: their threads, what they said so far, and who reads it.
 * Locks, from the outside in: the list's (chat->lock), a turn's own, the HTTP server's. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "run/span.h"
#include "server/chat.h"
#include "server/problem.h"

#define ORIGIN       "server.chat"
#define MAX_TURNS    1024u
#define MANY_TURNS   32u /* at once: worth a look at the heap when they are over */
#define MAX_FOLLOWED 64u
#define KEPT_BYTES \
	(16u << 20) /* of what a turn said: beyond it nobody can come back to its beginning */
#define WAITING_BYTES (24u << 20) /* that a reader lets wait */
#define LOOK_MS       300         /* for turns that another process wants to end */
#define FOLLOW_MS     100         /* between two looks at the log of another process */
#define STACK_BYTES   (1u << 20)  /* of a turn's thread */
#define MAX_WAITING   64u         /* threads that wait for a turn; others end with theirs */
#define IDLE_MS       5000        /* then they end */

typedef enum turn_state { STARTING, RUNNING, FAILED } turn_state;

struct ag_server_turn {
	ag_server_turn *next;
	atomic_uint refs; /* its thread's, its users' */
	ag_server *h;
	ag_server_caller *known;
	ag_server_grant *grant;
	ag_arena *arena;
	ag_server_turn_opts o; /* texts in arena */
	atomic_bool cancel;
	ag_ui_stream ui;
	ag_span *span; /* from the request until the turn is over; NULL */
	ag_store *store;
	ag_server_turn *next_queued;
	pthread_mutex_t lock; /* of what follows */
	ag_httpd_request *rq; /* whose reply was put off; NULL = not yet */
	ag_httpd_reply *rp;
	turn_state state;
	ag_err err;
	bool is_over, has_failed;
	ag_buf said; /* a line for each part */
	ag_httpd_stream **readers;
	size_t nreader, cap;
};

/* --- what a turn says --- */

/* With the lock. A reader that left or is too slow is let go. */
static void tell_readers(ag_server_turn *t, ag_str line)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nreader; i++) {
		if (ag_httpd_stream_add(t->readers[i], NULL, AG_S(""), line))
			t->readers[n++] = t->readers[i];
		else
			ag_httpd_stream_end(t->readers[i]);
	}
	t->nreader = n;
}

static void say(ag_server_turn *t, ag_str line)
{
	pthread_mutex_lock(&t->lock);
	if (!t->said.failed) {
		ag_buf_add(&t->said, line);
		ag_buf_addc(&t->said, '\n');
	}
	tell_readers(t, line);
	pthread_mutex_unlock(&t->lock);
}

static void take_chunk(void *arg, const ag_ui_chunk *c)
{
	ag_server_turn *t = (ag_server_turn *)arg;
	ag_buf line = AG_BUF_INIT(KEPT_BYTES);

	t->has_failed = t->has_failed || c->type == AG_UI_ERROR;
	ag_ui_chunk_json(c, &line);
	if (!line.failed)
		say(t, ag_buf_view(&line));
	ag_buf_release(&line);
}

/* What was said since the last time goes out. The end of a turn takes it along. */
static void flush_readers(void *arg)
{
	ag_server_turn *t = (ag_server_turn *)arg;

	if (t->ui.is_over)
		return;
	pthread_mutex_lock(&t->lock);
	for (size_t i = 0; i < t->nreader; i++)
		ag_httpd_stream_flush(t->readers[i]);
	pthread_mutex_unlock(&t->lock);
}

/* --- the reply to who asked --- */

/* It is known how the turn began: the reply, which was put off, goes out. */
static void reply(ag_server_turn *t, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	if (t->state == FAILED)
		ag_server_problem_of(rp, &t->err);
	else
		ag_server_turn_stream(rp, ag_server_turn_read(t));
	ag_httpd_send(rq);
}

/* ag_httpd_reply.later; with a share of the turn, which its thread does not need: it has its own. */
static void put_off(void *arg, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	ag_server_turn *t = (ag_server_turn *)arg;
	bool is_starting;

	pthread_mutex_lock(&t->lock);
	is_starting = t->state == STARTING;
	if (is_starting) {
		t->rq = rq;
		t->rp = rp;
		atomic_fetch_sub(&t->refs, 1);
	}
	pthread_mutex_unlock(&t->lock);
	if (is_starting)
		return;
	reply(t, rq, rp);
	ag_server_turn_drop(t);
}

static void become(ag_server_turn *t, turn_state state, const ag_err *err)
{
	ag_httpd_request *rq = NULL;

	pthread_mutex_lock(&t->lock);
	if (t->state == STARTING) {
		t->state = state;
		if (err)
			t->err = *err;
		if (!t->err.status && state == FAILED)
			t->err.status = AG_INTERNAL;
		rq = t->rq;
	}
	pthread_mutex_unlock(&t->lock);
	if (rq)
		reply(t, rq, t->rp);
}

static void finish_readers(ag_server_turn *t)
{
	if (t->ui.is_started)
		say(t, AG_S("[DONE]"));
	pthread_mutex_lock(&t->lock);
	t->is_over = true;
	for (size_t i = 0; i < t->nreader; i++)
		ag_httpd_stream_end(t->readers[i]);
	t->nreader = 0;
	pthread_mutex_unlock(&t->lock);
}

ag_httpd_stream *ag_server_turn_read(ag_server_turn *t)
{
	ag_httpd_stream *out = ag_httpd_stream_new(WAITING_BYTES);
	ag_str rest;

	pthread_mutex_lock(&t->lock);
	rest = ag_buf_view(&t->said);
	while (rest.len)
		ag_httpd_stream_add(out, NULL, AG_S(""), ag_str_split(&rest, '\n'));
	if (t->is_over) {
		ag_httpd_stream_end(out);
	} else {
		if (t->nreader == t->cap) {
			t->cap = t->cap ? 2 * t->cap : 2;
			t->readers = (ag_httpd_stream **)ag_xrealloc(t->readers,
			                                             t->cap * sizeof(*t->readers));
		}
		t->readers[t->nreader++] = out;
	}
	pthread_mutex_unlock(&t->lock);
	return out;
}

/* --- a turn on its thread --- */

static void on_delta(void *arg, const ag_llm_delta *d)
{
	ag_server_turn *t = (ag_server_turn *)arg;

	if (d->type != AG_LLM_DELTA_THINKING)
		return;
	ag_ui_stream_think(&t->ui, d->text);
	flush_readers(t);
}

static void on_retry(void *arg, const ag_err *why, int64_t wait_ms)
{
	ag_server_turn *t = (ag_server_turn *)arg;
	ag_buf json = AG_BUF_INIT(65536);
	ag_jw w;

	if (!t->ui.is_started)
		return;
	ag_jw_init(&w, &json, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "kind", AG_S("retryable-error"));
	ag_jw_kstr(&w, "reason", ag_str_c(why->msg));
	ag_jw_kint(&w, "wait_ms", wait_ms);
	ag_jw_obj_end(&w);
	take_chunk(t, &(ag_ui_chunk){ .type = AG_UI_DATA,
	                              .name = AG_S("data-status"),
	                              .json = ag_buf_view(&json),
	                              .is_transient = true });
	ag_buf_release(&json);
	flush_readers(t);
}

static void on_event(void *arg, const ag_event *ev)
{
	ag_server_turn *t = (ag_server_turn *)arg;
	ag_str json = AG_S("");

	if (ev->type == AG_EV_RUN_FINISHED &&
	    !ag_store_report(t->store, &ev->run, t->arena, &json, NULL))
		ag_ui_stream_answer(&t->ui, json);
	ag_ui_stream_event(&t->ui, ev);
	become(t, RUNNING, NULL);
}

/* The turn to go on with: what it said before is said again. */
static ag_status say_again(ag_server_turn *t, const ag_thread *thread, ag_err *err)
{
	ag_run_row *rows;
	ag_event *events = NULL;
	size_t n, nevent = 0;
	ag_status st = ag_thread_turns(t->store, thread, 1, t->arena, &rows, &n, err);

	if (!st && n)
		st = ag_store_events(t->store, &rows[n - 1].id, 0, t->arena, &events, &nevent, err);
	if (!st)
		ag_ui_stream_replay(&t->ui, events, nevent);
	return st;
}

static ag_status run_turn(ag_server_turn *t, const ag_ctx *ctx, ag_err *err)
{
	const ag_server_chat *chat = t->h->opts.chat;
	const ag_str place = ag_thread_place(t->o.project->id, t->o.who->user, t->arena);
	const ag_thread thread = ag_thread_of(&t->o.thread, place, t->arena);
	ag_analyst_turn_result ret = { 0 };
	ag_analyst_opts o = { 0 };
	void *note = NULL;
	ag_status st = chat->open(
		chat->arg, &(ag_server_chat_call){ ctx, t->o.who, t->o.project, t->arena, NULL },
		&o, &note, err);

	if (st) {
		ag_thread_give(t->store, &thread, t->o.owner, ctx->clock);
		return st;
	}
	o.owner = t->o.owner;
	o.question = t->o.question;
	o.message = t->o.message;
	o.replaces = t->o.replaces;
	o.sql = t->o.sql;
	o.thread = &thread;
	o.store = t->store;
	o.watch = (ag_watch){ on_delta, on_retry, t };
	o.on_event = on_event;
	o.on_commit = flush_readers;
	o.on_event_arg = t;
	if (!t->o.question.len)
		st = say_again(t, &thread, err);
	if (!st)
		st = t->o.question.len ? ag_analyst_turn(ctx, &o, t->arena, &ret, err)
		                       : ag_analyst_resume(ctx, &o, t->arena, &ret, err);
	chat->close(chat->arg, note);
	if (!st && !t->ui.is_over)
		ag_ui_stream_break(&t->ui, ret.run_result.why);
	return st;
}

static void leave_list(ag_server_turn *t)
{
	struct ag_server_chat_state *c = t->h->chat;
	ag_server_turn **p;

	pthread_mutex_lock(&c->lock);
	for (p = &c->turns; *p != t; p = &(*p)->next)
		;
	*p = t->next;
	c->nturn--;
	c->nfailed += t->state == FAILED || t->has_failed;
	c->ncancelled += atomic_load(&t->cancel);
	/* The heap keeps what many turns needed at once. When most of them are over the system gets it back. */
	if (c->npeak >= MANY_TURNS && c->nturn < c->npeak / 4) {
		c->npeak = c->nturn;
		c->must_trim = true;
		pthread_cond_signal(&c->watch_wake);
	}
	pthread_cond_broadcast(&c->ended);
	pthread_mutex_unlock(&c->lock);
}

static void end_span(ag_server_turn *t, ag_status st)
{
	if (atomic_load(&t->cancel))
		ag_span_fail(t->span, AG_S("cancelled"));
	else if (st || t->state == FAILED || t->has_failed)
		ag_span_fail(t->span, ag_str_c(st ? ag_status_name(st) : "failed"));
	ag_span_end(t->span);
	t->span = NULL;
}

static void do_turn(ag_server_turn *t)
{
	ag_server *h = t->h;
	const ag_ctx ctx = {
		.clock = h->opts.clock, .cancel = &t->cancel, .nthread = 1, .span = t->span
	};
	ag_err err = { 0 };
	ag_status st = run_turn(t, &ctx, &err);

	if (st && t->ui.is_started)
		ag_ui_stream_break(&t->ui, ag_str_c(err.msg));
	finish_readers(t);
	become(t, FAILED, &err);
	ag_server_grant_end(h, t->grant);
	t->grant = NULL;
	end_span(t, st);
	leave_list(t);
	ag_server_turn_drop(t);
}

/* --- threads --- */

/* With the lock. False: none came for IDLE_MS, or there are enough threads that wait. */
static bool wait_for_queue(struct ag_server_chat_state *c)
{
	struct timespec until;
	int rc = 0;

	if (c->nwaiting == MAX_WAITING)
		return false;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += IDLE_MS / 1000;
	c->nwaiting++;
	while (!c->queue && !c->is_watched && rc == 0)
		rc = pthread_cond_timedwait(&c->queued, &c->lock, &until);
	c->nwaiting--;
	return c->queue != NULL;
}

/* A thread does one turn after the other: a new thread costs more than a small turn's own work, and its heap is cold. */
static void *turns_main(void *arg)
{
	struct ag_server_chat_state *c = ((ag_server *)arg)->chat;

	pthread_mutex_lock(&c->lock);
	while (c->queue || wait_for_queue(c)) {
		ag_server_turn *t = c->queue;

		c->queue = t->next_queued;
		if (!c->queue)
			c->queue_end = &c->queue;
		c->nqueued--;
		pthread_mutex_unlock(&c->lock);
		do_turn(t);
		pthread_mutex_lock(&c->lock);
	}
	if (c->nover == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 16;
		c->over = (pthread_t *)ag_xrealloc(c->over, c->cap * sizeof(*c->over));
	}
	c->over[c->nover++] = pthread_self();
	c->nthread--;
	pthread_cond_broadcast(&c->ended);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

void ag_server_turn_drop(ag_server_turn *t)
{
	if (!t || atomic_fetch_sub(&t->refs, 1) > 1)
		return;
	ag_ui_stream_release(&t->ui);
	ag_buf_release(&t->said);
	free(t->readers);
	ag_span_end(t->span);
	ag_server_caller_drop(t->known);
	ag_store_close(t->store);
	pthread_mutex_destroy(&t->lock);
	ag_arena_free(t->arena);
	free(t);
}

void ag_server_turn_cancel(ag_server_turn *t)
{
	atomic_store(&t->cancel, true);
}

static void revoked(void *arg)
{
	ag_server_turn_cancel((ag_server_turn *)arg);
}

static ag_server_turn *new_turn(ag_server *h, const ag_server_turn_opts *o)
{
	ag_server_turn *t = (ag_server_turn *)ag_xcalloc(1, sizeof(*t));

	t->h = h;
	atomic_init(&t->refs, 2);
	t->arena = ag_arena_new();
	t->o = *o;
	t->o.owner = ag_str_dup(t->arena, o->owner);
	t->o.question = ag_str_dup(t->arena, o->question);
	t->o.message = ag_str_dup(t->arena, o->message);
	t->o.replaces = ag_str_dup(t->arena, o->replaces);
	t->o.sql = ag_str_dup(t->arena, o->sql);
	t->known = o->known;
	t->store = ag_store_of_group(h->opts.chat->group);
	pthread_mutex_init(&t->lock, NULL);
	ag_buf_init(&t->said, KEPT_BYTES);
	ag_ui_stream_init(&t->ui, take_chunk, t);
	t->span = ag_span_begin(o->span, NULL, AG_SPAN_INTERNAL, AG_S("invoke_agent analyst"));
	ag_span_text(t->span, "gen_ai.operation.name", AG_S("invoke_agent"));
	ag_span_text(t->span, "gen_ai.agent.name", AG_S("analyst"));
	ag_span_text(t->span, "gen_ai.conversation.id", ag_id_str(&o->thread));
	t->o.span = NULL; /* the request may end before the turn does */
	return t;
}

/* With the list's lock, which is given up meanwhile. */
static void join_ended(struct ag_server_chat_state *c)
{
	while (c->nover) {
		const pthread_t one = c->over[--c->nover];

		pthread_mutex_unlock(&c->lock);
		pthread_join(one, NULL);
		pthread_mutex_lock(&c->lock);
	}
}

static bool start_thread(ag_server *h)
{
	pthread_attr_t attr;
	pthread_t thread;
	bool is_there;

	pthread_attr_init(&attr);
#if !defined(AG_HAS_ASAN) && !defined(AG_HAS_TSAN)
	pthread_attr_setstacksize(&attr, STACK_BYTES);
#endif
	is_there = pthread_create(&thread, &attr, turns_main, h) == 0;
	pthread_attr_destroy(&attr);
	return is_there;
}

/* Call it with the lock. An idle thread runs the turn, or a new thread. False: no thread could be started. */
static bool queue_turn(ag_server *h, ag_server_turn *t)
{
	struct ag_server_chat_state *c = h->chat;

	if (c->nqueued < c->nwaiting) {
		pthread_cond_signal(&c->queued);
	} else {
		if (!start_thread(h))
			return false;
		c->nthread++;
	}
	c->nqueued++;
	*c->queue_end = t;
	c->queue_end = &t->next_queued;
	return true;
}

/* Is there room for one more? Then it is in the list, and its thread has begun. */
static ag_status enlist(ag_server *h, ag_server_turn *t, ag_err *err)
{
	struct ag_server_chat_state *c = h->chat;
	ag_status st = AG_OK;

	pthread_mutex_lock(&c->lock);
	join_ended(c);
	if (c->is_stopped) {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "the server is stopping");
	} else if (c->nturn >= MAX_TURNS) {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%u questions are being answered",
		             c->nturn);
		ag_err_hint(err, "ask again in a moment");
	} else if (queue_turn(h, t)) {
		t->next = c->turns;
		c->turns = t;
		c->nturn++;
		c->npeak = c->nturn > c->npeak ? c->nturn : c->npeak;
		c->nbegun++;
	} else {
		st = ag_fail(err, AG_UNAVAILABLE, ORIGIN, "no thread could be started");
		ag_err_hint(err, "ask again in a moment");
	}
	pthread_mutex_unlock(&c->lock);
	return st;
}

ag_status ag_server_turn_begin(ag_server *h, const ag_server_turn_opts *o, ag_httpd_reply *rp,
                               ag_err *err)
{
	ag_server_turn *t = new_turn(h, o);
	ag_status st;

	t->grant = ag_server_grant_new(h, o->known, revoked, t);
	st = enlist(h, t, err);
	if (st) {
		ag_server_grant_end(h, t->grant);
		atomic_store(&t->refs, 1);
		ag_server_turn_drop(t);
		return st;
	}
	rp->later = put_off;
	rp->later_arg = t; /* with the caller's share */
	return AG_OK;
}

static bool is_under_way(ag_server_turn *t)
{
	bool ret;

	pthread_mutex_lock(&t->lock);
	ret = !t->is_over;
	pthread_mutex_unlock(&t->lock);
	return ret;
}

ag_server_turn *ag_server_turn_find(ag_server *h, const ag_id *thread)
{
	struct ag_server_chat_state *c = h->chat;
	ag_server_turn *t;

	pthread_mutex_lock(&c->lock);
	for (t = c->turns; t; t = t->next)
		if (strcmp(t->o.thread.text, thread->text) == 0 && is_under_way(t))
			break;
	if (t)
		atomic_fetch_add(&t->refs, 1);
	pthread_mutex_unlock(&c->lock);
	return t;
}

/* --- turns of other processes --- */

typedef struct follower {
	ag_server *h;
	ag_httpd_stream *out;
	ag_id run;
} follower;

static void pass_chunk(void *arg, const ag_ui_chunk *c)
{
	const follower *f = (const follower *)arg;
	ag_buf line = AG_BUF_INIT(KEPT_BYTES);

	ag_ui_chunk_json(c, &line);
	if (!line.failed)
		ag_httpd_stream_event(f->out, NULL, AG_S(""), ag_buf_view(&line));
	ag_buf_release(&line);
}

static void pause_ms(int64_t ms)
{
	const struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

static bool is_stopped(struct ag_server_chat_state *c)
{
	bool ret;

	pthread_mutex_lock(&c->lock);
	ret = c->is_stopped;
	pthread_mutex_unlock(&c->lock);
	return ret;
}

/* Further events of the log. False: there are none now. */
static bool pass_more(const follower *f, ag_store *s, ag_ui_stream *ui, uint64_t *seq)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_event *events;
	ag_str answer;
	size_t n;

	if (ag_store_events(s, &f->run, *seq, arena, &events, &n, NULL) || !n)
		return false;
	if (events[n - 1].type == AG_EV_RUN_FINISHED) {
		ag_ui_stream_replay(ui, events, n - 1);
		if (!ag_store_report(s, &f->run, arena, &answer, NULL))
			ag_ui_stream_answer(ui, answer);
		ag_ui_stream_event(ui, &events[n - 1]);
	} else {
		ag_ui_stream_replay(ui, events, n);
	}
	*seq = events[n - 1].seq;
	return true;
}

/* Whoever writes the turn died: nothing more will come. */
static bool is_written(ag_store *s, const ag_id *run)
{
	ag_owner_state writer = AG_OWNER_UNKNOWN;

	return !ag_store_writer(s, run, &writer, NULL) && writer != AG_OWNER_DEAD;
}

static void follow(const follower *f, ag_store *s, ag_ui_stream *ui)
{
	uint64_t seq = 0;

	while (!ui->is_over && !ag_httpd_stream_is_gone(f->out) && !is_stopped(f->h->chat)) {
		if (pass_more(f, s, ui, &seq))
			continue;
		if (!is_written(s, &f->run) && !pass_more(f, s, ui, &seq))
			ag_ui_stream_break(ui, AG_S("the turn was interrupted; ask again"));
		pause_ms(FOLLOW_MS);
	}
}

static void *follow_main(void *arg)
{
	follower *f = (follower *)arg;
	struct ag_server_chat_state *c = f->h->chat;
	ag_ui_stream ui;
	ag_store *s = ag_server_chat_store(f->h);

	ag_ui_stream_init(&ui, pass_chunk, f);
	follow(f, s, &ui);
	if (ui.is_over)
		ag_httpd_stream_event(f->out, NULL, AG_S(""), AG_S("[DONE]"));
	ag_httpd_stream_end(f->out);
	ag_ui_stream_release(&ui);
	ag_store_close(s);
	pthread_mutex_lock(&c->lock);
	c->nfollow--;
	pthread_cond_broadcast(&c->ended);
	pthread_mutex_unlock(&c->lock);
	free(f);
	return NULL;
}

ag_httpd_stream *ag_server_turn_follow(ag_server *h, const ag_id *run)
{
	struct ag_server_chat_state *c = h->chat;
	follower *f = (follower *)ag_xcalloc(1, sizeof(*f));
	ag_httpd_stream *out = ag_httpd_stream_new(WAITING_BYTES);
	pthread_attr_t attr;
	pthread_t thread;
	bool is_there = false;

	*f = (follower){ h, out, *run };
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_mutex_lock(&c->lock);
	if (c->nfollow < MAX_FOLLOWED && !c->is_stopped)
		is_there = pthread_create(&thread, &attr, follow_main, f) == 0;
	c->nfollow += is_there;
	pthread_mutex_unlock(&c->lock);
	pthread_attr_destroy(&attr);
	if (is_there)
		return out;
	free(f);
	ag_httpd_stream_end(out);
	return NULL;
}

/* --- the end --- */

/* Ends the turns of this process that somebody wants to end, whoever told the store. */
static void look_for_stops(ag_server *h)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	ag_store *s = ag_server_chat_store(h);
	ag_id *ids = NULL;
	size_t n = 0;

	if (ag_store_stopped_threads(s, arena, &ids, &n, NULL))
		n = 0;
	ag_store_close(s);
	for (size_t i = 0; i < n; i++) {
		ag_server_turn *t = ag_server_turn_find(h, &ids[i]);

		if (t)
			ag_server_turn_cancel(t);
		ag_server_turn_drop(t);
	}
}

static void *watch_main(void *arg)
{
	ag_server *h = (ag_server *)arg;
	struct ag_server_chat_state *c = h->chat;

	pthread_mutex_lock(&c->lock);
	while (!c->is_watched) {
		struct timespec until;
		const bool is_busy = c->nturn > 0, must_trim = c->must_trim;

		c->must_trim = false;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000L;
		until.tv_nsec %= 1000000000L;
		pthread_mutex_unlock(&c->lock);
		if (must_trim)
			malloc_trim(0);
		if (is_busy)
			look_for_stops(h);
		pthread_mutex_lock(&c->lock);
		if (!c->is_watched && !c->must_trim)
			pthread_cond_timedwait(&c->watch_wake, &c->lock, &until);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

ag_status ag_server_chat_start(ag_server *h, ag_err *err)
{
	struct ag_server_chat_state *c = (struct ag_server_chat_state *)ag_xcalloc(1, sizeof(*c));

	h->chat = c;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->ended, NULL);
	pthread_cond_init(&c->queued, NULL);
	pthread_cond_init(&c->watch_wake, NULL);
	c->queue_end = &c->queue;
	c->artifacts = ag_artifact_cache_new(h->opts.clock);
	c->has_watch = pthread_create(&c->watch, NULL, watch_main, h) == 0;
	return c->has_watch ? AG_OK
	                    : ag_fail(err, AG_UNAVAILABLE, ORIGIN,
	                              "no thread could be started to look after conversations");
}

/* With the lock. Until nothing is under way, or ms have passed. */
static void wait_for_turns(struct ag_server_chat_state *c, int64_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	while ((c->nturn || c->nfollow) && pthread_cond_timedwait(&c->ended, &c->lock, &until) == 0)
		;
}

void ag_server_chat_stop(ag_server *h, int64_t grace_ms)
{
	struct ag_server_chat_state *c = h->chat;

	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->is_stopped = true;
	if (c->nturn)
		ag_log(AG_LOG_INFO, "stopping", "%u questions are being answered", c->nturn);
	wait_for_turns(c, grace_ms);
	for (ag_server_turn *t = c->turns; t; t = t->next)
		ag_server_turn_cancel(t);
	while (c->nturn || c->nfollow)
		pthread_cond_wait(&c->ended, &c->lock);
	c->is_watched = true;
	pthread_cond_signal(&c->watch_wake);
	pthread_cond_broadcast(&c->queued);
	while (c->nthread)
		pthread_cond_wait(&c->ended, &c->lock);
	join_ended(c);
	pthread_mutex_unlock(&c->lock);
	if (c->has_watch)
		pthread_join(c->watch, NULL);
	c->has_watch = false;
}

void ag_server_chat_free(ag_server *h)
{
	struct ag_server_chat_state *c = h->chat;

	if (!c)
		return;
	ag_artifact_cache_free(c->artifacts);
	free(c->over);
	pthread_cond_destroy(&c->ended);
	pthread_cond_destroy(&c->queued);
	pthread_cond_destroy(&c->watch_wake);
	pthread_mutex_destroy(&c->lock);
	free(c);
	h->chat = NULL;
}
