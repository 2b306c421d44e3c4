/* Rows as records while they come. One more step than rows may be given back proves that there are more. The parent writes
 * the JSON and knows exactly what fits; a row that cannot fit in any way is not sent. */
#include "sql/sqlite_sql.h"

/* A cell has its kind and a number or a length beside its bytes. */
#define CELL_BYTES 9u

/* --- cells --- */

/* False: alone it is longer than the whole result may be. */
static bool add_cell(ag_buf *b, sqlite3_stmt *stmt, int i, size_t max_bytes)
{
	int type = sqlite3_column_type(stmt, i);
	const void *bytes;
	size_t size;
	double d;

	switch (type) {
	case SQLITE_NULL: ag_sqlite_add_u8(b, AG_SQLITE_CELL_NULL); return true;
	case SQLITE_INTEGER:
		ag_sqlite_add_u8(b, AG_SQLITE_CELL_INT);
		ag_sqlite_add_u64(b, (uint64_t)sqlite3_column_int64(stmt, i));
		return true;
	case SQLITE_FLOAT:
		ag_sqlite_add_u8(b, AG_SQLITE_CELL_REAL);
		d = sqlite3_column_double(stmt, i);
		ag_buf_add(b, ag_str_make((const char *)&d, sizeof(d)));
		return true;
	default: break;
	}
	bytes = type == SQLITE_BLOB ? sqlite3_column_blob(stmt, i)
	                            : (const void *)sqlite3_column_text(stmt, i);
	size = bytes ? (size_t)sqlite3_column_bytes(stmt, i) : 0;
	if (size > max_bytes)
		return false;
	ag_sqlite_add_u8(b, type == SQLITE_BLOB ? AG_SQLITE_CELL_BLOB : AG_SQLITE_CELL_TEXT);
	ag_sqlite_add_str(b, ag_str_make(bytes ? bytes : "", size));
	return true;
}

/* False: it cannot fit. As JSON a row is no shorter than its texts. */
static bool put_row(ag_sqlite_out *out, ag_buf *row, sqlite3_stmt *stmt, int n, size_t max_bytes)
{
	ag_buf_clear(row);
	for (int i = 0; i < n; i++)
		if (!add_cell(row, stmt, i, max_bytes) || row->failed)
			return false;
	ag_sqlite_out_record(out, AG_SQLITE_ROW, ag_buf_view(row));
	return true;
}

/* --- columns --- */

/* SQLite gives "TEXT" for what was declared as "text". */
static void add_declared(ag_buf *b, sqlite3_stmt *stmt, int i)
{
	ag_str type = ag_str_c(sqlite3_column_decltype(stmt, i));

	ag_sqlite_add_u32(b, (uint32_t)type.len);
	for (size_t k = 0; k < type.len; k++) {
		char ch = type.ptr[k];

		ag_buf_addc(b, ch >= 'A' && ch <= 'Z' ? (char)(ch + 32) : ch);
	}
}

static bool put_columns(ag_sqlite_out *out, sqlite3_stmt *stmt, int n)
{
	ag_buf b = AG_BUF_INIT(AG_SQLITE_MAX_RECORD_BYTES);
	bool is_ok;

	ag_sqlite_add_u32(&b, (uint32_t)n);
	for (int i = 0; i < n; i++) {
		ag_sqlite_add_str(&b, ag_str_c(sqlite3_column_name(stmt, i)));
		add_declared(&b, stmt, i);
	}
	is_ok = !b.failed;
	if (is_ok)
		ag_sqlite_out_record(out, AG_SQLITE_COLUMNS, ag_buf_view(&b));
	ag_buf_release(&b);
	return is_ok;
}

/* --- all of it --- */

int ag_sqlite_rows(ag_sqlite_conn *c, sqlite3_stmt *stmt, const ag_sql_limits *limits,
                   ag_sqlite_out *out)
{
	int n = sqlite3_column_count(stmt), rc;
	ag_sql_cut cut = AG_SQL_WHOLE;
	uint64_t nrow = 0;
	char how;
	ag_buf row;

	if (!put_columns(out, stmt, n))
		return SQLITE_TOOBIG;
	ag_buf_init(&row, limits->max_bytes + (size_t)n * CELL_BYTES);
	c->phase = AG_SQLITE_STEP;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (nrow == limits->max_rows)
			cut = AG_SQL_CUT_ROWS;
		else if (!put_row(out, &row, stmt, n, limits->max_bytes))
			cut = AG_SQL_CUT_BYTES;
		if (cut || out->failed)
			break;
		nrow++;
		/* The parent has enough: a fast statement might not come to the progress handler. */
		if (ag_sqlite_must_stop(c)) {
			rc = SQLITE_INTERRUPT;
			break;
		}
	}
	c->phase = AG_SQLITE_OWN;
	ag_buf_release(&row);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return rc;
	how = (char)cut;
	ag_sqlite_out_record(out, AG_SQLITE_DONE, ag_str_make(&how, 1));
	return SQLITE_DONE;
}
