/* Commands whose first argument says what to do. A verb is a row of a table, as a command is; an option that another verb of
 * the command knows is refused, so that nothing that was typed is ignored. */
#include "base/utf8.h"
#include "cli/cli.h"

#define MAX_VERBS 16

static const ag_verb *find(ag_str name, const ag_verb *verbs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ag_str_eqc(name, verbs[i].name))
			return &verbs[i];
	}
	return NULL;
}

static void complain_verb(ag_cli *c, const ag_verb *verbs, size_t n)
{
	const char *names[MAX_VERBS], *near;
	ag_buf list = AG_BUF_INIT(1024);

	AG_ASSERT(n <= MAX_VERBS);
	for (size_t i = 0; i < n; i++) {
		names[i] = verbs[i].name;
		ag_buf_addf(&list, "%s%s", i ? ", " : "", verbs[i].name);
	}
	near = ag_str_nearest(c->args[0], names, n);
	if (near)
		ag_cli_complain(c, "argus %s: there is no \"%.*s\"; did you mean \"%s\"?",
		                c->command->name, AG_FMT(ag_utf8_prefix(c->args[0], 60)), near);
	else
		ag_cli_complain(c, "argus %s: there is no \"%.*s\"; want one of %s",
		                c->command->name, AG_FMT(ag_utf8_prefix(c->args[0], 60)), list.ptr);
	ag_buf_release(&list);
}

static bool knows(const ag_verb *v, const char *option)
{
	ag_str rest = ag_str_c(v->options);

	while (rest.len) {
		if (ag_str_eqc(ag_str_split(&rest, ' '), option))
			return true;
	}
	return false;
}

static void check(ag_cli *c, const ag_verb *v)
{
	const size_t n = c->narg - 1;
	ag_option o;

	if (n < v->min_args || n > v->max_args)
		ag_cli_complain(c, "argus %s %s: want %s", c->command->name, v->name,
		                v->usage[0] ? v->usage : "no argument");
	for (size_t i = 0; ag_cli_option(c->command, i, &o); i++) {
		if (c->times[i] && !knows(v, o.name))
			ag_cli_complain(c, "argus %s %s has no option --%s", c->command->name,
			                v->name, o.name);
	}
}

int ag_cli_run_verb(ag_cli *c, const ag_verb *verbs, size_t n)
{
	const ag_verb *v = find(c->args[0], verbs, n);

	c->verb = v;
	c->lists_verbs = !v;
	if (v)
		check(c, v);
	else
		complain_verb(c, verbs, n);
	if (ag_cli_refused(c) || !v)
		return AG_EXIT_USAGE;
	c->args++;
	c->narg--;
	return v->run(c);
}
