/* source -- the dispatcher: the only caller of a source's methods.
 *
 * Every call takes the same steps: input is checked (limits, guard), the deadline is checked, the call is
 * counted, the method runs. What a method gets is already safe, so a backend holds no checks of its own.
 * Read open first, then find; stat.c and evidence.c are built on these calls and touch no method. */
#include "documents/source.h"

static const ag_source_type *const source_types[] = {
	&ag_source_files,
	&ag_source_mongo,
};

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

ag_str ag_source_scheme(ag_str uri)
{
	size_t n = 0;

	/* RFC 3986, section 3.1 */
	if (uri.len == 0 || !is_alpha(uri.ptr[0]))
		return AG_S("");
	while (n < uri.len && (is_alpha(uri.ptr[n]) || (uri.ptr[n] >= '0' && uri.ptr[n] <= '9') ||
	                       uri.ptr[n] == '+' || uri.ptr[n] == '-' || uri.ptr[n] == '.'))
		n++;
	if (!ag_str_starts(ag_str_make(uri.ptr + n, uri.len - n), AG_S("://")))
		return AG_S("");
	return ag_str_make(uri.ptr, n);
}

ag_str ag_source_shown(ag_str uri, ag_arena *arena)
{
	for (size_t i = 0; i < AG_NELEM(source_types); i++)
		if (source_types[i]->accepts(uri))
			return source_types[i]->shown ? source_types[i]->shown(uri, arena) : uri;
	return uri;
}

ag_source_root ag_source_base(ag_str uri, ag_arena *arena)
{
	for (size_t i = 0; i < AG_NELEM(source_types); i++)
		if (source_types[i]->accepts(uri) && source_types[i]->base)
			return source_types[i]->base(uri, arena);
	return (ag_source_root){ .key = AG_S("") };
}

/* Names the scheme only: what follows it may hold a password. */
/* "mongodb:/host" is a path, and was meant as an address. NULL = no such slip. */
static const char *meant_scheme(ag_str uri)
{
	static const char *const schemes[] = { "mongodb", "mongodb+srv", "cosmos" };
	const ptrdiff_t at = ag_str_find(uri, ':');

	for (size_t i = 0; at > 0 && i < AG_NELEM(schemes); i++)
		if (ag_str_ieq(ag_str_make(uri.ptr, (size_t)at), ag_str_c(schemes[i])))
			return schemes[i];
	return NULL;
}

static ag_status fail_scheme(ag_str uri, ag_err *err)
{
	ag_buf known = AG_BUF_INIT(1024);
	ag_str scheme = ag_source_scheme(uri);
	ag_status st;

	for (size_t i = 0; i < AG_NELEM(source_types); i++)
		ag_buf_addf(&known, "%s%s", i ? "; " : "", source_types[i]->help);
	st = ag_fail(err, AG_INVALID, "documents", "unknown scheme \"%.*s://\"",
	             (int)(scheme.len < 40 ? scheme.len : 40), scheme.ptr);
	ag_err_hint(err, "this build reads: %.*s", AG_FMT(ag_buf_view(&known)));
	ag_buf_release(&known);
	return st;
}

ag_status ag_source_list(const ag_ctx *ctx, ag_str uri, ag_arena *arena, ag_source_place **ret,
                         size_t *nret, ag_err *err)
{
	ag_status st;

	if (uri.len == 0)
		return ag_fail(err, AG_INVALID, "documents",
		               "the source is empty; want a path or URI");
	if (uri.len > AG_SOURCE_MAX_URI)
		return ag_fail(err, AG_INVALID, "documents",
		               "a URI of %zu bytes is too long, at most %d", uri.len,
		               AG_SOURCE_MAX_URI);
	if (ag_str_find(uri, '\0') >= 0)
		return ag_fail(err, AG_INVALID, "documents",
		               "a path or URI may not hold a NUL byte");
	st = ag_ctx_check(ctx, err);
	if (st)
		return st;
	for (size_t i = 0; i < AG_NELEM(source_types); i++) {
		if (!source_types[i]->accepts(uri))
			continue;
		st = source_types[i]->list(ctx, uri, arena, ret, nret, err);
		for (size_t k = 0; !st && k < *nret; k++)
			(*ret)[k].type = source_types[i];
		if (st == AG_NOT_FOUND && source_types[i] == &ag_source_files && meant_scheme(uri))
			ag_err_hint(err, "the address of a server begins with %s://",
			            meant_scheme(uri));
		return st;
	}
	return fail_scheme(uri, err);
}

