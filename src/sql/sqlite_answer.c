/* A child's answer, read as outside bytes: the child works on a file and statements of others, and may be theirs by now.
 *
 * Rows arrive as typed cells and are written as JSON here, so no byte of a child can break out of a result. One row more than
 * asked for is never accepted; a row that does not fit into the bytes ends the result as "cut". */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "sql/sqlite_wire.h"

/* Integers beyond this are no integers in a double, which many readers of JSON use. */
#define MAX_EXACT INT64_C(9007199254740991)
/* Tables and functions of a verdict: as the guard limits them. */
#define MAX_SEEN 512u
/* A message quotes at most 300 bytes of the database's own words. */
#define MAX_WORDS 4096u

void ag_sqlite_answer_init(ag_sqlite_answer *a, const ag_sqlite_request *rq, ag_arena *arena,
                           ag_sql_result *ret)
{
	*a = (ag_sqlite_answer){
		.verb = rq->verb,
		.asked = rq->sql,
		.limits = rq->limits,
		.arena = arena,
		.ret = ret,
		.missing = AG_S(""),
	};
	ag_buf_init(&a->json, AG_SQLITE_MAX_DICTIONARY_BYTES);
	/* The longest record, and a chunk that ends in the middle of it. */
	ag_buf_init(&a->in,
	            AG_SQLITE_MAX_RECORD_BYTES + rq->limits.max_bytes + 2 * AG_SQLITE_CHUNK_BYTES);
}

void ag_sqlite_answer_release(ag_sqlite_answer *a)
{
	ag_buf_release(&a->json);
	ag_buf_release(&a->in);
}

static bool is_plan(const ag_sqlite_answer *a)
{
	return a->verb == AG_SQLITE_ASK_EXPLAIN;
}

static bool has_rows(const ag_sqlite_answer *a)
{
	return a->verb == AG_SQLITE_ASK_RUN || is_plan(a);
}

/* One line of at most MAX_WORDS bytes, in arena. */
static ag_str words(ag_sqlite_answer *a, ag_str s)
{
	char *copy;

	if (s.len > MAX_WORDS)
		s.len = MAX_WORDS;
	copy = ag_str_cstr(a->arena, s);
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)copy[i] < ' ' || copy[i] == 0x7f)
			copy[i] = ' ';
	return ag_str_make(copy, s.len);
}

/* --- verdict, failure --- */

static bool take_verdict(ag_sqlite_answer *a, ag_sqlite_in *in)
{
	ag_sql_verdict *v = &a->ret->verdict;
	unsigned rule = ag_sqlite_get_u8(in);
	ag_str sql;

	if (a->verb == AG_SQLITE_ASK_OPEN || a->verb == AG_SQLITE_ASK_DICTIONARY ||
	    a->has_verdict || a->has_columns || rule >= AG_SQLRULE_COUNT)
		return false;
	*v = (ag_sql_verdict){ .rule = rule };
	v->reads_views = ag_sqlite_get_u8(in);
	v->position = ag_sqlite_get_u32(in);
	v->max_rows = ag_sqlite_get_u64(in);
	v->fingerprint = ag_sqlite_get_u64(in);
	v->message = words(a, ag_sqlite_get_str(in));
	v->hint = words(a, ag_sqlite_get_str(in));
	sql = ag_sqlite_get_str(in);
	v->tables = ag_sqlite_get_list(in, MAX_SEEN, a->arena, &v->ntable);
	v->functions = ag_sqlite_get_list(in, MAX_SEEN, a->arena, &v->nfunction);
	/* What is recorded as executed is what was asked for. */
	if (in->bad || !ag_str_contains(a->asked, sql) || (rule && sql.len) ||
	    (rule && v->message.len == 0))
		return false;
	v->sql = ag_str_dup(a->arena, sql);
	a->has_verdict = true;
	return true;
}

