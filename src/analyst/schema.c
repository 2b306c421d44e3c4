/* schema -- see the header. */
#include "analyst/schema.h"

#define ORIGIN "analyst.schema"

/* A failure of the database as an error of a command. */
static ag_status fail_as(const ag_sql_failure *f, ag_err *err)
{
	const ag_status st = f->code == AG_SQLCODE_PERMISSION  ? AG_DENIED
	                     : f->code == AG_SQLCODE_CANCELLED ? AG_CANCELLED
	                     : f->code == AG_SQLCODE_NOT_FOUND ? AG_NOT_FOUND
	                                                       : AG_UNAVAILABLE;

	ag_fail(err, st, ORIGIN, "%.*s", AG_FMT(f->message));
	return f->hint.len ? ag_err_hint(err, "%.*s", AG_FMT(f->hint)) : st;
}

ag_status ag_analyst_schema(ag_project_hub *h, const ag_ctx *ctx, const ag_caller *who,
                            const ag_project *project, bool refresh, ag_arena *arena,
                            ag_dictionary *ret, ag_err *err)
{
	ag_project_call call = { .who = who,
		                 .project = project,
		                 .tool = AG_S("get_metadata"),
		                 .session = AG_S(""),
		                 .watch_fd = -1 };
	ag_sql_failure f = { 0 }, unrecorded;
	ag_status st;

	if (!ag_project_begin(h, &call, refresh ? AG_ROLE_ANALYST : AG_ROLE_VIEWER, "sql", AG_S(""),
	                      arena, &f))
		return fail_as(&f, err);
	st = ag_project_dictionary(h, ctx, &call, refresh, arena, ret, &f, err);
	if (!ag_project_end(h, &call, st || f.code ? ag_sql_code_name(f.code) : "ok", 0, arena,
	                    &unrecorded) &&
	    !st && !f.code)
		f = unrecorded;
	if (st)
		return st;
	return f.code ? fail_as(&f, err) : AG_OK;
}
