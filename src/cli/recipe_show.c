/* recipe_show -- see the header. */
#include "cli/recipe_show.h"

#include "base/utf8.h"
#include "cli/past.h"

#define COLUMN 14u

static void line(ag_paint *p, size_t indent, const char *label, ag_ink ink, ag_str text)
{
	ag_paint_to(p, indent);
	ag_paint_lit(p, AG_INK_DIM, label);
	ag_paint_to(p, indent + COLUMN);
	for (bool first = true; text.len || first; first = false) {
		ag_paint_to(p, indent + COLUMN);
		ag_paint_wrap(p, ink, indent + COLUMN, ag_str_split(&text, '\n'));
		ag_paint_nl(p);
	}
}

static void fact(ag_paint *p, size_t indent, const char *label, ag_str text)
{
	if (text.len)
		line(p, indent, label, AG_INK_PLAIN, text);
}

/* --- a recipe --- */

static ag_str options_text(const ag_recipe_variable *v, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(64u * 1024);
	ag_str ret;

	for (uint32_t i = 0; v->options && i < v->options->n; i++)
		ag_buf_addf(&out, "%s%.*s", i ? ", " : "",
		            AG_FMT(ag_val_text(&v->options->u.items[i])));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static void show_variable(const ag_recipe_variable *v, ag_arena *arena, ag_paint *p)
{
	const ag_str options = options_text(v, arena);

	line(p, 0, "variable", AG_INK_BOLD, v->name);
	fact(p, 2, "label", v->label);
	fact(p, 2, "type",
	     ag_str_printf(arena, "%s%s%.*s", ag_recipe_type_name(v->type), options.len ? ": " : "",
	                   AG_FMT(options)));
	if (v->has_default)
		line(p, 2, "default", AG_INK_PLAIN,
		     v->by_default.len ? v->by_default : AG_S("\"\""));
}

static void show_step(const ag_recipe_step *s, size_t i, ag_arena *arena, ag_paint *p)
{
	line(p, 0, ag_str_printf(arena, "step %zu", i + 1).ptr, AG_INK_BOLD, s->prompt);
	fact(p, 2, "about", s->description);
	fact(p, 2, "sql", s->sql);
	fact(p, 2, "wants tool", s->expected_tool);
}

void ag_recipe_show(const ag_know *recipe, ag_arena *arena, ag_paint *p)
{
	ag_recipe r;

	ag_recipe_read(&recipe->body, arena, &r);
	ag_paint_wrap(p, AG_INK_BOLD, 0, recipe->name);
	ag_paint_nl(p);
	fact(p, 0, "id", ag_know_short(recipe));
	fact(p, 0, "does", r.description);
	fact(p, 0, "for", r.is_shared ? AG_S("everybody of the project") : AG_S("its author"));
	if (recipe->status != AG_KNOW_ACTIVE)
		fact(p, 0, "status", ag_str_c(ag_know_status_name(recipe->status)));
	fact(p, 0, "by", recipe->author);
	fact(p, 0, "changed", ag_past_when(recipe->changed_ms, arena));
	for (size_t i = 0; i < r.nvariable; i++)
		show_variable(&r.variables[i], arena, p);
	for (size_t i = 0; i < r.nstep; i++)
		show_step(&r.steps[i], i, arena, p);
}

void ag_recipe_show_line(const ag_know *recipe, ag_paint *p)
{
	const ag_str about = ag_know_text(recipe, "description");
	ag_str first = about;

	ag_paint_text(p, AG_INK_CYAN, ag_know_short(recipe));
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_text(p, AG_INK_BOLD, recipe->name);
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	if (!ag_val_member_bool(&recipe->body, "is_shared"))
		ag_paint_lit(p, AG_INK_YELLOW, "not shared  ");
	if (recipe->status != AG_KNOW_ACTIVE)
		ag_paint_textf(p, AG_INK_YELLOW, "%s  ", ag_know_status_name(recipe->status));
	ag_paint_cut(p, AG_INK_DIM, p->width > p->col + 10 ? p->width - p->col : 10,
	             ag_str_split(&first, '\n'));
	ag_paint_nl(p);
}

/* --- a run --- */

static ag_ink ink_of(ag_recipe_state s)
{
	return s == AG_RECIPE_COMPLETED ? AG_INK_GREEN
	       : s == AG_RECIPE_FAILED  ? AG_INK_RED
	                                : AG_INK_YELLOW;
}

static ag_str values_text(const ag_recipe_run *r, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(256u * 1024);
	ag_str ret;

	for (uint32_t i = 0; i < r->values.n; i++)
		ag_buf_addf(&out, "%s%.*s=%.*s", i ? " " : "", AG_FMT(r->values.u.members[i].key),
		            AG_FMT(ag_val_text(&r->values.u.members[i].val)));
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

static ag_str seconds_text(int64_t from_ms, int64_t to_ms, ag_arena *arena)
{
	return to_ms ? ag_str_printf(arena, "%.1f s", (double)(to_ms - from_ms) / 1000) : AG_S("");
}

static ag_str joined(const ag_str *list, size_t n, ag_arena *arena)
{
	ag_str ret = AG_S("");

	for (size_t i = 0; i < n; i++)
		ret = ag_str_printf(arena, "%.*s%s%.*s", AG_FMT(ret), i ? ", " : "",
		                    AG_FMT(list[i]));
	return ret;
}

static void show_step_run(const ag_recipe_step_run *s, size_t i, ag_arena *arena, ag_paint *p)
{
	line(p, 0, ag_str_printf(arena, "step %zu", i + 1).ptr, AG_INK_BOLD, s->prompt);
	line(p, 2, "status", ink_of(s->state), ag_str_c(ag_recipe_state_name(s->state)));
	fact(p, 2, "sql", s->sql);
	fact(p, 2, "answer", s->response);
	fact(p, 2, "tools", joined(s->tools, s->ntool, arena));
	fact(p, 2, "artifacts", joined(s->artifacts, s->nartifact, arena));
	fact(p, 2, "warning", s->warning);
	fact(p, 2, "error", s->error);
	if (s->ended_ms)
		fact(p, 2, "took", seconds_text(s->started_ms, s->ended_ms, arena));
	fact(p, 2, "turn", s->turn);
}

void ag_recipe_show_run(const ag_recipe_run *r, ag_arena *arena, ag_paint *p)
{
	fact(p, 0, "run", ag_str_make(r->key.ptr, AG_KNOW_SHORT));
	fact(p, 0, "recipe", r->name);
	line(p, 0, "status", ink_of(r->state), ag_str_c(ag_recipe_state_name(r->state)));
	fact(p, 0, "error", r->error);
	fact(p, 0, "values", values_text(r, arena));
	fact(p, 0, "by", r->user);
	fact(p, 0, "began", ag_past_when(r->started_ms, arena));
	fact(p, 0, "took", seconds_text(r->started_ms, r->ended_ms, arena));
	for (size_t i = 0; i < r->nstep; i++)
		show_step_run(&r->steps[i], i, arena, p);
}

void ag_recipe_show_run_line(const ag_recipe_run *r, ag_arena *arena, ag_paint *p)
{
	size_t ndone = 0;

	for (size_t i = 0; i < r->nstep; i++)
		ndone += r->steps[i].state == AG_RECIPE_COMPLETED;
	ag_paint_text(p, AG_INK_CYAN, ag_str_make(r->key.ptr, AG_KNOW_SHORT));
	ag_paint_textf(p, AG_INK_DIM, "  %.*s  ", AG_FMT(ag_past_when(r->started_ms, arena)));
	ag_paint_lit(p, ink_of(r->state), ag_recipe_state_name(r->state));
	ag_paint_to(p, 40);
	ag_paint_textf(p, AG_INK_PLAIN, "%zu/%zu  ", ndone, r->nstep);
	ag_paint_text(p, AG_INK_BOLD, r->name);
	ag_paint_lit(p, AG_INK_PLAIN, "  ");
	ag_paint_cut(p, AG_INK_DIM, p->width > p->col + 10 ? p->width - p->col : 10,
	             values_text(r, arena));
	ag_paint_nl(p);
	if (!r->error.len)
		return;
	ag_paint_to(p, 10);
	ag_paint_wrap(p, AG_INK_PLAIN, 10, r->error);
	ag_paint_nl(p);
}

/* --- while it runs --- */

void ag_recipe_show_step(void *arg, const ag_recipe_run *r, size_t step)
{
	ag_cli *c = arg;
	const ag_recipe_step_run *s = &r->steps[step];
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	if (s->state == AG_RECIPE_RUNNING) {
		ag_paint_textf(&p, AG_INK_DIM, "%zu/%zu ", step + 1, r->nstep);
		ag_paint_wrap(&p, AG_INK_BOLD, 4, s->prompt);
		ag_paint_nl(&p);
	} else {
		ag_str text = s->response;

		while (text.len) {
			ag_paint_wrap(&p, AG_INK_PLAIN, 0, ag_str_split(&text, '\n'));
			ag_paint_nl(&p);
		}
		if (s->warning.len) {
			ag_paint_lit(&p, AG_INK_YELLOW, "! ");
			ag_paint_wrap(&p, AG_INK_YELLOW, 2, s->warning);
			ag_paint_nl(&p);
		}
		ag_paint_nl(&p);
	}
	if (!out.failed)
		AG_IGNORE(ag_cli_print(c, ag_buf_view(&out)),
		          "reported once; the exit code says it");
	ag_buf_release(&out);
}