ag_status ag_source_skipped(const ag_ctx *ctx, ag_str uri, ag_arena *arena, ag_source_skip **ret,
                            size_t *nret, ag_err *err)
{
	*ret = NULL;
	*nret = 0;
	for (size_t i = 0; i < AG_NELEM(source_types); i++)
		if (source_types[i]->accepts(uri))
			return source_types[i]->skipped
			               ? source_types[i]->skipped(ctx, uri, arena, ret, nret, err)
			               : AG_OK;
	return AG_OK;
}

ag_status ag_source_open_place(const ag_ctx *ctx, const ag_source_place *place,
                               const ag_source_opts *opts, ag_source **ret, ag_err *err)
{
	static const ag_source_opts defaults = { 0 };
	ag_status st = ag_ctx_check(ctx, err);

	return st ? st : place->type->open(ctx, place, opts ? opts : &defaults, ret, err);
}

ag_status ag_source_open(const ag_ctx *ctx, ag_str uri, const ag_source_opts *opts, ag_arena *arena,
                         ag_source ***ret, size_t *nret, ag_err *err)
{
	ag_source_place *places = NULL;
	size_t n = 0, nopen = 0;
	ag_source **all;
	ag_status st = ag_source_list(ctx, uri, arena, &places, &n, err);

	if (st)
		return st;
	all = ag_new_n(arena, ag_source *, n);
	while (!st && nopen < n) {
		st = ag_source_open_place(ctx, &places[nopen], opts, &all[nopen], err);
		nopen += !st;
	}
	if (st) {
		for (size_t i = 0; i < nopen; i++)
			ag_source_close(all[i]);
		return st;
	}
	*ret = all;
	*nret = n;
	return AG_OK;
}

ag_source *ag_source_close(ag_source *s)
{
	if (s)
		s->type->close(s);
	return NULL;
}

static ag_status enter(ag_source *s, const ag_ctx *ctx, ag_err *err)
{
	ag_status st = ag_ctx_check(ctx, err);

	if (!st)
		atomic_fetch_add_explicit(&s->ncall, 1, memory_order_relaxed);
	return st;
}

/* A query as text, value or nothing goes through the guard and must be of the kind that was asked for. */
static ag_status check_query(const ag_val *query, ag_type want, ag_arena *arena, ag_safe_query *ret,
                             ag_err *err)
{
	const ag_val *v = query;
	ag_status st;

	if (!v) {
		ag_val *all = ag_new(arena, ag_val);

		*all = ag_val_object(NULL, 0);
		v = all;
	} else if (v->type == AG_T_STRING) {
		st = ag_docquery_value(ag_val_text(v), arena, &v, err);
		if (st)
			return st;
	}
	if (v->type == want)
		return ag_docquery_check(v, arena, ret, err);
	if (want == AG_T_OBJECT) {
		st = ag_fail(err, AG_INVALID, "documents", "want a filter {…}, got %s",
		             ag_type_alias(v->type));
		ag_err_hint(err,
		            "write a filter such as {\"age\": {\"$lt\": 0}}; {} is all documents");
	} else {
		st = ag_fail(err, AG_INVALID, "documents", "want a pipeline […], got %s",
		             ag_type_alias(v->type));
		ag_err_hint(err,
		            "write a pipeline such as [{\"$match\": {…}}, {\"$count\": \"n\"}]");
	}
	return st;
}

ag_status ag_source_find(ag_source *s, const ag_ctx *ctx, ag_arena *arena, const ag_val *query,
                         uint64_t limit, ag_found *ret, ag_err *err)
{
	ag_safe_query q;
	ag_status st;

	if (limit == 0)
		return ag_fail(err, AG_INVALID, "documents.find", "limit must be positive, got 0");
	if (limit > AG_FIND_LIMIT_MAX)
		limit = AG_FIND_LIMIT_MAX;
	st = check_query(query, AG_T_OBJECT, arena, &q, err);
	if (st)
		return st;
	st = enter(s, ctx, err);
	if (st)
		return st;
	return s->type->find(s, ctx, arena, &q, (size_t)limit, ret, err);
}

ag_status ag_source_count(ag_source *s, const ag_ctx *ctx, ag_arena *arena, const ag_val *query,
                          uint64_t *ret, ag_err *err)
{
	ag_safe_query q;
	ag_found found;
	ag_status st;

	st = check_query(query, AG_T_OBJECT, arena, &q, err);
	if (st)
		return st;
	st = enter(s, ctx, err);
	if (st)
		return st;
	st = s->type->find(s, ctx, arena, &q, 0, &found, err);
	if (st)
		return st;
	*ret = found.matched;
	return AG_OK;
}

