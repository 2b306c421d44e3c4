/* What the drivers and the modules above them share: values, transactions, lists of rows. */
#include "store/driver.h"

#include <stdlib.h>

#include "store/group.h"
#include "store/store.h"

#define ORIGIN "store"
#define MAX_TRIES \
	10 /* of a transaction whose connection is lost; each waits for the database as long as it has patience */

/* --- values --- */

int64_t ag_db_get_int(const ag_db_val *v)
{
	return v->kind == AG_DB_INT ? v->i : 0;
}

uint64_t ag_db_get_u64(const ag_db_val *v)
{
	const int64_t i = ag_db_get_int(v);

	return i > 0 ? (uint64_t)i : 0;
}

double ag_db_get_real(const ag_db_val *v)
{
	return v->kind == AG_DB_REAL ? v->real : (double)ag_db_get_int(v);
}

ag_str ag_db_get_view(const ag_db_val *v)
{
	return v->kind == AG_DB_TEXT ? v->text : AG_S("");
}

ag_str ag_db_get_text(const ag_db_val *v, ag_arena *arena)
{
	return ag_str_dup(arena, ag_db_get_view(v));
}

ag_id ag_db_get_id(const ag_db_val *v)
{
	ag_id id = { "" };

	AG_IGNORE(!ag_id_parse(ag_db_get_view(v), &id), "stays empty");
	return id;
}

/* --- transactions and statements --- */

ag_status ag_db_begin(ag_db *db, ag_db_begin_kind kind, ag_str scope, ag_err *err)
{
	return db->type->begin(db, kind, scope, err);
}

ag_status ag_db_end(ag_db *db, ag_status st, ag_err *err)
{
	if (!st)
		st = db->type->commit(db, err);
	if (st)
		db->type->rollback(db);
	return st;
}

ag_status ag_db_transact(ag_db *db, ag_db_begin_kind kind, ag_str scope,
                         ag_status (*work)(ag_db *db, void *arg, bool is_again, ag_err *err),
                         void *arg, ag_err *err)
{
	ag_status st = AG_OK;
	bool is_lost = false;

	if (db->group && kind != AG_DB_READ)
		return ag_db_group_transact(db, kind, scope, work, arg, err);
	for (int i = 0; i < MAX_TRIES; i++) {
		ag_err why = { 0 };

		st = ag_db_begin(db, kind, scope, &why);
		if (!st)
			st = ag_db_end(db, work(db, arg, is_lost, &why), &why);
		if (st && err)
			*err = why;
		is_lost = st && db->type->is_lost(&why);
		if (!is_lost)
			break;
	}
	return st;
}

ag_status ag_db_run(ag_db *db, const ag_sql *sql, ag_db_args args, ag_db_out *out, ag_err *err)
{
	return db->type->run(db, sql, args, out, err);
}

ag_status ag_db_run_many(ag_db *db, const ag_sql *sql, ag_db_args args, size_t nrow,
                         size_t *ret_unchanged, ag_err *err)
{
	return db->type->run_many(db, sql, args, nrow, ret_unchanged, err);
}

ag_status ag_db_tell(ag_db *db, ag_err *err)
{
	return db->type->tell ? db->type->tell(db, err) : AG_OK;
}

void ag_db_close(ag_db *db)
{
	if (db)
		db->type->close(db);
}

/* --- lists of rows --- */

void ag_rows_release(ag_rows *r)
{
	free(r->ptr);
}

void *ag_rows_add(ag_rows *r)
{
	if (r->n == r->cap) {
		r->cap = r->cap ? 2 * r->cap : 64;
		r->ptr = ag_xrealloc(r->ptr, r->cap * r->size);
	}
	return memset(r->ptr + r->size * r->n++, 0, r->size);
}

void *ag_rows_dup(const ag_rows *r, ag_arena *arena)
{
	void *copy = ag_arena_alloc(arena, r->n ? r->n * r->size : 1);

	if (r->n)
		memcpy(copy, r->ptr, r->n * r->size);
	return copy;
}

void ag_reading_release(ag_reading *r)
{
	ag_rows_release(&r->rows);
}

ag_status ag_reading_check(const ag_reading *r, ag_err *err)
{
	if (r->nbyte <= AG_STORE_MAX_READ_BYTES)
		return AG_OK;
	return ag_fail(err, AG_LIMIT, ORIGIN, "%s larger than %u MB, too much to read at once",
	               r->what, AG_STORE_MAX_READ_BYTES >> 20);
}
