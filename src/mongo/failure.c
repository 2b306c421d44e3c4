/* failure -- what went wrong with a server, as a status and a sentence with the next step. */
#include "mongo/parts.h"

#define ORIGIN       "mongo"
#define UNAUTHORIZED 13

/* Codes of the server: error_codes.yml of MongoDB. */
static const struct {
	uint32_t code;
	ag_status status;
	const char *what, *hint; /* NULL = the server's own message alone */
} codes[] = {
	{ UNAUTHORIZED, AG_DENIED, "the user has no right to",
	  "give the user the role \"read\" on the database" },
	{ 8000, AG_DENIED, "the server refused", "check user and password" },
	{ 18, AG_DENIED, "the server refused the login for",
	  "check user, password and authSource" },
	{ 26, AG_NOT_FOUND, "there is no such collection for", NULL },
	{ 43, AG_UNAVAILABLE, "the server closed the cursor of", "run it again" },
	{ 50, AG_TIMEOUT, "the server ended, because its time was over,",
	  "give it more time with --max-seconds, or create an index for the filter" },
	{ 136, AG_UNAVAILABLE, "a capped collection wrapped around during",
	  "run it again: documents came faster than they were read" },
	{ 11601, AG_UNAVAILABLE, "the server interrupted", "run it again" },
	{ 91, AG_UNAVAILABLE, "the server is shutting down and refused", "run it again" },
	{ 189, AG_UNAVAILABLE, "the primary of the replica set stepped down during",
	  "run it again" },
	{ 10107, AG_UNAVAILABLE, "the server is no primary any more for", "run it again" },
	{ 13435, AG_UNAVAILABLE, "the server is no primary and refused",
	  "add readPreference=secondaryPreferred to the address" },
	{ 13436, AG_UNAVAILABLE, "the server is recovering and refused", "run it again later" },
	{ 16500, AG_UNAVAILABLE, "the server limits the rate of requests and refused",
	  "run it again later, or give the database more throughput" },
	{ 429, AG_UNAVAILABLE, "the server limits the rate of requests and refused",
	  "run it again later, or give the database more throughput" },
	{ 166, AG_INVALID, "a view has no answer to", NULL },
	{ 292, AG_LIMIT, "the server has too little memory for", NULL },
	{ 146, AG_LIMIT, "the server has too little memory for", NULL },
};

static ag_status of_server(const ag_mongo *m, const ag_mongo_command *c, const bson_error_t *why,
                           ag_err *err)
{
	const char *verb = ag_mongo_verb_name(c->verb);
	ag_str ns = c->collection;
	ag_status st = AG_INVALID;

	for (size_t i = 0; i < AG_NELEM(codes); i++) {
		if (codes[i].code != why->code)
			continue;
		st = ag_fail(err, codes[i].status, ORIGIN, "%.*s: %s %s%s%.*s%s%.*s: %.200s",
		             AG_FMT(m->place), codes[i].what, verb, c->database.len ? " on " : "",
		             AG_FMT(c->database), ns.len ? "." : "",
		             (int)(ns.len < 80 ? ns.len : 80), ns.ptr, why->message);
		if (why->code == UNAUTHORIZED && !m->user.len)
			ag_err_hint(
				err,
				"the address names no user: write mongodb://USER@host/…, with the "
				"password in " AG_MONGO_PASSWORD_ENV);
		else if (codes[i].hint)
			ag_err_hint(err, "%s", codes[i].hint);
		break;
	}
	if (st == AG_INVALID) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "%.*s: the server refused %s on %.*s%s%.*s: %.240s", AG_FMT(m->place), verb,
		        AG_FMT(c->database), ns.len ? "." : "", (int)(ns.len < 80 ? ns.len : 80),
		        ns.ptr, why->message);
	}
	if (err)
		err->native = (int)why->code;
	return st;
}

static ag_status of_login(const ag_mongo *m, const bson_error_t *why, ag_err *err)
{
	ag_fail(err, AG_DENIED, ORIGIN, "%.*s refused the login of user \"%.*s\": %.200s",
	        AG_FMT(m->place), AG_FMT(m->user), why->message);
	ag_err_hint(err,
	            "check user, password (%s) and where the user is known, now authSource=%.*s",
	            AG_MONGO_PASSWORD_ENV, AG_FMT(m->auth_source));
	return AG_DENIED;
}

static ag_status of_search(const ag_mongo *m, const ag_mongo_conn *conn, const bson_error_t *why,
                           ag_err *err)
{
	if (conn && conn->watch.why[0])
		ag_fail(err, AG_UNAVAILABLE, ORIGIN, "cannot connect to %s", conn->watch.why);
	else
		ag_fail(err, AG_UNAVAILABLE, ORIGIN, "%.*s: no server answers: %.250s",
		        AG_FMT(m->place), why->message);
	ag_err_hint(err,
	            "check host and port, that the server is running, and tls=true where it wants "
	            "TLS");
	return AG_UNAVAILABLE;
}

ag_status ag_mongo_failure(const ag_mongo *m, const ag_mongo_conn *conn, const ag_mongo_command *c,
                           const bson_error_t *why, const ag_ctx *ctx, ag_err *err)
{
	ag_status st = conn && conn->watch.is_stopped ? ag_ctx_check(ctx, err) : AG_OK;

	if (st)
		return st;
	if (conn && conn->watch.is_late) {
		ag_fail(err, AG_TIMEOUT, ORIGIN, "%.*s did not answer %s in time", AG_FMT(m->place),
		        ag_mongo_verb_name(c->verb));
		ag_err_hint(err, "give it more time with --max-seconds");
		return AG_TIMEOUT;
	}
	if (conn && conn->watch.is_garbled) {
		ag_fail(err, AG_PROTOCOL, ORIGIN,
		        "%.*s sent bytes that are no answer of MongoDB's protocol to %s",
		        AG_FMT(m->place), ag_mongo_verb_name(c->verb));
		ag_err_hint(
			err,
			"check host and port, that a MongoDB server is there, and tls=true where it wants TLS");
		return AG_PROTOCOL;
	}
	if (why->domain == MONGOC_ERROR_SERVER || why->domain == MONGOC_ERROR_WRITE_CONCERN)
		return of_server(m, c, why, err);
	if ((why->domain == MONGOC_ERROR_CLIENT && why->code == MONGOC_ERROR_CLIENT_AUTHENTICATE) ||
	    why->domain == MONGOC_ERROR_SCRAM || why->domain == MONGOC_ERROR_SASL)
		return of_login(m, why, err);
	if (why->domain == MONGOC_ERROR_SERVER_SELECTION)
		return of_search(m, conn, why, err);
	if (why->domain == MONGOC_ERROR_STREAM) {
		ag_fail(err, AG_UNAVAILABLE, ORIGIN,
		        "the connection to %.*s broke during %s: %.200s", AG_FMT(m->place),
		        ag_mongo_verb_name(c->verb), why->message);
		ag_err_hint(err, "check the server's log; run it again when the server answers");
		return AG_UNAVAILABLE;
	}
	ag_fail(err, AG_PROTOCOL, ORIGIN, "%.*s: %s failed: %.250s", AG_FMT(m->place),
	        ag_mongo_verb_name(c->verb),
	        why->message[0] ? why->message : "what the server says of itself cannot be read");
	ag_err_hint(err, "check that MongoDB 3.6 or later, or Azure Cosmos DB, is at this address");
	return AG_PROTOCOL;
}
