/* sql_verdict -- a verdict as JSON, and the key it gives to the backends. */
#include "guard/sql.h"

#include <inttypes.h>
#include <stdio.h>

#define ORIGIN "guard.sql"

const char *ag_sql_rule_id(ag_sql_rule r)
{
	static const char *const ids[] = {
#define X(name, id) id,
		AG_SQL_RULE_TABLE(X)
#undef X
	};

	AG_ASSERT((size_t)r < AG_NELEM(ids));
	return ids[r];
}

ag_status ag_sql_safe(const ag_sql_verdict *v, ag_safe_sql *ret, ag_err *err)
{
	if (!ag_sql_allowed(v)) {
		ag_fail(err, AG_DENIED, ORIGIN, "%.*s", AG_FMT(v->message));
		return v->hint.len ? ag_err_hint(err, "%.*s", AG_FMT(v->hint)) : AG_DENIED;
	}
	if (!v->sql.len)
		return ag_fail(err, AG_INTERNAL, ORIGIN, "the verdict has no statement");
	*ret = (ag_safe_sql){ v->sql, v->max_rows };
	return AG_OK;
}

static void names(ag_jw *w, const char *key, const ag_str *list, size_t n)
{
	ag_jw_kkey(w, key);
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		ag_jw_str(w, list[i]);
	ag_jw_arr_end(w);
}

void ag_sql_verdict_json(const ag_sql_verdict *v, ag_jw *w)
{
	char print[20];

	ag_jw_obj(w);
	ag_jw_kstr(w, "verdict", ag_sql_allowed(v) ? AG_S("allow") : AG_S("deny"));
	ag_jw_kstr(w, "rule", ag_str_c(ag_sql_rule_id(v->rule)));
	ag_jw_kstr(w, "message", v->message);
	ag_jw_kstr(w, "hint", v->hint);
	ag_jw_kuint(w, "position", v->position);
	names(w, "tables", v->tables, v->ntable);
	names(w, "functions", v->functions, v->nfunction);
	ag_jw_kstr(w, "sql_executed", v->sql);
	snprintf(print, sizeof(print), "%016" PRIx64, v->fingerprint);
	ag_jw_kstr(w, "fingerprint", v->fingerprint ? ag_str_c(print) : AG_S(""));
	ag_jw_obj_end(w);
}
