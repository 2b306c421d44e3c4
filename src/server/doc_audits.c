/* Descriptions of the routes of audits: /api/audits. */
#include "audit/review.h"
#include "report/format.h"
#include "server/route_doc.h"
#include "store/identity.h"

static const char *const statuses[] = { "queued", "running",   "ok",          "partial",
	                                "failed", "cancelled", "interrupted", NULL };
static const char *const verdicts[] = { "pass", "warn", "fail", "", NULL };
static const char *const labels[] = { "tp", "fp", "none", NULL };
static const char *const words[] = { "tp", "fp", "need_info", NULL };
const char *const ag_doc_eval_profiles[] = { "fast", "balanced", "thorough", NULL };
static const char *const severities[] = { "critical", "high", "medium", "low", NULL };
static const char *const sorts[] = { "findings", "nulls", "documents", "changes",
	                             "last",     "name",  NULL };
static const char *const ways[] = { "reverse", NULL };
static const char *const formats[] = { "html",   "markdown", "csv", "sarif", "junit",
	                               "github", "short",    "pdf", NULL };

/* --- shapes --- */

static const ag_doc_field audit[] = {
	{ "id", "string", "of the audit, from the queue to the report", NULL, false },
	{ "project", "string", NULL, NULL, false },
	{ "collection", "string", NULL, NULL, false },
	{ "is_upload", "boolean", "of a file that was uploaded", NULL, false },
	{ "status", "string", NULL, statuses, false },
	{ "verdict", "string", "\"\" until it has ended", verdicts, false },
	{ "queued_at", "time?", NULL, NULL, false },
	{ "started_at", "time?", NULL, NULL, false },
	{ "finished_at", "time?", NULL, NULL, false },
	{ "documents", "integer", NULL, NULL, false },
	{ "critical", "integer", "findings", NULL, false },
	{ "high", "integer", NULL, NULL, false },
	{ "medium", "integer", NULL, NULL, false },
	{ "low", "integer", NULL, NULL, false },
	{ "input_tokens", "integer", "of all models", NULL, false },
	{ "output_tokens", "integer", NULL, NULL, false },
	{ "usd", "number", NULL, NULL, false },
	{ "summary", "string", NULL, NULL, false },
	{ "error", "string", "why the last attempt failed; \"\" = it did not", NULL, false },
	{ "is_stopping", "boolean", "somebody wants it to stop", NULL, false },
};

static const ag_doc_field audit_list[] = {
	{ "audits", "[Audit]", "newest first; those that wait for a worker before the others", NULL,
	  false },
	AG_DOC_NEXT,
};

static const ag_doc_field audits_begun[] = {
	{ "audits", "[Audit]", "one for each collection", NULL, false },
};

static const ag_doc_field upload[] = {
	{ "name", "string", NULL, NULL, false },
	{ "collection", "string", NULL, NULL, false },
	{ "bytes", "integer", NULL, NULL, false },
	{ "changed_at", "time", NULL, NULL, false },
};

static const ag_doc_field uploaded[] = {
	{ "name", "string", NULL, NULL, false },
	{ "bytes", "integer", NULL, NULL, false },
	{ "collections", "[string]", NULL, NULL, false },
};

static const ag_doc_field sources[] = {
	{ "project", "string", NULL, NULL, false },
	{ "has_documents", "boolean", "the project has a source of documents", NULL, false },
	{ "problem", "string", "why its collections cannot be listed; \"\" = they can", NULL,
	  false },
	{ "collections", "[string]", "of the project's documents", NULL, false },
	{ "uploads", "[AuditUpload]", "files of this machine", NULL, false },
};

