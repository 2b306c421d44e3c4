/* The environment and the .env files: KEY=VALUE, of which only the settings' own names are looked at.
 *
 * A name that is no setting may be meant for another program: it is left alone, and a .env file cannot put
 * anything (LD_PRELOAD) into the environment. */
#include "app/settings.h"

#define ORIGIN        "app.settings"
#define MAX_ENV_BYTES (256 * 1024)

static int row_of(ag_str name)
{
	size_t n;
	const ag_setting *t = ag_settings_table(&n);

	for (size_t i = 0; i < n && ag_str_starts(name, AG_S("ARGUS_")); i++) {
		char env[AG_SETTING_ENV_MAX];

		ag_setting_env(&t[i], env);
		if (ag_str_eqc(name, env))
			return (int)i;
	}
	return -1;
}

ag_status ag_settings_environ(ag_settings *s, char *const *env, ag_arena *arena, ag_err *err)
{
	for (; env && *env; env++) {
		ag_str value = ag_str_c(*env), name = ag_str_split(&value, '=');
		int row = row_of(name);
		ag_status st;

		if (!ag_str_trim(value).len)
			continue;
		if (row >= 0)
			st = ag_settings_set(s, row, value, AG_PLACE_ENV, name, arena, err);
		else if (ag_settings_wants_var(s, name))
			st = ag_settings_var_set(s, name, value, AG_PLACE_ENV, name, arena, err);
		else
			continue;
		if (st)
			return st;
	}
	return AG_OK;
}

/* The value behind "=": quotes taken off; else a " #" starts a comment. False: a quote stays open, or
 * something follows it. */
static bool dotenv_value(ag_str raw, ag_str *ret)
{
	ag_str v = ag_str_trim(raw);

	if (v.len && (v.ptr[0] == '"' || v.ptr[0] == '\'')) {
		ag_str rest = ag_str_make(v.ptr + 1, v.len - 1), tail;
		ptrdiff_t end = ag_str_find(rest, v.ptr[0]);

		if (end < 0)
			return false;
		tail = ag_str_trim(ag_str_make(rest.ptr + end + 1, rest.len - (size_t)end - 1));
		*ret = ag_str_make(rest.ptr, (size_t)end);
		return tail.len == 0 || tail.ptr[0] == '#';
	}
	for (size_t i = 0; i < v.len; i++) {
		if (v.ptr[i] == '#' && (i == 0 || v.ptr[i - 1] == ' ' || v.ptr[i - 1] == '\t')) {
			v = ag_str_trim(ag_str_make(v.ptr, i));
			break;
		}
	}
	*ret = v;
	return true;
}

static ag_status dotenv_line(ag_settings *s, ag_str place, ag_str line, ag_arena *arena,
                             ag_err *err)
{
	ag_str name, value, rest = ag_str_trim(line);
	const ag_var *var;
	ag_status st;
	int row;

	if (!rest.len || rest.ptr[0] == '#')
		return AG_OK;
	if (ag_str_starts(rest, AG_S("export ")))
		rest = ag_str_trim(ag_str_make(rest.ptr + 7, rest.len - 7));
	name = ag_str_trim(ag_str_split(&rest, '='));
	row = row_of(name);
	if (row < 0 && !ag_settings_wants_var(s, name))
		return AG_OK;
	var = row < 0 ? ag_settings_var(s, ag_str_cstr(arena, name)) : NULL;
	if ((row >= 0 && s->place[row] >= AG_PLACE_DOTENV) ||
	    (var && var->place >= AG_PLACE_DOTENV))
		return AG_OK;
	if (!dotenv_value(rest, &value))
		return ag_fail(err, AG_INVALID, ORIGIN, "%.*s: %.*s: the quotes do not match",
		               AG_FMT(place), AG_FMT(name));
	if (!value.len)
		return AG_OK;
	if (row < 0)
		return ag_settings_var_set(s, name, value, AG_PLACE_DOTENV, place, arena, err);
	st = ag_settings_set(s, row, value, AG_PLACE_DOTENV,
	                     ag_str_printf(arena, "%.*s: %.*s", AG_FMT(place), AG_FMT(name)), arena,
	                     err);
	if (!st)
		s->where[row] = place;
	return st;
}

ag_status ag_settings_dotenv(ag_settings *s, ag_str name, ag_str text, ag_arena *arena, ag_err *err)
{
	ag_status st = AG_OK;

	if (text.len > MAX_ENV_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s: a .env file may have 256 KiB at most",
		               AG_FMT(name));
	if (ag_str_starts(text, AG_S("\xEF\xBB\xBF")))
		text = ag_str_make(text.ptr + 3, text.len - 3);
	for (unsigned no = 1; !st && text.len; no++) {
		ag_str line = ag_str_split(&text, '\n');

		st = dotenv_line(s, ag_str_printf(arena, "%.*s:%u", AG_FMT(name), no), line, arena,
		                 err);
	}
	return st;
}
