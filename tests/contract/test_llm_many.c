/* A thousand streams at once in one process: each thread asks with a model of its own on one hub, both protocols in turn,
 * and gets the answer to its own question. No stream goes on before all have begun, so they are open at the same time.
 * Fewer with a sanitizer, whose threads are much larger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "llm_fixtures.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#if defined(AG_HAS_TSAN)
#define NSTREAM 100
#elif defined(AG_HAS_ASAN)
#define NSTREAM 200
#else
#define NSTREAM 1000
#endif
#define STACK_BYTES (256u << 10)
#define MAX_WAIT_S  40 /* for all streams to begin */
#define MAX_SECONDS 60

/* Where the streams meet. */
typedef struct meeting {
	pthread_mutex_t lock;
	pthread_cond_t all_here;
	unsigned nhere;
	uint64_t peak_kb; /* resident memory when all were there */
	bool is_late;
} meeting;

typedef struct stream {
	unsigned no;
	llm_env *env;
	meeting *meeting;
	pthread_t thread;
	bool has_begun, is_right;
	ag_status status;
	ag_err err;
	char got[64];
} stream;

static uint64_t resident_kb(void)
{
	unsigned long long size = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f) {
		if (fscanf(f, "%llu %llu", &size, &resident) != 2)
			resident = 0;
		fclose(f);
	}
	return resident * 4;
}

static void meet(meeting *m)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += MAX_WAIT_S;
	pthread_mutex_lock(&m->lock);
	if (++m->nhere == NSTREAM) {
		m->peak_kb = resident_kb();
		pthread_cond_broadcast(&m->all_here);
	}
	while (m->nhere < NSTREAM && !m->is_late)
		if (pthread_cond_timedwait(&m->all_here, &m->lock, &until) == ETIMEDOUT)
			m->is_late = true;
	pthread_mutex_unlock(&m->lock);
}

static void on_delta(void *arg, const ag_llm_delta *d)
{
	stream *s = arg;

	if (d->type != AG_LLM_DELTA_TEXT || s->has_begun)
		return;
	s->has_begun = true;
	meet(s->meeting);
}

static void ask(stream *s, ag_arena *arena)
{
	ag_llm_model m = s->env->model;
	ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1 };
	const ag_llm_part part = { .type = AG_LLM_TEXT,
		                   .text = ag_str_printf(arena, "question %u.", s->no) };
	const ag_llm_message message = { .role = AG_LLM_USER, .parts = &part, .npart = 1 };
	ag_llm_request r = { .purpose = "test",
		             .messages = &message,
		             .nmessage = 1,
		             .on_delta = on_delta,
		             .arg = s };
	ag_llm_reply reply = { 0 };
	ag_llm *l = NULL;
	ag_str want = ag_str_printf(arena, "The answer to %u, in more than one piece.", s->no);

	m.provider = s->no % 2 ? AG_S("openai") : AG_S("anthropic");
	s->status = ag_llm_open(s->env->hub, &m, &l, &s->err);
	if (s->status)
		return;
	s->status = ag_llm_ask(l, &ctx, &r, arena, &reply, &s->err);
	s->is_right = s->has_begun && reply.attempts == 1 && reply.stop == AG_LLM_STOP_END &&
	              ag_str_eq(reply.text, want) && reply.usage.input_tokens == s->no;
	snprintf(s->got, sizeof(s->got), "%.*s", (int)(reply.text.len < 60 ? reply.text.len : 60),
	         reply.text.len ? reply.text.ptr : "");
	ag_llm_close(l);
}

static void *run(void *arg)
{
	ag_arena *arena = ag_arena_new();

	ask(arg, arena);
	ag_arena_free(arena);
	return NULL;
}

/* One answer for each question: a mix-up would be seen. */
static char *make_script(void)
{
	ag_buf b = AG_BUF_INIT(1u << 20);
	unsigned i;

	for (i = 1; i <= NSTREAM; i++)
		ag_buf_addf(&b,
		            "answer when \"question %u.\"\n"
		            "  text The answer to %u, in more than one piece.\n"
		            "  usage %u 9\n  pieces events\n  delay 1\n",
		            i, i, i);
	return ag_buf_steal(&b);
}

static void start_all(stream *streams, llm_env *env, meeting *m)
{
	pthread_attr_t attr;
	unsigned i;

	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, STACK_BYTES), 0);
	for (i = 0; i < NSTREAM; i++) {
		streams[i] = (stream){ .no = i + 1, .env = env, .meeting = m };
		assert_int_equal(pthread_create(&streams[i].thread, &attr, run, &streams[i]), 0);
	}
	pthread_attr_destroy(&attr);
}

static void a_thousand_streams_at_once(void **state)
{
	static stream streams[NSTREAM];
	meeting m = { .lock = PTHREAD_MUTEX_INITIALIZER, .all_here = PTHREAD_COND_INITIALIZER };
	llm_env *env = *state;
	char *script = make_script();
	int64_t begin = ag_clock_mono(&ag_clock_system), ms;
	uint64_t before;
	unsigned i;

	llm_env_start(env, script);
	free(script);
	before = resident_kb();
	start_all(streams, env, &m);
	for (i = 0; i < NSTREAM; i++)
		pthread_join(streams[i].thread, NULL);
	ms = ag_clock_mono(&ag_clock_system) - begin;
	for (i = 0; i < NSTREAM; i++) {
		const stream *s = &streams[i];

		if (s->status || !s->is_right)
			fail_msg("stream %u: %s %s, got \"%s\"", s->no, ag_status_name(s->status),
			         s->err.msg, s->got);
	}
	assert_false(m.is_late);
	assert_int_equal(m.nhere, NSTREAM);
	assert_int_equal(llm_env_nrequest(env), NSTREAM);
	assert_true(ms < MAX_SECONDS * 1000);
	print_message("# %d streams at once in %" PRId64 " ms, %" PRIu64 " KB each\n", NSTREAM, ms,
	              m.peak_kb > before ? (m.peak_kb - before) / NSTREAM : 0);
}

static int setup(void **state)
{
	struct rlimit r;

	/* A descriptor or three for each stream. */
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &r), 0);
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_cur < 4 * NSTREAM)
		fail_msg("%llu open files are allowed, %d are needed",
		         (unsigned long long)r.rlim_cur, 4 * NSTREAM);
	*state = llm_env_new(&llm_fixtures[0]);
	return 0;
}

static int teardown(void **state)
{
	llm_env_free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_thousand_streams_at_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
