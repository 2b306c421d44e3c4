/* user_types -- types that the database's users made, by number: read when a target connects first; the caller asks for those
 * that are new.
 *
 * Enums, domains, types of extensions. Row types of tables are not read at first: there is one for each table, and a
 * statement seldom selects a whole row as one value. */
#include "pg/parts.h"

#include <stdlib.h>

#define MAX_TYPES 20000u /* kept of one target; further ones are text without a name */

/* What an array's elements or a domain are made of decides the kind. */
#define SELECT_TYPES                                                                                \
	"SELECT t.oid, pg_catalog.format_type(t.oid, NULL), t.typcategory = 'A' AND t.typlen = -1," \
	" t.typdelim, COALESCE(NULLIF(e.typbasetype, 0), e.oid, NULLIF(t.typbasetype, 0), t.oid)"   \
	" FROM pg_catalog.pg_type t"                                                                \
	" LEFT JOIN pg_catalog.pg_type e ON t.typcategory = 'A' AND t.typlen = -1"                  \
	" AND e.oid = t.typelem "

const char ag_pg_types_all[] = SELECT_TYPES
	"WHERE t.oid >= 16384 AND t.typtype <> 'c' AND COALESCE(e.typtype, 'b') <> 'c'"
	" ORDER BY t.oid LIMIT 10000";
const char ag_pg_types_some[] = SELECT_TYPES "WHERE t.oid = ANY($1::oid[])";

/* Where it is, or belongs. */
static size_t place(const ag_pg_user_types *types, uint32_t oid)
{
	size_t low = 0, high = types->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (types->row[mid].oid < oid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A type that was renamed or replaced keeps its old row until the handle is closed: calls may hold its name. */
static void add(ag_pg *pg, ag_pg_type type, ag_str name)
{
	ag_pg_user_types *types = &pg->types;
	char *kept;
	size_t at;

	pthread_mutex_lock(&pg->lock);
	at = place(types, type.oid);
	if (types->n < MAX_TYPES && (at == types->n || types->row[at].oid != type.oid)) {
		if (types->n == types->cap) {
			types->cap = types->cap ? types->cap * 2 : 32;
			types->row = (ag_pg_type *)ag_xrealloc(types->row,
			                                       types->cap * sizeof(*types->row));
		}
		memmove(types->row + at + 1, types->row + at,
		        (types->n - at) * sizeof(*types->row));
		kept = (char *)ag_xmalloc(name.len + 1);
		memcpy(kept, name.ptr, name.len);
		kept[name.len] = '\0';
		type.name = kept;
		types->row[at] = type;
		types->n++;
	}
	pthread_mutex_unlock(&pg->lock);
}

void ag_pg_types_add(ag_pg *pg, const ag_str cell[AG_PG_TYPES_NCOLUMN])
{
	ag_pg_type type = { .kind = AG_PG_TEXT, .delimiter = ',' }, base;
	ag_str name = cell[1];
	uint64_t oid, base_oid;

	if (!ag_str_to_u64(cell[0], &oid) || oid > UINT32_MAX)
		return;
	type.oid = (uint32_t)oid;
	type.is_array = ag_str_eqc(cell[2], "t");
	if (cell[3].len == 1)
		type.delimiter = cell[3].ptr[0];
	if (ag_str_to_u64(cell[4], &base_oid) && base_oid <= UINT32_MAX &&
	    ag_pg_type_builtin((uint32_t)base_oid, &base) && !base.is_array)
		type.kind = base.kind;
	if (type.is_array && ag_str_ends(name, AG_S("[]")))
		name.len -= 2;
	add(pg, type, name);
}

bool ag_pg_type_of(ag_pg *pg, uint32_t oid, ag_pg_type *ret)
{
	size_t at;
	bool is_known;

	if (ag_pg_type_builtin(oid, ret))
		return true;
	pthread_mutex_lock(&pg->lock);
	at = place(&pg->types, oid);
	is_known = at < pg->types.n && pg->types.row[at].oid == oid;
	if (is_known)
		*ret = pg->types.row[at];
	pthread_mutex_unlock(&pg->lock);
	return is_known;
}

void ag_pg_types_add_unknown(ag_pg *pg, uint32_t oid)
{
	add(pg, (ag_pg_type){ .oid = oid, .kind = AG_PG_TEXT, .delimiter = ',' }, AG_S("unknown"));
}

void ag_pg_types_release(ag_pg *pg)
{
	for (size_t i = 0; i < pg->types.n; i++)
		free((char *)(uintptr_t)pg->types.row[i].name);
	free(pg->types.row);
}
