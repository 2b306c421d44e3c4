/* Every route under /api is described, and the descriptions hold together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "query/extjson.h"
#include "server/parts.h"
#include "server/route_doc.h"

static bool is_api(const ag_http_route *r)
{
	return ag_str_starts(ag_str_c(r->path), AG_S("/api/"));
}

static bool has_param(const ag_route_doc *d, ag_str name)
{
	for (size_t i = 0; i < d->nat; i++)
		if (ag_str_eqc(name, d->at[i].name))
			return true;
	return false;
}

static void every_route_is_described(void **state)
{
	size_t napi = 0;

	(void)state;
	for (size_t i = 0; i < ag_server_nroute; i++) {
		const ag_http_route *r = &ag_server_routes[i];
		const ag_route_doc *d = r->doc;
		ag_str rest = ag_str_c(r->path);
		size_t nparam = 0;

		if (!is_api(r))
			continue;
		napi++;
		print_message("  %s %s\n", r->methods, r->path);
		assert_non_null(d);
		assert_true(d->name && d->tag && d->summary);
		assert_true(!d->gives || ag_doc_shape_find(ag_str_c(d->gives)));
		assert_true(!d->takes || ag_doc_shape_find(ag_str_c(d->takes)));
		assert_false(d->takes && d->nbody);
		assert_false(d->gives && d->media);
		assert_false(d->nbody && ag_str_starts(ag_str_c(r->methods), AG_S("GET")));
		while (rest.ptr) {
			const ag_str one = ag_str_split(&rest, '/');

			if (!ag_str_starts(one, AG_S("{")))
				continue;
			nparam++;
			assert_true(has_param(d, ag_str_make(one.ptr + 1, one.len - 2)));
		}
		assert_int_equal(nparam, d->nat);
	}
	assert_true(napi >= 40);
}

static void names_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < ag_server_nroute; i++)
		for (size_t k = 0; k < i; k++) {
			const ag_http_route *a = &ag_server_routes[i], *b = &ag_server_routes[k];

			if (!a->doc || !b->doc || ag_doc_is_alias(a->path) ||
			    ag_doc_is_alias(b->path))
				continue;
			assert_string_not_equal(a->doc->name, b->doc->name);
		}
}

static bool is_plain(ag_str name)
{
	static const char *const plain[] = { "string", "integer", "number", "boolean",
		                             "time",   "object",  "any" };

	for (size_t i = 0; i < AG_NELEM(plain); i++)
		if (ag_str_eqc(name, plain[i]))
			return true;
	return false;
}

/* Does a field of another shape, or a route, refer to it? */
static bool is_used(const ag_doc_shape *want)
{
	const ag_doc_shape *s;

	for (size_t i = 0; (s = ag_doc_shape_at(i)); i++)
		for (size_t f = 0; f < s->nfield; f++) {
			ag_str rest = ag_str_c(s->fields[f].type);

			while (rest.len)
				if (ag_str_eqc(ag_doc_type_next(&rest), want->name))
					return true;
		}
	for (size_t i = 0; i < ag_server_nroute; i++) {
		const ag_route_doc *d = ag_server_routes[i].doc;

		if (d && d->gives && ag_str_eqc(ag_str_c(d->gives), want->name))
			return true;
		if (d && d->takes && ag_str_eqc(ag_str_c(d->takes), want->name))
			return true;
	}
	return ag_str_eqc(ag_str_c(want->name), "Problem");
}

static void shapes_hold_together(void **state)
{
	const ag_doc_shape *s;

	(void)state;
	for (size_t i = 0; (s = ag_doc_shape_at(i)); i++) {
		print_message("  %s\n", s->name);
		assert_ptr_equal(ag_doc_shape_find(ag_str_c(s->name)), s);
		assert_true(is_used(s));
		for (size_t f = 0; f < s->nfield; f++) {
			const ag_str type = ag_str_c(s->fields[f].type);
			ag_str rest = type;

			while (rest.len) {
				const ag_str one = ag_doc_type_next(&rest);

				assert_true(is_plain(one) || ag_doc_shape_find(one));
				/* "or null" is for one value or one shape. */
				assert_false(ag_str_ends(type, AG_S("?")) &&
				             (type.ptr[0] == '[' || ag_str_find(type, '|') >= 0));
			}
			assert_false(s->fields[f].one_of && !ag_str_eqc(type, "string"));
		}
	}
}

