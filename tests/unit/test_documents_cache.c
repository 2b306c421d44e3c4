/* Collections that stay loaded: one load for many callers, the memory limit, changed files, failures.
 *
 * Most tests use a source of their own whose loads are counted and can be held up; the last ones use files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../contract/folder.h"
#include "documents/source_cache.h"

#define NPLACE   4
#define MIB      (1024 * 1024)
#define NTHREAD  8
#define OLD_S    100 /* age of a file whose state can be trusted */
#define LONG_AGO 1000000000

/* --- a source that counts --- */

static struct {
	ag_source_state state;
	atomic_int nopen, nclose;
	ag_status fails;
} places[NPLACE];

static atomic_bool is_held_up;

static size_t number_of(const ag_source_place *place)
{
	return (size_t)(place->key.ptr[0] - '0');
}

static bool fake_state(const ag_source_place *place, ag_source_state *ret)
{
	*ret = places[number_of(place)].state;
	return ret->inode != 0;
}

typedef struct fake {
	ag_source base;
	size_t number;
} fake;

static ag_status fake_open(const ag_ctx *ctx, const ag_source_place *place,
                           const ag_source_opts *opts, ag_source **ret, ag_err *err)
{
	const size_t i = number_of(place);
	ag_status st = places[i].fails;
	fake *f;

	(void)opts;
	atomic_fetch_add(&places[i].nopen, 1);
	while (!st && atomic_load(&is_held_up)) {
		st = ag_ctx_check(ctx, err);
		usleep(1000);
	}
	if (st)
		return st == AG_CANCELLED ? st : ag_fail(err, st, "fake", "place %zu is bad", i);
	f = ag_xcalloc(1, sizeof(*f));
	f->base.type = place->type;
	f->base.info = (ag_source_info){ .ndoc = i, .memory = MIB };
	f->number = i;
	*ret = &f->base;
	return AG_OK;
}

static void fake_close(ag_source *s)
{
	atomic_fetch_add(&places[((fake *)(void *)s)->number].nclose, 1);
	free(s);
}

static ag_status fake_find(ag_source *s, const ag_ctx *ctx, ag_arena *arena, const ag_safe_query *q,
                           size_t limit, ag_found *ret, ag_err *err)
{
	(void)ctx;
	(void)arena;
	(void)q;
	(void)limit;
	(void)err;
	*ret = (ag_found){ .matched = ((fake *)(void *)s)->number };
	return AG_OK;
}

static const ag_source_type fake_type = { .name = "fake",
	                                  .help = "",
	                                  .is_shared = true,
	                                  .state = fake_state,
	                                  .open = fake_open,
	                                  .close = fake_close,
	                                  .find = fake_find };

static const ag_source_place fakes[NPLACE] = {
	{ &fake_type, AG_S_INIT("0"), AG_S_INIT("0"), AG_S_INIT("zero"), NULL },
	{ &fake_type, AG_S_INIT("1"), AG_S_INIT("1"), AG_S_INIT("one"), NULL },
	{ &fake_type, AG_S_INIT("2"), AG_S_INIT("2"), AG_S_INIT("two"), NULL },
	{ &fake_type, AG_S_INIT("3"), AG_S_INIT("3"), AG_S_INIT("three"), NULL },
};

static const ag_ctx plain = { .clock = &ag_clock_system, .nthread = 1 };

static int setup(void **state)
{
	(void)state;
	atomic_store(&is_held_up, false);
	for (size_t i = 0; i < NPLACE; i++) {
		places[i].state = (ag_source_state){ .inode = i + 1, .mtime_ns = LONG_AGO };
		places[i].fails = AG_OK;
		atomic_store(&places[i].nopen, 0);
		atomic_store(&places[i].nclose, 0);
	}
	return 0;
}

static ag_source *opened(ag_source_cache *c, const ag_source_place *place)
{
	ag_source *s = NULL;
	ag_err err = { 0 };

	assert_int_equal(ag_source_cache_open(c, &plain, place, NULL, &s, &err), AG_OK);
	return s;
}

static void use(ag_source_cache *c, size_t i)
{
	ag_source_close(opened(c, &fakes[i]));
}

static int opens(size_t i)
{
	return atomic_load(&places[i].nopen);
}

static int closes(size_t i)
{
	return atomic_load(&places[i].nclose);
}

/* --- what is kept --- */

