/* sqlite_dictionary -- the structure of an SQLite file, read from its own tables of pragmas in one read transaction.
 *
 * What a view reads only SQLite knows: a view is listed when the guard lets SELECT * FROM it through. Rows are counted up
 * to COUNT_ROWS (exact), beyond it sqlite_stat1 says what ANALYZE last saw. Values come from tables alone: a view may
 * compute for long, a virtual table is somebody's code. There are no comments and no enums. */
#include <stdlib.h>

#include "sql/dictionary_build.h"
#include "sql/sqlite_sql.h"
#include "sql/sqlite_sql_text.h"

#define NTRY            3      /* a file that is provably quiet may yet change while it is read */
#define COUNT_ROWS      100000 /* counted in some milliseconds */
#define MAX_INDEXES     1000u
#define MAX_VALUE_BYTES (1 << 20) /* a row with a larger one ends the samples of its table */

typedef struct builder {
	ag_sqlite_conn *c;
	const ag_dictionary_opts *o;
	const ag_sql_policy *policy;
	ag_arena *arena, *scratch;
	ag_sql_catalog catalog;
	const ag_sql_relation **list;
	size_t n;
	ag_dict_table *tables; /* one for each of list */
	ag_sql_failure *failure;
	/* room for what belongs to one table, used again for the next */
	struct room {
		ag_dict_column columns[AG_DICTIONARY_MAX_COLUMNS];
		int places[AG_DICTIONARY_MAX_COLUMNS];
		ag_dict_key keys[AG_DICTIONARY_MAX_COLUMNS];
		ag_str names[AG_DICTIONARY_MAX_COLUMNS];
		ag_dict_index indexes[MAX_INDEXES];
		bool may[AG_DICTIONARY_MAX_COLUMNS];
	} * room;
} builder;

/* --- statements of ours --- */

/* The first bytes of a column as text, ptr NULL for NULL; gone with the next step. */
static ag_str text(sqlite3_stmt *stmt, int i)
{
	const char *s = (const char *)sqlite3_column_text(stmt, i);

	return ag_str_make(s, s ? (size_t)sqlite3_column_bytes(stmt, i) : 0);
}

/* NULL when it cannot be compiled, which then shows no rows: a table that cannot be read is no failure. */
static sqlite3_stmt *prepare(builder *b, const char *sql, ag_str name)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(b->c->db, sql, -1, &stmt, NULL))
		return NULL;
	if (name.ptr && sqlite3_bind_text(stmt, 1, name.ptr, (int)name.len, SQLITE_TRANSIENT)) {
		sqlite3_finalize(stmt);
		return NULL;
	}
	return stmt;
}

/* One more row? A stop is a failure of all; other errors end the rows. */
static bool step(builder *b, sqlite3_stmt *stmt)
{
	int rc = stmt ? sqlite3_step(stmt) : SQLITE_DONE;

	if (rc == SQLITE_ROW)
		return true;
	if (rc != SQLITE_DONE && (rc == SQLITE_INTERRUPT || b->c->is_stopped) && !b->failure->code)
		ag_sqlite_failure(b->c, rc, AG_S(""), b->arena, b->failure);
	return false;
}

/* "a""b" */
static void add_ident(ag_buf *out, ag_str name)
{
	ag_buf_addc(out, '"');
	for (size_t i = 0; i < name.len; i++) {
		if (name.ptr[i] == '"')
			ag_buf_addc(out, '"');
		ag_buf_addc(out, name.ptr[i]);
	}
	ag_buf_addc(out, '"');
}

/* --- which tables --- */

static int by_name(const void *a, const void *b)
{
	const ag_sql_relation *x = a, *y = b;

	return ag_str_cmp(x->name.name, y->name.name);
}

static bool may_read_view(builder *b, ag_str name)
{
	ag_buf sql = AG_BUF_INIT(name.len * 2 + 64);
	ag_sql_failure failure = { 0 };
	ag_sql_verdict v = { 0 };
	sqlite3_stmt *stmt;

	ag_buf_adds(&sql, "SELECT * FROM main.");
	add_ident(&sql, name);
	ag_sqlite_compile(b->c, ag_buf_view(&sql), AG_SQL_RUN, b->scratch, &stmt, &v, &failure);
	ag_sqlite_forget_last(b->c);
	ag_buf_release(&sql);
	return ag_sql_allowed(&v) && !failure.code;
}