static bool is_state(ag_str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (!((s.ptr[i] >= '0' && s.ptr[i] <= '9') || (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z')))
			return false;
	return s.len == 0 || s.len == 5;
}

/* Code, class and hint come from the state; without one it is a refusal. */
static bool take_failure(ag_sqlite_answer *a, ag_sqlite_in *in)
{
	ag_sql_failure *f = &a->ret->failure;
	ag_str state = ag_sqlite_get_str(in), message, hint;
	bool is_lost = ag_sqlite_get_u8(in);
	uint32_t position = ag_sqlite_get_u32(in);
	char text[6] = "";

	message = ag_sqlite_get_str(in);
	hint = ag_sqlite_get_str(in);
	if (in->bad || f->code || a->is_done || a->verb == AG_SQLITE_ASK_OPEN || !is_state(state))
		return false;
	if (a->wants_no_more) /* stopped because the result is full */
		return true;
	memcpy(text, state.ptr, state.len);
	if (state.len)
		ag_sql_failure_of_state(text, f);
	else
		*f = (ag_sql_failure){ .code = AG_SQLCODE_VALIDATION,
			               .class_name = "refused",
			               .detail = AG_S(""),
			               .hint = AG_S("") };
	/* A failure without a code would look like success. */
	if (!f->code)
		f->code = AG_SQLCODE_INTERNAL;
	f->message = message.len ? words(a, message) : AG_S("SQLite does not say why");
	if (hint.len)
		f->hint = words(a, hint);
	f->position = position;
	f->is_connection_lost = is_lost;
	return true;
}

/* --- columns --- */

static bool take_columns(ag_sqlite_answer *a, ag_sqlite_in *in)
{
	static const ag_sql_column_info plan = { AG_S_INIT("QUERY PLAN"), AG_S_INIT("json") };
	size_t n = ag_sqlite_get_u32(in);

	if (!has_rows(a) || !a->has_verdict || a->ret->verdict.rule || a->has_columns ||
	    a->ret->failure.code || n == 0 || n > AG_SQLITE_MAX_COLUMNS)
		return false;
	a->columns = ag_new_n(a->arena, ag_sql_column_info, n);
	for (size_t i = 0; i < n; i++) {
		a->columns[i].name = ag_str_dup(a->arena, ag_sqlite_get_str(in));
		a->columns[i].type = ag_str_dup(a->arena, ag_sqlite_get_str(in));
		a->nunknown += a->columns[i].type.len == 0;
	}
	if (in->bad || (is_plan(a) && n != 4))
		return false;
	a->has_columns = true;
	a->ret->columns = is_plan(a) ? &plan : a->columns;
	a->ret->ncolumn = is_plan(a) ? 1 : n;
	/* The closing bracket has its place from the beginning. */
	ag_buf_init(&a->ret->rows, is_plan(a) ? a->limits.max_bytes : a->limits.max_bytes - 1);
	ag_jw_init(&a->w, &a->ret->rows, 0);
	ag_jw_arr(&a->w);
	if (is_plan(a)) {
		ag_jw_arr(&a->w);
		ag_jw_arr(&a->w);
	}
	return true;
}

/* --- cells --- */

typedef struct cell {
	unsigned kind;
	int64_t n;
	double d;
	ag_str bytes;
} cell;

static bool get_cell(ag_sqlite_in *in, cell *ret)
{
	uint64_t bits;

	*ret = (cell){ .kind = ag_sqlite_get_u8(in) };
	switch (ret->kind) {
	case AG_SQLITE_CELL_NULL: break;
	case AG_SQLITE_CELL_INT: ret->n = (int64_t)ag_sqlite_get_u64(in); break;
	case AG_SQLITE_CELL_REAL:
		bits = ag_sqlite_get_u64(in);
		memcpy(&ret->d, &bits, sizeof(bits));
		break;
	case AG_SQLITE_CELL_TEXT:
	case AG_SQLITE_CELL_BLOB: ret->bytes = ag_sqlite_get_str(in); break;
	default: in->bad = true;
	}
	return !in->bad;
}

static void write_blob(ag_jw *w, ag_str bytes)
{
	static const char digit[] = "0123456789abcdef";
	ag_buf text = AG_BUF_INIT(2 * bytes.len + 3);
	char *to = ag_buf_room(&text, 2 * bytes.len + 2);

	AG_ASSERT(to);
	*to++ = '\\';
	*to++ = 'x';
	for (size_t i = 0; i < bytes.len; i++) {
		*to++ = digit[(unsigned char)bytes.ptr[i] >> 4];
		*to++ = digit[(unsigned char)bytes.ptr[i] & 15];
	}
	text.len = 2 * bytes.len + 2;
	ag_jw_str(w, ag_buf_view(&text));
	ag_buf_release(&text);
}

static bool fits(const ag_buf *out, size_t n)
{
	return n <= out->limit - out->len;
}

/* False: it cannot fit, and is not written. */
static bool write_cell(ag_jw *w, const cell *c)
{
	char text[AG_NUM_MAX];

	switch (c->kind) {
	case AG_SQLITE_CELL_NULL: ag_jw_null(w); return true;
	case AG_SQLITE_CELL_INT:
		if (c->n > MAX_EXACT || c->n < -MAX_EXACT)
			ag_jw_str(w, ag_str_make(text, ag_num_i64(text, c->n)));
		else
			ag_jw_int(w, c->n);
		return true;
	case AG_SQLITE_CELL_REAL:
		if (isfinite(c->d))
			ag_jw_double(w, c->d);
		else
			ag_jw_str(w, ag_str_make(text, ag_num_double(text, c->d, false)));
		return true;
	case AG_SQLITE_CELL_BLOB:
		if (!fits(w->out, 2 * c->bytes.len + 2))
			return false;
		write_blob(w, c->bytes);
		return true;
	default:
		if (!fits(w->out, c->bytes.len + 2))
			return false;
		ag_jw_str(w, c->bytes);
		return true;
	}
}

/* --- rows --- */

/* An expression has no declared type: its first value that is not NULL decides. */
static void learn_type(ag_sqlite_answer *a, size_t i, const cell *c)
{
	static const char *const names[] = { "", "integer", "real", "text", "blob" };

	if (a->columns[i].type.len || c->kind == AG_SQLITE_CELL_NULL)
		return;
	a->columns[i].type = ag_str_c(names[c->kind]);
	a->nunknown--;
}

/* What was begun is taken out again. */
static void cut_at(ag_sqlite_answer *a, size_t mark)
{
	ag_buf *rows = &a->ret->rows;

	rows->failed = false;
	rows->len = mark;
	if (rows->ptr)
		rows->ptr[mark] = '\0';
	a->ret->cut = AG_SQL_CUT_BYTES;
	a->wants_no_more = true;
}

static bool take_row(ag_sqlite_answer *a, ag_sqlite_in *in)
{
	size_t mark = a->ret->rows.len, n = a->ret->ncolumn;
	bool is_whole = true;
	cell c;

	a->ret->rows_seen++;
	ag_jw_arr(&a->w);
	for (size_t i = 0; i < n; i++) {
		if (!get_cell(in, &c))
			return false;
		if (a->nunknown)
			learn_type(a, i, &c);
		is_whole = is_whole && write_cell(&a->w, &c) && !a->ret->rows.failed;
	}
	ag_jw_arr_end(&a->w);
	if (!is_whole || a->ret->rows.failed)
		cut_at(a, mark);
	else
		a->ret->nrow++;
	return true;
}

/* One object for each line of the plan. */
static bool take_plan_row(ag_sqlite_answer *a, ag_sqlite_in *in)
{
	cell id, parent, unused, detail;

	if (!get_cell(in, &id) || !get_cell(in, &parent) || !get_cell(in, &unused) ||
	    !get_cell(in, &detail))
		return false;
	ag_jw_obj(&a->w);
	ag_jw_kint(&a->w, "id", id.n);
	ag_jw_kint(&a->w, "parent", parent.n);
	ag_jw_kstr(&a->w, "detail", detail.bytes);
	ag_jw_obj_end(&a->w);
	return true;
}

static bool take_any_row(ag_sqlite_answer *a, ag_sqlite_in *in)
{
	if (!a->has_columns || a->is_done || a->ret->failure.code)
		return false;
	if (a->wants_no_more) {
		in->left = 0;
		return true;
	}
	if (is_plan(a))
		return take_plan_row(a, in);
	return a->ret->nrow < a->limits.max_rows && take_row(a, in);
}

static void end_rows(ag_sqlite_answer *a)
{
	ag_sql_result *r = a->ret;

	r->rows.limit++;
	ag_buf_addc(&r->rows, ']');
	for (size_t i = 0; i < r->ncolumn; i++)
		if (!a->columns[i].type.len)
			a->columns[i].type = AG_S("null");
}

void ag_sqlite_answer_cut(ag_sqlite_answer *a)
{
	end_rows(a);
	a->is_done = a->ret->is_ok = true;
}

static void end_plan(ag_sqlite_answer *a)
{
	ag_sql_result *r = a->ret;

	ag_jw_arr_end(&a->w);
	ag_jw_arr_end(&a->w);
	ag_jw_arr_end(&a->w);
	r->nrow = r->rows_seen = 1;
	if (!r->rows.failed)
		return;
	ag_buf_clear(&r->rows);
	ag_buf_adds(&r->rows, "[]");
	r->nrow = 0;
	r->cut = AG_SQL_CUT_BYTES;
}

static bool take_done(ag_sqlite_answer *a, ag_sqlite_in *in)
{
	unsigned cut = ag_sqlite_get_u8(in);

	if (!a->has_columns || a->is_done || a->ret->failure.code || cut > AG_SQL_CUT_BYTES)
		return false;
	if (!a->ret->cut && cut && !is_plan(a)) { /* the child saw one row more */
		a->ret->cut = cut;
		a->ret->rows_seen++;
	}
	if (is_plan(a))
		end_plan(a);
	else
		end_rows(a);
	a->is_done = true;
	return true;
}

/* --- the rest --- */

static bool take_hello(ag_sqlite_answer *a, ag_sqlite_in *in)
{
	if (a->verb != AG_SQLITE_ASK_OPEN || a->is_hello)
		return false;
	a->missing = words(a, ag_sqlite_get_str(in));
	a->is_hello = true;
	return true;
}

static bool take_json(ag_sqlite_answer *a, ag_sqlite_in *in)
{
	if (a->verb != AG_SQLITE_ASK_DICTIONARY || a->ret->failure.code)
		return false;
	ag_buf_add(&a->json, ag_str_make(in->at, in->left));
	in->left = 0;
	return !a->json.failed;
}

static bool take_again(ag_sqlite_answer *a)
{
	if (a->verb == AG_SQLITE_ASK_OPEN)
		return false;
	ag_sql_result_release(a->ret);
	*a->ret = (ag_sql_result){ 0 };
	ag_buf_clear(&a->json);
	a->has_verdict = a->has_columns = a->is_done = a->wants_no_more = false;
	a->columns = NULL;
	a->nunknown = 0;
	return true;
}

/* Is everything there that this request asks for? */
static bool take_end(ag_sqlite_answer *a)
{
	a->is_ended = true;
	if (a->verb == AG_SQLITE_ASK_OPEN)
		return a->is_hello;
	if (a->ret->failure.code)
		return true;
	if (a->verb == AG_SQLITE_ASK_DICTIONARY)
		return a->json.len > 0;
	if (a->wants_no_more && !a->is_done)
		ag_sqlite_answer_cut(a);
	if (!a->has_verdict || (has_rows(a) && !a->ret->verdict.rule && !a->is_done))
		return false;
	a->ret->is_ok = a->is_done;
	return true;
}

static bool take(ag_sqlite_answer *a, char type, ag_sqlite_in *in)
{
	switch (type) {
	case AG_SQLITE_HELLO: return take_hello(a, in);
	case AG_SQLITE_VERDICT: return take_verdict(a, in);
	case AG_SQLITE_COLUMNS: return take_columns(a, in);
	case AG_SQLITE_ROW: return take_any_row(a, in);
	case AG_SQLITE_DONE: return take_done(a, in);
	case AG_SQLITE_JSON: return take_json(a, in);
	case AG_SQLITE_FAILURE: return take_failure(a, in);
	case AG_SQLITE_AGAIN: return take_again(a);
	case AG_SQLITE_END_OF_ANSWER: return take_end(a);
	default: return false;
	}
}

bool ag_sqlite_answer_feed(ag_sqlite_answer *a, const char *bytes, size_t n)
{
	const size_t head = 1 + sizeof(uint32_t);
	size_t at = 0;

	ag_buf_add(&a->in, ag_str_make(bytes, n));
	if (a->in.failed || (a->is_ended && n))
		return false;
	while (a->in.len - at >= head) {
		ag_sqlite_in in;
		uint32_t len;

		memcpy(&len, a->in.ptr + at + 1, sizeof(len));
		if (len > AG_SQLITE_MAX_RECORD_BYTES + a->limits.max_bytes)
			return false;
		if (len > a->in.len - at - head)
			break;
		in = (ag_sqlite_in){ .at = a->in.ptr + at + head, .left = len };
		if (a->is_ended || !take(a, a->in.ptr[at], &in) || in.bad || in.left)
			return false;
		at += head + len;
	}
	a->in.len -= at;
	if (at && a->in.len)
		memmove(a->in.ptr, a->in.ptr + at, a->in.len);
	return true;
}
