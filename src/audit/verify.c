/* verify -- run the evidence of a report again and say, per finding, what the data says now.
 *
 * Only the evidence of the report is trusted. The source is opened again; when it is not the data that the report was
 * made from, the result says so beside the counts, because then a changed count is no contradiction. */
#include "audit/audit.h"

static const char *const results[] = {
	[AG_CONFIRMED] = "confirmed",         [AG_CHANGED] = "changed", [AG_RESOLVED] = "resolved",
	[AG_NOT_CHECKABLE] = "not checkable", [AG_BACK] = "back",
};

const char *ag_check_result_name(ag_check_result r)
{
	return (unsigned)r < AG_NELEM(results) ? results[r] : "?";
}

bool ag_audit_is_other_data(const ag_val *report, const ag_source_info *info, ag_arena *arena,
                            ag_str *ret_why)
{
	const ag_val *source = ag_val_getc(report, "source"),
		     *size = ag_val_getc(report, "collection_size");
	const ag_str hash = ag_val_member_str(source, "content_hash");
	int64_t was = 0;
	const bool is_other_size = size && ag_val_to_i64(size, &was) && (uint64_t)was != info->ndoc;

	/* A server has no hash of its content: then the number of documents must do. */
	if (ag_str_eq(hash, info->content_hash) && (hash.len || !is_other_size))
		return false;
	if (is_other_size)
		*ret_why = ag_str_printf(arena, "it had %lld documents then and has %llu now",
		                         (long long)was, (unsigned long long)info->ndoc);
	else
		*ret_why = AG_S("its content changed since the report");
	return true;
}

/* Is the opened source the one that the report speaks of? */
static void compare_identity(const ag_val *report, const ag_source_info *info, ag_arena *arena,
                             ag_verification *ret)
{
	const ag_val *source = ag_val_getc(report, "source");

	ret->other_data = ag_audit_is_other_data(report, info, arena, &ret->other_data_why);
	if (!ret->other_data)
		return;
	/* "Resolved" may only mean that the documents became unreadable. */
	ret->is_unchecked |= info->broken > ag_val_member_u64(source, "broken");
	if (info->broken)
		ret->other_data_why = ag_str_printf(arena, "%.*s; %llu of it could not be read",
		                                    AG_FMT(ret->other_data_why),
		                                    (unsigned long long)info->broken);
}

/* One count again. `source` NULL: it could not be opened, and `why` says why. */
static ag_check_result check_count(const ag_ctx *ctx, ag_source *source, ag_str evidence,
                                   uint64_t was, ag_arena *arena, uint64_t *ret_now,
                                   ag_str *ret_why, const ag_err *source_err)
{
	ag_evidence e = { 0 };
	ag_err why = { 0 };
	ag_status st;

	if (!source) {
		why = *source_err;
		st = why.status;
	} else if (!evidence.len) {
		st = ag_fail(&why, AG_INVALID, "audit.verify", "it has no evidence query");
	} else if (!was) {
		st = ag_fail(&why, AG_INVALID, "audit.verify",
		             "it has no positive \"affected_count\"");
	} else {
		st = ag_source_evidence(source, ctx, arena, evidence, &e, &why);
	}
	/* Documents that are gone prove no repair: the export may have failed. */
	if (!st && !ag_source_info_of(source)->ndoc)
		st = ag_fail(&why, AG_INVALID, "audit.verify",
		             "the collection has no documents any more");
	if (st) {
		*ret_why = ag_str_dup(arena, ag_str_c(why.msg));
		return AG_NOT_CHECKABLE;
	}
	*ret_now = e.affected;
	return e.affected == was ? AG_CONFIRMED : e.affected ? AG_CHANGED : AG_RESOLVED;
}