ag_status ag_source_aggregate(ag_source *s, const ag_ctx *ctx, ag_arena *arena,
                              const ag_val *pipeline, size_t max_results, const ag_val **ret,
                              size_t *nret, ag_err *err)
{
	ag_safe_query q;
	ag_status st;

	if (max_results == 0)
		return ag_fail(err, AG_INVALID, "documents.aggregate",
		               "the number of results must be positive, got 0");
	st = check_query(pipeline, AG_T_ARRAY, arena, &q, err);
	if (st)
		return st;
	st = enter(s, ctx, err);
	if (st)
		return st;
	return s->type->aggregate(s, ctx, arena, &q, max_results, ret, nret, err);
}

void ag_source_set_run(ag_source *s, ag_str run)
{
	if (s->type->set_run)
		s->type->set_run(s, run);
}

int64_t ag_source_counted(ag_source *s, ag_arena *arena, const ag_val *query)
{
	ag_safe_query q;

	if (!s->type->counted || check_query(query, query->type, arena, &q, NULL))
		return 0;
	return s->type->counted(s, &q);
}

ag_source_spent ag_source_spent_of(const ag_source *s)
{
	ag_source_spent ret = { 0 };

	if (s->type->spent)
		s->type->spent(s, &ret);
	return ret;
}

void ag_source_charge(ag_source *s, double units)
{
	if (s->type->charge)
		s->type->charge(s, units);
}

bool ag_source_prepares(const ag_source *s)
{
	return s->type->prepare != NULL;
}

ag_status ag_source_prepare(ag_source *s, const ag_ctx *ctx, const ag_str *queries, size_t n,
                            ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
	ag_safe_query *safe = ag_new_n(scratch, ag_safe_query, n + 1);
	size_t nsafe = 0;
	ag_status st;

	if (!ag_source_prepares(s))
		return AG_OK;
	for (size_t i = 0; i < n; i++)
		nsafe += !ag_docquery_parse(queries[i], scratch, &safe[nsafe], NULL);
	st = enter(s, ctx, err);
	return st ? st : s->type->prepare(s, ctx, safe, nsafe, err);
}

ag_status ag_source_survey(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                           uint64_t seed, ag_survey *ret, ag_err *err)
{
	ag_status st;

	if (n == 0)
		return ag_fail(err, AG_INVALID, "documents.survey",
		               "the number of documents must be positive, got 0");
	st = enter(s, ctx, err);
	if (st)
		return st;
	return s->type->survey(s, ctx, arena, n == UINT64_MAX ? 0 : n, seed, ret, err);
}

ag_status ag_source_profile_of(ag_source *s, const ag_ctx *ctx, ag_arena *arena, uint64_t n,
                               uint64_t seed, ag_profile *ret, ag_err *err)
{
	ag_status st = enter(s, ctx, err);

	if (st)
		return st;
	return s->type->profile(s, ctx, arena, n == UINT64_MAX ? 0 : n, seed, ret, err);
}

ag_status ag_source_profile(ag_source *s, const ag_ctx *ctx, ag_arena *arena, ag_profile *ret,
                            ag_err *err)
{
	return ag_source_profile_of(s, ctx, arena, UINT64_MAX, 0, ret, err);
}

ag_status ag_source_marks(ag_source *s, const ag_ctx *ctx, ag_arena *arena, ag_source_mark *m,
                          size_t n, ag_err *err)
{
	ag_status st = enter(s, ctx, err);

	if (!st && !s->type->marks)
		st = ag_fail(err, AG_NOT_FOUND, "documents.marks", "the source marks no values");
	for (size_t i = 0; i < n && !st; i++) {
		ag_safe_query *checked = ag_new_n(arena, ag_safe_query, m[i].nfilter);

		for (size_t k = 0; k < m[i].nfilter && !st; k++)
			st = check_query(m[i].filters[k], AG_T_OBJECT, arena, &checked[k], err);
		m[i].checked = checked;
	}
	return st ? st : s->type->marks(s, ctx, m, n, err);
}

ag_status ag_source_frames(ag_source *s, const ag_ctx *ctx, const ag_profile *p, ag_arena *arena,
                           ag_frames *ret, ag_err *err)
{
	ag_status st = enter(s, ctx, err);

	*ret = (ag_frames){ 0 };
	if (st || !s->type->frames)
		return st;
	return s->type->frames(s, ctx, p, arena, ret, err);
}