static void select_tables(builder *b, ag_dictionary *d)
{
	ag_sql_relation *r = ag_new_n(b->scratch, ag_sql_relation, b->c->nrelation);
	size_t n = 0;

	for (size_t i = 0; i < b->c->nrelation; i++) {
		const ag_sqlite_relation *have = &b->c->relations[i];

		if (have->kind == 's' ||
		    ((have->kind == 'v' || have->kind == 'V') && !may_read_view(b, have->name)))
			continue;
		r[n++] = (ag_sql_relation){ .name = { AG_S("main"),
			                              ag_str_dup(b->scratch, have->name) },
			                    .kind = have->kind == 'v'   ? AG_SQL_VIEW
			                            : have->kind == 'V' ? AG_SQL_FOREIGN
			                                                : AG_SQL_TABLE };
	}
	qsort(r, n, sizeof(*r), by_name);
	b->catalog = (ag_sql_catalog){ .relations = r, .nrelation = n };
	b->list = ag_dictionary_select(b->policy, &b->catalog, b->scratch, &b->n, &d->is_cut);
}

static const ag_dict_table *find(const builder *b, ag_str name)
{
	for (size_t i = 0; i < b->n; i++) {
		if (ag_str_ieq(b->list[i]->name.name, name))
			return &b->tables[i];
	}
	return NULL;
}

/* --- columns --- */

enum { C_NAME, C_TYPE, C_NOT_NULL, C_DEFAULT, C_KEY, C_HIDDEN };

static void take_column(builder *b, sqlite3_stmt *stmt, ag_dict_column *c)
{
	ag_str type = text(stmt, C_TYPE);

	*c = (ag_dict_column){
		.name = ag_str_dup(b->arena, text(stmt, C_NAME)),
		.type = type.len ? ag_str_dup(b->arena, type) : AG_S("any"),
		.is_primary_key = sqlite3_column_int(stmt, C_KEY) > 0,
		.is_nullable = sqlite3_column_int(stmt, C_NOT_NULL) == 0,
		.is_generated = sqlite3_column_int(stmt, C_HIDDEN) > 1,
		.default_text = ag_str_dup(b->arena, text(stmt, C_DEFAULT)),
	};
}

static void read_columns(builder *b, ag_dict_table *t)
{
	static const char sql[] =
		"SELECT name, type, \"notnull\", dflt_value, pk, hidden"
		" FROM pragma_table_xinfo(?1, 'main') WHERE hidden <> 1 LIMIT 2000";
	ag_dict_column *columns = b->room->columns;
	int *places = b->room->places;
	sqlite3_stmt *stmt = prepare(b, sql, t->name);
	ag_dict_column *kept;
	ag_str *key;

	while (step(b, stmt) && t->ncolumn < AG_DICTIONARY_MAX_COLUMNS) {
		places[t->ncolumn] = sqlite3_column_int(stmt, C_KEY);
		t->nprimary_key += places[t->ncolumn] > 0;
		take_column(b, stmt, &columns[t->ncolumn++]);
	}
	sqlite3_finalize(stmt);
	kept = ag_new_n(b->arena, ag_dict_column, t->ncolumn);
	key = ag_new_n(b->arena, ag_str, t->nprimary_key);
	for (size_t i = 0; i < t->ncolumn; i++) {
		kept[i] = columns[i];
		if (places[i] > 0 && (size_t)places[i] <= t->nprimary_key)
			key[places[i] - 1] = kept[i].name;
		/* the rowid under another name is never NULL */
		if (places[i] == 1 && t->nprimary_key == 1 &&
		    ag_str_ieq(kept[i].type, AG_S("INTEGER")))
			kept[i].is_nullable = false;
	}
	t->columns = kept;
	t->primary_key = key;
	ag_dictionary_mark(t, kept, b->o);
}

