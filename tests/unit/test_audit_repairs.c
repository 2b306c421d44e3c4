/* Cells and repairs of real audits: tests/cases/repair/repairs.cases. Each case is a collection, audited by the builtin planner.
 *
 *   == name of the case
 *   csv                        the lines are rows of a CSV file, the first one its header
 *   40 {"town":"Bern"}         40 documents of this template (audit_case_docs.h)
 *   + town "Bern " => "Bern"   each cell of this field with this value has this repair, and there is one
 *   - town "x"                 this value is flagged in this field, and none of its cells has a repair
 *   path items.2.price "x"     this item is flagged
 *   cells town padding 5 4     that finding flags so many cells, of which so many have a repair
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/extjson.h"
#include "repair/cells.h"
#include "unit/audit_case_docs.h"
#include "unit/audit_fixtures.h"

#define MAX_CELLS 20000
#define MAX_BYTES (4u * 1024 * 1024)

typedef struct seen {
	ag_str field, category, path, value, fixed; /* values as relaxed extended JSON, "" = none */
	uint64_t row;
} seen;

typedef struct one_case {
	ag_arena *arena;
	ag_str name;
	bool is_csv, has_header, ran;
	case_gen gen;
	ag_buf text;
	audit_fix fix;
	seen *cells;
	size_t ncell, nexpect;
	unsigned failed;
} one_case;

static void complain(one_case *c, const char *what, ag_str line)
{
	print_error("# %.*s: %s: %.*s\n", AG_FMT(c->name), what, AG_FMT(line));
	if (c->failed++)
		return;
	for (size_t i = 0; i < c->ncell && i < 10; i++)
		print_error("#   row %llu %.*s %.*s %.*s: %.*s => %.*s\n",
		            (unsigned long long)c->cells[i].row, AG_FMT(c->cells[i].field),
		            AG_FMT(c->cells[i].path), AG_FMT(c->cells[i].category),
		            AG_FMT(c->cells[i].value), AG_FMT(c->cells[i].fixed));
}

static ag_str text_of(const one_case *c, const ag_val *v)
{
	return v->type == AG_T_MISSING ? AG_S("") : ag_extjson_str(c->arena, v, AG_EXTJSON_RELAXED);
}

static ag_status take(void *arg, const ag_cell *cell, ag_err *err)
{
	one_case *c = arg;

	(void)err;
	assert_true(c->ncell < MAX_CELLS);
	c->cells[c->ncell++] = (seen){ .field = ag_str_dup(c->arena, cell->of->field),
		                       .category = ag_str_dup(c->arena, cell->of->category),
		                       .path = ag_str_dup(c->arena, cell->path),
		                       .value = text_of(c, &cell->value),
		                       .fixed = text_of(c, &cell->fixed),
		                       .row = cell->row };
	return AG_OK;
}

static void note(void *arg, const char *line)
{
	complain(arg, "a note", ag_str_c(line));
}

static void run(one_case *c)
{
	ag_cells job = { .wants_repairs = true, .fn = take, .arg = c, .note = note };
	ag_err err = { 0 };

	c->ran = true;
	fix_open_as(&c->fix, ag_buf_view(&c->text), c->is_csv ? "data.csv" : "data.ndjson");
	fix_builtin(&c->fix);
	job.source = c->fix.source;
	job.report = &c->fix.report;
	if (ag_cells_each(&c->fix.ctx, &job, &err))
		complain(c, "no cells", ag_str_c(err.msg));
}

static void check_repair(one_case *c, ag_str line, bool has_repair)
{
	ag_str rest = line;
	const ag_str field = ag_str_split(&rest, ' ');
	ag_str value = rest, fixed = AG_S("");
	size_t n = 0;

	for (size_t i = 0; has_repair && i + 4 < rest.len; i++) {
		if (memcmp(rest.ptr + i, " => ", 4) != 0)
			continue;
		value = ag_str_make(rest.ptr, i);
		fixed = ag_str_make(rest.ptr + i + 4, rest.len - i - 4);
	}
	assert_true(!has_repair || fixed.len);
	for (size_t i = 0; i < c->ncell; i++) {
		if (!ag_str_eq(c->cells[i].field, field) || !ag_str_eq(c->cells[i].value, value))
			continue;
		/* Several findings may flag one cell; one of them at least knows the repair, and none another one. */
		if (c->cells[i].fixed.len && !ag_str_eq(c->cells[i].fixed, fixed))
			complain(c, "another repair", c->cells[i].fixed);
		n += !has_repair || c->cells[i].fixed.len;
	}
	if (!n)
		complain(c, has_repair ? "no such repair" : "not flagged", line);
}

