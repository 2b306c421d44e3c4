/* Descriptions of the routes of what a project knows and what its conversations left: /api/projects/{project}/knowledge, /artifacts. */
#include "artifact/artifact.h"
#include "knowledge/find.h"
#include "server/route_doc.h"
#include "store/identity.h"

static const char *const kinds[] = { "entry",  "table",  "metric", "learning",
	                             "golden", "recipe", NULL };
static const char *const states[] = { "active", "review", "off", NULL };
static const char *const artifact_kinds[] = { "react", "plotly", "html", "markdown", "svg", NULL };

/* --- shapes --- */

static const ag_doc_field known[] = {
	{ "kind", "string", NULL, kinds, false },
	{ "id", "string", NULL, NULL, false },
	{ "name", "string", NULL, NULL, false },
	{ "status", "string", NULL, states, false },
	{ "fields", "object", "those of its kind", NULL, false },
	{ "confidence", "number", "0 to 1, when it was written", NULL, false },
	{ "confidence_now", "number", "the same, after the time that has passed", NULL, false },
	{ "uses", "integer", "answers that rest on it", NULL, false },
	{ "version", "integer", "from 1", NULL, false },
	{ "author", "string", NULL, NULL, false },
	{ "created_at", "time", NULL, NULL, false },
	{ "changed_at", "time", NULL, NULL, false },
	{ "used_at", "time?", NULL, NULL, false },
};

