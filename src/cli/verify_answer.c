/* verify_answer -- an answer of argus ask against the project as it is now: a line or an object for each call, citation and
 * the source.
 *
 * Which folder: --root, else the one that the answer names, else the project around the current folder. An answer may come
 * from another machine, so a folder that does not exist here gives a note, not an error. */
#include "cli/verify_answer.h"

#include <unistd.h>

#include "ask/cite.h"

/* The folder to look in, and a word on it when it is not the one that was asked. */
static ag_status find_root(ag_cli *c, const ag_answer *a, ag_str *ret, ag_err *err)
{
	*ret = ag_cli_value(c, "root");
	if (ret->len)
		return AG_OK;
	*ret = a->root;
	if (ret->len && !access(ag_str_cstr(c->app.arena, *ret), F_OK))
		return AG_OK;
	if (ag_root_find_project(AG_S("."), c->app.arena, ret, err))
		return err->status;
	if (a->root.len)
		ag_cli_note(c, "%.*s, where the answer is from, is not here: looked in %.*s",
		            AG_FMT(a->root), AG_FMT(*ret));
	return AG_OK;
}

static ag_status open_root(ag_cli *c, const ag_answer *a, ag_root **ret, ag_err *err)
{
	ag_root_opts o = { 0 };
	ag_status st = find_root(c, a, &o.path, err);

	if (!st)
		st = ag_root_open(&o, ret, err);
	for (size_t i = 0; !st && i < c->app.ndotenv; i++)
		ag_root_add_secret(*ret, ag_str_cstr(c->app.arena, c->app.dotenv[i]));
	return st;
}

/* --- what is printed --- */

static void add_json(const ag_answer *a, ag_str root, const ag_ask_verification *v, ag_buf *out)
{
	ag_jw w;

	ag_jw_init(&w, out, 2);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "run_id", a->run);
	ag_jw_kstr(&w, "question", a->question);
	ag_jw_kstr(&w, "root", root);
	ag_jw_kstr(&w, "source", a->source);
	ag_jw_kuint(&w, "confirmed", v->nconfirmed);
	ag_jw_kuint(&w, "changed", v->nchanged);
	ag_jw_kuint(&w, "gone", v->ngone);
	ag_jw_kuint(&w, "false", v->nfalse);
	ag_jw_kuint(&w, "not_checkable", v->nunchecked);
	ag_jw_kkey(&w, "checks");
	ag_jw_arr(&w);
	for (size_t i = 0; i < v->n; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "what", v->items[i].what);
		ag_jw_kstr(&w, "result", ag_str_c(ag_ask_check_name(v->items[i].result)));
		ag_jw_kstr(&w, "why", v->items[i].why);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
}

static const struct {
	ag_ink ink;
	ag_sign sign;
} looks[] = {
	[AG_ASK_CONFIRMED] = { AG_INK_PLAIN, AG_SIGN_GOOD },
	[AG_ASK_CHANGED] = { AG_INK_YELLOW, AG_SIGN_WARN },
	[AG_ASK_GONE] = { AG_INK_RED, AG_SIGN_BAD },
	[AG_ASK_FALSE] = { AG_INK_RED, AG_SIGN_BAD },
	[AG_ASK_UNCHECKED] = { AG_INK_DIM, AG_SIGN_DOT },
};

static void add_head(const ag_answer *a, ag_str root, const ag_ask_verification *v, ag_paint *p)
{
	const struct {
		size_t n;
		const char *what;
	} sums[] = { { v->nconfirmed, "confirmed" },
		     { v->nchanged, "changed" },
		     { v->ngone, "gone" },
		     { v->nfalse, "false" },
		     { v->nunchecked, "not checkable" } };
	ag_buf sum = AG_BUF_INIT(256);

	for (size_t i = 0; i < AG_NELEM(sums); i++) {
		if (sums[i].n)
			ag_buf_addf(&sum, "%s%zu %s", sum.len ? ", " : "", sums[i].n, sums[i].what);
	}
	ag_paint_lit(p, AG_INK_BOLD, "answer: ");
	ag_paint_wrap(p, AG_INK_PLAIN, 2,
	              sum.len ? ag_buf_view(&sum) : AG_S("it names nothing that could be checked"));
	ag_paint_nl(p);
	if (a->question.len) {
		ag_paint_to(p, 2);
		ag_paint_wrap(p, AG_INK_PLAIN, 2, a->question);
		ag_paint_nl(p);
	}
	ag_paint_to(p, 2);
	ag_paint_wrap(p, AG_INK_DIM, 2, root);
	ag_paint_nl(p);
	ag_buf_release(&sum);
}

static void add_check(const ag_ask_verified *one, ag_paint *p)
{
	const size_t indent = 4;

	ag_paint_to(p, 2);
	ag_paint_sign(p, looks[one->result].ink, looks[one->result].sign);
	ag_paint_to(p, indent);
	ag_paint_textf(p, looks[one->result].ink, "%-13s", ag_ask_check_name(one->result));
	ag_paint_lit(p, AG_INK_PLAIN, " ");
	ag_paint_wrap(p, AG_INK_BOLD, indent, one->what);
	ag_paint_wrap(p, AG_INK_DIM, indent, AG_S(": "));
	ag_paint_wrap(p, AG_INK_PLAIN, indent, one->why);
	ag_paint_nl(p);
}

static int print(ag_cli *c, const ag_answer *a, ag_str root, const ag_ask_verification *v)
{
	int code = v->is_unchecked                        ? AG_EXIT_FAILED
	           : v->nchanged || v->ngone || v->nfalse ? AG_EXIT_FINDINGS
	                                                  : AG_EXIT_OK;
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	if (c->app.settings.output_format == AG_OUTPUT_SILENT)
		return code;
	if (c->app.settings.output_format == AG_OUTPUT_TEXT) {
		add_head(a, root, v, &p);
		if (v->n)
			ag_paint_nl(&p);
		for (size_t i = 0; i < v->n; i++)
			add_check(&v->items[i], &p);
		return ag_cli_finish(c, &out, code);
	}
	add_json(a, root, v, &out);
	if (!ag_cli_print_json(c, ag_buf_view(&out)))
		code = AG_EXIT_FAILED;
	ag_buf_release(&out);
	return code;
}

int ag_cli_verify_answer(ag_cli *c, const ag_val *answer)
{
	ag_root *root = NULL;
	ag_ask_verification v;
	ag_err err = { 0 };
	ag_answer a;
	int code;

	if (ag_answer_read(answer, c->app.arena, &a, &err) || open_root(c, &a, &root, &err))
		return ag_cli_fail(c, &err);
	if (ag_ask_verify(root, &c->app.ctx, &a, c->app.arena, &v, &err))
		code = ag_cli_fail(c, &err);
	else
		code = print(c, &a, ag_root_path(root), &v);
	ag_root_close(root);
	return ag_signals_cancelled() ? AG_EXIT_CANCELLED : code;
}
