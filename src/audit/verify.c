/* verify -- run the evidence of a report again and say, per finding, what the data says now.
 *
 * Nothing of the report is believed but its evidence. The source is opened afresh; when it is not the data that the
 * report was made from, that is said beside the counts, because then a changed count is no contradiction. */
#include "audit/audit.h"

static const char *const results[] = {
	[AG_CONFIRMED] = "confirmed",
	[AG_CHANGED] = "changed",
	[AG_RESOLVED] = "resolved",
	[AG_NOT_CHECKABLE] = "not checkable",
};

const char *ag_check_result_name(ag_check_result r)
{
	return (unsigned)r < AG_NELEM(results) ? results[r] : "?";
}

/* Is the opened source the one that the report speaks of? */
static void compare_identity(const ag_val *report, const ag_source_info *info, ag_arena *arena,
                             ag_verification *ret)
{
	const ag_val *source = ag_val_getc(report, "source"),
		     *size = ag_val_getc(report, "collection_size");
	const ag_str hash = ag_val_member_str(source, "content_hash");
	int64_t was;

	if (hash.len && ag_str_eq(hash, info->content_hash))
		return;
	ret->other_data = true;
	if (size && ag_val_to_i64(size, &was) && (uint64_t)was != info->ndoc)
		ret->other_data_why = ag_str_printf(arena,
		                                    "it had %lld documents then and has %llu now",
		                                    (long long)was, (unsigned long long)info->ndoc);
	else
		ret->other_data_why = AG_S("its content changed since the report");
	if (info->broken) /* else "resolved" may only mean that it became unreadable */
		ret->other_data_why = ag_str_printf(arena, "%.*s; %llu of it could not be read",
		                                    AG_FMT(ret->other_data_why),
		                                    (unsigned long long)info->broken);
}

static void check_one(const ag_ctx *ctx, ag_source *source, const ag_finding *f, ag_arena *arena,
                      ag_verified *v)
{
	ag_evidence e;
	ag_err why = { 0 };
	ag_status st;

	*v = (ag_verified){
		.finding_id = ag_str_dup(arena, ag_id_str(&f->id)),
		.field = f->field,
		.category = f->category,
		.severity = ag_str_c(ag_severity_name(f->severity)),
		.was = f->affected,
		.why = AG_S(""),
	};
	if (!f->evidence_query.len)
		st = ag_fail(&why, AG_INVALID, "audit.verify", "the finding has no evidence query");
	else if (!f->affected)
		st = ag_fail(&why, AG_INVALID, "audit.verify",
		             "the finding has no positive \"affected_count\"");
	else
		st = ag_source_evidence(source, ctx, arena, f->evidence_query, &e, &why);
	if (st) {
		v->result = AG_NOT_CHECKABLE;
		v->why = ag_str_dup(arena, ag_str_c(why.msg));
		return;
	}
	v->now = e.affected;
	v->result = e.affected == f->affected ? AG_CONFIRMED
	            : e.affected              ? AG_CHANGED
	                                      : AG_RESOLVED;
}

static void not_checkable(const ag_finding *f, ag_str why, ag_arena *arena, ag_verified *v)
{
	*v = (ag_verified){
		.finding_id = ag_str_dup(arena, ag_id_str(&f->id)),
		.field = f->field,
		.category = f->category,
		.severity = ag_str_c(ag_severity_name(f->severity)),
		.result = AG_NOT_CHECKABLE,
		.was = f->affected,
		.why = why,
	};
}

static void tally(ag_verification *ret)
{
	for (size_t i = 0; i < ret->nfinding; i++) {
		size_t *const count[] = { &ret->nconfirmed, &ret->nchanged, &ret->nresolved,
			                  &ret->nnot_checkable };

		(*count[ret->findings[i].result])++;
	}
}

/* The collection of that name behind the URI; a file is one collection whatever its name. */
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
	const ag_str key = ag_val_member_str(ag_val_getc(report, "source"), "key");
	ag_source *source = NULL;
	ag_verified *verified;
	ag_finding *findings;
	ag_err why = { 0 }, ignored;
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
	st = open_source(ctx, ret->source_uri, ret->collection, arena, &source, &why);
	/* A relative path means another place in another folder: the key is the file's canonical path. */
	if (st == AG_NOT_FOUND && !source_uri.len && key.len &&
	    !open_source(ctx, key, ret->collection, arena, &source, &ignored))
		st = AG_OK;
	/* What cannot be read says nothing about the findings; and a report without any has nothing else to
	 * say so with. */
	if (st == AG_CANCELLED || st == AG_TIMEOUT || st == AG_IO || (st && !list->n)) {
		*err = why;
		return st;
	}
	if (source)
		compare_identity(report, ag_source_info_of(source), arena, ret);
	for (uint32_t i = 0; i < list->n; i++) {
		if (source)
			check_one(ctx, source, &findings[i], arena, &verified[i]);
		else
			not_checkable(&findings[i], ag_str_dup(arena, ag_str_c(why.msg)), arena,
			              &verified[i]);
	}
	ret->findings = verified;
	ret->nfinding = list->n;
	tally(ret);
	ag_source_close(source);
	return ag_ctx_check(ctx, err);
}
