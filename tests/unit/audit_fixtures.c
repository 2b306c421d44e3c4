/* audit_fixtures -- see the header. The file is real, the store is real (in memory), only the planner is scripted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit_fixtures.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "query/extjson.h"

static const ag_extjson_opts parse_opts = { .typed = true, .query = true };

static ag_status charge(const fix_lines *s, ag_err *err)
{
	ag_llm_meter *m = ag_audit_opts_of(s->audit)->meter;
	const ag_llm_charge c = {
		.purpose = AG_S("planner"),
		.name = AG_S("scripted"),
		.model = AG_S("script-1"),
		.provider = AG_S("test"),
		.usage = { .input_tokens = s->tokens - s->tokens / 4,
		           .output_tokens = s->tokens / 4 },
		.usd = s->tokens / 1e6,
		.is_priced = true,
		.attempts = 1,
		.ok = true,
	};
	unsigned output = s->tokens / 4;

	if (ag_llm_meter_admit(m, c.usage.input_tokens, &output, 1, 1, err))
		return err->status;
	ag_llm_meter_charge(m, &c);
	return AG_OK;
}

static ag_status script_propose(ag_planner *self, const ag_ctx *ctx, ag_arena *arena,
                                ag_proposal *ret, ag_err *err)
{
	fix_lines *s = (fix_lines *)self;
	audit_fix *f = s->fix;
	const ag_val *input, *confidence;
	size_t at;
	ag_val v;

	(void)ctx;
	/* By the state, not by calls: a resumed run goes on where its log ends. */
	at = ag_audit_state_of(s->audit)->iteration;
	f->nstep = at + 1;
	if (at < FIX_MAX_STEPS)
		f->critiques[at] = ag_str_dup(f->arena, ag_audit_state_of(s->audit)->last_critique);
	if (s->fails_at == at + 1)
		return ag_fail(err, s->failure, "test.planner", "the model is out");
	if (s->tokens && charge(s, err))
		return err->status;
	if (at >= s->n) {
		*ret = (ag_proposal){ AG_S("the script is over"), AG_S("conclude"), AG_S("{}"), 1.0,
			              AG_S("") };
		return AG_OK;
	}
	if (ag_extjson_parse(ag_str_c(s->lines[at]), &parse_opts, arena, &v, NULL, NULL, err))
		return err->status;
	input = ag_val_getc(&v, "action_input");
	confidence = ag_val_getc(&v, "confidence");
	*ret = (ag_proposal){
		.reasoning = AG_S("scripted"),
		.action = fix_text(&v, "action"),
		.input = input ? ag_extjson_str(arena, input, AG_EXTJSON_RELAXED) : AG_S(""),
		.confidence = confidence ? ag_val_number(confidence) : 0.9,
	};
	return AG_OK;
}

static const ag_planner_type script_type = { .name = "script", .propose = script_propose };
static const ag_planner_type model_type = { .name = "script",
	                                    .propose = script_propose,
	                                    .asks_model = true };

ag_planner *fix_make_lines(void *env, void *arg)
{
	ag_audit *a = env;
	fix_lines *s = arg;

	s->base.type = s->tokens || s->fails_at ? &model_type : &script_type;
	s->audit = a;
	return &s->base;
}

void fix_open(audit_fix *f, ag_str ndjson)
{
	fix_open_as(f, ndjson, "data.ndjson");
}

void fix_open_as(audit_fix *f, ag_str text, const char *name)
{
	const ag_source_opts opts = { 0 };
	ag_source **all = NULL;
	ag_err err = { 0 };
	size_t n = 0;
	FILE *out;

	*f = (audit_fix){ .arena = ag_arena_new(),
		          .ctx = { .clock = &ag_clock_system, .nthread = 2 } };
	snprintf(f->dir, sizeof(f->dir), "%s/argus-fix-XXXXXX",
	         getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->file, sizeof(f->file), "%s/%s", f->dir, name);
	out = fopen(f->file, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(text.ptr, 1, text.len, out), text.len);
	assert_int_equal(fclose(out), 0);
	if (ag_store_open(AG_S("memory:"), &f->store, &err) ||
	    ag_source_open(&f->ctx, ag_str_c(f->file), &opts, f->arena, &all, &n, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(n, 1);
	f->source = all[0];
	ag_audit_opts_init(&f->opts);
	f->opts.budget.iterations = 20;
	f->opts.show_values = true;
}

void fix_close(audit_fix *f)
{
	ag_source_close(f->source);
	ag_store_close(f->store);
	ag_arena_free(f->arena);
	unlink(f->file);
	rmdir(f->dir);
}

static void run(audit_fix *f, ag_planner_make make, void *arg)
{
	ag_err err = { 0 };
	size_t at = 0;

	if (ag_audit_run(&f->ctx,
	                 &(ag_audit_job){ .source = f->source,
	                                  .store = f->store,
	                                  .opts = &f->opts,
	                                  .make = make,
	                                  .make_arg = arg },
	                 f->arena, &f->result, &err))
		fail_msg("%s", err.msg);
	if (ag_extjson_parse(f->result.report, &parse_opts, f->arena, &f->report, &at, NULL, &err))
		fail_msg("the report is no JSON at %zu: %s", at, err.msg);
}

void fix_script(audit_fix *f, const char *const *lines, size_t n)
{
	fix_lines s = { .fix = f, .lines = lines, .n = n };

	f->nstep = 0;
	run(f, fix_make_lines, &s);
}

void fix_builtin(audit_fix *f)
{
	f->opts.budget.iterations = 0;
	run(f, ag_planner_builtin_make, NULL);
}

const ag_val *fix_get(const ag_val *v, const char *name)
{
	const ag_val *m = v ? ag_val_getc(v, name) : NULL;

	if (!m)
		fail_msg("\"%s\" is missing", name);
	return m;
}

ag_str fix_text(const ag_val *v, const char *name)
{
	const ag_val *m = fix_get(v, name);

	if (m->type != AG_T_STRING)
		fail_msg("\"%s\" is no text", name);
	return ag_val_text(m);
}

int64_t fix_int(const ag_val *v, const char *name)
{
	int64_t i;

	if (!ag_val_to_i64(fix_get(v, name), &i))
		fail_msg("\"%s\" is no integer", name);
	return i;
}

double fix_num(const ag_val *v, const char *name)
{
	const ag_val *m = fix_get(v, name);

	if (!ag_type_is_number(m->type))
		fail_msg("\"%s\" is no number", name);
	return ag_val_number(m);
}

size_t fix_len(const audit_fix *f, const char *list)
{
	const ag_val *v = fix_get(&f->report, list);

	assert_int_equal(v->type, AG_T_ARRAY);
	return v->n;
}

const ag_val *fix_find(const audit_fix *f, const char *list, const char *field,
                       const char *category)
{
	const ag_val *v = fix_get(&f->report, list);

	for (uint32_t i = 0; i < v->n; i++)
		if (ag_str_eqc(fix_text(&v->u.items[i], "field"), field) &&
		    ag_str_eqc(fix_text(&v->u.items[i], "category"), category))
			return &v->u.items[i];
	return NULL;
}

const ag_val *fix_record(const audit_fix *f, const char *gate, size_t n)
{
	const ag_val *v = fix_get(&f->report, "evaluation_records");

	for (uint32_t i = 0; i < v->n; i++)
		if (ag_str_eqc(fix_text(&v->u.items[i], "gate"), gate) && n-- == 0)
			return &v->u.items[i];
	return NULL;
}
