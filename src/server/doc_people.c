/* Descriptions of the routes of people: /api/auth, /api/users, /api/tokens, /api/projects and their members. */
#include "base/password.h"
#include "server/route_doc.h"
#include "store/identity.h"

static const char *const roles[] = { "viewer", "analyst", "admin", NULL };
static const char *const role_or_none[] = { "none", "viewer", "analyst", "admin", NULL };
static const char *const ways[] = { "token", "session", "link", "proxy", "nothing", NULL };

/* --- shapes --- */

static const ag_doc_field project_role[] = {
	{ "id", "string", NULL, NULL, false },
	{ "name", "string", NULL, NULL, false },
	{ "role", "string", "the caller's", role_or_none, false },
};

static const ag_doc_field me[] = {
	{ "user", "string", NULL, NULL, false },
	{ "superuser", "boolean", NULL, NULL, false },
	{ "by", "string", "how the caller proved who it is", ways, false },
	{ "expires_at", "time?", "when that ends", NULL, false },
	{ "sign_out", "string",
	  "where a browser goes after it logged out, to leave the issuer; \"\" = nowhere", NULL,
	  false },
	{ "project", "string",
	  "the project that is meant when none is named; \"\" = none is chosen", NULL, false },
	{ "projects", "[ProjectRole]", NULL, NULL, false },
};

static const ag_doc_field sign_in_ways[] = {
	{ "password", "boolean", "by name and password", NULL, false },
	{ "issuer_name", "string", "by an OpenID Connect issuer, as people call it; \"\" = not",
	  NULL, false },
};

static const ag_doc_field user[] = {
	{ "name", "string", NULL, NULL, false },
	{ "superuser", "boolean", NULL, NULL, false },
	{ "active", "boolean", "may log in", NULL, false },
	{ "has_password", "boolean", NULL, NULL, false },
	{ "project", "string", NULL, NULL, false },
	{ "created_at", "time", NULL, NULL, false },
	{ "seen_at", "time?", "the last login", NULL, false },
	{ "link_token", "string",
	  "for choosing a password once, at /setup#; only in the answer that makes it", NULL,
	  true },
	{ "link_hours", "integer", "that the link is good for", NULL, true },
};

