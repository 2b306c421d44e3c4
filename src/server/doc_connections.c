/* Descriptions of the routes of a project's connections and of tables that are imported: /api/projects/{project}/connections,
 * /api/projects/{project}/tables. */
#include "server/route_doc.h"
#include "store/identity.h"

static const char *const kinds[] = { "database", "documents", NULL };
static const char *const types[] = {
	"INTEGER", "REAL", "BOOLEAN", "DATE", "DATETIME", "TEXT", NULL
};

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

static const ag_doc_field table_column[] = {
	{ "name", "string", "as SQL calls it", NULL, false },
	{ "type", "string", "found from its cells", types, false },
	{ "heading", "string", "as the file has it", NULL, false },
};

static const ag_doc_field imported[] = {
	{ "project", "string", "that has the table", NULL, false },
	{ "project_name", "string", NULL, NULL, false },
	{ "made_project", "boolean", "the project is new", NULL, false },
	{ "table", "string", NULL, NULL, false },
	{ "replaced", "boolean", "a table of that name was there", NULL, false },
	{ "rows", "integer", NULL, NULL, false },
	{ "short_rows", "integer", "with fewer cells than the header: the others are null", NULL,
	  false },
	{ "renamed", "integer", "columns whose name differs from their heading", NULL, false },
	{ "columns", "[ImportedColumn]", NULL, NULL, false },
	{ "first", "[any]", "the first rows, each a list of cells; long texts are cut", NULL,
	  false },
};

const ag_doc_shape ag_doc_connection_shapes[] = {
	{ "Connection", "What a project is connected to.", connection, AG_NELEM(connection),
	  false },
	{ "ConnectionList", NULL, connection_list, AG_NELEM(connection_list), false },
	{ "ConnectionSchema", NULL, schema, AG_NELEM(schema), false },
	{ "ConnectionTest", NULL, tested, AG_NELEM(tested), false },
	{ "ImportedColumn", "A column of an imported table.", table_column, AG_NELEM(table_column),
	  false },
	{ "ImportedTable", "A table that was imported.", imported, AG_NELEM(imported), false },
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

/* --- imported tables --- */

#define IMPORT_NAMES                                                                           \
	{ .name = "name",                                                                      \
	  .type = AG_PARAM_STRING,                                                             \
	  .required = true,                                                                    \
	  .help = "of the file: orders.csv becomes the table orders",                          \
	  .min = 1,                                                                            \
	  .max = 200 },                                                                        \
	{                                                                                      \
		.name = "table", .type = AG_PARAM_STRING, .help = "another name of the table", \
		.max = 200                                                                     \
	}

static const ag_param new_table_query[] = {
	IMPORT_NAMES,
	{ .name = "project_name",
	  .type = AG_PARAM_STRING,
	  .help = "of the new project; without it the name of the file",
	  .max = 200 },
};
static const ag_param import_query[] = { IMPORT_NAMES };
static const ag_param at_table[] = {
	PROJECT,
	{ .name = "table", .type = AG_PARAM_STRING, .required = true, .help = "its name" },
};

#define IMPORT_ANSWERS                                                                            \
	{ 413,                                                                                    \
	  "the file has more than 50 MiB or 2,000 columns, or the project has too many tables" }, \
		{ 415, "it is not sent as text/csv" },                                            \
	{                                                                                         \
		422, "the file is not CSV, or it is broken: line and column say where"            \
	}

const ag_route_doc ag_doc_new_table = {
	.name = "importNewTable",
	.tag = "connections",
	.summary = "Import a CSV file into a new project",
	.help = "The body is the file, in UTF-8, with a header line; it may be separated by comma, semicolon, tab or bar. The "
		"table is in a SQLite file of the server, and whole or not there at all. The caller becomes the new project's "
		"administrator. For users who are signed in.",
	.query = new_table_query,
	.nquery = AG_NELEM(new_table_query),
	.status = 201,
	.gives = "ImportedTable",
	.other = { IMPORT_ANSWERS },
};
const ag_route_doc ag_doc_import_table = {
	.name = "importTable",
	.tag = "connections",
	.summary = "Import a CSV file into a project",
	.help = "As POST /api/tables, for analysts and administrators of a project whose tables were imported, and for "
		"administrators of one without a database. A table of the same name is replaced.",
	.at = at_table,
	.nat = 1,
	.query = import_query,
	.nquery = AG_NELEM(import_query),
	.status = 201,
	.gives = "ImportedTable",
	.other = { { 409, "the project has a database, to which Argus does not write" },
	           IMPORT_ANSWERS },
};
const ag_route_doc ag_doc_drop_table = {
	.name = "dropTable",
	.tag = "connections",
	.summary = "Remove an imported table",
	.help = "For analysts and administrators.",
	.at = at_table,
	.nat = AG_NELEM(at_table),
	.status = 204,
	.other = { { 404, "there is no such project or imported table" } },
};
