/* The documents of a collection that a filter finds: what is behind a bar of a histogram, a value, a finding. */
#include "audit/mask.h"
#include "documents/query_names.h"
#include "query/extjson.h"
#include "query/shell_read.h"
#include "server/audits.h"
#include "server/problem.h"

#define ORIGIN  "server.audits"
#define DEFAULT 20u         /* documents */
#define OUT_MAX (4u << 20)  /* bytes of documents in one answer */
#define DOC_MAX (64u << 10) /* bytes of one document that is shown */

/* A pipeline or projection could give a personal value another name, so that no mask would hide it. */
static ag_status read_filter(ag_server_audit *a, ag_val *ret, ag_safe_query *checked, ag_err *err)
{
	const ag_str text = ag_val_member_str(&a->body, "filter");
	ag_shell_statement s = { 0 };
	ag_status st;

	*ret = ag_val_object(NULL, 0);
	if (!text.len)
		return ag_docquery_check(ret, a->rq->arena, checked, err);
	st = ag_shell_parse(text, a->rq->arena, &s, NULL, err);
	if (!st && (s.query.type != AG_T_OBJECT || ag_shell_needs_pipeline(&s))) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"filter\" must be one filter {...}");
		return ag_err_hint(err, "orders and pipelines are for argus query");
	}
	*ret = s.query;
	return st ? st : ag_docquery_check(ret, a->rq->arena, checked, err);
}

static ag_status open_source(ag_server_audit *a, ag_source **ret, ag_err *err)
{
	ag_source_place *places;
	size_t n = 0;
	ag_val report;
	ag_status st;
	ag_str text;

	if (ag_server_param(a->rq, "id").len) {
		st = ag_server_audit_report(a, &text, &report, err);
		return st ? st
		          : ag_audit_open_reported(&a->at.ctx, &report, AG_S(""), a->rq->arena, ret,
		                                   err);
	}
	st = ag_server_audit_places(a, ag_val_member_str(&a->body, "upload"),
	                            ag_val_member_str(&a->body, "collection"), &places, &n, err);
	if (!st && n != 1) {
		ag_fail(err, AG_INVALID, ORIGIN, "\"collection\" is needed: there are %zu", n);
		return ag_err_hint(err, "GET /api/audits/sources lists them");
	}
	return st ? st : ag_source_open_place(&a->at.ctx, &places[0], NULL, ret, err);
}

/* Members "documents", "where" and "too_large": as many documents as fit. */
static void write_documents(ag_server_audit *a, const ag_found *found, ag_jw *w)
{
	const bool shows_all = a->h->opts.audits->show_values;
	ag_buf doc = AG_BUF_INIT(OUT_MAX);
	const size_t before = a->rp->body.len;
	ag_buf where = AG_BUF_INIT(OUT_MAX);
	size_t too_large = 0;
	ag_jw places;

	ag_jw_init(&places, &where, 0);
	ag_jw_arr(&places);
	ag_jw_kkey(w, "documents");
	ag_jw_arr(w);
	for (size_t i = 0; i < found->ndoc; i++) {
		const ag_val v = shows_all ? found->docs[i]
		                           : ag_mask_val(AG_S(""), &found->docs[i], a->rq->arena);

		ag_buf_clear(&doc);
		ag_extjson_write(&doc, &v, AG_EXTJSON_RELAXED);
		if (doc.failed || doc.len > DOC_MAX ||
		    a->rp->body.len - before + doc.len > OUT_MAX) {
			too_large++;
			continue;
		}
		ag_jw_raw(w, ag_buf_view(&doc));
		ag_jw_str(&places, found->where ? found->where[i] : AG_S(""));
	}
	ag_jw_arr_end(w);
	ag_jw_arr_end(&places);
	ag_jw_kkey(w, "where");
	ag_jw_raw(w, ag_buf_view(&where));
	ag_jw_kuint(w, "too_large", too_large);
	ag_buf_release(&where);
	ag_buf_release(&doc);
}

static ag_status documents_work(ag_server_audit *a, ag_err *err)
{
	const uint64_t limit = ag_val_member_u64(&a->body, "limit");
	ag_arena *arena = a->rq->arena;
	const ag_source_info *info;
	const ag_str *notes = NULL;
	ag_safe_query checked = { 0 };
	ag_source *source = NULL;
	ag_found found = { 0 };
	size_t nnote = 0;
	ag_val filter;
	ag_jw w;
	ag_status st = read_filter(a, &filter, &checked, err);

	if (!st)
		st = open_source(a, &source, err);
	if (!st)
		st = ag_source_find(source, &a->at.ctx, arena, &filter, limit ? limit : DEFAULT,
		                    &found, err);
	if (!st) {
		nnote = ag_query_absent(source, &a->at.ctx, &checked, &found, arena, &notes);
		info = ag_source_info_of(source);
		ag_server_json(a->rp, &w);
		ag_jw_kstr(&w, "collection", info->collection);
		ag_jw_kuint(&w, "collection_size", info->ndoc);
		ag_jw_kuint(&w, "matched", found.matched);
		ag_jw_kbool(&w, "masked", !a->h->opts.audits->show_values);
		write_documents(a, &found, &w);
		ag_jw_kkey(&w, "notes");
		ag_jw_arr(&w);
		for (size_t i = 0; i < nnote; i++)
			ag_jw_str(&w, notes[i]);
		ag_jw_arr_end(&w);
		ag_jw_obj_end(&w);
	}
	ag_source_close(source);
	return st;
}

void ag_server_audit_documents(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "read_documents",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_BODY |
		                                          AG_SERVER_AUDIT_READS,
		                                 .work = documents_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}

void ag_server_audit_documents_of(void *env, ag_httpd_request *rq, ag_httpd_reply *rp)
{
	static const ag_server_audit_act act = { .tool = "read_documents",
		                                 .least = AG_ROLE_ANALYST,
		                                 .flags = AG_SERVER_AUDIT_HAS_BODY |
		                                          AG_SERVER_AUDIT_HAS_RUN |
		                                          AG_SERVER_AUDIT_READS,
		                                 .work = documents_work };

	ag_server_audit_run((ag_server *)env, rq, rp, &act);
}
