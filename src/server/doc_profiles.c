/* Descriptions of the routes of saved profiles of audits: /api/audits/profiles. */
#include "server/route_doc.h"
#include "store/identity.h"

/* --- shapes --- */

static const ag_doc_field saved_profile[] = {
	{ "name", "string", NULL, NULL, false },
	{ "eval_profile", "string", "who judges", ag_doc_eval_profiles, true },
	{ "max_iterations", "integer", "steps of the planner", NULL, true },
	{ "max_seconds", "integer", "after which it ends as partial", NULL, true },
	{ "author", "string", "who changed it last", NULL, false },
	{ "changed_at", "time", NULL, NULL, false },
};

static const ag_doc_field profile_list[] = {
	{ "profiles", "[AuditProfile]", "by name", NULL, false },
	AG_DOC_NEXT,
};

const ag_doc_shape ag_doc_profile_shapes[] = {
	{ "AuditProfile",
	  "Settings of audits under a name of the project. A setting that is absent is the worker's.",
	  saved_profile, AG_NELEM(saved_profile), false },
	{ "AuditProfileList", NULL, profile_list, AG_NELEM(profile_list), false },
	{ NULL, NULL, NULL, 0, false },
};

/* --- parameters --- */

#define OF_PROJECT                                                        \
	{                                                                 \
		.name = "project", .type = AG_PARAM_STRING,               \
		.help = "id of the project; without it the caller's own", \
		.max = AG_IDENTITY_MAX_NAME                               \
	}
#define NOT_THERE                                          \
	{                                                  \
		404, "there is no such project or profile" \
	}

static const ag_param of_project[] = { OF_PROJECT };
static const ag_param profile_body[] = { OF_PROJECT, AG_DOC_AUDIT_CHOICES };
static const ag_param rename_body[] = {
	OF_PROJECT,
	{ .name = "name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the new one",
	  .min = 1,
	  .max = 60,
	  .in_chars = true },
};
static const ag_param at_profile[] = {
	{ .name = "name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "of the profile, in any case",
	  .min = 1,
	  .max = 60,
	  .in_chars = true },
};

/* --- routes --- */

const ag_route_doc ag_doc_list_profiles = {
	.name = "listAuditProfiles",
	.tag = "audits",
	.summary = "Saved profiles of a project",
	.query = of_project,
	.nquery = AG_NELEM(of_project),
	.is_list = true,
	.gives = "AuditProfileList",
	.other = { NOT_THERE },
};
const ag_route_doc ag_doc_save_profile = {
	.name = "saveAuditProfile",
	.tag = "audits",
	.summary = "Save settings of audits under a name",
	.help = "A profile of that name is replaced. A project may have 100. Analysts and admins only.",
	.at = at_profile,
	.nat = AG_NELEM(at_profile),
	.body = profile_body,
	.nbody = AG_NELEM(profile_body),
	.wrong = 422,
	.gives = "AuditProfile",
	.other = { NOT_THERE, { 413, "the project has 100 profiles" } },
};
const ag_route_doc ag_doc_rename_profile = {
	.name = "renameAuditProfile",
	.tag = "audits",
	.summary = "Rename a saved profile",
	.at = at_profile,
	.nat = AG_NELEM(at_profile),
	.body = rename_body,
	.nbody = AG_NELEM(rename_body),
	.gives = "AuditProfile",
	.other = { NOT_THERE, { 409, "there is a profile of that name" } },
};
const ag_route_doc ag_doc_drop_profile = {
	.name = "dropAuditProfile",
	.tag = "audits",
	.summary = "Remove a saved profile",
	.at = at_profile,
	.nat = AG_NELEM(at_profile),
	.query = of_project,
	.nquery = AG_NELEM(of_project),
	.status = 204,
	.other = { NOT_THERE },
};
