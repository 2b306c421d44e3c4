/* price -- the table of prices: read once into an array in the order of its lines, searched from one end to the other.
 *
 * A hundred rows are looked at once for each model that is opened, so there is no index. The longest pattern wins; an
 * exact name is never shorter than a pattern that fits it, and wins the tie. */
#include "llm/price.h"

#include "base/embedded.h"

#define MAX_TABLE_BYTES (1u << 20)
#define MAX_ROWS        4096
#define MAX_NAME_BYTES  128
#define MAX_PRICE       1e6 /* USD per million: a dollar a token is a typing error */
#define PER             1e6 /* tokens that a price is for */

typedef struct price_row {
	ag_str name; /* without the `*` */
	bool is_prefix;
	ag_price price;
} price_row;

struct ag_prices {
	ag_str version, date;
	price_row *rows;
	size_t nrow;
};

/* A line of the table under work. */
typedef struct reader {
	ag_str file;
	unsigned line;
	ag_arena *arena;
	ag_prices *p;
} reader;

/* --- reading ------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line, "" at its end. */
static ag_str word(ag_str *rest)
{
	size_t i = 0, from;

	while (i < rest->len && is_blank(rest->ptr[i]))
		i++;
	from = i;
	while (i < rest->len && !is_blank(rest->ptr[i]))
		i++;
	ag_str w = ag_str_make(rest->ptr + from, i - from);
	*rest = ag_str_make(rest->ptr + i, rest->len - i);
	return w;
}

static int shown(ag_str s)
{
	return (int)(s.len < 60 ? s.len : 60);
}

static ag_status bad(const reader *r, ag_err *err, const char *what, ag_str text)
{
	ag_fail(err, AG_INVALID, "llm.price", "%.*s:%u: %s \"%.*s\"", shown(r->file), r->file.ptr,
	        r->line, what, shown(text), text.ptr);
	return ag_err_hint(err, "a line is: MODEL INPUT OUTPUT [CACHED-INPUT] [CACHE-WRITE], in "
	                        "USD per million tokens");
}

static bool is_date(ag_str s)
{
	int64_t n;

	if (s.len != 10 || s.ptr[4] != '-' || s.ptr[7] != '-')
		return false;
	return ag_str_to_i64(ag_str_make(s.ptr, 4), &n) &&
	       ag_str_to_i64(ag_str_make(s.ptr + 5, 2), &n) && n >= 1 && n <= 12 &&
	       ag_str_to_i64(ag_str_make(s.ptr + 8, 2), &n) && n >= 1 && n <= 31;
}

static ag_status read_row(const reader *r, ag_str name, ag_str rest, price_row *row, ag_err *err)
{
	double v[4] = { 0 };
	ptrdiff_t star = ag_str_find(name, '*');
	size_t n = 0;
	ag_str w;

	if (name.len > MAX_NAME_BYTES)
		return bad(r, err, "the name is too long:", name);
	if (star >= 0 && (size_t)star != name.len - 1)
		return bad(r, err, "`*` may only end a name:", name);
	while ((w = word(&rest)).len) {
		if (n == AG_NELEM(v))
			return bad(r, err, "there is more than four prices:", w);
		if (!ag_str_to_double(w, &v[n]) || !(v[n] >= 0 && v[n] <= MAX_PRICE))
			return bad(r, err, "want a price from 0 to 1000000, got", w);
		n++;
	}
	if (n < 2)
		return bad(r, err, "want the prices of input and output of", name);
	row->is_prefix = star >= 0;
	row->name = ag_str_dup(r->arena, ag_str_make(name.ptr, name.len - row->is_prefix));
	row->price = (ag_price){
		.input = v[0],
		.output = v[1],
		.cached_input = n > 2 ? v[2] : v[0],
		.cache_write = n > 3 ? v[3] : v[0],
	};
	return AG_OK;
}