static void a_second_call_loads_nothing(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);
	ag_arena *arena = ag_arena_new();
	ag_source_cache_stats stats;
	ag_source *s;
	uint64_t n;
	ag_err err;

	(void)state;
	use(c, 2);
	s = opened(c, &fakes[2]);
	assert_int_equal(opens(2), 1);
	assert_int_equal(ag_source_info_of(s)->ndoc, 2);
	assert_int_equal(ag_source_count(s, &plain, arena, NULL, &n, &err), AG_OK);
	assert_int_equal(n, 2);
	assert_int_equal(ag_source_calls(s), 1); /* of this handle alone */
	ag_source_close(s);
	s = opened(c, &fakes[2]);
	assert_int_equal(ag_source_calls(s), 0);
	ag_source_close(s);
	ag_source_cache_stats_of(c, &stats);
	assert_int_equal(stats.nheld, 1);
	assert_int_equal(stats.max_bytes, 8 * MIB);
	assert_int_equal(stats.nbyte, MIB);
	assert_int_equal(stats.nload, 1);
	assert_int_equal(stats.nhit, 2);
	assert_int_equal(closes(2), 0);
	ag_source_cache_free(c);
	assert_int_equal(closes(2), 1);
	ag_arena_free(arena);
}

static void strict_and_lenient_are_two(void **state)
{
	static const ag_source_opts strict = { .strict = true };
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);
	ag_source *s = NULL;
	ag_err err;

	(void)state;
	use(c, 1);
	assert_int_equal(ag_source_cache_open(c, &plain, &fakes[1], &strict, &s, &err), AG_OK);
	ag_source_close(s);
	assert_int_equal(opens(1), 2);
	ag_source_cache_free(c);
}

static void nothing_is_kept_without_memory_or_state(void **state)
{
	ag_source_cache *none = ag_source_cache_new(&ag_clock_system, 0),
			*c = ag_source_cache_new(&ag_clock_system, 8 * MIB);

	(void)state;
	use(none, 0);
	use(none, 0);
	assert_int_equal(opens(0), 2);
	assert_int_equal(closes(0), 2);
	places[1].state.inode = 0;
	use(c, 1);
	use(c, 1);
	assert_int_equal(opens(1), 2);
	assert_int_equal(closes(1), 2);
	ag_source_cache_free(none);
	ag_source_cache_free(c);
}

static void the_one_used_longest_ago_goes_first(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 2 * MIB);
	ag_source_cache_stats stats;

	(void)state;
	use(c, 0);
	use(c, 1);
	use(c, 0);
	use(c, 2);
	assert_int_equal(closes(0), 0);
	assert_int_equal(closes(1), 1);
	use(c, 0);
	assert_int_equal(opens(0), 1);
	use(c, 1);
	assert_int_equal(opens(1), 2);
	ag_source_cache_stats_of(c, &stats);
	assert_int_equal(stats.nheld, 2);
	assert_int_equal(stats.nbyte, 2 * MIB);
	assert_int_equal(stats.ndrop, 2);
	ag_source_cache_free(c);
}

static void one_in_use_is_never_dropped(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, MIB);
	ag_source *a = opened(c, &fakes[0]), *b = opened(c, &fakes[1]);
	ag_source_cache_stats stats;

	(void)state;
	ag_source_cache_stats_of(c, &stats);
	assert_int_equal(stats.nbyte, 2 * MIB);
	assert_int_equal(closes(0) + closes(1), 0);
	ag_source_close(b);
	assert_int_equal(closes(1), 1); /* over the limit: as soon as nobody uses it */
	assert_int_equal(closes(0), 0);
	ag_source_close(a);
	assert_int_equal(closes(0), 0);
	ag_source_cache_stats_of(c, &stats);
	assert_int_equal(stats.nbyte, MIB);
	ag_source_cache_free(c);
}

static void a_larger_file_makes_room_before_it_is_loaded(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 2 * MIB);

	(void)state;
	use(c, 0);
	places[1].state.nbyte = 2 * MIB;
	places[1].fails = AG_IO;
	assert_int_equal(ag_source_cache_open(c, &plain, &fakes[1], NULL, &(ag_source *){ NULL },
	                                      &(ag_err){ 0 }),
	                 AG_IO);
	assert_int_equal(closes(0), 1);
	ag_source_cache_free(c);
}

/* --- changes --- */

static void a_changed_state_loads_again(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);
	ag_source_state *s = &places[3].state;
	ag_source *old;

	(void)state;
	old = opened(c, &fakes[3]);
	s->mtime_ns++;
	use(c, 3);
	assert_int_equal(opens(3), 2);
	assert_int_equal(closes(3), 0); /* the old share still has it */
	ag_source_close(old);
	assert_int_equal(closes(3), 1);
	s->ctime_ns++;
	use(c, 3);
	s->nbyte++;
	use(c, 3);
	s->inode++;
	use(c, 3);
	s->device++;
	use(c, 3);
	assert_int_equal(opens(3), 6);
	use(c, 3);
	assert_int_equal(opens(3), 6);
	ag_source_cache_free(c);
	assert_int_equal(closes(3), 6);
}

