/* sql_names -- entries of a policy's lists: name, schema.name, "Name", "my schema"."x""y". */
#include "guard/sql_policy.h"

#define ORIGIN "guard.sql"

typedef struct part {
	ag_str raw; /* between the quotes, if there are some */
	bool is_quoted;
} part;

/* One part off the front of *rest, which then is empty or begins with the dot. */
static bool take_part(ag_str *rest, part *ret)
{
	size_t i = 0;

	if (rest->len && rest->ptr[0] == '"') {
		for (i = 1; i < rest->len; i++) {
			if (rest->ptr[i] != '"')
				continue;
			if (i + 1 < rest->len && rest->ptr[i + 1] == '"')
				i++;
			else
				break;
		}
		if (i >= rest->len || i == 1)
			return false;
		*ret = (part){ ag_str_make(rest->ptr + 1, i - 1), true };
		i++;
	} else {
		for (; i < rest->len && rest->ptr[i] != '.'; i++) {
			const unsigned char c = (unsigned char)rest->ptr[i];

			if (c <= ' ' || c == '"' || c == '\'' || c == ';' || c == ',' || c == '(' ||
			    c == ')' || c == '*' || c == 0x7f)
				return false;
		}
		if (i == 0)
			return false;
		*ret = (part){ ag_str_make(rest->ptr, i), false };
	}
	rest->ptr += i;
	rest->len -= i;
	return true;
}

/* *schema has len 0 where none is written. */
static bool split(ag_str entry, part *schema, part *name)
{
	*schema = (part){ { "", 0 }, false };
	if (!take_part(&entry, name))
		return false;
	if (!entry.len)
		return true;
	if (entry.ptr[0] != '.')
		return false;
	entry.ptr++;
	entry.len--;
	*schema = *name;
	return take_part(&entry, name) && !entry.len;
}

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool part_is(part p, ag_str name, bool any_case)
{
	size_t n = 0;

	for (size_t i = 0; i < p.raw.len; i++, n++) {
		const char c = p.raw.ptr[i];

		if (n >= name.len)
			return false;
		if (any_case ? lower(c) != lower(name.ptr[n])
		             : (p.is_quoted ? c : lower(c)) != name.ptr[n])
			return false;
		if (p.is_quoted && c == '"')
			i++; /* doubled */
	}
	return n == name.len;
}

bool ag_sql_entry_matches(ag_str entry, ag_str home, ag_str schema, ag_str name, bool any_case,
                          bool any_schema)
{
	part s, n;

	if (!split(entry, &s, &n) || !part_is(n, name, any_case))
		return false;
	if (!s.raw.len)
		return any_schema ||
		       (any_case ? ag_str_ieq(home, schema) : ag_str_eq(home, schema));
	return part_is(s, schema, any_case);
}

bool ag_sql_entry_is_name(ag_str entry, bool with_schema)
{
	part s, n;

	return split(entry, &s, &n) && (with_schema || !s.raw.len);
}

ag_status ag_sql_policy_check(const ag_sql_policy *p, ag_err *err)
{
	const struct {
		const char *what;
		const ag_str *list;
		size_t n;
		bool with_schema;
	} lists[] = {
		{ "allowed_schemas", p->allowed_schemas, p->nallowed_schema, false },
		{ "allowed_tables", p->allowed_tables, p->nallowed_table, true },
		{ "excluded_tables", p->excluded_tables, p->nexcluded_table, true },
		{ "allowed_functions", p->allowed_functions, p->nallowed_function, true },
		{ "allowed_views", p->allowed_views, p->nallowed_view, true },
		{ "allowed_types", p->allowed_types, p->nallowed_type, true },
		{ "allowed_extensions", p->allowed_extensions, p->nallowed_extension, false },
	};

	for (size_t k = 0; k < AG_NELEM(lists); k++) {
		for (size_t i = 0; i < lists[k].n; i++) {
			if (ag_sql_entry_is_name(lists[k].list[i], lists[k].with_schema))
				continue;
			ag_fail(err, AG_INVALID, ORIGIN, "%s: \"%.*s\" is no name", lists[k].what,
			        (int)(lists[k].list[i].len < 80 ? lists[k].list[i].len : 80),
			        lists[k].list[i].ptr);
			return ag_err_hint(err,
			                   lists[k].with_schema
			                           ? "write name or schema.name, with double "
			                             "quotes around a part as in SQL"
			                           : "write one name, with double quotes around it "
			                             "as in SQL");
		}
	}
	for (size_t i = 0; i < p->nallowed_extension; i++) {
		const char *why = ag_sql_extension_refused(p->allowed_extensions[i]);

		if (!why)
			continue;
		ag_fail(err, AG_INVALID, ORIGIN,
		        "allowed_extensions: %.*s cannot be allowed as a whole: %s",
		        AG_FMT(p->allowed_extensions[i]), why);
		return ag_err_hint(err, "name the functions that are needed in allowed_functions");
	}
	if (p->max_rows > AG_SQL_MAX_ROWS)
		return ag_fail(err, AG_INVALID, ORIGIN, "max_rows: want at most %u",
		               AG_SQL_MAX_ROWS);
	return AG_OK;
}