static void check_parts(const ag_ctx *ctx, ag_source *source, const ag_finding *f, ag_arena *arena,
                        const ag_err *source_err, ag_verified *v)
{
	ag_verified_part *parts = ag_new_n(arena, ag_verified_part, f->npart ? f->npart : 1);

	for (size_t i = 0; i < f->npart; i++) {
		const ag_part *of = &f->parts[i];
		ag_verified_part *p = &parts[i];

		*p = (ag_verified_part){ .category = of->category,
			                 .was = of->affected,
			                 .why = AG_S("") };
		p->result = check_count(ctx, source, of->evidence_query, of->affected, arena,
		                        &p->now, &p->why, source_err);
		/* The finding is confirmed only with all of its counts. */
		if (p->result == AG_NOT_CHECKABLE && v->result != AG_NOT_CHECKABLE) {
			v->result = AG_NOT_CHECKABLE;
			v->why = ag_str_printf(arena, "part %zu (%.*s): %.*s", i + 1,
			                       AG_FMT(of->category), AG_FMT(p->why));
		} else if (p->result != v->result && v->result != AG_NOT_CHECKABLE) {
			v->result = AG_CHANGED;
		}
	}
	v->parts = parts;
	v->npart = f->npart;
}

static void check_one(const ag_ctx *ctx, ag_source *source, const ag_finding *f, ag_arena *arena,
                      const ag_err *source_err, ag_verified *v)
{
	*v = (ag_verified){
		.finding_id = ag_str_dup(arena, ag_id_str(&f->id)),
		.field = f->field,
		.category = f->category,
		.severity = ag_str_c(ag_severity_name(f->severity)),
		.was = f->affected,
		.why = AG_S(""),
	};
	v->result = check_count(ctx, source, f->evidence_query, f->affected, arena, &v->now,
	                        &v->why, source_err);
	check_parts(ctx, source, f, arena, source_err, v);
}

/* A finding that the report lists as resolved: no document may be affected. */
static void check_resolved(const ag_ctx *ctx, ag_source *source, const ag_val *of, ag_arena *arena,
                           const ag_err *source_err, ag_verified *v)
{
	*v = (ag_verified){
		.finding_id = ag_val_member_str(of, "id"),
		.field = ag_val_member_str(of, "field"),
		.category = ag_val_member_str(of, "category"),
		.severity = ag_val_member_str(of, "severity"),
		.why = AG_S(""),
	};
	/* 1: any count that is not 0. */
	v->result = check_count(ctx, source, ag_val_member_str(of, "evidence_query"), 1, arena,
	                        &v->now, &v->why, source_err);
	if (v->result == AG_CONFIRMED || v->result == AG_CHANGED)
		v->result = AG_BACK;
}

static void check_earlier(const ag_ctx *ctx, ag_source *source, const ag_val *report,
                          ag_arena *arena, const ag_err *source_err, ag_verification *ret)
{
	const ag_val *list = ag_val_getc(report, "resolved_findings");
	const uint32_t n = list && list->type == AG_T_ARRAY ? list->n : 0;
	ag_verified *v = ag_new_n(arena, ag_verified, n ? n : 1);

	for (uint32_t i = 0; i < n; i++) {
		if (ag_val_member_str(&list->u.items[i], "evidence_query").len)
			check_resolved(ctx, source, &list->u.items[i], arena, source_err,
			               &v[ret->nearlier++]);
	}
	ret->earlier = v;
}

static void tally(ag_verification *ret)
{
	for (size_t i = 0; i < ret->nfinding; i++) {
		const ag_verified *v = &ret->findings[i];
		size_t *const count[] = { &ret->nconfirmed, &ret->nchanged, &ret->nresolved,
			                  &ret->nnot_checkable };

		(*count[v->result])++;
		ret->is_more |= v->now > v->was;
		ret->is_unchecked |= v->result == AG_NOT_CHECKABLE;
		for (size_t k = 0; k < v->npart; k++)
			ret->is_more |= v->parts[k].now > v->parts[k].was;
	}
	for (size_t i = 0; i < ret->nearlier; i++) {
		ret->nback += ret->earlier[i].result == AG_BACK;
		ret->is_unchecked |= ret->earlier[i].result == AG_NOT_CHECKABLE;
	}
	ret->is_more |= ret->nback > 0;
}

/* The collection of that name at the URI; a file is one collection, whatever its name is. */
static const ag_source_place *pick(const ag_source_place *places, size_t n, ag_str collection)
{
	for (size_t i = 0; i < n; i++)
		if (ag_str_eq(places[i].collection, collection))
			return &places[i];
	return n == 1 ? &places[0] : NULL;
}