/* It could be written again within one step of the file system's clock. */
static void a_file_that_was_just_written_is_not_trusted(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);

	(void)state;
	places[0].state.mtime_ns = ag_clock_wall(&ag_clock_system) * 1000000;
	use(c, 0);
	use(c, 0);
	assert_int_equal(opens(0), 2);
	places[0].state.mtime_ns -= (int64_t)OLD_S * 1000000000;
	use(c, 0);
	use(c, 0);
	assert_int_equal(opens(0), 3);
	ag_source_cache_free(c);
}

/* --- many callers --- */

typedef struct caller {
	pthread_t thread;
	ag_source_cache *cache;
	atomic_bool cancel;
	size_t place;
	ag_status st;
	ag_err err;
} caller;

static void *call(void *arg)
{
	caller *c = arg;
	const ag_ctx ctx = { .clock = &ag_clock_system, .nthread = 1, .cancel = &c->cancel };
	ag_source *s = NULL;

	c->st = ag_source_cache_open(c->cache, &ctx, &fakes[c->place], NULL, &s, &c->err);
	if (!c->st)
		ag_source_close(s);
	return NULL;
}

static void start(caller *c, ag_source_cache *cache, size_t place)
{
	*c = (caller){ .cache = cache, .place = place };
	assert_int_equal(pthread_create(&c->thread, NULL, call, c), 0);
}

static void callers_share_one_load(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);
	caller all[NTHREAD];

	(void)state;
	atomic_store(&is_held_up, true);
	for (size_t i = 0; i < NTHREAD; i++)
		start(&all[i], c, 0);
	usleep(100000);
	atomic_store(&is_held_up, false);
	for (size_t i = 0; i < NTHREAD; i++) {
		pthread_join(all[i].thread, NULL);
		assert_int_equal(all[i].st, AG_OK);
	}
	assert_int_equal(opens(0), 1);
	ag_source_cache_free(c);
}

static void a_load_holds_up_no_other_collection(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);
	caller slow;

	(void)state;
	use(c, 1);
	atomic_store(&is_held_up, true);
	start(&slow, c, 0);
	while (opens(0) == 0)
		usleep(1000);
	use(c, 1);
	assert_int_equal(opens(1), 1);
	atomic_store(&is_held_up, false);
	pthread_join(slow.thread, NULL);
	ag_source_cache_free(c);
}

static void a_cancelled_loader_leaves_the_load_to_the_next(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);
	caller first, second, third;

	(void)state;
	atomic_store(&is_held_up, true);
	start(&first, c, 0);
	while (opens(0) == 0)
		usleep(1000);
	start(&second, c, 0);
	start(&third, c, 0);
	usleep(20000);
	atomic_store(&third.cancel, true); /* one that waits */
	pthread_join(third.thread, NULL);
	assert_int_equal(third.st, AG_CANCELLED);
	assert_int_equal(opens(0), 1);
	atomic_store(&first.cancel, true);
	pthread_join(first.thread, NULL);
	assert_int_equal(first.st, AG_CANCELLED);
	while (opens(0) == 1)
		usleep(1000);
	atomic_store(&is_held_up, false);
	pthread_join(second.thread, NULL);
	assert_int_equal(second.st, AG_OK);
	assert_int_equal(opens(0), 2);
	ag_source_cache_free(c);
}

static void a_failure_is_not_kept(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);
	ag_source *s = NULL;
	ag_err err = { 0 };

	(void)state;
	places[0].fails = AG_INVALID;
	assert_int_equal(ag_source_cache_open(c, &plain, &fakes[0], NULL, &s, &err), AG_INVALID);
	assert_string_equal(err.msg, "place 0 is bad");
	places[0].fails = AG_OK;
	use(c, 0);
	assert_int_equal(opens(0), 2);
	ag_source_cache_free(c);
}

/* The machine's memory is short: what nobody uses is given back, then the load is tried once more. */
static void a_load_that_does_not_fit_frees_the_others(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);
	ag_source *s = NULL, *used = opened(c, &fakes[2]);
	ag_err err = { 0 };

	(void)state;
	use(c, 1);
	places[0].fails = AG_LIMIT;
	assert_int_equal(ag_source_cache_open(c, &plain, &fakes[0], NULL, &s, &err), AG_LIMIT);
	assert_int_equal(opens(0), 2);
	assert_int_equal(closes(1), 1);
	assert_int_equal(closes(2), 0);
	ag_source_close(used);
	ag_source_cache_free(c);
}

static void *hammer(void *arg)
{
	caller *c = arg;

	for (size_t i = 0; i < 300; i++) {
		const size_t at = (i + c->place) % NPLACE;
		ag_source *s = opened(c->cache, &fakes[at]);
		ag_arena *arena = ag_arena_new();
		uint64_t n;

		assert_int_equal(ag_source_count(s, &plain, arena, NULL, &n, NULL), AG_OK);
		assert_int_equal(n, at);
		ag_source_close(s);
		ag_arena_free(arena);
	}
	return NULL;
}

