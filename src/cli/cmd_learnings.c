/* argus learnings: what corrected errors taught: look at it, decide what was contradicted, forget it. */
#include "base/utf8.h"
#include "cli/knowledge_args.h"
#include "cli/past.h"

#define COMMON "project store output "
#define KIND   AG_KNOW_LEARNING

static const ag_option options[] = {
	AG_KNOW_PROJECT_OPTION,
	{ "why", 0, "TEXT", NULL, NULL, "review: why it is wrong" },
	AG_PAST_OUTPUT_OPTION,
	AG_PAST_STORE_OPTION,
};

static int64_t now(const ag_cli *c)
{
	return ag_clock_wall(c->app.ctx.clock);
}

static void print_text(const ag_know *list, size_t n, bool only_waiting, int64_t now_ms,
                       ag_paint *p)
{
	for (size_t i = 0; i < n; i++) {
		const ag_str why = ag_know_text(&list[i], "contradicted");

		if (only_waiting && list[i].status != AG_KNOW_REVIEW)
			continue;
		ag_know_show_line(&list[i], now_ms, false, p);
		if (!why.len)
			continue;
		ag_paint_to(p, 22);
		ag_paint_wrap(p, AG_INK_YELLOW, 22, why);
		ag_paint_nl(p);
	}
}

static int print_list(ag_cli *c, ag_know_session *s, bool only_waiting)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);
	ag_know *list;
	ag_err err = { 0 };
	size_t n;
	ag_jw w;

	if (ag_know_list(&s->place, KIND, c->app.arena, &list, &n, &err))
		return ag_cli_fail(c, &err);
	if (ag_cli_is_json(c)) {
		ag_jw_init(&w, &out, 2);
		ag_jw_obj(&w);
		ag_jw_kkey(&w, "learnings");
		ag_jw_arr(&w);
		for (size_t i = 0; i < n; i++) {
			if (!only_waiting || list[i].status == AG_KNOW_REVIEW)
				ag_know_show_json(&list[i], now(c), c->app.arena, &w);
		}
		ag_jw_arr_end(&w);
		ag_jw_obj_end(&w);
		return ag_past_print_json(c, &out);
	}
	print_text(list, n, only_waiting, now(c), &p);
	if (!out.len)
		ag_cli_note(c,
		            only_waiting ? "nothing waits for a review" : "nothing was learnt yet");
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int list_all(ag_cli *c, ag_know_session *s)
{
	return print_list(c, s, false);
}

/* "right" and "wrong" as words: the command never asks. */
static bool decision(ag_cli *c, bool *ret_right)
{
	const ag_str word = c->args[1];

	*ret_right = ag_str_eqc(word, "right");
	if (!*ret_right && !ag_str_eqc(word, "wrong"))
		ag_cli_complain(c, "review: want right or wrong, got \"%.*s\"",
		                AG_FMT(ag_utf8_prefix(word, 40)));
	if (*ret_right && ag_cli_has(c, "why"))
		ag_cli_complain(c, "--why belongs to wrong");
	return !ag_cli_refused(c);
}

static int review(ag_cli *c, ag_know_session *s)
{
	const ag_str why = ag_cli_value(c, "why");
	bool is_right = false;
	ag_know o;
	ag_err err = { 0 };

	if (!c->narg)
		return print_list(c, s, true);
	if (c->narg != 2)
		ag_cli_complain(c, "review: want ID right, or ID wrong");
	if (ag_cli_refused(c) || !decision(c, &is_right))
		return AG_EXIT_USAGE;
	if (ag_know_get(&s->place, KIND, c->args[0], c->app.arena, &o, &err) ||
	    ag_know_judge(&s->place, &o, is_right, why.len ? why : AG_S("a person said so"),
	                  c->app.arena, &o, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "learning %.*s %s", AG_FMT(ag_know_short(&o)),
	            is_right ? "is used again" : "is not used any more until it is reviewed");
	return AG_EXIT_OK;
}

static int forget(ag_cli *c, ag_know_session *s)
{
	ag_know o;
	ag_err err = { 0 };

	if (ag_know_get(&s->place, KIND, c->args[0], c->app.arena, &o, &err) ||
	    ag_know_remove(&s->place, &o, c->app.arena, &err))
		return ag_cli_fail(c, &err);
	ag_cli_note(c, "learning %.*s is forgotten", AG_FMT(ag_know_short(&o)));
	return AG_EXIT_OK;
}

static int in_session(ag_cli *c, int (*work)(ag_cli *c, ag_know_session *s))
{
	ag_know_session s = { 0 };
	ag_err err = { 0 };
	int code;

	if (ag_know_session_open(c, &s, &err))
		return ag_cli_fail(c, &err);
	code = work(c, &s);
	ag_know_session_close(&s);
	return code;
}

static int do_list(ag_cli *c)
{
	return in_session(c, list_all);
}

static int do_review(ag_cli *c)
{
	return in_session(c, review);
}

static int do_forget(ag_cli *c)
{
	return in_session(c, forget);
}

static const ag_verb verbs[] = {
	{ "list", "", 0, 0, COMMON, do_list },
	{ "review", "[ID right|wrong]", 0, 2, COMMON "why", do_review },
	{ "forget", "ID", 1, 1, COMMON, do_forget },
};

static int run(ag_cli *c)
{
	return ag_cli_run_verb(c, verbs, AG_NELEM(verbs));
}

const ag_command ag_cmd_learnings = {
	.name = "learnings",
	.summary = "Look at what corrected errors taught, and decide what is right",
	.group = AG_GROUP_ASK,
	.usage = "list | review [ID right|wrong] | forget ID [options]",
	.about =
		"A learning is a sentence that the model of `argus chat` saved after it had corrected an error, or that "
		"a person wrote down. It is shown with later questions, is surer with each time that it is said again, and fades when it "
		"is not used.\n\n"
		"When something contradicts it, it waits: nothing uses it until `review ID right` takes it back into use, or "
		"`forget` removes it. `review` alone lists what waits, `review ID wrong` sets one aside.",
	.examples =
		"argus learnings list\n"
		"argus learnings review # what waits\n"
		"argus learnings review 75c2ff0c right\n"
		"argus learnings review 75c2ff0c wrong --why \"amounts are in cents since May\"",
	.options = options,
	.noption = AG_NELEM(options),
	.min_args = 1,
	.max_args = 3,
	.run = run,
};