static const ag_doc_field event[] = {
	{ "seq", "integer", NULL, NULL, false },
	{ "type", "string", "docs/reference/events.md", NULL, false },
	{ "at", "time", NULL, NULL, false },
	{ "iteration", "integer", NULL, NULL, true },
	{ "action", "string", "what the planner wants to do", NULL, true },
	{ "reasoning", "string", "and why", NULL, true },
	{ "tool", "string", NULL, NULL, true },
	{ "ok", "boolean", "of a tool's output", NULL, true },
	{ "latency_ms", "integer", NULL, NULL, true },
	{ "summary", "string", "of a tool's output, without values", NULL, true },
	{ "gate", "string", NULL, NULL, true },
	{ "verdict", "string", NULL, NULL, true },
	{ "reason", "string", "of a verdict", NULL, true },
	{ "field", "string", "of a finding", NULL, true },
	{ "category", "string", NULL, NULL, true },
	{ "severity", "string", NULL, NULL, true },
	{ "affected_count", "integer", NULL, NULL, true },
	{ "status", "string", NULL, NULL, true },
	{ "message", "string", "of an error", NULL, true },
};

static const ag_doc_field event_list[] = {
	{ "events", "[AuditEvent]", NULL, NULL, false },
	{ "last", "integer", "for ?after= of the next request", NULL, false },
	{ "audit", "Audit", NULL, NULL, false },
};

static const ag_doc_field run[] = {
	{ "id", "string", NULL, NULL, false },
	{ "source", "string", NULL, NULL, false },
	{ "collection", "string", NULL, NULL, false },
	{ "status", "string", NULL, NULL, false },
	{ "started_at", "time", NULL, NULL, false },
	{ "documents", "integer", NULL, NULL, false },
	{ "critical", "integer", NULL, NULL, false },
	{ "high", "integer", NULL, NULL, false },
	{ "medium", "integer", NULL, NULL, false },
	{ "low", "integer", NULL, NULL, false },
	{ "input_tokens", "integer", NULL, NULL, false },
	{ "output_tokens", "integer", NULL, NULL, false },
	{ "usd", "number", NULL, NULL, false },
	{ "request_units", "number", NULL, NULL, false },
	{ "verdict", "string", "\"\" until it has ended", verdicts, false },
	{ "null_values", "integer", "of the fields in its report", NULL, false },
	{ "counted_values", "integer", "null ones and others; 0 = not counted", NULL, false },
	{ "new", "integer?", "findings; null = there was no audit before to compare with", NULL,
	  false },
	{ "resolved", "integer?", "findings that were checked again and are gone", NULL, false },
	{ "regressed", "integer?", "fields that are worse", NULL, false },
};

static const ag_doc_field collection[] = {
	{ "key", "string", "of its source", NULL, false },
	{ "collection", "string", NULL, NULL, false },
	{ "project", "string", "id of the project that it belongs to", NULL, false },
	{ "place", "string", "server and database; \"\" = a file", NULL, false },
	{ "is_upload", "boolean", "a file that was uploaded", NULL, false },
	{ "runs", "[AuditRun]", "that have ended, newest first; at most 12", NULL, false },
};

static const ag_doc_field collection_totals[] = {
	{ "collections", "integer", NULL, NULL, false },
	{ "critical", "integer", "findings of the newest audits", NULL, false },
	{ "high", "integer", NULL, NULL, false },
	{ "medium", "integer", NULL, NULL, false },
	{ "low", "integer", NULL, NULL, false },
	{ "new", "integer", NULL, NULL, false },
	{ "resolved", "integer", NULL, NULL, false },
	{ "regressed", "integer", NULL, NULL, false },
};