static void check_path(one_case *c, ag_str line)
{
	ag_str rest = line;
	const ag_str path = ag_str_split(&rest, ' ');

	for (size_t i = 0; i < c->ncell; i++)
		if (ag_str_eq(c->cells[i].path, path) && ag_str_eq(c->cells[i].value, rest))
			return;
	complain(c, "not flagged", line);
}

static void check_counts(one_case *c, ag_str line)
{
	ag_str rest = line;
	const ag_str field = ag_str_split(&rest, ' '), category = ag_str_split(&rest, ' ');
	uint64_t want[2] = { 0, 0 }, n[2] = { 0, 0 };

	assert_true(ag_str_to_u64(ag_str_split(&rest, ' '), &want[0]) &&
	            ag_str_to_u64(rest, &want[1]));
	for (size_t i = 0; i < c->ncell; i++) {
		if (!ag_str_eq(c->cells[i].field, field) ||
		    !ag_str_eq(c->cells[i].category, category))
			continue;
		n[0]++;
		n[1] += c->cells[i].fixed.len > 0;
	}
	if (n[0] != want[0] || n[1] != want[1])
		complain(c,
		         ag_str_printf(c->arena, "%llu cells and %llu repairs",
		                       (unsigned long long)n[0], (unsigned long long)n[1])
		                 .ptr,
		         line);
}

static void case_line(one_case *c, ag_str line)
{
	ag_str rest = line, word = ag_str_split(&rest, ' ');
	uint64_t n;

	if (ag_str_eqc(word, "csv")) {
		c->is_csv = true;
	} else if (ag_str_to_u64(word, &n)) {
		for (uint64_t i = 0; i < n; i++, c->gen.i++) {
			assert_true(case_expand(&c->gen, &c->text, rest));
			ag_buf_addc(&c->text, '\n');
		}
	} else if (c->is_csv && !c->has_header) {
		c->has_header = true;
		ag_buf_add(&c->text, line);
		ag_buf_addc(&c->text, '\n');
	} else {
		if (!c->ran)
			run(c);
		c->nexpect++;
		if (ag_str_eqc(word, "+") || ag_str_eqc(word, "-"))
			check_repair(c, rest, ag_str_eqc(word, "+"));
		else if (ag_str_eqc(word, "path"))
			check_path(c, rest);
		else if (ag_str_eqc(word, "cells"))
			check_counts(c, rest);
		else
			complain(c, "unknown line", line);
	}
}

static unsigned end(one_case *c)
{
	unsigned failed;

	if (!c->arena)
		return 0;
	if (!c->nexpect)
		complain(c, "expects nothing", AG_S(""));
	failed = c->failed > 0;
	if (c->ran)
		fix_close(&c->fix);
	ag_buf_release(&c->text);
	free(c->cells);
	ag_arena_free(c->arena);
	memset(c, 0, sizeof(*c));
	return failed;
}

static void begin(one_case *c, ag_str name)
{
	c->arena = ag_arena_new();
	c->name = ag_str_dup(c->arena, name);
	c->cells = ag_xcalloc(MAX_CELLS, sizeof(*c->cells));
	ag_buf_init(&c->text, MAX_BYTES);
	for (size_t i = 0; i < name.len; i++)
		c->gen.state = c->gen.state * 131 + (unsigned char)name.ptr[i];
}

static void test_cases(void **state)
{
	FILE *f = fopen("tests/cases/repair/repairs.cases", "rb");
	unsigned failed = 0, n = 0;
	one_case c = { 0 };
	char line[4096];

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		ag_str s = ag_str_c(line);

		if (s.len && s.ptr[s.len - 1] == '\n')
			s.len--;
		if (!s.len || s.ptr[0] == '#')
			continue;
		if (ag_str_starts(s, AG_S("== "))) {
			failed += end(&c);
			begin(&c, ag_str_make(s.ptr + 3, s.len - 3));
			n++;
		} else {
			case_line(&c, s);
		}
	}
	fclose(f);
	failed += end(&c);
	if (failed || !n)
		fail_msg("%u of %u cases failed", failed, n);
}

/* Documents of a server have no row numbers. */
static void test_server(void **state)
{
	ag_source_type server = ag_source_files;
	ag_cells job = { .fn = take };
	ag_err err = { 0 };
	audit_fix f;

	(void)state;
	fix_open(&f, AG_S("{\"a\":1}\n"));
	fix_builtin(&f);
	server.match = NULL;
	f.source->type = &server;
	job.source = f.source;
	job.report = &f.report;
	assert_int_equal(ag_cells_each(&f.ctx, &job, &err), AG_INVALID);
	assert_non_null(strstr(err.msg, "cells are listed of files only"));
	assert_non_null(strstr(err.hint, "mongoexport"));
	f.source->type = &ag_source_files;
	fix_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