static const ag_doc_field known_list[] = {
	{ "knowledge", "[Known]", NULL, NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field artifact_row[] = {
	{ "id", "string", NULL, NULL, false },
	{ "title", "string", NULL, NULL, false },
	{ "type", "string", NULL, artifact_kinds, false },
	{ "version", "integer", "the newest, from 1", NULL, false },
	{ "thread", "string", "that made it", NULL, false },
	{ "author", "string", NULL, NULL, false },
	{ "created_at", "time", NULL, NULL, false },
	{ "changed_at", "time", NULL, NULL, false },
	{ "deleted_at", "time?", NULL, NULL, false },
};

static const ag_doc_field artifact_list[] = {
	{ "artifacts", "[ArtifactRow]", "last changed first", NULL, false },
	{ "total", "integer", "on all pages", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field artifact[] = {
	{ "id", "string", NULL, NULL, false },
	{ "version_id", "string", NULL, NULL, false },
	{ "parent", "string", "id of the version that it was made from; \"\" = none", NULL, false },
	{ "version", "integer", "from 1", NULL, false },
	{ "versions", "integer", "that there are", NULL, false },
	{ "title", "string", NULL, NULL, false },
	{ "type", "string", NULL, artifact_kinds, false },
	{ "description", "string", NULL, NULL, false },
	{ "thread", "string", NULL, NULL, false },
	{ "author", "string", NULL, NULL, false },
	{ "created_at", "time", NULL, NULL, false },
	{ "sha256", "string", "of the version", NULL, false },
	{ "code", "string", "as it was written", NULL, false },
	{ "data", "any", "its own data; null = none", NULL, false },
	{ "source_queries", "any", "list of name and sql; null = none", NULL, false },
	{ "figures", "any", "where its numbers come from; null = none", NULL, false },
};

static const ag_doc_field version[] = {
	{ "id", "string", NULL, NULL, false },     { "version", "integer", "from 1", NULL, false },
	{ "parent", "string", NULL, NULL, false }, { "title", "string", NULL, NULL, false },
	{ "author", "string", NULL, NULL, false }, { "created_at", "time", NULL, NULL, false },
	{ "sha256", "string", NULL, NULL, false },
};

static const ag_doc_field version_list[] = {
	{ "versions", "[ArtifactVersion]", "newest first", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field result[] = {
	{ "name", "string", "of the source query", NULL, false },
	{ "error", "string", "instead of rows", NULL, true },
	{ "columns", "[string]", NULL, NULL, true },
	{ "rows", "any", "list of lists of values", NULL, true },
	{ "row_count", "integer", NULL, NULL, true },
	{ "truncated", "boolean", "there were more rows", NULL, true },
	{ "at", "time", "when the database was asked", NULL, true },
	{ "cached", "boolean", "kept from an earlier request", NULL, true },
};

static const ag_doc_field artifact_data[] = {
	{ "results", "[ArtifactResult]", "of each source query", NULL, false },
	{ "data", "object", "what the page is given", NULL, false },
};

static const ag_doc_field call[] = {
	{ "row", "integer", "of the audit table", NULL, false },
	{ "at", "time", "when it began", NULL, false },
	{ "user", "string", NULL, NULL, false },
	{ "tool", "string", NULL, NULL, false },
	{ "outcome", "string", "ok, the code of an error, running or interrupted", NULL, false },
	{ "sql", "string", "\"\" = it has none", NULL, false },
	{ "verdict", "string", "of the guard: allow, deny, \"\"", NULL, false },
	{ "rule", "string", "why it was denied", NULL, false },
	{ "rows", "integer", NULL, NULL, false },
	{ "exec_us", "integer", "microseconds in the database", NULL, false },
	{ "detail", "string", NULL, NULL, false },
	{ "token", "string", "id of the token that allowed it; \"\" = none was needed", NULL,
	  false },
};

static const ag_doc_field call_list[] = {
	{ "calls", "[Call]", "newest first", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field call_check[] = {
	{ "is_whole", "boolean", "no row was changed, added or removed", NULL, false },
	{ "rows", "integer", "that were checked", NULL, false },
	{ "first", "integer", NULL, NULL, false },
	{ "last", "integer", NULL, NULL, false },
	{ "head", "string", "hash of the last row: note it elsewhere", NULL, false },
	{ "why", "string", "which rows are wrong; \"\" = none", NULL, false },
};

const ag_doc_shape ag_doc_work_shapes[] = {
	{ "Known", "Something that a project knows.", known, AG_NELEM(known), false },
	{ "KnownList", NULL, known_list, AG_NELEM(known_list), false },
	{ "ArtifactRow", "An artifact without its code.", artifact_row, AG_NELEM(artifact_row),
	  false },
	{ "ArtifactList", NULL, artifact_list, AG_NELEM(artifact_list), false },
	{ "Artifact", "A version of an artifact.", artifact, AG_NELEM(artifact), false },
	{ "ArtifactVersion", NULL, version, AG_NELEM(version), false },
	{ "ArtifactVersionList", NULL, version_list, AG_NELEM(version_list), false },
	{ "ArtifactResult", NULL, result, AG_NELEM(result), false },
	{ "ArtifactData", NULL, artifact_data, AG_NELEM(artifact_data), false },
	{ "Call", "A row of the audit table.", call, AG_NELEM(call), false },
	{ "CallList", NULL, call_list, AG_NELEM(call_list), false },
	{ "CallCheck", NULL, call_check, AG_NELEM(call_check), false },
	{ NULL, NULL, NULL, 0, false },
};

/* --- knowledge --- */

/* Of both areas: the project alone is the first. */
#define AT_PROJECT                                                                 \
	{                                                                          \
		.name = "project", .type = AG_PARAM_STRING, .required = true,      \
		.help = "id of the project", .min = 1, .max = AG_IDENTITY_MAX_NAME \
	}

static const ag_param at_known[] = {
	AT_PROJECT,
	{ .name = "kind",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "what it is",
	  .one_of = kinds },
	{ .name = "name", .type = AG_PARAM_STRING, .required = true, .help = "its name or id" },
};

static const ag_param known_query[] = {
	{ .name = "kind", .type = AG_PARAM_STRING, .help = "of this kind only", .one_of = kinds },
	{ .name = "q",
	  .type = AG_PARAM_STRING,
	  .help = "what these words find, best first",
	  .max = AG_KNOW_MAX_QUERY,
	  .in_chars = true },
};

const ag_route_doc ag_doc_list_knowledge = {
	.name = "listKnowledge",
	.tag = "knowledge",
	.summary = "What the project knows",
	.at = at_known,
	.nat = 1,
	.query = known_query,
	.nquery = AG_NELEM(known_query),
	.gives = "KnownList",
	.is_list = true,
};

static const ag_param check_query[] = {
	{ .name = "check",
	  .type = AG_PARAM_BOOL,
	  .help = "false: the database does not explain the SQL of metrics and recipes first" },
};

#define FIELDS                                                                         \
	{                                                                              \
		.name = "fields", .type = AG_PARAM_OBJECT, .help = "those of its kind" \
	}

static const ag_param known_body[] = {
	{ .name = "name", .type = AG_PARAM_STRING, .help = "the name, title or text that it has" },
	FIELDS,
};

const ag_route_doc ag_doc_add_knowledge = {
	.name = "addKnowledge",
	.tag = "knowledge",
	.summary = "Add something to what the project knows",
	.at = at_known,
	.nat = 2,
	.query = check_query,
	.nquery = AG_NELEM(check_query),
	.body = known_body,
	.nbody = AG_NELEM(known_body),
	.status = 201,
	.gives = "Known",
	.other = { { 409, "there is one of that name" } },
};

const ag_route_doc ag_doc_get_knowledge = {
	.name = "getKnowledge",
	.tag = "knowledge",
	.summary = "One of the things that the project knows",
	.at = at_known,
	.nat = AG_NELEM(at_known),
	.gives = "Known",
};

static const ag_param known_change[] = {
	{ .name = "name", .type = AG_PARAM_STRING, .help = "is not changed" },
	FIELDS,
};

const ag_route_doc ag_doc_replace_knowledge = {
	.name = "replaceKnowledge",
	.tag = "knowledge",
	.summary = "Replace all its fields",
	.at = at_known,
	.nat = AG_NELEM(at_known),
	.query = check_query,
	.nquery = AG_NELEM(check_query),
	.body = known_change,
	.nbody = AG_NELEM(known_change),
	.gives = "Known",
	.other = { { 409, "somebody else changed it meanwhile" } },
};

const ag_route_doc ag_doc_delete_knowledge = {
	.name = "deleteKnowledge",
	.tag = "knowledge",
	.summary = "Forget it",
	.at = at_known,
	.nat = AG_NELEM(at_known),
	.status = 204,
};

static const ag_param at_learning[] = {
	AT_PROJECT,
	{ .name = "name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the learning, or its text" },
};

static const ag_param review_body[] = {
	{ .name = "right", .type = AG_PARAM_BOOL, .required = true, .help = "is it right?" },
	{ .name = "why", .type = AG_PARAM_STRING, .help = "the reason" },
};

const ag_route_doc ag_doc_review_learning = {
	.name = "reviewLearning",
	.tag = "knowledge",
	.summary = "Set a learning aside, or take it back into use",
	.at = at_learning,
	.nat = AG_NELEM(at_learning),
	.body = review_body,
	.nbody = AG_NELEM(review_body),
	.gives = "Known",
};

/* --- artifacts --- */

static const ag_param at_artifact[] = {
	AT_PROJECT,
	{ .name = "id", .type = AG_PARAM_STRING, .required = true, .help = "id of the artifact" },
};

static const ag_param artifacts_query[] = {
	{ .name = "q", .type = AG_PARAM_STRING, .help = "words of the title" },
	{ .name = "deleted", .type = AG_PARAM_BOOL, .help = "true: those that were deleted" },
};

const ag_route_doc ag_doc_list_artifacts = {
	.name = "listArtifacts",
	.tag = "artifacts",
	.summary = "The artifacts of a project, last changed first",
	.at = at_artifact,
	.nat = 1,
	.query = artifacts_query,
	.nquery = AG_NELEM(artifacts_query),
	.gives = "ArtifactList",
	.is_list = true,
};

static const ag_param version_query[] = {
	{ .name = "version", .type = AG_PARAM_INT, .help = "this one, not the newest", .min = 1 },
};

const ag_route_doc ag_doc_get_artifact = {
	.name = "getArtifact",
	.tag = "artifacts",
	.summary = "One artifact, with its code",
	.at = at_artifact,
	.nat = AG_NELEM(at_artifact),
	.query = version_query,
	.nquery = AG_NELEM(version_query),
	.gives = "Artifact",
};

static const ag_param artifact_change[] = {
	{ .name = "title",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the new title",
	  .min = 1,
	  .max = AG_ARTIFACT_TITLE_CHARS,
	  .in_chars = true },
};

const ag_route_doc ag_doc_rename_artifact = {
	.name = "renameArtifact",
	.tag = "artifacts",
	.summary = "Rename an artifact",
	.at = at_artifact,
	.nat = AG_NELEM(at_artifact),
	.body = artifact_change,
	.nbody = AG_NELEM(artifact_change),
	.gives = "ArtifactRow",
};

const ag_route_doc ag_doc_delete_artifact = {
	.name = "deleteArtifact",
	.tag = "artifacts",
	.summary = "Delete an artifact; it can be brought back within 30 days",
	.at = at_artifact,
	.nat = AG_NELEM(at_artifact),
	.status = 204,
};

const ag_route_doc ag_doc_list_versions = {
	.name = "listArtifactVersions",
	.tag = "artifacts",
	.summary = "The versions of an artifact, newest first",
	.at = at_artifact,
	.nat = AG_NELEM(at_artifact),
	.gives = "ArtifactVersionList",
	.is_list = true,
};

const ag_route_doc ag_doc_query_artifact = {
	.name = "queryArtifact",
	.tag = "artifacts",
	.summary = "Run the source queries of an artifact",
	.at = at_artifact,
	.nat = AG_NELEM(at_artifact),
	.query = version_query,
	.nquery = AG_NELEM(version_query),
	.gives = "ArtifactData",
};

static const char *const export_forms[] = { "html", "pdf", "code", NULL };
static const ag_param export_query[] = {
	{ .name = "as",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "html: a page that runs nothing; pdf: what is drawn, by Chromium; code: as it was written",
	  .one_of = export_forms },
	{ .name = "version", .type = AG_PARAM_INT, .help = "this one, not the newest", .min = 1 },
};

const ag_route_doc ag_doc_export_artifact = {
	.name = "exportArtifact",
	.tag = "artifacts",
	.summary = "Save an artifact as a file",
	.at = at_artifact,
	.nat = AG_NELEM(at_artifact),
	.query = export_query,
	.nquery = AG_NELEM(export_query),
	.media = "text/*",
};

const ag_route_doc ag_doc_undelete_artifact = {
	.name = "undeleteArtifact",
	.tag = "artifacts",
	.summary = "Bring a deleted artifact back",
	.at = at_artifact,
	.nat = AG_NELEM(at_artifact),
	.gives = "ArtifactRow",
	.other = { { 409, "it is not deleted" } },
};

/* --- calls --- */

static const ag_param of_calls[] = {
	{ .name = "user", .type = AG_PARAM_STRING, .help = "only calls of this user", .max = 128 },
	{ .name = "tool", .type = AG_PARAM_STRING, .help = "only calls of this tool", .max = 128 },
	{ .name = "outcome",
	  .type = AG_PARAM_STRING,
	  .help = "only calls that ended so",
	  .max = 128 },
	{ .name = "programs",
	  .type = AG_PARAM_STRING,
	  .help = "true: only calls with a token, which MCP clients and scripts have",
	  .max = 5 },
};
static const ag_param at_project_calls[] = { AT_PROJECT };

const ag_route_doc ag_doc_list_calls = {
	.name = "listCalls",
	.tag = "calls",
	.summary = "What was called in a project: its rows of the audit table",
	.help = "Admins see all calls of the project, others their own.",
	.at = at_project_calls,
	.nat = AG_NELEM(at_project_calls),
	.query = of_calls,
	.nquery = AG_NELEM(of_calls),
	.is_list = true,
	.gives = "CallList",
};
const ag_route_doc ag_doc_check_calls = {
	.name = "checkCalls",
	.tag = "calls",
	.summary = "Check the whole audit table: was a row changed, added or removed?",
	.gives = "CallCheck",
};