static void threads_that_press_on_the_limit(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 2 * MIB);
	ag_source_cache_stats stats;
	caller all[NTHREAD];

	(void)state;
	for (size_t i = 0; i < NTHREAD; i++) {
		all[i] = (caller){ .cache = c, .place = i };
		assert_int_equal(pthread_create(&all[i].thread, NULL, hammer, &all[i]), 0);
	}
	for (size_t i = 0; i < NTHREAD; i++)
		pthread_join(all[i].thread, NULL);
	ag_source_cache_stats_of(c, &stats);
	assert_true(stats.nbyte <= 2 * MIB);
	assert_int_equal(stats.nload + stats.nhit, NTHREAD * 300);
	ag_source_cache_free(c);
	for (size_t i = 0; i < NPLACE; i++)
		assert_int_equal(opens(i), closes(i));
}

/* --- files --- */

static void put(const char *folder, const char *name, const char *text, time_t age_s)
{
	char path[256];
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = time(NULL) - age_s } };
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Documents of the collection `name` in the folder, through the cache; -1: there is no such collection. */
static int count(ag_source_cache *c, const char *folder, const char *name)
{
	ag_arena *arena = ag_arena_new();
	ag_source_place *all;
	size_t n;
	int ret = -1;
	ag_err err;

	assert_int_equal(ag_source_list(&plain, ag_str_c(folder), arena, &all, &n, &err), AG_OK);
	for (size_t i = 0; i < n; i++) {
		ag_source *s;

		if (!ag_str_eqc(all[i].collection, name))
			continue;
		s = opened(c, &all[i]);
		assert_true(ag_source_info_of(s)->memory > 0);
		ret = (int)ag_source_info_of(s)->ndoc;
		ag_source_close(s);
	}
	ag_arena_free(arena);
	return ret;
}

static uint64_t loads(ag_source_cache *c)
{
	ag_source_cache_stats stats;

	ag_source_cache_stats_of(c, &stats);
	return stats.nload;
}

static void files_are_read_again_when_they_change(void **state)
{
	ag_source_cache *c = ag_source_cache_new(&ag_clock_system, 8 * MIB);
	char folder[128], from[256], to[256];

	(void)state;
	test_folder_make(folder, "cache");
	put(folder, "a.ndjson", "{\"n\":1}\n{\"n\":2}\n", OLD_S);
	assert_int_equal(count(c, folder, "a"), 2);
	assert_int_equal(count(c, folder, "a"), 2);
	assert_int_equal(loads(c), 1);
	/* Same size, same time of modification: the time of change gives it away. */
	usleep(20000);
	put(folder, "a.ndjson", "{\"n\":1111111111}\n", OLD_S);
	assert_int_equal(count(c, folder, "a"), 1);
	assert_int_equal(loads(c), 2);
	/* Another file takes its name. */
	put(folder, "new", "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n", OLD_S);
	snprintf(from, sizeof(from), "%s/new", folder);
	snprintf(to, sizeof(to), "%s/a.ndjson", folder);
	assert_int_equal(rename(from, to), 0);
	assert_int_equal(count(c, folder, "a"), 3);
	/* The list of the folder is never kept. */
	assert_int_equal(count(c, folder, "b"), -1);
	put(folder, "b.ndjson", "{\"n\":1}\n", OLD_S);
	assert_int_equal(count(c, folder, "b"), 1);
	assert_int_equal(count(c, folder, "a"), 3);
	assert_int_equal(loads(c), 4);
	put(folder, "a.csv", "n\n1\n", OLD_S);
	assert_int_equal(count(c, folder, "a"), -1); /* it is called a.ndjson now */
	assert_int_equal(count(c, folder, "a.ndjson"), 3);
	assert_int_equal(unlink(to), 0);
	assert_int_equal(count(c, folder, "a.ndjson"), -1);
	assert_int_equal(count(c, folder, "a"), 1);
	ag_source_cache_free(c);
	test_folder_remove(folder);
}

#define T(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_second_call_loads_nothing),
		T(strict_and_lenient_are_two),
		T(nothing_is_kept_without_memory_or_state),
		T(the_one_used_longest_ago_goes_first),
		T(one_in_use_is_never_dropped),
		T(a_larger_file_makes_room_before_it_is_loaded),
		T(a_changed_state_loads_again),
		T(a_file_that_was_just_written_is_not_trusted),
		T(callers_share_one_load),
		T(a_load_holds_up_no_other_collection),
		T(a_cancelled_loader_leaves_the_load_to_the_next),
		T(a_failure_is_not_kept),
		T(a_load_that_does_not_fit_frees_the_others),
		T(threads_that_press_on_the_limit),
		T(files_are_read_again_when_they_change),
	};

	return cmocka_run_group_tests_name("source_cache", tests, NULL, NULL);
}
