/* mongo_list -- the collections of an address: one, those that fit a pattern, a database, or a whole server. */
#include "documents/mongo_source.h"

#include <stdlib.h>

#include "documents/cosmos.h"
#include "query/bson.h"

#define ORIGIN          "documents.mongo"
#define MAX_COLLECTIONS 100000
#define MAX_NAME        1024 /* bytes; MongoDB's limit is 255 with the database */

typedef struct found {
	ag_arena *arena;
	ag_mongo_entry *items;
	size_t n, cap;
} found;

static ag_status take_entry(void *arg, ag_str bson, bool *stop, ag_err *err)
{
	found *f = (found *)arg;
	ag_val v;
	ag_status st = ag_bson_read(ag_str_dup(f->arena, bson), f->arena, &v, err);

	if (st)
		return st;
	if (f->n == MAX_COLLECTIONS) {
		*stop = true;
		return ag_fail(err, AG_LIMIT, ORIGIN, "the database has more than %d collections",
		               MAX_COLLECTIONS);
	}
	if (f->n == f->cap) {
		ag_mongo_entry *more = ag_new_n(f->arena, ag_mongo_entry, f->cap * 2 + 64);

		if (f->n)
			memcpy(more, f->items, f->n * sizeof(*more));
		f->items = more;
		f->cap = f->cap * 2 + 64;
	}
	f->items[f->n].name = ag_val_member_str(&v, "name");
	if (f->items[f->n].name.len > MAX_NAME) {
		*stop = true;
		ag_fail(err, AG_PROTOCOL, ORIGIN,
		        "the server lists a collection whose name has %zu bytes; at most %d are possible",
		        f->items[f->n].name.len, MAX_NAME);
		ag_err_hint(err,
		            "check that a MongoDB server or Azure Cosmos DB is at this address");
		return AG_PROTOCOL;
	}
	f->items[f->n].type = ag_val_member_str(&v, "type");
	f->items[f->n].is_capped = ag_val_member_bool(ag_val_getc(&v, "options"), "capped");
	f->n += f->items[f->n].name.len > 0;
	return AG_OK;
}

ag_str ag_mongo_kind(const ag_mongo_entry *e)
{
	if (ag_str_eqc(e->type, "view"))
		return AG_S("view");
	if (ag_str_eqc(e->type, "timeseries"))
		return AG_S("timeseries");
	return e->is_capped ? AG_S("capped") : AG_S("");
}

static int by_name(const void *a, const void *b)
{
	return ag_str_cmp(((const ag_mongo_entry *)a)->name, ((const ag_mongo_entry *)b)->name);
}

ag_status ag_mongo_collections(ag_mongo *m, const ag_ctx *ctx, ag_str database,
                               ag_mongo_meter *meter, ag_arena *arena, ag_mongo_entry **ret,
                               size_t *nret, ag_err *err)
{
	const ag_mongo_command c = { .verb = AG_MONGO_LIST_COLLECTIONS,
		                     .database = database,
		                     .batch = AG_MONGO_BATCH,
		                     .meter = meter };
	found f = { .arena = arena };
	ag_status st = ag_mongo_each(m, ctx, &c, take_entry, &f, err);

	if (st)
		return st;
	if (f.n > 1)
		qsort(f.items, f.n, sizeof(*f.items), by_name);
	*ret = f.items;
	*nret = f.n;
	return AG_OK;
}

/* The databases that hold data of users. */
static ag_status databases(ag_mongo *m, const ag_ctx *ctx, ag_arena *arena, ag_str **ret,
                           size_t *nret, ag_err *err)
{
	const ag_mongo_command c = { .verb = AG_MONGO_LIST_DATABASES };
	const ag_val *list;
	ag_val v;
	size_t n = 0;
	ag_status st = ag_mongo_run(m, ctx, &c, arena, &v, err);

	if (st) {
		if (st == AG_DENIED)
			ag_err_hint(err, "name the database: mongodb://host/database");
		return st;
	}
	list = ag_val_getc(&v, "databases");
	*ret = ag_new_n(arena, ag_str, list && list->type == AG_T_ARRAY ? list->n : 1);
	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n; i++) {
		const ag_str name = ag_val_member_str(&list->u.items[i], "name");

		if (name.len && !ag_str_eqc(name, "admin") && !ag_str_eqc(name, "local") &&
		    !ag_str_eqc(name, "config"))
			(*ret)[n++] = name;
	}
	*nret = n;
	return AG_OK;
}

static bool is_system(ag_str name)
{
	return ag_str_starts(name, AG_S("system."));
}

/* e NULL = it has not been looked up. */
static ag_source_place place_of(const ag_mongo_address *a, ag_str database, ag_str collection,
                                const ag_mongo_entry *e, ag_arena *arena)
{
	ag_mongo_place *of = ag_new(arena, ag_mongo_place);

	*of = (ag_mongo_place){ .address = *a,
		                .database = database,
		                .collection = collection,
		                .is_known = e != NULL,
		                .kind = e ? ag_mongo_kind(e) : AG_S("") };
	return (ag_source_place){
		.uri = ag_mongo_address_of(a, database, collection, arena),
		.key = ag_str_printf(arena, "%.*s/%.*s/%.*s", AG_FMT(a->place), AG_FMT(database),
		                     AG_FMT(collection)),
		.collection = collection,
		.of = of,
	};
}

