/* Turns, streams, fields and requests; sqlite_answer.c reads answers. Numbers are in the order of this processor: both ends
 * are the same program. */
#include "sql/sqlite_wire.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- turns --- */

void ag_sqlite_turn_wait(ag_sqlite_shared *s, uint32_t now, int64_t timeout_ms)
{
	struct timespec t = { .tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000 };

	/* Not FUTEX_PRIVATE: the other side is another process. */
	syscall(SYS_futex, &s->turn, FUTEX_WAIT, now, timeout_ms < 0 ? NULL : &t, NULL, 0);
}

void ag_sqlite_turn_give(ag_sqlite_shared *s, uint32_t to)
{
	atomic_store(&s->turn, to);
	syscall(SYS_futex, &s->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* --- writing --- */

static bool hand_on(ag_sqlite_out *o, bool more)
{
	if (!o->failed && !o->flush(o, more))
		o->failed = true;
	o->len = 0;
	return !o->failed;
}

void ag_sqlite_out_add(ag_sqlite_out *o, const void *bytes, size_t n)
{
	const char *from = bytes;

	while (n && !o->failed) {
		size_t k = n < o->cap - o->len ? n : o->cap - o->len;

		memcpy(o->bytes + o->len, from, k);
		o->len += k;
		from += k;
		n -= k;
		if (n)
			hand_on(o, true);
	}
}

bool ag_sqlite_out_end(ag_sqlite_out *o)
{
	return hand_on(o, false);
}

void ag_sqlite_out_record(ag_sqlite_out *o, char type, ag_str payload)
{
	uint32_t len = (uint32_t)payload.len;

	ag_sqlite_out_add(o, &type, 1);
	ag_sqlite_out_add(o, &len, sizeof(len));
	ag_sqlite_out_add(o, payload.ptr, payload.len);
}

void ag_sqlite_add_u8(ag_buf *b, unsigned v)
{
	ag_buf_addc(b, (char)v);
}

void ag_sqlite_add_u32(ag_buf *b, uint32_t v)
{
	ag_buf_add(b, ag_str_make((const char *)&v, sizeof(v)));
}

void ag_sqlite_add_u64(ag_buf *b, uint64_t v)
{
	ag_buf_add(b, ag_str_make((const char *)&v, sizeof(v)));
}

void ag_sqlite_add_str(ag_buf *b, ag_str s)
{
	ag_sqlite_add_u32(b, (uint32_t)s.len);
	ag_buf_add(b, s);
}

void ag_sqlite_add_list(ag_buf *b, const ag_str *list, size_t n)
{
	ag_sqlite_add_u32(b, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		ag_sqlite_add_str(b, list[i]);
}

/* --- reading --- */

static bool get(ag_sqlite_in *in, void *to, size_t n)
{
	if (in->bad || n > in->left) {
		in->bad = true;
		return false;
	}
	memcpy(to, in->at, n);
	in->at += n;
	in->left -= n;
	return true;
}

unsigned ag_sqlite_get_u8(ag_sqlite_in *in)
{
	unsigned char v;

	return get(in, &v, sizeof(v)) ? v : 0;
}

uint32_t ag_sqlite_get_u32(ag_sqlite_in *in)
{
	uint32_t v;

	return get(in, &v, sizeof(v)) ? v : 0;
}

uint64_t ag_sqlite_get_u64(ag_sqlite_in *in)
{
	uint64_t v;

	return get(in, &v, sizeof(v)) ? v : 0;
}

ag_str ag_sqlite_get_str(ag_sqlite_in *in)
{
	uint32_t n = ag_sqlite_get_u32(in);
	ag_str s;

	if (in->bad || n > in->left) {
		in->bad = true;
		return AG_S("");
	}
	s = ag_str_make(in->at, n);
	in->at += n;
	in->left -= n;
	return s;
}

const ag_str *ag_sqlite_get_list(ag_sqlite_in *in, size_t max, ag_arena *arena, size_t *ret_n)
{
	size_t n = ag_sqlite_get_u32(in);
	ag_str *list;

	*ret_n = 0;
	/* Each text has at least a length: a larger number asks for more memory than the message has bytes. */
	if (in->bad || n > max || n > in->left / sizeof(uint32_t)) {
		in->bad = true;
		return NULL;
	}
	list = n ? ag_new_n(arena, ag_str, n) : NULL;
	for (size_t i = 0; i < n; i++)
		list[i] = ag_str_dup(arena, ag_sqlite_get_str(in));
	*ret_n = n;
	return list;
}

/* --- requests --- */

static void add_policy(ag_buf *b, const ag_sql_policy *p)
{
	ag_sqlite_add_str(b, p->schema);
	ag_sqlite_add_list(b, p->allowed_schemas, p->nallowed_schema);
	ag_sqlite_add_list(b, p->allowed_tables, p->nallowed_table);
	ag_sqlite_add_list(b, p->excluded_tables, p->nexcluded_table);
	ag_sqlite_add_list(b, p->allowed_functions, p->nallowed_function);
	ag_sqlite_add_u64(b, p->max_rows);
	ag_sqlite_add_u64(b, p->max_bytes);
}

static void get_policy(ag_sqlite_in *in, ag_arena *arena, ag_sql_policy *p)
{
	p->dialect = AG_SQL_SQLITE;
	p->schema = ag_str_dup(arena, ag_sqlite_get_str(in));
	p->allowed_schemas = ag_sqlite_get_list(in, SIZE_MAX, arena, &p->nallowed_schema);
	p->allowed_tables = ag_sqlite_get_list(in, SIZE_MAX, arena, &p->nallowed_table);
	p->excluded_tables = ag_sqlite_get_list(in, SIZE_MAX, arena, &p->nexcluded_table);
	p->allowed_functions = ag_sqlite_get_list(in, SIZE_MAX, arena, &p->nallowed_function);
	p->max_rows = ag_sqlite_get_u64(in);
	p->max_bytes = ag_sqlite_get_u64(in);
}

void ag_sqlite_request_write(const ag_sqlite_request *rq, ag_buf *out)
{
	ag_sqlite_add_u8(out, rq->verb);
	switch (rq->verb) {
	case AG_SQLITE_ASK_OPEN:
		ag_sqlite_add_str(out, rq->path);
		ag_sqlite_add_str(out, rq->shown);
		ag_sqlite_add_str(out, rq->folder);
		add_policy(out, &rq->opts.policy);
		ag_sqlite_add_u64(out, (uint64_t)rq->opts.wait_timeout_ms);
		return;
	case AG_SQLITE_ASK_DICTIONARY:
		ag_sqlite_add_u64(out, (uint64_t)rq->limits.timeout_ms);
		ag_sqlite_add_u8(out, rq->dictionary.with_samples);
		ag_sqlite_add_list(out, rq->dictionary.sensitive_words,
		                   rq->dictionary.nsensitive_word);
		return;
	default:
		ag_sqlite_add_u64(out, (uint64_t)rq->limits.timeout_ms);
		ag_sqlite_add_u64(out, rq->limits.max_rows);
		ag_sqlite_add_u64(out, rq->limits.max_bytes);
		ag_sqlite_add_str(out, rq->sql);
	}
}

bool ag_sqlite_request_read(ag_str bytes, ag_arena *arena, ag_sqlite_request *ret)
{
	ag_sqlite_in in = { .at = bytes.ptr, .left = bytes.len };

	*ret = (ag_sqlite_request){ .verb = ag_sqlite_get_u8(&in) };
	switch (ret->verb) {
	case AG_SQLITE_ASK_OPEN:
		ret->path = ag_str_dup(arena, ag_sqlite_get_str(&in));
		ret->shown = ag_str_dup(arena, ag_sqlite_get_str(&in));
		ret->folder = ag_str_dup(arena, ag_sqlite_get_str(&in));
		get_policy(&in, arena, &ret->opts.policy);
		ret->opts.wait_timeout_ms = (int64_t)ag_sqlite_get_u64(&in);
		break;
	case AG_SQLITE_ASK_DICTIONARY:
		ret->limits.timeout_ms = (int64_t)ag_sqlite_get_u64(&in);
		ret->dictionary.with_samples = ag_sqlite_get_u8(&in);
		ret->dictionary.sensitive_words =
			ag_sqlite_get_list(&in, SIZE_MAX, arena, &ret->dictionary.nsensitive_word);
		break;
	case AG_SQLITE_ASK_RUN:
	case AG_SQLITE_ASK_EXPLAIN:
	case AG_SQLITE_ASK_JUDGE:
	case AG_SQLITE_ASK_JUDGE_EXPLAIN:
		ret->limits.timeout_ms = (int64_t)ag_sqlite_get_u64(&in);
		ret->limits.max_rows = ag_sqlite_get_u64(&in);
		ret->limits.max_bytes = ag_sqlite_get_u64(&in);
		ret->sql = ag_str_dup(arena, ag_sqlite_get_str(&in));
		break;
	default: return false;
	}
	return !in.bad && in.left == 0;
}

/* --- answers, as the child writes them --- */

void ag_sqlite_out_verdict(ag_sqlite_out *o, const ag_sql_verdict *v)
{
	ag_buf b = AG_BUF_INIT(AG_SQLITE_MAX_RECORD_BYTES);

	ag_sqlite_add_u8(&b, v->rule);
	ag_sqlite_add_u8(&b, v->reads_views);
	ag_sqlite_add_u32(&b, v->position);
	ag_sqlite_add_u64(&b, v->max_rows);
	ag_sqlite_add_u64(&b, v->fingerprint);
	ag_sqlite_add_str(&b, v->message);
	ag_sqlite_add_str(&b, v->hint);
	ag_sqlite_add_str(&b, v->sql);
	ag_sqlite_add_list(&b, v->tables, v->ntable);
	ag_sqlite_add_list(&b, v->functions, v->nfunction);
	ag_sqlite_out_record(o, AG_SQLITE_VERDICT, ag_buf_view(&b));
	ag_buf_release(&b);
}

void ag_sqlite_out_failure(ag_sqlite_out *o, const ag_sql_failure *f)
{
	ag_buf b = AG_BUF_INIT(AG_SQLITE_MAX_RECORD_BYTES);

	ag_sqlite_add_str(&b, ag_str_c(f->sqlstate));
	ag_sqlite_add_u8(&b, f->is_connection_lost);
	ag_sqlite_add_u32(&b, f->position);
	ag_sqlite_add_str(&b, f->message);
	ag_sqlite_add_str(&b, f->hint);
	ag_sqlite_out_record(o, AG_SQLITE_FAILURE, ag_buf_view(&b));
	ag_buf_release(&b);
}