static const ag_doc_field collection_list[] = {
	{ "collections", "[AuditCollection]", NULL, NULL, false },
	{ "totals", "AuditTotals", "of all pages", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field compared[] = {
	{ "field", "string", "\"\" = whole documents", NULL, false },
	{ "category", "string", NULL, NULL, false },
	{ "state", "string", "of what is gone: resolved, still_present, not_checked", NULL, true },
	{ "was", "any", "id, severity, affected_count, affected_pct; null = it was not there", NULL,
	  false },
	{ "now", "any", "the same", NULL, false },
};

static const ag_doc_field diff[] = {
	{ "a", "AuditRun", "the older run", NULL, false },
	{ "b", "AuditRun", NULL, NULL, false },
	{ "new", "[AuditChange]", NULL, NULL, false },
	{ "gone", "[AuditChange]", NULL, NULL, false },
	{ "regressed", "[AuditChange]", NULL, NULL, false },
	{ "improved", "[AuditChange]", NULL, NULL, false },
	{ "same", "[AuditChange]", "as severe, in about as many documents", NULL, false },
	{ "unchanged", "integer", NULL, NULL, false },
};

static const ag_doc_field since_baseline[] = {
	{ "compared", "boolean", NULL, NULL, false },
	{ "with", "string", NULL, NULL, false },
	{ "run_id", "string?", NULL, NULL, false },
	{ "why", "string", "why not, or what is left out; \"\" = nothing", NULL, false },
	{ "new", "any", "list: key, field, category, severity, affected_count", NULL, false },
	{ "more", "any", "list: the same, and was: how many documents the baseline has", NULL,
	  false },
	{ "gone", "integer", "findings of the baseline that the audit does not report", NULL,
	  false },
	{ "new_gaps", "[string]", "what could be checked for the baseline, and now cannot", NULL,
	  false },
};

static const ag_doc_field baseline[] = {
	{ "baseline", "AuditRun?", "null = the source has no baseline", NULL, false },
	{ "set_by", "string", "user who chose it", NULL, false },
	{ "set_at", "time?", NULL, NULL, false },
	{ "is_this", "boolean", "the audit is the baseline itself", NULL, false },
	{ "changes", "AuditSinceBaseline?", "null: there is nothing to compare with", NULL, false },
};

static const ag_doc_field history[] = {
	{ "collection", "string", NULL, NULL, false },
	{ "runs", "[AuditRun]", "newest first", NULL, false },
	{ "history", "object", "what they found again and again", NULL, false },
};

static const ag_doc_field waiting[] = {
	{ "pending", "any", "list of run and finding", NULL, false },
};

static const ag_doc_field finding[] = {
	{ "finding", "object", "as it is in the report", NULL, false },
};

static const ag_doc_field metrics[] = {
	{ "audits", "integer", "that were counted", NULL, false },
	{ "findings", "integer", NULL, NULL, false },
	{ "true_positives", "integer", "by people's labels", NULL, false },
	{ "false_positives", "integer", NULL, NULL, false },
	{ "precision", "any", "of the labelled ones; null without labels", NULL, false },
	{ "recall", "any", "confirmed ones, of all findings", NULL, false },
	{ "f1", "any", NULL, NULL, false },
	{ "brier", "any", "of the confidences", NULL, false },
};

static const ag_doc_field report[] = {
	{ "id", "string", "of the audit", NULL, false },
	{ "status", "string", NULL, NULL, false },
	{ "findings", "any", "list of findings", NULL, false },
};

static const ag_doc_field verification[] = {
	{ "run_id", "string", NULL, NULL, false },
	{ "other_data", "boolean", "the data is not what the report was made from", NULL, false },
	{ "confirmed", "integer", "findings with the same count", NULL, false },
	{ "changed", "integer", NULL, NULL, false },
	{ "resolved", "integer", NULL, NULL, false },
	{ "not_checkable", "integer", NULL, NULL, false },
	{ "back", "integer", "that the report lists as resolved", NULL, false },
	{ "findings", "any", "list: what became of each", NULL, false },
};

static const ag_doc_field inspected[] = {
	{ "collection", "string", NULL, NULL, false },
	{ "collection_size", "integer", "documents", NULL, false },
	{ "masked", "boolean", "personal values are hidden", NULL, false },
	{ "fields", "any", "list of fields", NULL, false },
	{ "distributions", "any", "their figures", NULL, false },
};

static const ag_doc_field documents[] = {
	{ "collection", "string", NULL, NULL, false },
	{ "collection_size", "integer", "documents", NULL, false },
	{ "matched", "integer", "documents that the filter finds", NULL, false },
	{ "masked", "boolean", "personal values are hidden", NULL, false },
	{ "documents", "[object]", "the first of them", NULL, false },
	{ "where", "[string]", "line of the file, or empty", NULL, false },
	{ "too_large", "integer", "documents that are left out because of their size", NULL,
	  false },
	{ "notes", "[string]", "fields of the filter that no document has", NULL, false },
};

const ag_doc_shape ag_doc_audit_shapes[] = {
	{ "AuditReport", "docs/reference/report.md describes all of it.", report, AG_NELEM(report),
	  true },
	{ "AuditVerification", "As `argus verify --output json` prints it.", verification,
	  AG_NELEM(verification), true },
	{ "InspectedCollection", "As `argus inspect --output json` prints it.", inspected,
	  AG_NELEM(inspected), true },
	{ "AuditDocuments", NULL, documents, AG_NELEM(documents), false },
	{ "Audit", "An audit of one collection.", audit, AG_NELEM(audit), false },
	{ "AuditList", NULL, audit_list, AG_NELEM(audit_list), false },
	{ "AuditsBegun", NULL, audits_begun, AG_NELEM(audits_begun), false },
	{ "AuditUpload", "A file that was uploaded.", upload, AG_NELEM(upload), false },
	{ "AuditUploaded", NULL, uploaded, AG_NELEM(uploaded), false },
	{ "AuditSources", NULL, sources, AG_NELEM(sources), false },
	{ "AuditEvent", "What a run did.", event, AG_NELEM(event), false },
	{ "AuditEventList", NULL, event_list, AG_NELEM(event_list), false },
	{ "AuditRun", NULL, run, AG_NELEM(run), false },
	{ "AuditCollection", "A collection that was audited.", collection, AG_NELEM(collection),
	  false },
	{ "AuditTotals", NULL, collection_totals, AG_NELEM(collection_totals), false },
	{ "AuditCollectionList", NULL, collection_list, AG_NELEM(collection_list), false },
	{ "AuditChange", NULL, compared, AG_NELEM(compared), false },
	{ "AuditDiff", NULL, diff, AG_NELEM(diff), false },
	{ "AuditSinceBaseline", "As `argus audit --baseline` prints it.", since_baseline,
	  AG_NELEM(since_baseline), false },
	{ "AuditBaseline", NULL, baseline, AG_NELEM(baseline), false },
	{ "AuditHistory", NULL, history, AG_NELEM(history), false },
	{ "AuditWaiting", NULL, waiting, AG_NELEM(waiting), false },
	{ "AuditFinding", NULL, finding, AG_NELEM(finding), false },
	{ "AuditMetrics", NULL, metrics, AG_NELEM(metrics), false },
	{ NULL, NULL, NULL, 0, false },
};

/* --- parameters --- */

#define AUDIT_ID                                                                                 \
	{                                                                                        \
		.name = "id", .type = AG_PARAM_STRING, .required = true, .help = "of the audit", \
		.min = 36, .max = 36                                                             \
	}
#define OF_PROJECT                                                        \
	{                                                                 \
		.name = "project", .type = AG_PARAM_STRING,               \
		.help = "id of the project; without it the caller's own", \
		.max = AG_IDENTITY_MAX_NAME                               \
	}
#define OF_PROJECTS                                                                 \
	{                                                                           \
		.name = "project", .type = AG_PARAM_STRING,                         \
		.help = "id of the project; without it all projects of the caller", \
		.max = AG_IDENTITY_MAX_NAME                                         \
	}
#define COLLECTION                                                                            \
	{                                                                                     \
		.name = "collection", .type = AG_PARAM_STRING, .help = "its name", .max = 512 \
	}
#define UPLOAD                                                                               \
	{                                                                                    \
		.name = "upload", .type = AG_PARAM_STRING,                                   \
		.help = "name of an uploaded file, in the place of the project's documents", \
		.max = 100                                                                   \
	}

static const ag_param at_audit[] = { AUDIT_ID };
static const ag_param at_finding[] = {
	AUDIT_ID,
	{ .name = "finding",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the finding",
	  .min = 36,
	  .max = 36 },
};
static const ag_param at_upload[] = {
	{ .name = "name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "of the file, with its end: .ndjson .jsonl .json .bson .csv .tsv",
	  .min = 1,
	  .max = 100 },
};
static const ag_param of_project[] = { OF_PROJECT };
static const ag_param of_projects[] = { OF_PROJECTS };
static const ag_param of_quality[] = {
	OF_PROJECTS,
	{ .name = "q",
	  .type = AG_PARAM_STRING,
	  .help = "words of its name, place or project",
	  .max = 512 },
	{ .name = "severity",
	  .type = AG_PARAM_STRING,
	  .one_of = severities,
	  .help = "only with findings of this severity or above" },
	{ .name = "changed",
	  .type = AG_PARAM_STRING,
	  .help = "true: only where findings are new, resolved or worse since the audit before",
	  .max = 5 },
	{ .name = "sort",
	  .type = AG_PARAM_STRING,
	  .one_of = sorts,
	  .help = "findings (worst first), nulls (highest share first), documents, changes (most new "
	          "and worse first), last (newest first), name; without it findings" },
	{ .name = "order",
	  .type = AG_PARAM_STRING,
	  .one_of = ways,
	  .help = "reverse: the other way round" },
};
static const ag_param of_collection[] = {
	OF_PROJECT,
	COLLECTION,
	UPLOAD,
	{ .name = "path",
	  .type = AG_PARAM_STRING,
	  .help = "only this field and those below it",
	  .max = 4096 },
};
static const ag_param of_events[] = {
	{ .name = "after",
	  .type = AG_PARAM_INT,
	  .help = "events with a greater seq; \"last\" of the answer before" },
};
static const ag_param of_report[] = {
	{ .name = "as",
	  .type = AG_PARAM_STRING,
	  .one_of = formats,
	  .required = true,
	  .help = "the format" },
	{ .name = "inline", .type = AG_PARAM_STRING, .help = "true: shown, not saved", .max = 5 },
};
static const ag_param of_diff[] = {
	{ .name = "with",
	  .type = AG_PARAM_STRING,
	  .help = "id of the older audit; without it the one before of the same source",
	  .max = 36 },
};
static const ag_param of_verify[] = {
	{ .name = "finding",
	  .type = AG_PARAM_STRING,
	  .help = "only the finding of this id",
	  .max = 36 },
};

static const ag_param start_body[] = {
	OF_PROJECT,
	COLLECTION,
	UPLOAD,
	{ .name = "profile",
	  .type = AG_PARAM_STRING,
	  .help = "name of a saved profile, for what the request does not name itself",
	  .max = 60,
	  .in_chars = true },
	AG_DOC_AUDIT_CHOICES,
};
static const ag_param rate_body[] = {
	{ .name = "label",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .one_of = labels,
	  .help = "tp: the finding is a problem; fp: it is no problem; none: removes the label" },
	{ .name = "reason",
	  .type = AG_PARAM_STRING,
	  .max = AG_REVIEW_MAX_REASON,
	  .help = "why: later audits show it" },
};

static const ag_param resolve_body[] = {
	{ .name = "verdict",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .one_of = words,
	  .help = "tp: it is published; fp: it is dropped; need_info: it goes on waiting" },
	{ .name = "reason",
	  .type = AG_PARAM_STRING,
	  .max = AG_REVIEW_MAX_REASON,
	  .help = "why: later audits show it" },
};

#define FILTER_AND_LIMIT                                                                      \
	{ .name = "filter",                                                                   \
	  .type = AG_PARAM_STRING,                                                            \
	  .max = 65536,                                                                       \
	  .help = "of MongoDB, as extended JSON or as the shell writes it; without it all" }, \
	{                                                                                     \
		.name = "limit", .type = AG_PARAM_INT, .min = 1, .max = 100,                  \
		.help = "documents to show (20)"                                              \
	}
static const ag_param documents_body[] = { OF_PROJECT, COLLECTION, UPLOAD, FILTER_AND_LIMIT };
static const ag_param documents_of_body[] = { FILTER_AND_LIMIT };

#define NOT_THERE                                                   \
	{                                                           \
		404, "there is no such project, file or collection" \
	}
#define NOT_BEGUN                                                       \
	{                                                               \
		409, "the audit has not begun, or still reads its data" \
	}

/* --- routes --- */

const ag_route_doc ag_doc_list_audits = {
	.name = "listAudits",
	.tag = "audits",
	.summary = "The audits of a project",
	.query = of_project,
	.nquery = AG_NELEM(of_project),
	.is_list = true,
	.gives = "AuditList",
	.other = { NOT_THERE },
};
const ag_route_doc ag_doc_audit_quality = {
	.name = "listAuditedCollections",
	.tag = "audits",
	.summary = "Each collection that was audited, with its newest audits",
	.query = of_quality,
	.nquery = AG_NELEM(of_quality),
	.is_list = true,
	.gives = "AuditCollectionList",
	.other = { NOT_THERE },
};
const ag_route_doc ag_doc_start_audit = {
	.name = "startAudit",
	.tag = "audits",
	.summary = "Begin audits of a project's documents, or of an uploaded file",
	.help = "Each collection is an audit of its own; a collection that is named is one. They wait until a worker takes "
		"them.",
	.body = start_body,
	.nbody = AG_NELEM(start_body),
	.wrong = 422,
	.status = 202,
	.gives = "AuditsBegun",
	.other = { NOT_THERE },
};
const ag_route_doc ag_doc_audit_sources = {
	.name = "listAuditSources",
	.tag = "audits",
	.summary = "What can be audited: the collections of a project, and uploaded files",
	.query = of_project,
	.nquery = AG_NELEM(of_project),
	.gives = "AuditSources",
	.other = { NOT_THERE },
};
const ag_route_doc ag_doc_upload = {
	.name = "uploadDocuments",
	.tag = "audits",
	.summary = "Upload a file of documents",
	.help = "The body is the file, sent as application/octet-stream. A file of the same name is replaced, so its audits "
		"are one history.",
	.at = at_upload,
	.nat = AG_NELEM(at_upload),
	.query = of_project,
	.nquery = AG_NELEM(of_project),
	.status = 201,
	.gives = "AuditUploaded",
	.other = { NOT_THERE,
	           { 413, "the file is too large, or there are too many" },
	           { 415, "it is not sent as bytes" } },
};
const ag_route_doc ag_doc_drop_upload = {
	.name = "dropDocuments",
	.tag = "audits",
	.summary = "Remove an uploaded file",
	.at = at_upload,
	.nat = AG_NELEM(at_upload),
	.query = of_project,
	.nquery = AG_NELEM(of_project),
	.status = 204,
};
const ag_route_doc ag_doc_inspect = {
	.name = "inspectCollection",
	.tag = "audits",
	.summary = "The fields of a collection with their figures",
	.help = "The object of docs/reference/report.md, as `argus inspect --output json` prints it.",
	.query = of_collection,
	.nquery = AG_NELEM(of_collection),
	.gives = "InspectedCollection",
	.other = { NOT_THERE },
};
const ag_route_doc ag_doc_documents = {
	.name = "findDocuments",
	.tag = "audits",
	.summary = "The documents of a collection that a filter finds",
	.help = "Personal values are masked. One filter, no pipeline.",
	.body = documents_body,
	.nbody = AG_NELEM(documents_body),
	.gives = "AuditDocuments",
	.other = { NOT_THERE },
};
const ag_route_doc ag_doc_documents_of = {
	.name = "findDocumentsOfAudit",
	.tag = "audits",
	.summary = "The documents of an audit's source that a filter finds, now",
	.help = "Personal values are masked. One filter, no pipeline.",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.body = documents_of_body,
	.nbody = AG_NELEM(documents_of_body),
	.gives = "AuditDocuments",
	.other = { NOT_BEGUN },
};
const ag_route_doc ag_doc_waiting = {
	.name = "listWaitingFindings",
	.tag = "audits",
	.summary = "Findings that wait for a person",
	.query = of_projects,
	.nquery = AG_NELEM(of_projects),
	.gives = "AuditWaiting",
	.other = { NOT_THERE },
};
const ag_route_doc ag_doc_audit_metrics = {
	.name = "getAuditMetrics",
	.tag = "audits",
	.summary = "How good the findings of a project were, by their labels",
	.query = of_project,
	.nquery = AG_NELEM(of_project),
	.gives = "AuditMetrics",
	.other = { NOT_THERE },
};
const ag_route_doc ag_doc_get_audit = {
	.name = "getAudit",
	.tag = "audits",
	.summary = "An audit: waiting, under way or ended",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.gives = "Audit",
};
const ag_route_doc ag_doc_audit_events = {
	.name = "listAuditEvents",
	.tag = "audits",
	.summary = "What an audit has done since",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.query = of_events,
	.nquery = AG_NELEM(of_events),
	.gives = "AuditEventList",
};
const ag_route_doc ag_doc_audit_report = {
	.name = "getAuditReport",
	.tag = "audits",
	.summary = "The report of an audit, also of one that is under way",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.gives = "AuditReport",
	.other = { NOT_BEGUN },
};
const ag_route_doc ag_doc_export_audit = {
	.name = "exportAudit",
	.tag = "audits",
	.summary = "The report in a format of other tools, or as a page",
	.help = "The formats of `argus show --output`.",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.query = of_report,
	.nquery = AG_NELEM(of_report),
	.media = "*/*",
	.other = { NOT_BEGUN },
};
const ag_route_doc ag_doc_audit_diff = {
	.name = "compareAudits",
	.tag = "audits",
	.summary = "What an audit found that an older one did not, and the other way round",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.query = of_diff,
	.nquery = AG_NELEM(of_diff),
	.gives = "AuditDiff",
	.other = { NOT_BEGUN },
};
const ag_route_doc ag_doc_audit_baseline = {
	.name = "getAuditBaseline",
	.tag = "audits",
	.summary = "The baseline of an audit's source, and what is new against it",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.gives = "AuditBaseline",
	.other = { NOT_BEGUN },
};
const ag_route_doc ag_doc_set_baseline = {
	.name = "setAuditBaseline",
	.tag = "audits",
	.summary = "Make an audit the baseline of its source",
	.help = "It replaces the one before. `argus audit --fail-on-new` compares with it as well.",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.gives = "AuditBaseline",
	.other = { { 409, "the audit has not ended yet" } },
};
const ag_route_doc ag_doc_drop_baseline = {
	.name = "dropAuditBaseline",
	.tag = "audits",
	.summary = "Take back that an audit is the baseline",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.gives = "AuditBaseline",
	.other = { NOT_BEGUN },
};
const ag_route_doc ag_doc_audit_history = {
	.name = "getAuditHistory",
	.tag = "audits",
	.summary = "The audits of the same source, and what they found again and again",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.gives = "AuditHistory",
	.other = { NOT_BEGUN },
};
const ag_route_doc ag_doc_verify_audit = {
	.name = "verifyAudit",
	.tag = "audits",
	.summary = "Run the evidence of a report again, now",
	.help = "The object that `argus verify --output json` prints.",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.query = of_verify,
	.nquery = AG_NELEM(of_verify),
	.gives = "AuditVerification",
	.other = { NOT_BEGUN },
};
const ag_route_doc ag_doc_stop_audit = {
	.name = "stopAudit",
	.tag = "audits",
	.summary = "Stop an audit that waits or is under way",
	.help = "202: it runs and will stop soon; 200: it had not begun.",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.gives = "Audit",
	.other = { { 202, "it will stop soon" }, { 409, "it is over" } },
};
const ag_route_doc ag_doc_resume_audit = {
	.name = "resumeAudit",
	.tag = "audits",
	.summary = "Go on with an audit that stopped before its end",
	.at = at_audit,
	.nat = AG_NELEM(at_audit),
	.status = 202,
	.gives = "AuditsBegun",
	.other = { { 409, "it is complete, under way, or its data is gone" } },
};
const ag_route_doc ag_doc_rate = {
	.name = "rateFinding",
	.tag = "audits",
	.summary = "Say whether a finding is a problem",
	.help = "A finding that waits for a person is published (tp) or dropped (fp) by it.",
	.at = at_finding,
	.nat = AG_NELEM(at_finding),
	.body = rate_body,
	.nbody = AG_NELEM(rate_body),
	.wrong = 422,
	.gives = "AuditFinding",
	.other = { { 409, "the audit is being written" } },
};
const ag_route_doc ag_doc_resolve = {
	.name = "resolveFinding",
	.tag = "audits",
	.summary = "Decide on a finding that waits for a person",
	.at = at_finding,
	.nat = AG_NELEM(at_finding),
	.body = resolve_body,
	.nbody = AG_NELEM(resolve_body),
	.wrong = 422,
	.gives = "AuditFinding",
	.other = { { 404, "there is no such finding, or it does not wait any more" },
	           { 409, "the audit is being written" } },
};
