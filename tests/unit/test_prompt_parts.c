/* The pieces of prompts: files with places, the tool catalogue, text as data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit/prompt_parts.h"
#include "audit/tools.h"
#include "base/utf8.h"
#include "text_checks.h"

static void prompt_files(void **state)
{
	static const ag_prompt_value values[] = { { "a", AG_S_INIT("{{b}} one") },
		                                  { "b", AG_S_INIT("") } };
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };
	ag_str text;

	(void)state;
	assert_int_equal(
		ag_prompt_fill(AG_S("x{{a}}{{b}}{ }y"), "t", values, 2, arena, &text, &err), AG_OK);
	/* What was put in is not looked at again. */
	assert_str(text, "x{{b}} one{ }y");
	assert_int_equal(ag_prompt_fill(AG_S("{{c}}"), "t.md", values, 2, arena, &text, &err),
	                 AG_INTERNAL);
	assert_has(ag_str_c(err.msg), "t.md has an unknown place {{c}}");
	assert_int_equal(ag_prompt_fill(AG_S("x {{a"), "t.md", values, 2, arena, &text, &err),
	                 AG_INTERNAL);
	assert_int_equal(ag_prompt_file("prompts/audit/none.md", values, 2, arena, &text, &err),
	                 AG_INTERNAL);
	assert_has(ag_str_c(err.msg), "prompts/audit/none.md is missing");
	ag_arena_free(arena);
}

/* The catalogue is the table: every tool, parameter and choice is named, and the run's own figures are told. */
static void catalogue_is_the_table(void **state)
{
	ag_arena *arena = ag_arena_new();
	ag_audit_opts o;
	ag_err err = { 0 };
	ag_str text;

	(void)state;
	ag_audit_opts_init(&o);
	o.rules.field_coverage_min = 0.625;
	o.rules.early_termination_min = 7;
	o.rules.critical_min_share = 0.03;
	assert_int_equal(ag_prompt_system(&o, ag_audit_tools.tools, ag_audit_tools.ntool, arena,
	                                  &text, &err),
	                 AG_OK);
	for (size_t i = 0; i < ag_audit_tools.ntool; i++) {
		const ag_tool *t = &ag_audit_tools.tools[i];

		assert_has(text, ag_str_printf(arena, "\n%s (", t->name).ptr);
		assert_has(text, t->help);
		for (size_t k = 0; k < t->nparam; k++) {
			const ag_param *p = &t->params[k];

			assert_has(text, ag_str_printf(arena, "\n  %s%s: ", p->name,
			                               p->required ? "" : "?")
			                         .ptr);
			for (size_t c = 0; p->one_of && p->one_of[c]; c++)
				assert_has(text, p->one_of[c]);
			if (!p->one_of)
				assert_has(text, p->help);
		}
	}
	assert_has(text, "62.5 %");
	assert_has(text, "not before iteration 7");
	assert_has(text, "at least 3 % of the documents");
	assert_false(ag_str_contains(text, AG_S("{{")));
	ag_arena_free(arena);
}

static void as_data(ag_str text, size_t max, const char *want)
{
	ag_buf out = AG_BUF_INIT(4096);

	ag_buf_adds(&out, "|");
	ag_prompt_data(&out, text, max);
	if (!ag_str_eqc(ag_str_make(out.ptr + 1, out.len - 1), want))
		fail_msg("%.*s at %zu: want %s, got %s", AG_FMT(text), max, want, out.ptr + 1);
	assert_true(out.len - 1 <= max);
	assert_true(ag_utf8_valid(ag_buf_view(&out)));
	ag_buf_release(&out);
}

static void data_is_escaped(void **state)
{
	(void)state;
	as_data(AG_S("plain, \"quoted\", \\n and € stay"), 99, "plain, \"quoted\", \\n and € stay");
	as_data(AG_S("a\nb\r\tc\x01\x7f"), 99, "a\\nb\\r\\tc\\u0001\\u007f");
	as_data(AG_S("</data>"), 99, "\\u003c/data>");
	as_data(AG_S("<|im_start|>system"), 99, "\\u003c|im_start|>system");
	as_data(AG_S("[INST] [/INST] items[] [1,[2]] [\"A\"]"), 99,
	        "\\u005bINST] \\u005b/INST] items[] [1,[2]] [\"A\"]");
	/* Right-to-left override, zero width, byte order mark, line separator, fullwidth <, a tag character. */
	as_data(AG_S("\u202ex\u200by\ufeffz\u2028\uff1c\U000e0041"), 99,
	        "\\u202ex\\u200by\\ufeffz\\u2028\\uff1c\\udb40\\udc41");
	as_data(AG_S("a\xff\xc3z"), 99, "a\ufffd\ufffdz");
	as_data(ag_str_make("a\0b", 3), 99, "a\\u0000b");
	/* Cut between characters, never inside an escape, with room for the mark. */
	as_data(AG_S("abcdef"), 6, "abcdef");
	as_data(AG_S("abcdefg"), 6, "abc…");
	as_data(AG_S("äöüß"), 7, "äö…");
	as_data(AG_S("𝄞𝄞𝄞"), 8, "𝄞…");
	as_data(AG_S("ab<cd"), 8, "ab…");
	as_data(AG_S("ab<cd"), 10, "ab\\u003ccd");
	as_data(AG_S("abc"), 2, "");
	as_data(AG_S("abcd"), 3, "…");
	as_data(AG_S("abc"), 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prompt_files),
		cmocka_unit_test(catalogue_is_the_table),
		cmocka_unit_test(data_is_escaped),
	};

	return cmocka_run_group_tests_name("prompt_parts", tests, NULL, NULL);
}
