/* job_server -- see the header. */
#include "app/job_server.h"

#include "app/jobs.h"
#include "base/utf8.h"

static ag_status make(const ag_server_job_what *what, ag_arena *arena, ag_job *ret, ag_err *err)
{
	const bool is_recipe = ag_str_eqc(what->kind, ag_job_recipe.name);

	if (!is_recipe && !ag_str_eqc(what->kind, ag_job_audit.name))
		return ag_fail(err, AG_INVALID, "app.job_server",
		               "there is no kind of job \"%.*s\"",
		               AG_FMT(ag_utf8_prefix(what->kind, 40)));
	*ret = (ag_job){ .queue = AG_S(AG_JOB_QUEUE), .kind = what->kind };
	return is_recipe ? ag_job_recipe_of(what->project->id, what->what, what->values, arena, ret,
	                                    err)
	                 : ag_job_audit_of_project(what->project, what->what, arena, ret, err);
}

const ag_server_jobs ag_app_job_server = { .make = make, .shown = ag_job_shown };
