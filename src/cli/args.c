/* The command line to options and arguments, checked against the command's table.
 *
 * All problems are collected and told together, before any work: `--output xml` at the end of a long line must
 * not be found out after the audit. */
#include <stdio.h>
#include <unistd.h>

#include "app/file.h"
#include "base/num.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "documents/cosmos.h"

static const ag_option common[] = {
	{ "config", 0, "FILE", NULL, NULL, "settings file instead of ./" AG_CONFIG_NAME },
	{ "set", 0, "KEY=VALUE", NULL, NULL,
	  "any setting of `argus help settings`; may be repeated" },
	{ "color", 0, "WHEN", "color", NULL, "colours: auto (on a terminal), always or never" },
	{ "log-format", 0, "FORMAT", "log_format", NULL, "log lines as json or text" },
	{ "verbose", 'v', NULL, NULL, NULL, "log to standard error; twice for more" },
	{ "quiet", 'q', NULL, NULL, NULL, "no progress and no notes, only results and errors" },
	{ "help", 'h', NULL, NULL, NULL, "this page" },
};

const ag_option *ag_cli_common_options(size_t *ret_n)
{
	*ret_n = AG_NELEM(common);
	return common;
}

/* The flag of a row of an agent's settings. */
static ag_option option_of(const ag_setting *row)
{
	return (ag_option){ row->flag, row->letter,     row->flag_arg,
		            row->key,  row->flag_value, row->flag_help };
}

/* With all that its setting's row says. */
static ag_option whole_option(const ag_option *o)
{
	const ag_setting *row;
	ag_option ret = *o;

	if (o->name)
		return ret;
	row = &ag_settings_table(&(size_t){ 0 })[ag_settings_find(ag_str_c(o->setting))];
	AG_ASSERT(row->flag);
	ret = option_of(row);
	if (o->help)
		ret.help = o->help;
	return ret;
}

bool ag_cli_option(const ag_command *cmd, size_t i, ag_option *ret)
{
	const ag_setting *row = cmd->agent ? cmd->agent->settings : NULL;

	for (; row && row->key; row++) {
		if (!row->flag || i-- > 0)
			continue;
		*ret = option_of(row);
		return true;
	}
	if (i >= cmd->noption)
		return false;
	*ret = whole_option(&cmd->options[i]);
	return true;
}

size_t ag_cli_noption(const ag_command *cmd)
{
	ag_option ignored;
	size_t n = 0;

	while (ag_cli_option(cmd, n, &ignored))
		n++;
	return n;
}

ag_option ag_cli_common_option(const ag_command *cmd, size_t i)
{
	ag_option ret = common[i], own;

	for (size_t k = 0; ret.letter && ag_cli_option(cmd, k, &own); k++) {
		if (own.letter == ret.letter)
			ret.letter = 0;
	}
	return ret;
}

static bool option_at(const ag_command *cmd, size_t i, ag_option *ret)
{
	size_t n;

	if (ag_cli_option(cmd, i, ret))
		return true;
	n = ag_cli_noption(cmd);
	if (i - n >= AG_NELEM(common))
		return false;
	*ret = ag_cli_common_option(cmd, i - n);
	return true;
}

static int row_of(const ag_command *cmd, ag_str name)
{
	ag_option o;

	for (size_t i = 0; option_at(cmd, i, &o); i++) {
		if (ag_str_eqc(name, o.name))
			return (int)i;
	}
	return -1;
}

static int row_of_letter(const ag_command *cmd, char letter)
{
	ag_option o;

	for (size_t i = 0; option_at(cmd, i, &o); i++) {
		if (o.letter && o.letter == letter)
			return (int)i;
	}
	return -1;
}

void ag_cli_complain(ag_cli *c, const char *fmt, ...)
{
	ag_buf text = AG_BUF_INIT(4096);
	va_list ap;

	va_start(ap, fmt);
	ag_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	/* One line each: what was typed may hold a line break. */
	ag_paint_escape(&c->complaints, ag_buf_view(&text), c->term.utf8, false);
	ag_buf_addc(&c->complaints, '\n');
	ag_buf_release(&text);
}

