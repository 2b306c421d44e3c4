/* command -- see the header. */
#include "mongo/command.h"

#define ORIGIN      "mongo.command"
#define MAX_MEMBERS 16 /* of a command */

typedef enum target { OF_SERVER, OF_DATABASE, OF_COLLECTION, OF_CURSOR } target;

typedef struct verb_row {
	const char *name;
	target target;
	bool has_max_time, has_comment, can_explain;
} verb_row;

static const verb_row verbs[AG_MONGO_NVERB] = {
	[AG_MONGO_PING] = { "ping", OF_SERVER, true, false, false },
	[AG_MONGO_BUILD_INFO] = { "buildInfo", OF_SERVER, true, false, false },
	[AG_MONGO_LIST_DATABASES] = { "listDatabases", OF_SERVER, true, false, false },
	[AG_MONGO_LIST_COLLECTIONS] = { "listCollections", OF_DATABASE, true, false, false },
	[AG_MONGO_LIST_INDEXES] = { "listIndexes", OF_COLLECTION, true, false, false },
	[AG_MONGO_COLL_STATS] = { "collStats", OF_COLLECTION, true, false, false },
	[AG_MONGO_COUNT] = { "count", OF_COLLECTION, true, true, true },
	[AG_MONGO_FIND] = { "find", OF_COLLECTION, true, true, true },
	[AG_MONGO_AGGREGATE] = { "aggregate", OF_COLLECTION, true, true, true },
	[AG_MONGO_DISTINCT] = { "distinct", OF_COLLECTION, true, true, false },
	[AG_MONGO_GET_MORE] = { "getMore", OF_CURSOR, false, false, false },
	[AG_MONGO_KILL_CURSORS] = { "killCursors", OF_CURSOR, false, false, false },
	[AG_MONGO_REQUEST_STATISTICS] = { "getLastRequestStatistics", OF_DATABASE, false, false,
	                                  false },
};

/* The guard has refused these before; a second list, because this is the last place before the wire. */
static const char *const refused[] = { "$out", "$merge", "$where", "$function", "$accumulator" };

const char *ag_mongo_verb_name(ag_mongo_verb verb)
{
	return verbs[verb].name;
}

ag_status ag_mongo_verb_of(ag_str name, ag_mongo_verb *ret, ag_err *err)
{
	for (unsigned i = 0; i < AG_MONGO_NVERB; i++) {
		if (ag_str_eqc(name, verbs[i].name)) {
			*ret = (ag_mongo_verb)i;
			return AG_OK;
		}
	}
	ag_fail(err, AG_DENIED, ORIGIN, "the command \"%.*s\" is not one that Argus sends",
	        (int)(name.len < 60 ? name.len : 60), name.ptr);
	ag_err_hint(err, "only commands that read are in the table");
	return AG_DENIED;
}

/* --- the parts ----------------------------------------------------------------------------------- */

typedef struct command {
	ag_arena *arena;
	ag_member *m;
	size_t n;
} command;

static void put(command *c, const char *name, ag_val v)
{
	AG_ASSERT(c->n < MAX_MEMBERS);
	c->m[c->n++] = (ag_member){ ag_str_c(name), v };
}

static ag_val int64_val(int64_t i)
{
	ag_val v = { .type = AG_T_INT64 };

	v.u.i = i;
	return v;
}

static ag_status check_regex(ag_str pattern, ag_err *err)
{
	if (!ag_mongo_regex_is_unbounded(pattern))
		return AG_OK;
	ag_fail(err, AG_DENIED, ORIGIN,
	        "the pattern /%.*s/ is refused: it repeats a group that is itself repeated, which can "
	        "take a server exponential time",
	        (int)(pattern.len < 100 ? pattern.len : 100), pattern.ptr);
	ag_err_hint(err, "write (a+)+ as a+");
	return AG_DENIED;
}

/* {"$regex": "…"} and {"$regexMatch": {"input": …, "regex": "…"}}. */
static bool is_pattern(const ag_member *m)
{
	return m->val.type == AG_T_STRING &&
	       (ag_str_eqc(m->key, "$regex") || ag_str_eqc(m->key, "regex"));
}

static ag_status check_query(const ag_val *v, unsigned depth, ag_err *err)
{
	ag_status st = AG_OK;

	if (v->type == AG_T_REGEX)
		return check_regex(ag_str_make(v->u.regex.s, v->n), err);

	if (depth > 200)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the query is nested deeper than 200 levels");
	for (uint32_t i = 0; !st && v->type == AG_T_ARRAY && i < v->n; i++)
		st = check_query(&v->u.items[i], depth + 1, err);
	for (uint32_t i = 0; !st && v->type == AG_T_OBJECT && i < v->n; i++) {
		for (size_t k = 0; k < AG_NELEM(refused); k++)
			if (ag_str_eqc(v->u.members[i].key, refused[k]))
				return ag_fail(
					err, AG_DENIED, ORIGIN,
					"%s is refused: it writes or runs code on the server",
					refused[k]);
		if (is_pattern(&v->u.members[i]))
			st = check_regex(ag_val_text(&v->u.members[i].val), err);
		if (!st)
			st = check_query(&v->u.members[i].val, depth + 1, err);
	}
	return st;
}

