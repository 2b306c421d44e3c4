/* The options of an audit, and its data opened within its budget. */
#include "app/app.h"

void ag_app_audit_opts(const ag_app *app, ag_arena *arena, ag_audit_opts *ret)
{
	const ag_settings *s = &app->settings;

	*ret = s->audit;
	ret->ignores = s->ignores;
	ret->nignore = s->nignore;
	ret->settings_json = ag_settings_json(s, arena);
}

ag_source_opts ag_app_source_opts(const ag_app *app)
{
	const ag_audit_opts *o = &app->settings.audit;

	return (ag_source_opts){ .strict = o->strict,
		                 .max_scan = o->max_scan,
		                 .max_sample = o->max_sample,
		                 .max_units = o->max_ru };
}

ag_status ag_app_open_source(const ag_app *app, const ag_source_place *place,
                             const ag_source_opts *opts, ag_budget *budget, ag_source **ret,
                             ag_err *err)
{
	ag_ctx ctx = app->ctx;
	int64_t end_ms;
	bool by_budget;
	ag_status st;

	budget->since_ms = ag_clock_mono(ctx.clock);
	end_ms = budget->since_ms + (int64_t)(budget->seconds * 1000);
	by_budget = budget->seconds > 0 && (!ctx.deadline_ms || end_ms < ctx.deadline_ms);
	if (by_budget)
		ctx.deadline_ms = end_ms;
	st = ag_source_open_place(&ctx, place, opts, ret, err);
	if (st != AG_TIMEOUT || !by_budget)
		return st;
	ag_fail(err, AG_TIMEOUT, "app.audit",
	        "%.*s: the %g seconds of max_seconds ended before the data was read; nothing was checked",
	        AG_FMT(place->uri), budget->seconds);
	return ag_err_hint(err, "give it more with --max-seconds");
}