bool ag_cli_takes(const ag_command *cmd, const char *option)
{
	return row_of(cmd, ag_str_c(option)) >= 0;
}

bool ag_cli_has(const ag_cli *c, const char *option)
{
	int row = row_of(c->command, ag_str_c(option));

	AG_ASSERT(row >= 0);
	return c->times[row] > 0;
}

ag_str ag_cli_value(const ag_cli *c, const char *option)
{
	int row = row_of(c->command, ag_str_c(option));

	AG_ASSERT(row >= 0);
	return c->times[row] ? c->value[row] : AG_S("");
}

size_t ag_cli_values(const ag_cli *c, const char *option, const ag_str **ret)
{
	int row = row_of(c->command, ag_str_c(option));
	ag_str *values = ag_new_n(c->app.arena, ag_str, c->ngiven);
	size_t n = 0;

	AG_ASSERT(row >= 0);
	for (size_t i = 0; i < c->ngiven; i++) {
		if (c->given[i].row == row)
			values[n++] = c->given[i].text;
	}
	*ret = values;
	return n;
}

uint64_t ag_cli_number(ag_cli *c, const char *option, uint64_t min, uint64_t max, uint64_t fallback)
{
	ag_str text = ag_cli_value(c, option);
	uint64_t v;

	if (!ag_cli_has(c, option))
		return fallback;
	if (text.len && text.ptr[0] >= '0' && text.ptr[0] <= '9' && ag_str_to_u64(text, &v) &&
	    v >= min && v <= max)
		return v;
	ag_cli_complain(c, "--%s: want a whole number from %llu to %llu, got \"%.*s\"", option,
	                (unsigned long long)min, (unsigned long long)max,
	                AG_FMT(ag_utf8_prefix(text, 40)));
	return fallback;
}

/* --- parsing --- */

static void remember(ag_cli *c, int setting, ag_str text, const char *where)
{
	if (c->nset == AG_CLI_MAX_SETS) {
		if (!c->complaints.len)
			ag_cli_complain(c, "too many options");
		return;
	}
	c->sets[c->nset].row = setting;
	c->sets[c->nset].text = text;
	c->sets[c->nset++].where = where;
}

/* "seed", or with its group as in argus.yaml: "audit.seed". */
static int find_setting(ag_str key)
{
	ag_str rest = key, group = ag_str_split(&rest, '.');
	const ag_setting *table = ag_settings_table(&(size_t){ 0 });
	int row = ag_settings_find(group.len < key.len ? rest : key);

	if (group.len < key.len && row >= 0 && !ag_str_eqc(group, table[row].group))
		return -1;
	return row;
}

static void set_any(ag_cli *c, ag_str text)
{
	ag_str value = text, key = ag_str_split(&value, '=');
	int row = find_setting(key);
	const char *near = ag_settings_nearest(key);

	if (!memchr(text.ptr, '=', text.len))
		ag_cli_complain(c, "--set: want KEY=VALUE, got \"%.*s\"",
		                AG_FMT(ag_utf8_prefix(text, 60)));
	else if (row < 0)
		ag_cli_complain(c, "--set: unknown setting \"%.*s\"%s%s%s",
		                AG_FMT(ag_utf8_prefix(key, 60)), near ? "; did you mean \"" : "",
		                near ? near : "", near ? "\"?" : "");
	else
		remember(c, row, value, ag_str_printf(c->app.arena, "--set %.*s", AG_FMT(key)).ptr);
}

static void take(ag_cli *c, int row, ag_str value)
{
	ag_option opt, *o = &opt;

	AG_ASSERT(option_at(c->command, (size_t)row, o));
	c->times[row]++;
	c->value[row] = value;
	if (o->arg && c->ngiven < AG_CLI_MAX_SETS) {
		c->given[c->ngiven].row = row;
		c->given[c->ngiven++].text = value;
	} else if (o->arg && !c->complaints.len) {
		ag_cli_complain(c, "too many options");
	}
	if (o->setting)
		remember(c, ag_settings_find(ag_str_c(o->setting)),
		         o->arg     ? value
		         : o->value ? ag_str_c(o->value)
		                    : AG_S("true"),
		         ag_str_printf(c->app.arena, "--%s", o->name).ptr);
	else if (strcmp(o->name, "config") == 0 && !value.len)
		ag_cli_complain(c, "--config: want a file, got nothing");
	else if (strcmp(o->name, "set") == 0)
		set_any(c, value);
	else if (strcmp(o->name, "help") == 0)
		c->wants_help = true;
	else if (strcmp(o->name, "quiet") == 0)
		c->quiet = true;
}

