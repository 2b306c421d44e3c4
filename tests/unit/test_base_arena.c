/* Arenas: zeroed, aligned, apart from each other, and the order of deferred calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

#if defined(AG_HAS_ASAN)
#include <sanitizer/asan_interface.h>
#endif

static void is_zeroed_and_aligned(void **state)
{
	ag_arena *a = ag_arena_new();

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (size_t n = 0; n < 3000; n += 7) {
			unsigned char *p = ag_arena_alloc(a, n);

			assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
			for (size_t i = 0; i < n; i++)
				assert_int_equal(p[i], 0);
			memset(p, 0xEE, n); /* so that reuse without zeroing is seen */
		}
		ag_arena_reset(a);
	}
	ag_arena_free(a);
}

static void allocations_do_not_overlap(void **state)
{
	static const size_t sizes[] = { 1, 16, 100, 5000, 70000, 3, 2000000, 8192, 40 };
	unsigned char *p[AG_NELEM(sizes) * 20];
	ag_arena *a = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(p); i++) {
		p[i] = ag_arena_alloc(a, sizes[i % AG_NELEM(sizes)]);
		memset(p[i], (int)(i % 251 + 1), sizes[i % AG_NELEM(sizes)]);
	}
	for (size_t i = 0; i < AG_NELEM(p); i++) {
		size_t last = sizes[i % AG_NELEM(sizes)] - 1;

		assert_int_equal(p[i][0], i % 251 + 1);
		assert_int_equal(p[i][last], i % 251 + 1);
	}
	ag_arena_free(a);
}

static void bytes_count_until_reset(void **state)
{
	ag_arena *a = ag_arena_new();

	(void)state;
	assert_int_equal(ag_arena_bytes(a), 0);
	ag_arena_alloc(a, 3000000);
	ag_arena_alloc(a, 100);
	assert_in_range(ag_arena_bytes(a), 3000100, 3000300);
	ag_arena_reset(a);
	assert_int_equal(ag_arena_bytes(a), 0);
	assert_non_null(ag_arena_alloc(a, 0));
	assert_ptr_not_equal(ag_arena_alloc(a, 0), ag_arena_alloc(a, 0));
	ag_arena_free(a);
}

typedef struct trace {
	char text[8];
	size_t n;
	ag_arena *arena;
} trace;

static void note_a(void *arg)
{
	trace *t = arg;

	t->text[t->n++] = 'a';
}

static void note_b(void *arg)
{
	trace *t = arg;

	t->text[t->n++] = 'b';
}

static void defer_more(void *arg)
{
	trace *t = arg;

	t->text[t->n++] = 'm';
	ag_arena_defer(t->arena, note_a, t);
}

static void deferred_calls_run_newest_first(void **state)
{
	ag_arena *a = ag_arena_new();
	trace t = { .arena = a };

	(void)state;
	ag_arena_defer(a, note_a, &t);
	ag_arena_defer(a, note_b, &t);
	ag_arena_reset(a);
	assert_string_equal(t.text, "ba");
	ag_arena_reset(a); /* each runs once */
	assert_string_equal(t.text, "ba");
	ag_arena_defer(a, note_b, &t);
	ag_arena_defer(a, defer_more, &t);
	assert_null(ag_arena_free(a));
	assert_string_equal(t.text, "bamab");
}

static void free_accepts_null(void **state)
{
	ag_arena *a = NULL;

	(void)state;
	assert_null(ag_arena_free(NULL));
	ag_arena_freep(&a);
	assert_null(a);
	a = ag_arena_new();
	ag_arena_freep(&a);
	assert_null(a);
}

static void copies(void **state)
{
	ag_arena *a = ag_arena_new();
	ag_buf b = AG_BUF_INIT(100);
	char wide[600];
	ag_str s;

	(void)state;
	s = ag_str_dup(a, ag_str_make("abcdef", 3));
	assert_int_equal(s.len, 3);
	assert_string_equal(s.ptr, "abc");
	s = ag_str_dup(a, ag_str_make(NULL, 0));
	assert_string_equal(s.ptr, "");
	assert_string_equal(ag_str_cstr(a, AG_S("xyz")), "xyz");
	s = ag_str_printf(a, "%d-%s", 7, "seven");
	assert_string_equal(s.ptr, "7-seven");
	assert_int_equal(s.len, 7);
	memset(wide, 'w', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	s = ag_str_printf(a, "%s!", wide);
	assert_int_equal(s.len, sizeof(wide));
	assert_int_equal(s.ptr[s.len - 1], '!');
	assert_int_equal(s.ptr[s.len], 0);
	assert_string_equal(ag_buf_dup(a, &b).ptr, "");
	ag_buf_adds(&b, "buffer");
	s = ag_buf_dup(a, &b);
	ag_buf_release(&b);
	assert_string_equal(s.ptr, "buffer");
	ag_arena_free(a);
}

static void sanitizer_sees_use_after_reset(void **state)
{
	(void)state;
#if defined(AG_HAS_ASAN)
	ag_arena *a = ag_arena_new();
	char *p = ag_arena_alloc(a, 10);

	assert_false(__asan_address_is_poisoned(p + 9));
	assert_true(__asan_address_is_poisoned(p + 10));
	ag_arena_reset(a);
	assert_true(__asan_address_is_poisoned(p));
	ag_arena_free(a);
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_zeroed_and_aligned),
		cmocka_unit_test(allocations_do_not_overlap),
		cmocka_unit_test(bytes_count_until_reset),
		cmocka_unit_test(deferred_calls_run_newest_first),
		cmocka_unit_test(free_accepts_null),
		cmocka_unit_test(copies),
		cmocka_unit_test(sanitizer_sees_use_after_reset),
	};

	return cmocka_run_group_tests_name("base_arena", tests, NULL, NULL);
}