/* A list says so, and has "next": there is one way to read the next page. */
static void lists_page_in_one_way(void **state)
{
	size_t nlist = 0;

	(void)state;
	for (size_t i = 0; i < ag_server_nroute; i++) {
		const ag_route_doc *d = ag_server_routes[i].doc;
		const ag_doc_shape *s = d && d->gives ? ag_doc_shape_find(ag_str_c(d->gives))
		                                      : NULL;
		bool has_next = false;

		for (size_t f = 0; s && f < s->nfield; f++)
			has_next |= ag_str_eqc(ag_str_c(s->fields[f].name), "next");
		if (d) {
			print_message("  %s\n", d->name);
			assert_true(has_next == d->is_list);
			nlist += d->is_list;
		}
	}
	assert_true(nlist >= 9);
}

static void the_document_is_json(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_buf out = AG_BUF_INIT(AG_OPENAPI_BYTES);
	const ag_extjson_opts opts = { .max_depth = 64, .max_values = 500000 };
	const ag_val *paths, *one;
	ag_err err = { 0 };
	ag_val doc;

	(void)state;
	ag_openapi_write(ag_server_routes, ag_server_nroute, &out);
	assert_false(out.failed);
	assert_int_equal(ag_extjson_parse(ag_buf_view(&out), &opts, arena, &doc, NULL, NULL, &err),
	                 AG_OK);
	assert_true(ag_str_eqc(ag_val_member_str(&doc, "openapi"), "3.1.1"));
	paths = ag_val_getc(&doc, "paths");
	assert_non_null(paths);
	for (size_t i = 0; i < ag_server_nroute; i++) {
		one = ag_val_getc(paths, ag_server_routes[i].path);
		assert_true(is_api(&ag_server_routes[i]) == (one != NULL));
	}
	ag_buf_release(&out);
	ag_arena_free(arena);
}

static ag_status check(const ag_route_doc *d, const char *text, ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 8, .max_values = 100 };
	ag_arena *arena = ag_arena_new();
	ag_status st;
	ag_val body;

	st = ag_extjson_parse(ag_str_c(text), &opts, arena, &body, NULL, NULL, err);
	assert_int_equal(st, AG_OK);
	st = ag_doc_check_body(d, &body, err);
	ag_arena_free(arena);
	return st;
}

static void bodies_are_checked(void **state)
{
	static const struct {
		const char *text, *said; /* said: NULL = it is taken */
	} rows[] = {
		{ "{\"name\":\"ann\"}", NULL },
		{ "{\"name\":\"ann\",\"superuser\":true}", NULL },
		{ "{\"name\":\"ann\",\"superuser\":null}", NULL },
		{ "{}", "createUser.name is missing" },
		{ "{\"name\":7}", "createUser.name: want a string" },
		{ "{\"name\":\"\"}", "createUser.name: want 1 to 128 bytes" },
		{ "{\"name\":\"ann\",\"superuser\":\"yes\"}", "createUser.superuser" },
		{ "{\"name\":\"ann\",\"supersuer\":true}", "no parameter \"supersuer\"" },
	};
	ag_err err = { 0 };

	(void)state;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		print_message("  %s\n", rows[i].text);
		if (!rows[i].said) {
			assert_int_equal(check(&ag_doc_create_user, rows[i].text, &err), AG_OK);
			continue;
		}
		assert_int_equal(check(&ag_doc_create_user, rows[i].text, &err), AG_INVALID);
		assert_true(ag_str_contains(ag_str_c(err.msg), ag_str_c(rows[i].said)));
	}
	/* Characters are counted where the description says so: 200 of two bytes are taken. */
	{
		char title[600] = "{\"title\":\"";
		size_t n = strlen(title);

		for (int i = 0; i < 200; i++, n += 2)
			memcpy(title + n, "\xc3\xa4", 2);
		memcpy(title + n, "\"}", 3);
		assert_int_equal(check(&ag_doc_rename_thread, title, &err), AG_OK);
		memcpy(title + n, "x\"}", 4);
		assert_int_equal(check(&ag_doc_rename_thread, title, &err), AG_INVALID);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_route_is_described), cmocka_unit_test(names_are_unique),
		cmocka_unit_test(shapes_hold_together),     cmocka_unit_test(lists_page_in_one_way),
		cmocka_unit_test(the_document_is_json),     cmocka_unit_test(bodies_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