/* --- foreign keys --- */

enum { F_ID, F_SEQ, F_TABLE, F_FROM, F_TO };

static bool take_key(builder *b, sqlite3_stmt *stmt, ag_dict_key *ret)
{
	const ag_dict_table *parent = find(b, text(stmt, F_TABLE));
	size_t seq = (size_t)sqlite3_column_int(stmt, F_SEQ);
	ag_str to = text(stmt, F_TO);

	if (!parent) /* there is no such table, or it is not listed */
		return false;
	if (!to.ptr) /* REFERENCES parent: its primary key */
		to = seq < parent->nprimary_key ? parent->primary_key[seq] : AG_S("rowid");
	*ret = (ag_dict_key){
		.column = ag_str_dup(b->arena, text(stmt, F_FROM)),
		.references_schema = parent->schema,
		.references_table = parent->name,
		.references_column = ag_str_dup(b->arena, to),
		.constraint = ag_str_printf(b->arena, "foreign_key_%d",
		                            sqlite3_column_int(stmt, F_ID)),
	};
	return true;
}

static void read_keys(builder *b, ag_dict_table *t)
{
	static const char sql[] =
		"SELECT id, seq, \"table\", \"from\", \"to\""
		" FROM pragma_foreign_key_list(?1, 'main') ORDER BY id, seq LIMIT 2000";
	ag_dict_key *keys = b->room->keys, *kept;
	sqlite3_stmt *stmt = prepare(b, sql, t->name);

	while (step(b, stmt) && t->nforeign_key < AG_DICTIONARY_MAX_COLUMNS)
		t->nforeign_key += take_key(b, stmt, &keys[t->nforeign_key]);
	sqlite3_finalize(stmt);
	kept = ag_new_n(b->arena, ag_dict_key, t->nforeign_key);
	if (t->nforeign_key)
		memcpy(kept, keys, t->nforeign_key * sizeof(*kept));
	t->foreign_keys = kept;
}

/* --- indexes --- */

/* Part nr of the list in CREATE INDEX i ON t (a, lower(b) DESC): what the pragma calls an expression, as it was written.
 * Without blanks at its ends. */
static ag_str written_column(ag_str sql, int nr)
{
	size_t at = 0, begin = 0, end;
	ag_sqlite_token kind;
	int depth = 0;
	ag_str token;

	do {
		end = at;
		kind = ag_sqlite_next(sql, &at, &token);
		if (kind != AG_SQLITE_OTHER || token.len == 0)
			continue;
		depth += token.ptr[0] == '(' ? 1 : token.ptr[0] == ')' ? -1 : 0;
		if (depth == 1 && token.ptr[0] == '(')
			begin = at;
		if ((depth == 1 && token.ptr[0] == ',') || (depth == 0 && token.ptr[0] == ')')) {
			if (nr-- == 0)
				return ag_str_trim(ag_str_make(sql.ptr + begin, end - begin));
			begin = at;
		}
	} while (kind != AG_SQLITE_END);
	return AG_S("(expression)");
}

static ag_str index_sql(builder *b, ag_str name)
{
	sqlite3_stmt *stmt = prepare(
		b, "SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND name = ?1", name);
	ag_str sql = step(b, stmt) ? ag_str_dup(b->scratch, text(stmt, 0)) : AG_S("");

	sqlite3_finalize(stmt);
	return sql;
}

static void read_index_columns(builder *b, ag_dict_index *x)
{
	static const char sql[] = "SELECT seqno, name FROM pragma_index_xinfo(?1, 'main')"
				  " WHERE key = 1 ORDER BY seqno LIMIT 2000";
	ag_str *columns = b->room->names, *kept;
	sqlite3_stmt *stmt = prepare(b, sql, x->name);

	while (step(b, stmt) && x->ncolumn < AG_DICTIONARY_MAX_COLUMNS) {
		ag_str name = text(stmt, 1);

		if (!name.ptr)
			name = written_column(index_sql(b, x->name), sqlite3_column_int(stmt, 0));
		columns[x->ncolumn++] = ag_str_dup(b->arena, name);
	}
	sqlite3_finalize(stmt);
	kept = ag_new_n(b->arena, ag_str, x->ncolumn);
	if (x->ncolumn)
		memcpy(kept, columns, x->ncolumn * sizeof(*kept));
	x->columns = kept;
}

