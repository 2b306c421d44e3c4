/* Descriptions of the routes of a project's connections: /api/projects/{project}/connections. */
#include "server/route_doc.h"
#include "store/identity.h"

static const char *const kinds[] = { "database", "documents", NULL };

/* --- shapes --- */

static const ag_doc_field connection[] = {
	{ "kind", "string", NULL, kinds, false },
	{ "address", "string",
	  "without its password; \"\" = a path of the server, which administrators see", NULL,
	  false },
	{ "has_password", "boolean", "it is kept encrypted and never shown", NULL, false },
};

static const ag_doc_field connection_list[] = {
	{ "connections", "[Connection]", NULL, NULL, false },
	{ "can_change", "boolean", "the caller may set them", NULL, false },
	{ "hosts", "[string]", "that may be named; for administrators, else none", NULL, false },
	{ "folders", "[string]", "of SQLite files; the same", NULL, false },
};

static const ag_doc_field schema[] = {
	{ "name", "string", "of the schema, or of the database of documents", NULL, false },
	{ "tables", "[string]", "tables, views or collections", NULL, false },
};

static const ag_doc_field tested[] = {
	{ "works", "boolean", NULL, NULL, false },
	{ "problem", "string", "why it does not; \"\" = it does", NULL, false },
	{ "hint", "string", "what to do", NULL, false },
	{ "schemas", "[ConnectionSchema]", "what the user of the address sees", NULL, false },
};

const ag_doc_shape ag_doc_connection_shapes[] = {
	{ "Connection", "What a project is connected to.", connection, AG_NELEM(connection),
	  false },
	{ "ConnectionList", NULL, connection_list, AG_NELEM(connection_list), false },
	{ "ConnectionSchema", NULL, schema, AG_NELEM(schema), false },
	{ "ConnectionTest", NULL, tested, AG_NELEM(tested), false },
	{ NULL, NULL, NULL, 0, false },
};

/* --- parameters --- */

#define PROJECT                                                                    \
	{                                                                          \
		.name = "project", .type = AG_PARAM_STRING, .required = true,      \
		.help = "id of the project", .min = 1, .max = AG_IDENTITY_MAX_NAME \
	}

static const ag_param at_project[] = { PROJECT };
static const ag_param at_kind[] = {
	PROJECT,
	{ .name = "kind",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .one_of = kinds,
	  .help = "database: conversations and SQL; documents: audits" },
};
static const ag_param put_body[] = {
	{ .name = "address",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .min = 1,
	  .max = 4000,
	  .help = "postgresql://user@host:5432/name, sqlite:/path, mongodb://user@host:27017/name" },
	{ .name = "password",
	  .type = AG_PARAM_STRING,
	  .max = 4096,
	  .help = "without it that of the same address stays; \"\" forgets it" },
};
static const ag_param test_body[] = {
	{ .name = "address",
	  .type = AG_PARAM_STRING,
	  .min = 1,
	  .max = 4000,
	  .help = "without it the one that is kept" },
	{ .name = "password", .type = AG_PARAM_STRING, .max = 4096, .help = "of that address" },
};

#define OF_YAML                                         \
	{                                               \
		409, "the project stands in argus.yaml" \
	}
#define NOT_THERE                                             \
	{                                                     \
		404, "there is no such project or connection" \
	}

/* --- routes --- */

const ag_route_doc ag_doc_list_connections = {
	.name = "listConnections",
	.tag = "connections",
	.summary = "What a project is connected to",
	.at = at_project,
	.nat = AG_NELEM(at_project),
	.gives = "ConnectionList",
};
const ag_route_doc ag_doc_put_connection = {
	.name = "putConnection",
	.tag = "connections",
	.summary = "Connect a project",
	.help = "For administrators of a project of the store. The settings connection_hosts and connection_folders of the "
		"server say what may be named. The password is kept encrypted; no route shows it.",
	.at = at_kind,
	.nat = AG_NELEM(at_kind),
	.body = put_body,
	.nbody = AG_NELEM(put_body),
	.gives = "ConnectionList",
	.retry = AG_DOC_RETRY_NONE,
	.other = { NOT_THERE, OF_YAML },
};
const ag_route_doc ag_doc_test_connection = {
	.name = "testConnection",
	.tag = "connections",
	.summary = "Try a connection",
	.help = "Of an address that is kept, or that is to be. The answer is 200 whether it works or not.",
	.at = at_kind,
	.nat = AG_NELEM(at_kind),
	.body = test_body,
	.nbody = AG_NELEM(test_body),
	.gives = "ConnectionTest",
	.retry = AG_DOC_RETRY_NONE,
	.other = { NOT_THERE, OF_YAML },
};
const ag_route_doc ag_doc_delete_connection = {
	.name = "deleteConnection",
	.tag = "connections",
	.summary = "Disconnect a project, and forget the password",
	.at = at_kind,
	.nat = AG_NELEM(at_kind),
	.gives = "ConnectionList",
	.other = { NOT_THERE, OF_YAML },
};