static void unknown_option(ag_cli *c, ag_str name)
{
	const char *names[AG_CLI_MAX_OPTIONS];
	const char *near;
	ag_option o;
	size_t n = 0;

	for (; n < AG_CLI_MAX_OPTIONS && option_at(c->command, n, &o); n++)
		names[n] = o.name;
	near = ag_str_nearest(name, names, n);
	ag_cli_complain(c, "unknown option \"--%.*s\"%s%s%s", AG_FMT(ag_utf8_prefix(name, 60)),
	                near ? "; did you mean \"--" : "", near ? near : "", near ? "\"?" : "");
}

/* The value after an option that wants one; false when it is missing. */
static bool next_value(ag_cli *c, const ag_option *o, int argc, char **argv, int *i, ag_str *ret)
{
	ag_str next = ag_str_c(*i + 1 < argc ? argv[*i + 1] : NULL), name = next;

	if (ag_str_starts(next, AG_S("--")) && next.len > 2) {
		name = ag_str_make(next.ptr + 2, next.len - 2);
		name = ag_str_split(&name, '=');
	}
	if (*i + 1 >= argc || ag_str_eqc(next, "--") ||
	    (name.ptr != next.ptr && row_of(c->command, name) >= 0)) {
		ag_cli_complain(c, "--%s: want a value (%s)", o->name, o->arg);
		return false;
	}
	++*i;
	*ret = next;
	return true;
}

static void long_option(ag_cli *c, ag_str text, int argc, char **argv, int *i)
{
	bool has_value = memchr(text.ptr, '=', text.len) != NULL;
	ag_str value = text, name = ag_str_split(&value, '=');
	int row = row_of(c->command, name);
	ag_option opt, *o = row >= 0 && option_at(c->command, (size_t)row, &opt) ? &opt : NULL;

	if (!o)
		unknown_option(c, name);
	else if (!o->arg && has_value)
		ag_cli_complain(c, "--%s takes no value", o->name);
	else if (!o->arg)
		take(c, row, AG_S(""));
	else if (has_value || next_value(c, o, argc, argv, i, &value))
		take(c, row, value);
}

/* -v, -vq, -ojson, -o json */
static void short_options(ag_cli *c, ag_str text, int argc, char **argv, int *i)
{
	for (size_t k = 0; k < text.len; k++) {
		int row = row_of_letter(c->command, text.ptr[k]);
		ag_option opt,
			*o = row >= 0 && option_at(c->command, (size_t)row, &opt) ? &opt : NULL;
		ag_str value = ag_str_make(text.ptr + k + 1, text.len - k - 1);

		if (!o) {
			ag_cli_complain(
				c, "unknown option \"-%.*s\"",
				AG_FMT(ag_utf8_prefix(ag_str_make(text.ptr + k, text.len - k), 1)));
			return;
		}
		if (!o->arg) {
			take(c, row, AG_S(""));
			continue;
		}
		if (value.len || next_value(c, o, argc, argv, i, &value))
			take(c, row, value);
		return;
	}
}

static void check_count(ag_cli *c)
{
	const ag_command *cmd = c->command;

	if (c->narg < cmd->min_args && !c->wants_help)
		ag_cli_complain(c, "argus %s: want %s", cmd->name, cmd->usage);
	else if (c->narg > cmd->max_args)
		ag_cli_complain(c, "argus %s: one argument too many: \"%.*s\"", cmd->name,
		                AG_FMT(ag_utf8_prefix(c->args[cmd->max_args], 60)));
	for (size_t i = 0; i < c->narg; i++) {
		if (!c->args[i].len)
			ag_cli_complain(c, "argus %s: argument %zu is empty", cmd->name, i + 1);
	}
}