static void read_indexes(builder *b, ag_dict_table *t)
{
	static const char sql[] =
		"SELECT name, \"unique\", origin FROM pragma_index_list(?1, 'main')"
		" ORDER BY name LIMIT 1000";
	ag_dict_index *indexes = b->room->indexes, *kept;
	sqlite3_stmt *stmt = prepare(b, sql, t->name);

	while (step(b, stmt) && t->nindex < MAX_INDEXES) {
		ag_dict_index *x = &indexes[t->nindex++];

		*x = (ag_dict_index){
			.name = ag_str_dup(b->arena, text(stmt, 0)),
			.is_unique = sqlite3_column_int(stmt, 1) != 0,
			.is_primary = ag_str_eqc(text(stmt, 2), "pk"),
		};
	}
	sqlite3_finalize(stmt);
	kept = ag_new_n(b->arena, ag_dict_index, t->nindex);
	for (size_t i = 0; i < t->nindex; i++) {
		kept[i] = indexes[i];
		read_index_columns(b, &kept[i]);
	}
	t->indexes = kept;
}

/* --- rows --- */

static sqlite3_stmt *prepare_of(builder *b, const char *before, ag_str table, const char *after)
{
	ag_buf sql = AG_BUF_INIT(table.len * 2 + 256);
	sqlite3_stmt *stmt = NULL;

	ag_buf_adds(&sql, before);
	add_ident(&sql, table);
	ag_buf_adds(&sql, after);
	if (!sql.failed)
		stmt = prepare(b, sql.ptr, ag_str_make(NULL, 0));
	ag_buf_release(&sql);
	return stmt;
}

/* The first number of "1200 12 1" is the table's rows. */
static int64_t analyzed_rows(builder *b, ag_str table)
{
	sqlite3_stmt *stmt = prepare(
		b, "SELECT max(CAST(stat AS INTEGER)) FROM main.sqlite_stat1 WHERE tbl = ?1",
		table);
	int64_t n = -1;

	if (step(b, stmt) && sqlite3_column_type(stmt, 0) == SQLITE_INTEGER)
		n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return n;
}

static void count_rows(builder *b, ag_dict_table *t)
{
	sqlite3_stmt *stmt = prepare_of(b, "SELECT count(*) FROM (SELECT 1 FROM main.", t->name,
	                                " LIMIT 100001)");

	t->row_count = -1;
	if (step(b, stmt) && sqlite3_column_int64(stmt, 0) <= COUNT_ROWS) {
		t->row_count = sqlite3_column_int64(stmt, 0);
		t->is_row_count_exact = true;
	} else {
		t->row_count = analyzed_rows(b, t->name);
	}
	sqlite3_finalize(stmt);
}

/* --- values --- */

static bool contains_any_case(ag_str s, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= s.len; i++) {
		if (ag_str_ieq(ag_str_make(s.ptr + i, n), ag_str_c(part)))
			return true;
	}
	return false;
}

static bool is_short_type(ag_str type)
{
	return !contains_any_case(type, "blob") && !contains_any_case(type, "json") &&
	       !contains_any_case(type, "xml") && !contains_any_case(type, "binary");
}

static sqlite3_stmt *prepare_values(builder *b, const ag_dict_sampler *s)
{
	ag_buf sql = AG_BUF_INIT(4u * 1024 * 1024);
	sqlite3_stmt *stmt = NULL;

	ag_buf_adds(&sql, "SELECT ");
	for (size_t i = 0; i < s->ncolumn; i++) {
		ag_str name = s->table->columns[s->columns[i]].name;

		ag_buf_adds(&sql, i ? ", CASE typeof(" : "CASE typeof(");
		add_ident(&sql, name);
		ag_buf_adds(&sql, ") WHEN 'blob' THEN NULL ELSE substr(");
		add_ident(&sql, name);
		ag_buf_addf(&sql, ", 1, %u) END", AG_DICTIONARY_SAMPLE_CHARS + 1);
	}
	ag_buf_adds(&sql, " FROM main.");
	add_ident(&sql, s->table->name);
	ag_buf_addf(&sql, " LIMIT %d", AG_DICTIONARY_SAMPLE_ROWS);
	if (!sql.failed)
		stmt = prepare(b, sql.ptr, ag_str_make(NULL, 0));
	ag_buf_release(&sql);
	return stmt;
}