static ag_status open_source(const ag_ctx *ctx, ag_str uri, ag_str collection, ag_arena *arena,
                             ag_source **ret, ag_err *err)
{
	const ag_source_place *place;
	ag_source_place *places = NULL;
	size_t n = 0;
	ag_status st = ag_source_list(ctx, uri, arena, &places, &n, err);

	if (st)
		return st;
	place = pick(places, n, collection);
	if (!place)
		return ag_fail(err, AG_NOT_FOUND, "audit.verify", "%.*s has no collection \"%.*s\"",
		               AG_FMT(uri), AG_FMT(collection));
	return ag_source_open_place(ctx, place, NULL, ret, err);
}

ag_status ag_audit_open_reported(const ag_ctx *ctx, const ag_val *report, ag_str source_uri,
                                 ag_arena *arena, ag_source **ret, ag_err *err)
{
	const ag_val *source = ag_val_getc(report, "source");
	const ag_str uri = source_uri.len ? source_uri : ag_val_member_str(source, "uri"),
		     key = ag_val_member_str(source, "key"),
		     collection = ag_val_member_str(report, "collection");
	ag_err ignored = { 0 };
	ag_status st;

	if (!uri.len)
		return ag_fail(err, AG_INVALID, "audit.verify", "the report has no \"source.uri\"");
	st = open_source(ctx, uri, collection, arena, ret, err);
	/* A relative path means another place in another folder: the key is the file's canonical path. */
	if (st == AG_NOT_FOUND && !source_uri.len && key.len &&
	    !open_source(ctx, key, collection, arena, ret, &ignored)) {
		*err = (ag_err){ 0 };
		st = AG_OK;
	}
	return st;
}

static ag_status read_findings(const ag_val *list, ag_arena *arena, ag_finding *ret, ag_err *err)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const ag_status st = ag_finding_read(&list->u.items[i], arena, &ret[i], err);

		if (st)
			return st;
	}
	return AG_OK;
}

ag_status ag_audit_verify(const ag_ctx *ctx, const ag_val *report, ag_str source_uri,
                          ag_arena *arena, ag_verification *ret, ag_err *err)
{
	const ag_val *list = ag_val_getc(report, "findings");
	ag_source *source = NULL;
	ag_verified *verified;
	ag_finding *findings;
	ag_err why = { 0 };
	ag_status st;

	*ret = (ag_verification){
		.source_uri = source_uri.len
		                      ? source_uri
		                      : ag_val_member_str(ag_val_getc(report, "source"), "uri"),
		.collection = ag_val_member_str(report, "collection"),
		.run_id = ag_val_member_str(report, "id"),
		.other_data_why = AG_S(""),
	};
	if (!list || list->type != AG_T_ARRAY)
		return ag_fail(err, AG_INVALID, "audit.verify",
		               "this is no audit report: \"findings\" is missing");
	if (!ret->source_uri.len)
		return ag_fail(err, AG_INVALID, "audit.verify", "the report has no \"source.uri\"");
	findings = ag_new_n(arena, ag_finding, list->n ? list->n : 1);
	st = read_findings(list, arena, findings, err);
	if (st)
		return st;
	verified = ag_new_n(arena, ag_verified, list->n ? list->n : 1);
	st = ag_audit_open_reported(ctx, report, source_uri, arena, &source, &why);
	/* What cannot be read says nothing about the findings; and a report without any has nothing else to
	 * say so with. */
	if (st == AG_CANCELLED || st == AG_TIMEOUT || st == AG_IO || (st && !list->n)) {
		*err = why;
		return st;
	}
	if (source)
		compare_identity(report, ag_source_info_of(source), arena, ret);
	for (uint32_t i = 0; i < list->n; i++)
		check_one(ctx, source, &findings[i], arena, &why, &verified[i]);
	ret->findings = verified;
	ret->nfinding = list->n;
	check_earlier(ctx, source, report, arena, &why, ret);
	tally(ret);
	ag_source_close(source);
	return ag_ctx_check(ctx, err);
}
