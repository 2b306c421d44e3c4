/* Descriptions of the routes of share links: /api/projects/{project}/shares and /api/shared. */
#include "server/route_doc.h"
#include "store/identity.h"
#include "store/shares.h"

static const char *const kinds[] = { "thread", "artifact", "recipe_run", NULL };
static const char *const audiences[] = { "public", "project", "users", NULL };
static const char *const states[] = { "active", "expired", "revoked", NULL };

/* --- shapes --- */

static const ag_doc_field share[] = {
	{ "id", "string", "the beginning of the hash of its token", NULL, false },
	{ "token", "string", "shown once, when the link is made", NULL, true },
	{ "path", "string", "of the link's address, with the token; shown once", NULL, true },
	{ "kind", "string", "of what is shared", kinds, false },
	{ "thing", "string", "id of what is shared", NULL, false },
	{ "version", "integer", "of an artifact; 0 = always the newest", NULL, false },
	{ "title", "string", NULL, NULL, false },
	{ "project", "string", NULL, NULL, false },
	{ "user", "string", "who made the link", NULL, false },
	{ "audience", "string", "who may open it", audiences, false },
	{ "users", "[string]", "those who are named", NULL, false },
	{ "state", "string", NULL, states, false },
	{ "created_at", "time", NULL, NULL, false },
	{ "expires_at", "time?", NULL, NULL, false },
	{ "revoked_at", "time?", NULL, NULL, false },
	{ "opens", "integer", "how often it was opened", NULL, false },
	{ "opened_at", "time?", "the last time", NULL, false },
};

static const ag_doc_field share_list[] = {
	{ "shares", "[Share]", "newest first", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field source[] = {
	{ "name", "string", NULL, NULL, false },
	{ "sql", "string", NULL, NULL, false },
	{ "row_count", "integer", NULL, NULL, false },
	{ "truncated", "boolean", "there were more rows", NULL, false },
	{ "at", "time?", "when the database was asked", NULL, false },
};

static const char *const artifact_kinds[] = { "react", "plotly", "html", "markdown", "svg", NULL };

static const ag_doc_field shared_artifact[] = {
	{ "id", "string", NULL, NULL, false },
	{ "version", "integer", NULL, NULL, false },
	{ "title", "string", NULL, NULL, false },
	{ "type", "string", NULL, artifact_kinds, false },
	{ "description", "string", NULL, NULL, false },
	{ "author", "string", NULL, NULL, false },
	{ "created_at", "time", NULL, NULL, false },
	{ "code", "string", "what the frame draws", NULL, false },
	{ "data", "object", "what the frame is given", NULL, false },
	{ "sources", "[SharedSource]", "where the data comes from", NULL, false },
};

static const ag_doc_field content[] = {
	{ "run", "RecipeRunRow", "of a run of a recipe", NULL, true },
	{ "messages", "[Message]", "of a conversation or a run, oldest first", NULL, true },
	{ "artifacts", "[SharedArtifact]", "with their data of that time", NULL, false },
};

static const ag_doc_field shared[] = {
	{ "kind", "string", "what it is", kinds, false },
	{ "title", "string", NULL, NULL, false },
	{ "by", "string", "who shared it", NULL, false },
	{ "audience", "string", NULL, audiences, false },
	{ "newest", "boolean", "it follows new versions of the artifact", NULL, false },
	{ "copied_at", "time", "of when all of it is", NULL, false },
	{ "expires_at", "time?", NULL, NULL, false },
	{ "content", "SharedContent", NULL, NULL, false },
};

const ag_doc_shape ag_doc_share_shapes[] = {
	{ "Share", "A share link.", share, AG_NELEM(share), false },
	{ "ShareList", NULL, share_list, AG_NELEM(share_list), false },
	{ "SharedSource", "A query of a shared artifact.", source, AG_NELEM(source), false },
	{ "SharedArtifact", "A version of an artifact in a copy.", shared_artifact,
	  AG_NELEM(shared_artifact), false },
	{ "SharedContent", NULL, content, AG_NELEM(content), false },
	{ "Shared", "What a share link shows: a fixed copy.", shared, AG_NELEM(shared), false },
	{ NULL, NULL, NULL, 0, false },
};

/* --- routes --- */

static const ag_param at_share[] = {
	{ .name = "project",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the project",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
	{ .name = "id", .type = AG_PARAM_STRING, .required = true, .help = "id of the link" },
};

static const ag_param shares_query[] = {
	{ .name = "kind", .type = AG_PARAM_STRING, .help = "of this kind only", .one_of = kinds },
	{ .name = "thing", .type = AG_PARAM_STRING, .help = "of the thing of that id", .max = 128 },
};

const ag_route_doc ag_doc_list_shares = {
	.name = "listShares",
	.tag = "shares",
	.summary = "The share links of a project, newest first",
	.help = "Admins see all links of the project, others their own.",
	.at = at_share,
	.nat = 1,
	.query = shares_query,
	.nquery = AG_NELEM(shares_query),
	.gives = "ShareList",
	.is_list = true,
};

static const ag_param share_body[] = {
	{ .name = "kind",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "what is shared",
	  .one_of = kinds },
	{ .name = "thing",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "its id",
	  .min = 1,
	  .max = 128 },
	{ .name = "version",
	  .type = AG_PARAM_INT,
	  .help = "of an artifact; 0 = always the newest",
	  .min = 0,
	  .max = 1000000 },
	{ .name = "audience",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "who may open it: everybody, members of the project, named users",
	  .one_of = audiences },
	{ .name = "users",
	  .type = AG_PARAM_STRINGS,
	  .help = "names of users, with the audience \"users\"",
	  .max = AG_SHARE_MAX_USERS },
	{ .name = "expires_at",
	  .type = AG_PARAM_STRING,
	  .help = "a time in the future (ISO 8601); without it the link does not expire",
	  .max = 40 },
};

const ag_route_doc ag_doc_create_share = {
	.name = "createShare",
	.tag = "shares",
	.retry = AG_DOC_RETRY_DONE,
	.summary = "Make a share link: its address is in this answer only",
	.help = "Of a conversation by its user; of an artifact, and of a run of a recipe that has ended, by who made it or an admin. "
		"The link shows a copy that is made now.",
	.at = at_share,
	.nat = 1,
	.body = share_body,
	.nbody = AG_NELEM(share_body),
	.status = 201,
	.gives = "Share",
	.other = { { 409, "the run has not ended" } },
};

const ag_route_doc ag_doc_revoke_share = {
	.name = "revokeShare",
	.tag = "shares",
	.summary = "Revoke a share link: nobody can open it any more",
	.at = at_share,
	.nat = AG_NELEM(at_share),
	.status = 204,
};

static const ag_param open_body[] = {
	{ .name = "token",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the end of the link's address",
	  .max = 256 },
};

#define OPENED "Counts as an opening. Every link that does not work gets the same 404."

const ag_route_doc ag_doc_open_share = {
	.name = "openShare",
	.tag = "shares",
	.retry = AG_DOC_RETRY_NONE,
	.summary = "What a public share link shows; reads no cookie",
	.help = OPENED,
	.body = open_body,
	.nbody = AG_NELEM(open_body),
	.gives = "Shared",
	.other = { { 404, "the link does not work" } },
};

const ag_route_doc ag_doc_open_member_share = {
	.name = "openMemberShare",
	.tag = "shares",
	.retry = AG_DOC_RETRY_NONE,
	.summary = "What a share link shows to the caller",
	.help = OPENED,
	.body = open_body,
	.nbody = AG_NELEM(open_body),
	.gives = "Shared",
	.other = { { 404, "the link does not work" } },
};