static void read_samples(builder *b, ag_dict_table *t)
{
	bool *may = b->room->may;
	ag_dict_sampler s;
	sqlite3_stmt *stmt;
	ag_str *cell;
	int limit;

	for (size_t i = 0; i < t->ncolumn; i++)
		may[i] = is_short_type(t->columns[i].type);
	ag_dictionary_sampler(t, may, b->scratch, &s);
	if (s.ncolumn == 0)
		return;
	cell = ag_new_n(b->scratch, ag_str, s.ncolumn);
	stmt = prepare_values(b, &s);
	limit = sqlite3_limit(b->c->db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
	while (s.nfull < s.ncolumn && step(b, stmt)) {
		for (size_t i = 0; i < s.ncolumn; i++)
			cell[i] = text(stmt, (int)i);
		ag_dictionary_take_row(&s, cell, b->o, b->arena);
	}
	sqlite3_limit(b->c->db, SQLITE_LIMIT_LENGTH, limit);
	sqlite3_finalize(stmt);
}

/* --- all of it --- */

static void read_table(builder *b, size_t i)
{
	ag_dict_table *t = &b->tables[i];
	ag_sql_relation_kind kind = b->list[i]->kind;

	read_indexes(b, t);
	read_keys(b, t);
	t->row_count = -1;
	if (kind != AG_SQL_TABLE)
		return;
	count_rows(b, t);
	if (b->o->with_samples &&
	    !ag_dictionary_is_closed(&b->catalog, b->list[i], b->o, b->scratch))
		read_samples(b, t);
}

static void read_all(builder *b, ag_dictionary *d)
{
	select_tables(b, d);
	b->tables = ag_new_n(b->arena, ag_dict_table, b->n);
	for (size_t i = 0; i < b->n && !b->failure->code; i++) {
		ag_dict_table *t = &b->tables[i];

		t->schema = AG_S("main");
		t->name = ag_str_dup(b->arena, b->list[i]->name.name);
		t->type = b->list[i]->kind == AG_SQL_VIEW ? "view" : "table";
		read_columns(b, t);
	}
	for (size_t i = 0; i < b->n && !b->failure->code;
	     i++) /* keys ask for the columns of others */
		read_table(b, i);
	d->schema = AG_S("main");
	d->tables = b->tables;
	d->ntable = b->n;
}

/* False: the file was changed meanwhile. */
static bool try_once(ag_sqlite_sql *s, builder *b, ag_dictionary *d)
{
	*b->failure = (ag_sql_failure){ 0 };
	if (!ag_sqlite_sql_begin(s, b->arena, &b->c, b->failure))
		return true;
	read_all(b, d);
	return ag_sqlite_sql_end(b->c);
}

void ag_sqlite_introspect(ag_sqlite_sql *s, const ag_dictionary_opts *o, ag_arena *arena,
                          ag_dictionary *ret, ag_sql_failure *ret_failure)
{
	for (int i = 0; i < NTRY; i++) {
		AG_AUTO(ag_arena_freep) ag_arena *scratch = ag_arena_new();
		ag_dictionary d = { 0 };
		builder b = {
			.o = o,
			.policy = &s->opts->policy,
			.arena = arena,
			.scratch = scratch,
			.failure = ret_failure,
			.room = ag_arena_alloc(scratch, sizeof(*b.room)),
		};

		if (!try_once(s, &b, &d))
			continue;
		*ret = d;
		return;
	}
	ag_sql_failure_of_state("40001", ret_failure);
	ret_failure->message = AG_S("the database was changed again and again while it was read");
}
