/* The frame: codes side by side against a walk through the documents, arrays by their items, and the same answer with
 * 1, 2 and 8 threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "columns/frame.h"
#include "columns_docs.h"

static ag_frames frames_of(const ag_table *t, ag_arena *arena, unsigned nthread)
{
	ag_ctx ctx = docs_ctx(nthread);
	ag_profile *p = ag_new(arena, ag_profile);
	ag_frames ret = { 0 };
	ag_err err = { 0 };

	assert_int_equal(ag_table_profile(t, &ctx, arena, p, &err), AG_OK);
	assert_int_equal(ag_table_frames(t, &ctx, p, arena, &ret, &err), AG_OK);
	return ret;
}

static const ag_frame_col *col(const ag_frame *f, const char *path)
{
	for (size_t i = 0; i < f->ncol; i++)
		if (ag_str_eqc(f->cols[i].f->path, path))
			return &f->cols[i];
	fail_msg("no column %s", path);
	return NULL;
}

/* The value of a row as text, "" = none. */
static const char *text(const ag_frame_col *c, uint32_t row, ag_arena *arena)
{
	ag_buf b = AG_BUF_INIT(1000);
	const char *ret = "";

	if (c->code[row]) {
		ag_extjson_write(&b, &c->values[c->code[row] - 1], AG_EXTJSON_RELAXED);
		ret = ag_str_cstr(arena, ag_buf_dup(arena, &b));
	}
	ag_buf_release(&b);
	return ret;
}

static void documents_and_items(void **state)
{
	ag_arena *a = ag_arena_new();
	size_t n;
	ag_val *docs = docs_parse(
		a,
		"{\"a\":1,\"o\":{\"b\":\"x\"},\"items\":[{\"p\":5,\"q\":1},{\"p\":7}]}\n"
		"{\"a\":1.0,\"o\":{\"b\":null},\"items\":[]}\n"
		"{\"a\":\"1\",\"items\":[{\"q\":1},3,{\"p\":5}]}\n"
		"{\"a\":[1],\"o\":{\"b\":\"\"},\"id\":{\"$oid\":\"0123456789abcdef01234567\"}}\n",
		&n);
	ag_table *t = docs_table(docs, n);
	ag_frames fs = frames_of(t, a, 2);
	const ag_frame *f = &fs.items[0];

	(void)state;
	assert_int_equal(fs.n, 3); /* documents, a[], items[] */
	assert_int_equal(f->path.len, 0);
	assert_int_equal(f->nrow, 4);
	assert_int_equal(f->step, 1);
	assert_null(f->doc);
	assert_string_equal(text(col(f, "a"), 0, a), "1");
	assert_int_equal(col(f, "a")->code[0], col(f, "a")->code[1]); /* 1 and 1.0 are one value */
	assert_string_equal(text(col(f, "a"), 2, a), "\"1\"");
	assert_int_equal(col(f, "a")->code[3], 0);
	assert_int_equal(col(f, "a")->nvalue, 2);
	assert_int_equal(col(f, "a")->nfilled, 3);
	assert_int_equal(col(f, "o.b")->code[1], 0);
	assert_int_equal(col(f, "o.b")->code[2], 0);
	assert_string_equal(text(col(f, "o.b"), 3, a), "\"\"");
	assert_string_equal(text(col(f, "id"), 3, a), "{\"$oid\":\"0123456789abcdef01234567\"}");

	f = &fs.items[2];
	assert_true(ag_str_eqc(f->path, "items[]"));
	assert_int_equal(f->nrow, 5);
	assert_int_equal(f->doc[1], 0);
	assert_int_equal(f->doc[2], 2);
	assert_string_equal(text(col(f, "items[].p"), 0, a), "5");
	assert_string_equal(text(col(f, "items[].p"), 1, a), "7");
	assert_int_equal(col(f, "items[].p")->code[0], col(f, "items[].p")->code[4]);
	assert_int_equal(col(f, "items[].q")->code[1], 0);
	assert_int_equal(col(f, "items[].q")->count[0], 2);
	ag_table_free(t);
	ag_arena_free(a);
}

/* Every cell of random tables is the value that the document has, in one code per value. */
static void as_the_documents_say(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d" };

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		ag_arena *a = ag_arena_new();
		uint64_t s = seed;
		const size_t n = 1 + docs_random(&s, 400);
		ag_val *docs = ag_new_n(a, ag_val, n);
		ag_table *t;

		for (size_t i = 0; i < n; i++) {
			ag_member *m = ag_new_n(a, ag_member, AG_NELEM(names));
			size_t k = 0;

			for (size_t j = 0; j < AG_NELEM(names); j++)
				if (docs_random(&s, 4))
					m[k++] = (ag_member){ ag_str_c(names[j]),
						              docs_random_scalar(a, &s) };
			docs[i] = ag_val_object(m, k);
		}
		t = docs_table(docs, n);
		for (unsigned nthread = 1; nthread <= 8; nthread *= 2) {
			ag_frames fs = frames_of(t, a, nthread);

			assert_int_equal(fs.items[0].nrow, n);
			for (size_t c = 0; c < fs.items[0].ncol; c++) {
				const ag_frame_col *col = &fs.items[0].cols[c];
				uint32_t filled = 0, next = 0;

				for (uint32_t r = 0; r < n; r++) {
					const ag_val *v = ag_val_get(&docs[r], col->f->path);

					filled += col->code[r] != 0;
					if (!col->code[r])
						continue;
					assert_non_null(v);
					assert_true(ag_val_eq(v, &col->values[col->code[r] - 1]));
					/* Codes follow the first appearance, whatever the threads do. */
					assert_true(col->code[r] <= next + 1);
					next = col->code[r] > next ? col->code[r] : next;
				}
				assert_int_equal(filled, col->nfilled);
				assert_int_equal(next, col->nvalue);
				for (uint32_t i = 0; i < col->nvalue; i++)
					for (uint32_t k = 0; k < i; k++)
						assert_false(ag_val_eq(&col->values[i],
						                       &col->values[k]));
			}
		}
		ag_table_free(t);
		ag_arena_free(a);
	}
}

/* More rows than a frame holds: every step-th, of all chunks. */
static void many_rows_are_thinned(void **state)
{
	const size_t n = AG_FRAME_MAX_ROWS + 10;
	ag_arena *a = ag_arena_new();
	ag_val *docs = ag_new_n(a, ag_val, n);
	ag_table *t;
	ag_frames fs;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		ag_member *m = ag_new(a, ag_member);

		*m = (ag_member){ AG_S("i"), ag_val_int((int64_t)i) };
		docs[i] = ag_val_object(m, 1);
	}
	t = docs_table(docs, n);
	fs = frames_of(t, a, 2);
	assert_int_equal(fs.items[0].nall, n);
	assert_int_equal(fs.items[0].step, 2);
	assert_int_equal(fs.items[0].nrow, n / 2);
	for (uint32_t r = 0; r < fs.items[0].nrow; r++) {
		const ag_frame_col *c = &fs.items[0].cols[0];

		assert_int_equal(c->values[c->code[r] - 1].u.i, 2 * r);
		assert_int_equal(fs.items[0].doc[r], 2 * r);
	}
	ag_table_free(t);
	ag_arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_and_items),
		cmocka_unit_test(as_the_documents_say),
		cmocka_unit_test(many_rows_are_thinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
