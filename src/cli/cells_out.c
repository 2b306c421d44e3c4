/* cells_out -- see the header. */
#include "cli/cells_out.h"

#include <stdlib.h>

#include "app/file.h"
#include "repair/cells.h"
#include "report/human.h"

static const struct {
	const char *option, *what;
	void (*write)(const ag_cell *cell, const ag_source_info *info, ag_buf *out);
} outs[AG_NCELLS_OUT] = {
	{ "cells", "flagged cells", ag_cell_write },
	{ "repairs", "certain repairs", ag_repair_write },
};

void ag_cells_out_init(ag_cells_out *o)
{
	*o = (ag_cells_out){ 0 };
	for (size_t k = 0; k < AG_NCELLS_OUT; k++)
		ag_buf_init(&o->text[k], AG_LIMIT_OUTPUT);
}

void ag_cells_out_release(ag_cells_out *o)
{
	for (size_t k = 0; k < AG_NCELLS_OUT; k++)
		ag_buf_release(&o->text[k]);
}

ag_str ag_cells_out_check(ag_cli *c, size_t k)
{
	const ag_str path = ag_cli_value(c, outs[k].option);
	ag_str ret = AG_S("");
	ag_err err = { 0 };
	char *real;

	if (!ag_cli_has(c, outs[k].option))
		return ret;
	if (ag_str_eq(path, ag_cli_value(c, "out")) ||
	    (k && ag_str_eq(path, ag_cli_value(c, outs[0].option)))) {
		ag_cli_complain(c, "--%s: another option writes to %.*s", outs[k].option,
		                AG_FMT(path));
		return ret;
	}
	if (ag_file_can_replace(path, &err)) {
		ag_cli_complain(c, "--%s: %s", outs[k].option, err.msg);
		return ret;
	}
	real = realpath(ag_str_cstr(c->app.arena, path), NULL);
	if (real)
		ret = ag_str_dup(c->app.arena, ag_str_c(real));
	free(real);
	return ret;
}

typedef struct adding {
	ag_cli *c;
	ag_cells_out *o;
	const ag_source_info *info;
} adding;

static ag_status add_cell(void *arg, const ag_cell *cell, ag_err *err)
{
	const adding *a = (const adding *)arg;

	for (size_t k = 0; k < AG_NCELLS_OUT; k++) {
		ag_buf *out = &a->o->text[k];
		const size_t before = out->len;

		if (!ag_cli_has(a->c, outs[k].option))
			continue;
		outs[k].write(cell, a->info, out);
		a->o->n[k] += out->len > before;
		if (out->failed)
			return ag_fail(err, AG_LIMIT, "cli.cells",
			               "--%s: the lines take more than 1 GiB", outs[k].option);
	}
	return AG_OK;
}

static void note(void *arg, const char *line)
{
	ag_cli_warn(((const adding *)arg)->c, "its cells cannot be listed: %s", line);
}

ag_status ag_cells_out_add(ag_cli *c, ag_cells_out *o, ag_source *source, const ag_val *report,
                           ag_err *err)
{
	adding a = { c, o, ag_source_info_of(source) };
	const ag_cells job = { .source = source,
		               .report = report,
		               .wants_repairs = ag_cli_has(c, outs[1].option),
		               .fn = add_cell,
		               .arg = &a,
		               .note = note };

	if (!ag_cli_has(c, outs[0].option) && !job.wants_repairs)
		return AG_OK;
	return ag_cells_each(&c->app.ctx, &job, err);
}

ag_status ag_cells_out_write(ag_cli *c, const ag_cells_out *o, ag_err *err)
{
	for (size_t k = 0; k < AG_NCELLS_OUT; k++) {
		const ag_str path = ag_cli_value(c, outs[k].option);
		ag_buf safe = AG_BUF_INIT(AG_LIMIT_OUTPUT);
		ag_status st;

		if (!ag_cli_has(c, outs[k].option))
			continue;
		/* Harmless in a file, and matters with `cat`. */
		ag_paint_escape(&safe, ag_buf_view(&o->text[k]), true, true);
		st = safe.failed ? ag_fail(err, AG_LIMIT, "cli.cells",
		                           "--%s: the lines take more than 1 GiB", outs[k].option)
		                 : ag_file_replace(path, ag_buf_view(&safe), err);
		ag_buf_release(&safe);
		if (st)
			return st;
		ag_cli_note(c, "%s %s written to %.*s",
		            ag_str_cstr(c->app.arena, ag_human_count(o->n[k], c->app.arena)),
		            outs[k].what, AG_FMT(path));
	}
	return AG_OK;
}