/* Only Azure knows the server of a Cosmos DB account, so the address of the account identifies it. */
ag_source_root ag_mongo_base(ag_str uri, ag_arena *arena)
{
	ag_source_root root = { .key = AG_S("") };
	ag_mongo_address a;

	if (ag_cosmos_is_uri(uri)) {
		root.is_uri = true;
		root.key = ag_cosmos_base(uri, arena, &root.is_one);
	} else if (ag_mongo_address_parse(uri, arena, &a, NULL)) {
		return root;
	} else if (!a.database.len) {
		root.key = a.place;
	} else if (!a.collection.len || a.is_pattern) {
		root.key = ag_str_printf(arena, "%.*s/%.*s", AG_FMT(a.place), AG_FMT(a.database));
	} else {
		root.key = ag_str_printf(arena, "%.*s/%.*s/%.*s", AG_FMT(a.place),
		                         AG_FMT(a.database), AG_FMT(a.collection));
	}
	return root;
}

/* A view shows documents of a collection again; in a list of all it would be counted twice. */
static bool is_listed(const ag_mongo_address *a, const ag_mongo_entry *e)
{
	return !is_system(e->name) && !ag_str_eqc(e->type, "view") &&
	       (!a->collection.len || ag_mongo_name_fits(a->collection, e->name));
}

typedef struct listing {
	const ag_ctx *ctx;
	ag_arena *arena;
	ag_mongo_address a;
	ag_mongo *m;
} listing;

static ag_status open_listing(const ag_ctx *ctx, ag_str uri, ag_arena *arena, listing *ret,
                              ag_err *err)
{
	*ret = (listing){ .ctx = ctx, .arena = arena };
	return ag_cosmos_is_uri(uri) ? ag_cosmos_address(ctx, uri, arena, &ret->a, err)
	                             : ag_mongo_address_parse(uri, arena, &ret->a, err);
}

/* The databases of the address, and per database its collections. */
static ag_status list_all(listing *l, ag_str **ret_db, ag_mongo_entry ***ret, size_t **ret_n,
                          size_t *ret_ndb, ag_err *err)
{
	ag_status st = ag_mongo_open(&l->a, &l->m, err);

	if (st)
		return st;
	if (l->a.database.len) {
		*ret_db = ag_new(l->arena, ag_str);
		**ret_db = l->a.database;
		*ret_ndb = 1;
	} else {
		st = databases(l->m, l->ctx, l->arena, ret_db, ret_ndb, err);
	}
	if (!st) {
		*ret = ag_new_n(l->arena, ag_mongo_entry *, *ret_ndb + 1);
		*ret_n = ag_new_n(l->arena, size_t, *ret_ndb + 1);
	}
	for (size_t i = 0; !st && i < *ret_ndb; i++)
		st = ag_mongo_collections(l->m, l->ctx, (*ret_db)[i], NULL, l->arena, &(*ret)[i],
		                          &(*ret_n)[i], err);
	ag_mongo_close(l->m);
	return st;
}

static ag_status fail_none(const ag_mongo_address *a, ag_err *err)
{
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "%.*s: %s%.*s has no collection%s%.*s", AG_FMT(a->place),
	        a->database.len ? "database " : "the server", AG_FMT(a->database),
	        a->collection.len ? " that fits " : "", AG_FMT(a->collection));
	ag_err_hint(err, "check the name: letters count as upper and lower case");
	return AG_NOT_FOUND;
}

ag_status ag_mongo_list(const ag_ctx *ctx, ag_str uri, ag_arena *arena, ag_source_place **ret,
                        size_t *nret, ag_err *err)
{
	ag_mongo_entry **all = NULL;
	ag_str *dbs = NULL;
	size_t *n = NULL, ndb = 0, total = 0;
	listing l;
	ag_status st = open_listing(ctx, uri, arena, &l, err);

	if (st)
		return st;
	if (l.a.collection.len && !l.a.is_pattern) {
		*ret = ag_new(arena, ag_source_place);
		**ret = place_of(&l.a, l.a.database, l.a.collection, NULL, arena);
		*nret = 1;
		return AG_OK;
	}
	st = list_all(&l, &dbs, &all, &n, &ndb, err);
	if (st)
		return st;
	for (size_t i = 0; i < ndb; i++)
		total += n[i];
	*ret = ag_new_n(arena, ag_source_place, total + 1);
	*nret = 0;
	for (size_t i = 0; i < ndb; i++)
		for (size_t k = 0; k < n[i]; k++)
			if (is_listed(&l.a, &all[i][k]))
				(*ret)[(*nret)++] = place_of(&l.a, dbs[i], all[i][k].name,
				                             &all[i][k], arena);
	return *nret ? AG_OK : fail_none(&l.a, err);
}

ag_status ag_mongo_skipped(const ag_ctx *ctx, ag_str uri, ag_arena *arena, ag_source_skip **ret,
                           size_t *nret, ag_err *err)
{
	ag_mongo_entry **all = NULL;
	ag_str *dbs = NULL;
	size_t *n = NULL, ndb = 0, total = 0;
	listing l;
	ag_status st = open_listing(ctx, uri, arena, &l, err);

	*ret = NULL;
	*nret = 0;
	if (st || (l.a.collection.len && !l.a.is_pattern))
		return st;
	st = list_all(&l, &dbs, &all, &n, &ndb, err);
	for (size_t i = 0; !st && i < ndb; i++)
		total += n[i];
	*ret = ag_new_n(arena, ag_source_skip, total + 1);
	for (size_t i = 0; !st && i < ndb; i++) {
		for (size_t k = 0; k < n[i]; k++) {
			const ag_mongo_entry *e = &all[i][k];

			if (is_system(e->name) || !ag_str_eqc(e->type, "view") ||
			    (l.a.collection.len && !ag_mongo_name_fits(l.a.collection, e->name)))
				continue;
			(*ret)[(*nret)++] = (ag_source_skip){
				.path = ag_mongo_address_of(&l.a, dbs[i], e->name, arena),
				.reason = "view",
				.next_step = "name it to check it: its documents are of a "
					     "collection",
			};
		}
	}
	return st;
}