/* cosmos://… with the wish for a key that may write. */
static ag_str allow_read_write(const ag_cli *c, ag_str uri)
{
	if (!ag_cosmos_is_uri(uri) || ag_str_contains(uri, AG_S("allowReadWrite")))
		return uri;
	return ag_str_printf(c->app.arena, "%.*s%sallowReadWrite=true", AG_FMT(uri),
	                     ag_str_find(uri, '?') < 0 ? "?" : "&");
}

/* AG_ACCOUNT_OPTIONS: the address of the source becomes the first argument. */
static void take_account(ag_cli *c)
{
	const bool can_write = ag_cli_has(c, "allow-read-write");
	ag_err err = { 0 };
	ag_str uri;

	for (size_t i = 0; can_write && i < c->narg; i++)
		c->args[i] = allow_read_write(c, c->args[i]);
	if (!ag_cli_has(c, "account")) {
		if (ag_cli_has(c, "database") || ag_cli_has(c, "collection"))
			ag_cli_complain(c, "--database and --collection belong to --account");
		return;
	}
	if (ag_cosmos_uri(ag_cli_value(c, "account"), ag_cli_value(c, "database"),
	                  ag_cli_value(c, "collection"), can_write, c->app.arena, &uri, &err)) {
		ag_cli_complain(c, "--account: %s; %s", err.msg, err.hint);
		uri = AG_S("-");
	}
	/* There is room: the option took the place of at least one argument. */
	memmove(c->args + 1, c->args, c->narg * sizeof(*c->args));
	c->args[0] = uri;
	c->narg++;
}

/* "-v: what does it do?" is a question, "--root=/my folder" an option. */
static bool is_words(const ag_cli *c, ag_str a)
{
	const ag_str name = ag_str_split(&a, '=');

	return (c->command->flags & AG_COMMAND_WORDS) && ag_str_find(name, ' ') >= 0;
}

void ag_cli_parse(ag_cli *c, int argc, char **argv)
{
	bool only_args = false;

	AG_ASSERT(ag_cli_noption(c->command) + AG_NELEM(common) <= AG_CLI_MAX_OPTIONS);
	c->args = ag_new_n(c->app.arena, ag_str, argc > 0 ? argc : 1);
	for (int i = 0; i < argc; i++) {
		ag_str a = ag_str_c(argv[i]);

		if (only_args || a.len < 2 || a.ptr[0] != '-' || is_words(c, a))
			c->args[c->narg++] = a;
		else if (ag_str_eqc(a, "--"))
			only_args = true;
		else if (a.ptr[1] == '-')
			long_option(c, ag_str_make(a.ptr + 2, a.len - 2), argc, argv, &i);
		else
			short_options(c, ag_str_make(a.ptr + 1, a.len - 1), argc, argv, &i);
	}
	if (ag_cli_takes(c->command, "account"))
		take_account(c);
	check_count(c);
}

/* A line that goes on with the one before it, or names the command as it was typed: "argus audit: want SOURCE...". */
static bool names_argus(ag_str line)
{
	return line.ptr[0] == ' ' || ag_str_starts(line, AG_S("argus "));
}

bool ag_cli_refused(ag_cli *c)
{
	ag_str rest = ag_buf_view(&c->complaints);
	ag_buf out = AG_BUF_INIT(128 * 1024);

	if (!rest.len)
		return false;
	while (rest.len) {
		ag_str line = ag_str_split(&rest, '\n');

		if (line.len)
			ag_buf_addf(&out, "%s%.*s\n",
			            names_argus(line) ? "" : "argus: ", AG_FMT(line));
	}
	if (c->command && c->lists_verbs)
		ag_buf_addf(&out, "see: argus help %s\n", c->command->name);
	else if (c->command)
		ag_buf_addf(&out, "usage: argus %s %s%s%s\n       argus help %s\n",
		            c->command->name, c->verb ? c->verb->name : c->command->usage,
		            c->verb ? " " : "", c->verb ? c->verb->usage : "", c->command->name);
	AG_IGNORE(ag_fd_write(STDERR_FILENO, ag_buf_view(&out)), "nowhere left to tell it");
	ag_buf_release(&out);
	return true;
}