static const ag_doc_field user_list[] = {
	{ "users", "[User]", "by name", NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field token[] = {
	{ "id", "string", NULL, NULL, false },
	{ "token", "string", "the secret; only in the answer that makes it", NULL, true },
	{ "name", "string", NULL, NULL, false },
	{ "user", "string", NULL, NULL, false },
	{ "role", "string", "the highest role that it gives", role_or_none, false },
	{ "projects", "[string]", "that it is limited to; none = no such limit", NULL, false },
	{ "scopes", "[string]", "the same: sql, audit, ask", NULL, false },
	{ "created_at", "time?", NULL, NULL, false },
	{ "expires_at", "time?", NULL, NULL, false },
	{ "revoked_at", "time?", NULL, NULL, false },
	{ "used_at", "time?", NULL, NULL, false },
};

static const ag_doc_field token_list[] = {
	{ "tokens", "[Token]", NULL, NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field project[] = {
	{ "id", "string", NULL, NULL, false },
	{ "name", "string", NULL, NULL, false },
	{ "role", "string", "the caller's", role_or_none, false },
	{ "has_database", "boolean", NULL, NULL, false },
	{ "takes_tables", "boolean", "the caller may import tables into it", NULL, false },
	{ "is_of_store", "boolean", "it is renamed and removed here, not in argus.yaml", NULL,
	  false },
};

static const ag_doc_field project_list[] = {
	{ "projects", "[Project]", NULL, NULL, false },
	AG_DOC_NEXT,
};

static const ag_doc_field member[] = {
	{ "user", "string", NULL, NULL, false },
	{ "role", "string", NULL, roles, false },
};

static const ag_doc_field member_list[] = {
	{ "members", "[Member]", NULL, NULL, false },
	AG_DOC_NEXT,
};

const ag_doc_shape ag_doc_people_shapes[] = {
	{ "ProjectRole", NULL, project_role, AG_NELEM(project_role), false },
	{ "Me", "Who calls.", me, AG_NELEM(me), false },
	{ "SignInWays", "How people sign in.", sign_in_ways, AG_NELEM(sign_in_ways), false },
	{ "User", "An account.", user, AG_NELEM(user), false },
	{ "UserList", NULL, user_list, AG_NELEM(user_list), false },
	{ "Token", "A token for a program, or a session.", token, AG_NELEM(token), false },
	{ "TokenList", NULL, token_list, AG_NELEM(token_list), false },
	{ "Project", NULL, project, AG_NELEM(project), false },
	{ "ProjectList", NULL, project_list, AG_NELEM(project_list), false },
	{ "Member", NULL, member, AG_NELEM(member), false },
	{ "MemberList", NULL, member_list, AG_NELEM(member_list), false },
	{ NULL, NULL, NULL, 0, false },
};

/* --- logging in --- */

static const ag_param login_body[] = {
	{ .name = "username",
	  .type = AG_PARAM_STRING,
	  .help = "the account",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
	{ .name = "user",
	  .type = AG_PARAM_STRING,
	  .help = "the same",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
	{ .name = "password",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "its password",
	  .min = 1,
	  .max = AG_PASSWORD_MAX },
};

const ag_route_doc ag_doc_login = {
	.name = "login",
	.tag = "auth",
	.retry = AG_DOC_RETRY_NONE,
	.summary = "Log in: sets the cookie argus_session",
	.body = login_body,
	.nbody = AG_NELEM(login_body),
	.gives = "Me",
	.other = { { 401, "the name or the password is wrong" },
	           { 409, "the server lets everybody in" } },
};

const ag_route_doc ag_doc_sign_in_ways = {
	.name = "getSignInWays",
	.tag = "auth",
	.summary = "How people sign in here",
	.gives = "SignInWays",
};

static const ag_param oidc_login_query[] = {
	{ .name = "return",
	  .type = AG_PARAM_STRING,
	  .help = "the page to show afterwards, a path of this server; another is not taken" },
};

const ag_route_doc ag_doc_oidc_login = {
	.name = "beginOidcSignIn",
	.tag = "auth",
	.summary = "Lead a browser to the OpenID Connect issuer",
	.help = "For a browser, as a page that it opens. Location is the issuer, or the page with "
		"sign_in=REASON when the issuer cannot be reached.",
	.query = oidc_login_query,
	.nquery = AG_NELEM(oidc_login_query),
	.status = 303,
	.other = { { 404, "nobody signs in by an issuer here" } },
};

static const ag_param oidc_callback_query[] = {
	{ .name = "code", .type = AG_PARAM_STRING, .help = "of the issuer" },
	{ .name = "state", .type = AG_PARAM_STRING, .help = "as it was sent there" },
	{ .name = "iss", .type = AG_PARAM_STRING, .help = "the issuer" },
	{ .name = "error", .type = AG_PARAM_STRING, .help = "why there is no code" },
};

const ag_route_doc ag_doc_oidc_callback = {
	.name = "endOidcSignIn",
	.tag = "auth",
	.summary = "Take a browser back from the issuer: sets the cookie argus_session",
	.help = "Location is the page where the sign-in began, or / with sign_in=REASON and the "
		"reference of the line in the log.",
	.query = oidc_callback_query,
	.nquery = AG_NELEM(oidc_callback_query),
	.status = 303,
	.other = { { 404, "nobody signs in by an issuer here" } },
};

const ag_route_doc ag_doc_oidc_logout = {
	.name = "leaveOidcIssuer",
	.tag = "auth",
	.summary = "Lead a browser that has logged out to the end of its session at the issuer",
	.status = 303,
	.other = { { 404, "nobody signs in by an issuer here" } },
};

static const ag_param setup_body[] = {
	{ .name = "token",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "of the link, the part after #" },
	{ .name = "password",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the new password",
	  .min = AG_PASSWORD_MIN,
	  .max = AG_PASSWORD_MAX },
};

const ag_route_doc ag_doc_setup = {
	.name = "setup",
	.tag = "auth",
	.retry = AG_DOC_RETRY_NONE,
	.summary = "Choose a password by a link, and log in",
	.body = setup_body,
	.nbody = AG_NELEM(setup_body),
	.gives = "Me",
	.other = { { 403, "the link is unknown, used or expired" },
	           { 409, "the server lets everybody in" } },
};

const ag_route_doc ag_doc_logout = {
	.name = "logout",
	.tag = "auth",
	.retry = AG_DOC_RETRY_NONE,
	.summary = "End the session",
	.status = 204,
	.other = { { 409, "the server lets everybody in" } },
};

static const ag_param password_body[] = {
	{ .name = "old",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the password so far",
	  .max = AG_PASSWORD_MAX },
	{ .name = "new",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the new password",
	  .min = AG_PASSWORD_MIN,
	  .max = AG_PASSWORD_MAX },
};

const ag_route_doc ag_doc_password = {
	.name = "changePassword",
	.tag = "auth",
	.retry = AG_DOC_RETRY_NONE,
	.summary = "Change the password; ends the user's other sessions",
	.body = password_body,
	.nbody = AG_NELEM(password_body),
	.status = 204,
	.other = { { 409, "the server lets everybody in" } },
};

const ag_route_doc ag_doc_me = {
	.name = "getMe",
	.tag = "auth",
	.summary = "Who is logged in",
	.gives = "Me",
};

static const ag_param me_body[] = {
	{ .name = "project",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the project that is meant when none is named; \"\" = none",
	  .max = AG_IDENTITY_MAX_NAME },
};

const ag_route_doc ag_doc_change_me = {
	.name = "changeMe",
	.tag = "auth",
	.summary = "Choose the project that is meant when none is named",
	.body = me_body,
	.nbody = AG_NELEM(me_body),
	.gives = "Me",
	.other = { { 404, "there is no such project" }, { 409, "the server lets everybody in" } },
};

/* --- accounts --- */

static const ag_param at_user[] = {
	{ .name = "name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "of the account",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
};

const ag_route_doc ag_doc_list_users = {
	.name = "listUsers",
	.tag = "users",
	.summary = "All accounts; for superusers, as everything here",
	.gives = "UserList",
	.is_list = true,
};

static const ag_param user_body[] = {
	{ .name = "name",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "of the account: letters, digits and @ . _ -",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
	{ .name = "superuser", .type = AG_PARAM_BOOL, .help = "may manage accounts" },
};

const ag_route_doc ag_doc_create_user = {
	.name = "createUser",
	.tag = "users",
	.retry = AG_DOC_RETRY_DONE,
	.summary = "Make an account, and a link by which its owner chooses a password",
	.body = user_body,
	.nbody = AG_NELEM(user_body),
	.status = 201,
	.gives = "User",
	.other = { { 409, "there is an account of that name" } },
};

static const ag_param user_change[] = {
	{ .name = "superuser", .type = AG_PARAM_BOOL, .help = "may manage accounts" },
	{ .name = "active", .type = AG_PARAM_BOOL, .help = "may log in" },
};

const ag_route_doc ag_doc_change_user = {
	.name = "changeUser",
	.tag = "users",
	.summary = "Make an account superuser or not, active or not",
	.at = at_user,
	.nat = AG_NELEM(at_user),
	.body = user_change,
	.nbody = AG_NELEM(user_change),
	.gives = "User",
	.other = { { 409, "the last superuser stays" } },
};

const ag_route_doc ag_doc_delete_user = {
	.name = "deleteUser",
	.tag = "users",
	.summary = "Delete an account",
	.at = at_user,
	.nat = AG_NELEM(at_user),
	.status = 204,
	.other = { { 409, "the last superuser stays" } },
};

const ag_route_doc ag_doc_link_user = {
	.name = "linkUser",
	.tag = "users",
	.retry = AG_DOC_RETRY_DONE,
	.summary = "A new link by which the owner chooses a password; earlier ones end",
	.at = at_user,
	.nat = AG_NELEM(at_user),
	.gives = "User",
};

/* --- tokens --- */

static const ag_param tokens_query[] = {
	{ .name = "all", .type = AG_PARAM_BOOL, .help = "everybody's; for superusers" },
};

const ag_route_doc ag_doc_list_tokens = {
	.name = "listTokens",
	.tag = "tokens",
	.summary = "The caller's tokens and sessions",
	.query = tokens_query,
	.nquery = AG_NELEM(tokens_query),
	.gives = "TokenList",
	.is_list = true,
};

static const ag_param token_body[] = {
	{ .name = "name",
	  .type = AG_PARAM_STRING,
	  .help = "what it is for",
	  .max = AG_IDENTITY_MAX_NAME },
	{ .name = "role",
	  .type = AG_PARAM_STRING,
	  .help = "the highest role that it gives (viewer)",
	  .one_of = roles },
	{ .name = "projects",
	  .type = AG_PARAM_STRINGS,
	  .help = "ids of the projects that it is limited to; none = no such limit",
	  .max = AG_IDENTITY_MAX_PROJECTS },
	{ .name = "scopes",
	  .type = AG_PARAM_STRINGS,
	  .help = "uses that it is limited to: sql, audit, ask; none = no such limit",
	  .max = 3 },
	{ .name = "expires_days",
	  .type = AG_PARAM_INT,
	  .help = "that it is good for; 0 = it does not end",
	  .min = 0,
	  .max = 36500 },
};

const ag_route_doc ag_doc_create_token = {
	.name = "createToken",
	.tag = "tokens",
	.retry = AG_DOC_RETRY_DONE,
	.summary = "Make a token for a program; only a person who has logged in may",
	.body = token_body,
	.nbody = AG_NELEM(token_body),
	.status = 201,
	.gives = "Token",
};

static const ag_param at_token[] = {
	{ .name = "id", .type = AG_PARAM_STRING, .required = true, .help = "id of the token" },
};

const ag_route_doc ag_doc_revoke_token = {
	.name = "revokeToken",
	.tag = "tokens",
	.summary = "Revoke a token",
	.at = at_token,
	.nat = AG_NELEM(at_token),
	.status = 204,
};

/* --- projects --- */

const ag_route_doc ag_doc_list_projects = {
	.name = "listProjects",
	.tag = "projects",
	.summary = "The caller's projects",
	.gives = "ProjectList",
	.is_list = true,
};

#define PROJECT_NAME(is_required)                                                 \
	{                                                                         \
		.name = "name", .type = AG_PARAM_STRING, .required = is_required, \
		.help = "what people call it", .min = 1, .max = 500               \
	}
static const ag_param new_project_body[] = {
	{ .name = "id",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "how addresses and commands name it; it stays",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
	PROJECT_NAME(false),
};
static const ag_param rename_project_body[] = { PROJECT_NAME(true) };
static const ag_param at_project[] = {
	{ .name = "project",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the project",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
};
#define IN_FILE                                                           \
	{                                                                 \
		409, "the project is of argus.yaml, and is changed there" \
	}

const ag_route_doc ag_doc_add_project = {
	.name = "createProject",
	.tag = "projects",
	.summary = "Make a project; for superusers",
	.help = "It has no database and no documents yet: PUT /api/projects/ID/connections/… gives them.",
	.body = new_project_body,
	.nbody = AG_NELEM(new_project_body),
	.status = 201,
	.gives = "Project",
	.other = { { 409, "there is a project of that id" } },
};
const ag_route_doc ag_doc_rename_project = {
	.name = "renameProject",
	.tag = "projects",
	.summary = "Rename a project; for its admins",
	.at = at_project,
	.nat = AG_NELEM(at_project),
	.body = rename_project_body,
	.nbody = AG_NELEM(rename_project_body),
	.gives = "Project",
	.other = { IN_FILE },
};
const ag_route_doc ag_doc_remove_project = {
	.name = "deleteProject",
	.tag = "projects",
	.summary = "Remove a project with its members and knowledge; for superusers",
	.help = "What was asked of it stays in the audit table. Its database is not touched.",
	.at = at_project,
	.nat = AG_NELEM(at_project),
	.status = 204,
	.other = { IN_FILE },
};

static const ag_param at_member[] = {
	{ .name = "project",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "id of the project",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
	{ .name = "user",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "the account",
	  .min = 1,
	  .max = AG_IDENTITY_MAX_NAME },
};

const ag_route_doc ag_doc_list_members = {
	.name = "listMembers",
	.tag = "projects",
	.summary = "Who belongs to a project",
	.at = at_member,
	.nat = 1,
	.gives = "MemberList",
	.is_list = true,
};

static const ag_param member_body[] = {
	{ .name = "role",
	  .type = AG_PARAM_STRING,
	  .required = true,
	  .help = "what the user may do in the project",
	  .one_of = roles },
};

const ag_route_doc ag_doc_put_member = {
	.name = "putMember",
	.tag = "projects",
	.summary = "Give a user a role in a project; for its admins",
	.at = at_member,
	.nat = AG_NELEM(at_member),
	.body = member_body,
	.nbody = AG_NELEM(member_body),
	.status = 204,
	.other = { { 409, "the last admin stays" } },
};

const ag_route_doc ag_doc_remove_member = {
	.name = "removeMember",
	.tag = "projects",
	.summary = "Remove a user from a project; for its admins",
	.at = at_member,
	.nat = AG_NELEM(at_member),
	.status = 204,
	.other = { { 409, "the last admin stays" } },
};
