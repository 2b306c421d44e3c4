/* Rows as JSON while they come: one more step than rows may be given back proves that there are more, and a row that does
 * not fit into the bytes is taken out whole, so that what is there is always a whole array of whole rows. */
#include <math.h>

#include "base/num.h"
#include "source/sqlite_sql.h"

/* Integers beyond this are no integers in a double, which many readers of JSON use. */
#define MAX_EXACT INT64_C(9007199254740991)

static void write_blob(ag_jw *w, const unsigned char *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	ag_buf text = AG_BUF_INIT(2 * n + 3);
	char *to = ag_buf_room(&text, 2 * n + 2);

	AG_ASSERT(to);
	*to++ = '\\';
	*to++ = 'x';
	for (size_t i = 0; i < n; i++) {
		*to++ = digit[bytes[i] >> 4];
		*to++ = digit[bytes[i] & 15];
	}
	text.len = 2 * n + 2;
	ag_jw_str(w, ag_buf_view(&text));
	ag_buf_release(&text);
}

/* A value that cannot fit is not written at all: 64 MiB need not be made into JSON to see that. */
static bool fits(const ag_buf *out, size_t n)
{
	return n <= out->limit - out->len;
}

static bool write_value(ag_jw *w, sqlite3_stmt *stmt, int i)
{
	char text[AG_NUM_MAX];
	double d;
	int64_t n;

	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_NULL: ag_jw_null(w); return true;
	case SQLITE_INTEGER:
		n = sqlite3_column_int64(stmt, i);
		if (n > MAX_EXACT || n < -MAX_EXACT)
			ag_jw_str(w, ag_str_make(text, ag_num_i64(text, n)));
		else
			ag_jw_int(w, n);
		return true;
	case SQLITE_FLOAT:
		d = sqlite3_column_double(stmt, i);
		if (isfinite(d))
			ag_jw_double(w, d);
		else
			ag_jw_str(w, ag_str_make(text, ag_num_double(text, d, false)));
		return true;
	case SQLITE_BLOB: {
		const unsigned char *bytes = sqlite3_column_blob(stmt, i);
		size_t size = (size_t)sqlite3_column_bytes(stmt, i);

		if (!fits(w->out, 2 * size + 2))
			return false;
		write_blob(w, bytes, bytes ? size : 0);
		return true;
	}
	default: {
		const char *bytes = (const char *)sqlite3_column_text(stmt, i);
		size_t size = (size_t)sqlite3_column_bytes(stmt, i);

		if (!fits(w->out, size + 2))
			return false;
		ag_jw_str(w, ag_str_make(bytes ? bytes : "", bytes ? size : 0));
		return true;
	}
	}
}

/* False: the row does not fit, and is not there. */
static bool write_row(ag_jw *w, sqlite3_stmt *stmt, int ncolumn)
{
	size_t mark = w->out->len;
	bool is_whole = true;

	ag_jw_arr(w);
	for (int i = 0; is_whole && i < ncolumn; i++)
		is_whole = write_value(w, stmt, i) && !w->out->failed;
	ag_jw_arr_end(w);
	if (is_whole && !w->out->failed)
		return true;
	w->out->failed = false;
	w->out->len = mark;
	w->out->ptr[mark] = '\0';
	return false;
}

static const char *type_name(int type)
{
	switch (type) {
	case SQLITE_INTEGER: return "integer";
	case SQLITE_FLOAT: return "real";
	case SQLITE_TEXT: return "text";
	case SQLITE_BLOB: return "blob";
	default: return "";
	}
}

/* Expressions have no declared type: the first value that is not NULL tells. */
static void fill_types(ag_sql_column_info *columns, sqlite3_stmt *stmt, int n, int *nunknown)
{
	for (int i = 0; i < n && *nunknown; i++) {
		int type;

		if (columns[i].type.len)
			continue;
		type = sqlite3_column_type(stmt, i);
		if (type == SQLITE_NULL)
			continue;
		columns[i].type = ag_str_c(type_name(type));
		--*nunknown;
	}
}

/* SQLite gives "TEXT" for what was declared as "text". */
static ag_str declared(sqlite3_stmt *stmt, int i, ag_arena *arena)
{
	char *type = ag_str_cstr(arena, ag_str_c(sqlite3_column_decltype(stmt, i)));

	for (char *p = type; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p + 32);
	return ag_str_c(type);
}

static ag_sql_column_info *columns_of(sqlite3_stmt *stmt, int n, ag_arena *arena, int *ret_nunknown)
{
	ag_sql_column_info *columns = ag_new_n(arena, ag_sql_column_info, n);

	*ret_nunknown = 0;
	for (int i = 0; i < n; i++) {
		columns[i].name = ag_str_dup(arena, ag_str_c(sqlite3_column_name(stmt, i)));
		columns[i].type = declared(stmt, i, arena);
		*ret_nunknown += columns[i].type.len == 0;
	}
	return columns;
}

int ag_sqlite_rows(ag_sqlite_conn *c, sqlite3_stmt *stmt, const ag_sql_limits *limits,
                   ag_arena *arena, ag_sql_result *ret)
{
	int n = sqlite3_column_count(stmt), nunknown, rc;
	ag_sql_column_info *columns = columns_of(stmt, n, arena, &nunknown);
	ag_jw w;

	/* The closing bracket has its place from the beginning. */
	ag_buf_init(&ret->rows, limits->max_bytes - 1);
	ag_jw_init(&w, &ret->rows, 0);
	ag_jw_arr(&w);
	c->phase = AG_SQLITE_STEP;
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		ret->rows_seen++;
		if (ret->nrow == limits->max_rows) {
			ret->cut = AG_SQL_CUT_ROWS;
			break;
		}
		fill_types(columns, stmt, n, &nunknown);
		if (!write_row(&w, stmt, n)) {
			ret->cut = AG_SQL_CUT_BYTES;
			break;
		}
		ret->nrow++;
	}
	c->phase = AG_SQLITE_OWN;
	ret->rows.limit++;
	ag_buf_addc(&ret->rows, ']');
	for (int i = 0; i < n; i++)
		if (!columns[i].type.len)
			columns[i].type = AG_S("null");
	ret->columns = columns;
	ret->ncolumn = (size_t)n;
	return rc == SQLITE_ROW ? SQLITE_DONE : rc;
}