static ag_status read_line(const reader *r, ag_str line, ag_err *err)
{
	ptrdiff_t hash = ag_str_find(line, '#');
	ag_str rest = hash < 0 ? line : ag_str_make(line.ptr, (size_t)hash);
	ag_str first = word(&rest);

	if (!first.len)
		return AG_OK;
	if (ag_str_eqc(first, "version")) {
		rest = ag_str_trim(rest);
		if (!rest.len || rest.len > MAX_NAME_BYTES)
			return bad(r, err, "want a text behind", first);
		r->p->version = ag_str_dup(r->arena, rest);
		return AG_OK;
	}
	if (ag_str_eqc(first, "date")) {
		rest = ag_str_trim(rest);
		if (!is_date(rest))
			return bad(r, err, "want a date as 2026-05-01, got", rest);
		r->p->date = ag_str_dup(r->arena, rest);
		return AG_OK;
	}
	if (r->p->nrow == MAX_ROWS)
		return bad(r, err, "there are too many models, from", first);
	return read_row(r, first, rest, &r->p->rows[r->p->nrow++], err);
}

static size_t count_lines(ag_str text)
{
	size_t n = 1;

	for (size_t i = 0; i < text.len; i++)
		n += text.ptr[i] == '\n';
	return n;
}

ag_status ag_prices_read(ag_str name, ag_str text, ag_arena *arena, ag_prices **ret, ag_err *err)
{
	reader r = { .file = name, .arena = arena };
	size_t nline;

	if (text.len > MAX_TABLE_BYTES)
		return ag_fail(err, AG_LIMIT, "llm.price",
		               "%.*s: a price table has at most %u bytes", shown(name), name.ptr,
		               MAX_TABLE_BYTES);
	nline = count_lines(text);
	r.p = ag_new(arena, ag_prices);
	r.p->rows = ag_new_n(arena, price_row, nline < MAX_ROWS ? nline : MAX_ROWS);
	while (text.len) {
		ag_status st;

		r.line++;
		st = read_line(&r, ag_str_split(&text, '\n'), err);
		if (st)
			return st;
	}
	*ret = r.p;
	return AG_OK;
}

ag_status ag_prices_builtin(ag_arena *arena, ag_prices **ret, ag_err *err)
{
	const ag_embedded *f = ag_embedded_find("prices/prices.txt");

	if (!f)
		return ag_fail(err, AG_INTERNAL, "llm.price", "the price table is not built in");
	return ag_prices_read(AG_S("prices.txt"), ag_str_make((const char *)f->ptr, f->len), arena,
	                      ret, err);
}

/* --- asking -------------------------------------------------------------------------------------- */

ag_str ag_prices_version(const ag_prices *p)
{
	return p->version.len ? p->version : p->date;
}

ag_str ag_prices_date(const ag_prices *p)
{
	return p->date;
}

static bool fits(const price_row *row, ag_str model)
{
	return row->is_prefix ? ag_str_starts(model, row->name) : ag_str_eq(model, row->name);
}

static const price_row *longest(const ag_prices *p, ag_str model)
{
	const price_row *best = NULL;

	for (size_t i = 0; i < p->nrow; i++) {
		const price_row *row = &p->rows[i];

		if (!fits(row, model))
			continue;
		if (!best || row->name.len > best->name.len ||
		    (row->name.len == best->name.len && best->is_prefix && !row->is_prefix))
			best = row;
	}
	return best;
}

bool ag_prices_find(const ag_prices *p, ag_str model, ag_price *ret)
{
	/* "vendor/model" may have its own row; a proxy's "a/b/model" is looked up piece by piece. */
	while (model.len) {
		const price_row *row = longest(p, model);
		ptrdiff_t slash = ag_str_find(model, '/');

		if (row) {
			*ret = row->price;
			return true;
		}
		if (slash < 0)
			return false;
		model = ag_str_make(model.ptr + slash + 1, model.len - (size_t)slash - 1);
	}
	return false;
}

double ag_price_usd(const ag_price *p, const ag_llm_usage *u)
{
	/* Servers' counts are not always consistent: what is more than the input is not paid for twice. */
	uint64_t cached = u->cached_tokens < u->input_tokens ? u->cached_tokens : u->input_tokens;
	uint64_t rest = u->input_tokens - cached;
	uint64_t written = u->cache_write_tokens < rest ? u->cache_write_tokens : rest;

	return ag_llm_usd_add(
		0, ((double)(rest - written) * p->input + (double)cached * p->cached_input +
	            (double)written * p->cache_write + (double)u->output_tokens * p->output) /
			   PER);
}