static ag_status check_names(const ag_mongo_command *c, ag_err *err)
{
	const target t = verbs[c->verb].target;

	if (memchr(c->database.len ? c->database.ptr : "", 0, c->database.len) ||
	    memchr(c->collection.len ? c->collection.ptr : "", 0, c->collection.len))
		return ag_fail(err, AG_INVALID, ORIGIN,
		               "a name of a database or collection may not hold a NUL byte");
	if (t != OF_SERVER && !c->database.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "%s needs a database", verbs[c->verb].name);
	if ((t == OF_COLLECTION || t == OF_CURSOR) && !c->collection.len)
		return ag_fail(err, AG_INVALID, ORIGIN, "%s needs a collection",
		               verbs[c->verb].name);
	if (c->explain && !verbs[c->verb].can_explain)
		return ag_fail(err, AG_INVALID, ORIGIN, "%s has no plan to explain",
		               verbs[c->verb].name);
	return AG_OK;
}

static ag_val object1(ag_arena *arena, const char *name, ag_val v)
{
	ag_member *m = ag_new(arena, ag_member);

	*m = (ag_member){ ag_str_c(name), v };
	return ag_val_object(m, 1);
}

/* The cursor's options: {"cursor": {"batchSize": n}}. */
static void put_cursor(command *out, int32_t batch)
{
	put(out, "cursor",
	    batch ? object1(out->arena, "batchSize", ag_val_int(batch)) : ag_val_object(NULL, 0));
}

static void put_list_collections(const ag_mongo_command *c, command *out)
{
	put(out, "listCollections", ag_val_int(1));
	put(out, "filter", c->query ? *c->query : ag_val_object(NULL, 0));
	put(out, "authorizedCollections", ag_val_bool(true));
	/* Only with it may a user list who has rights on single collections. The type of each is in the answer. */
	put(out, "nameOnly", ag_val_bool(true));
	put_cursor(out, c->batch);
}

static void put_find(const ag_mongo_command *c, command *out)
{
	put(out, "filter", c->query ? *c->query : ag_val_object(NULL, 0));
	if (c->projection)
		put(out, "projection", *c->projection);
	if (c->sort)
		put(out, "sort", *c->sort);
	if (c->skip)
		put(out, "skip", int64_val(c->skip));
	if (c->limit)
		put(out, "limit", int64_val(c->limit));
	if (c->batch)
		put(out, "batchSize", ag_val_int(c->batch));
}

static void put_aggregate(const ag_mongo_command *c, command *out)
{
	put(out, "pipeline", c->query ? *c->query : ag_val_array(NULL, 0));
	put_cursor(out, c->batch);
	if (c->uses_disk)
		put(out, "allowDiskUse", ag_val_bool(true));
}

static void put_cursors(const ag_mongo_command *c, command *out)
{
	ag_val *id = ag_new(out->arena, ag_val);

	*id = int64_val(c->cursor);
	if (c->verb == AG_MONGO_GET_MORE) {
		put(out, "getMore", *id);
		put(out, "collection", ag_val_str(c->collection));
		if (c->batch)
			put(out, "batchSize", ag_val_int(c->batch));
		return;
	}
	put(out, "killCursors", ag_val_str(c->collection));
	put(out, "cursors", ag_val_array(id, 1));
}

static void put_body(const ag_mongo_command *c, command *out)
{
	switch (c->verb) {
	case AG_MONGO_LIST_COLLECTIONS: put_list_collections(c, out); return;
	case AG_MONGO_GET_MORE:
	case AG_MONGO_KILL_CURSORS: put_cursors(c, out); return;
	default: break;
	}
	put(out, verbs[c->verb].name,
	    verbs[c->verb].target == OF_COLLECTION ? ag_val_str(c->collection) : ag_val_int(1));
	switch (c->verb) {
	case AG_MONGO_LIST_DATABASES: put(out, "nameOnly", ag_val_bool(true)); break;
	case AG_MONGO_LIST_INDEXES: put_cursor(out, c->batch); break;
	case AG_MONGO_COUNT:
		if (c->query)
			put(out, "query", *c->query);
		break;
	case AG_MONGO_FIND: put_find(c, out); break;
	case AG_MONGO_AGGREGATE: put_aggregate(c, out); break;
	case AG_MONGO_DISTINCT:
		put(out, "key", ag_val_str(c->field));
		put(out, "query", c->query ? *c->query : ag_val_object(NULL, 0));
		break;
	default: break;
	}
}

ag_status ag_mongo_form(const ag_mongo_command *c, ag_arena *arena, ag_val *ret,
                        ag_str *ret_database, ag_err *err)
{
	const verb_row *row = &verbs[c->verb];
	command body = { arena, ag_new_n(arena, ag_member, MAX_MEMBERS), 0 };
	ag_status st = check_names(c, err);

	if (!st && c->query)
		st = check_query(c->query, 0, err);
	if (st)
		return st;
	put_body(c, &body);
	if (c->explain) {
		const ag_val inner = ag_val_object(body.m, body.n);

		body = (command){ arena, ag_new_n(arena, ag_member, MAX_MEMBERS), 0 };
		put(&body, "explain", inner);
		put(&body, "verbosity", ag_val_str(AG_S("queryPlanner")));
	}
	if (row->has_max_time && c->max_time_ms > 0)
		put(&body, "maxTimeMS", int64_val(c->max_time_ms));
	if (row->has_comment && c->comment.len)
		put(&body, "comment", ag_val_str(c->comment));
	*ret = ag_val_object(body.m, body.n);
	*ret_database = row->target == OF_SERVER ? AG_S("admin") : c->database;
	return AG_OK;
}
