/* SQLite's own instr, replace, trim and like take n * m steps and cannot be stopped: its progress handler is called between
 * instructions, and a function is one. These give the same answers (SQLite 3.40.1, func.c; the tests compare them), instr
 * and replace in linear time, the others with a look at the deadline now and then.
 *
 * A price: SQLite looks into an index for x GLOB 'abc*' only with its own like and glob. */
#include <stdint.h>
#include <stdlib.h>

#include "source/sqlite_sql.h"

/* Bytes gone over between two looks at the clock: about a millisecond. */
#define WORK_BYTES (1u << 20)
/* With SQLITE_LIMIT_LENGTH as n this bounds n * m. */
#define MAX_TRIM_SET 1000

typedef const unsigned char *bytes;

/* Of one function of one connection. */
typedef struct watch {
	ag_sqlite_conn *c;
	size_t nwork; /* bytes gone over since the last look */
} watch;

/* True: the statement must end, and the result says so. */
static bool spend(sqlite3_context *ctx, size_t n)
{
	watch *w = sqlite3_user_data(ctx);

	w->nwork += n;
	if (w->nwork < WORK_BYTES)
		return false;
	w->nwork = 0;
	if (!ag_sqlite_must_stop(w->c))
		return false;
	sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
	return true;
}

static bool is_inside(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* --- instr --- */

/* In text a hit counts where a character begins; the first byte always does. NULL if there is none. */
static bytes find(bytes hay, size_t nhay, bytes needle, size_t nneedle, bool is_text)
{
	if (nneedle > nhay)
		return NULL;
	if (is_text && is_inside(needle[0]))
		return memcmp(hay, needle, nneedle) == 0 ? hay : NULL;
	return memmem(hay, nhay, needle, nneedle);
}

static void instr_in(sqlite3_context *ctx, sqlite3_value *hay_value, sqlite3_value *needle_value,
                     bool is_text)
{
	bytes hay = is_text ? sqlite3_value_text(hay_value) : sqlite3_value_blob(hay_value);
	size_t nhay = (size_t)sqlite3_value_bytes(hay_value);
	bytes needle = is_text ? sqlite3_value_text(needle_value)
	                       : sqlite3_value_blob(needle_value);
	size_t nneedle = (size_t)sqlite3_value_bytes(needle_value);
	bytes hit;
	int n = 1;

	if (!needle || (nhay && !hay)) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if (spend(ctx, nhay))
		return;
	hit = find(hay, nhay, needle, nneedle, is_text);
	if (!hit) {
		sqlite3_result_int(ctx, 0);
		return;
	}
	if (!is_text)
		n += (int)(hit - hay);
	else
		for (bytes p = hay; p < hit; p++)
			n += !is_inside(p[1]);
	sqlite3_result_int(ctx, n);
}

static void instr(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	int hay = sqlite3_value_type(argv[0]), needle = sqlite3_value_type(argv[1]);
	sqlite3_value *copies[2];

	(void)argc;
	if (hay == SQLITE_NULL || needle == SQLITE_NULL)
		return;
	if (sqlite3_value_bytes(argv[1]) == 0) {
		sqlite3_result_int(ctx, 1);
		return;
	}
	if ((hay == SQLITE_BLOB) == (needle == SQLITE_BLOB)) {
		instr_in(ctx, argv[0], argv[1], hay != SQLITE_BLOB);
		return;
	}
	/* A blob is not made a text for those who come after us. */
	copies[0] = sqlite3_value_dup(argv[0]);
	copies[1] = sqlite3_value_dup(argv[1]);
	if (copies[0] && copies[1])
		instr_in(ctx, copies[0], copies[1], true);
	else
		sqlite3_result_error_nomem(ctx);
	sqlite3_value_free(copies[0]);
	sqlite3_value_free(copies[1]);
}

/* --- replace --- */

static size_t count_hits(bytes s, size_t n, bytes what, size_t nwhat)
{
	size_t count = 0;
	bytes hit;

	while ((hit = memmem(s, n, what, nwhat))) {
		n -= (size_t)(hit - s) + nwhat;
		s = hit + nwhat;
		count++;
	}
	return count;
}

static void replace_all(bytes s, size_t n, bytes what, size_t nwhat, bytes with, size_t nwith,
                        char *out)
{
	bytes hit;

	while ((hit = memmem(s, n, what, nwhat))) {
		size_t before = (size_t)(hit - s);

		memcpy(out, s, before);
		memcpy(out + before, with, nwith);
		out += before + nwith;
		n -= before + nwhat;
		s = hit + nwhat;
	}
	memcpy(out, s, n);
}

static void replace(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	bytes s = sqlite3_value_text(argv[0]), what, with;
	size_t n = (size_t)sqlite3_value_bytes(argv[0]), nwhat, nwith, size;
	char *out;

	(void)argc;
	if (!s || !(what = sqlite3_value_text(argv[1])))
		return;
	if (what[0] == '\0') {
		sqlite3_result_value(ctx, argv[0]);
		return;
	}
	nwhat = (size_t)sqlite3_value_bytes(argv[1]);
	with = sqlite3_value_text(argv[2]);
	nwith = (size_t)sqlite3_value_bytes(argv[2]);
	if (!with || spend(ctx, 2 * n))
		return;
	/* n and nwith are at most SQLITE_LIMIT_LENGTH, an int: no overflow. */
	size = count_hits(s, n, what, nwhat);
	size = n - size * nwhat + size * nwith;
	if (size > (size_t)sqlite3_limit(sqlite3_context_db_handle(ctx), SQLITE_LIMIT_LENGTH, -1)) {
		sqlite3_result_error_toobig(ctx);
		return;
	}
	out = sqlite3_malloc64(size + 1);
	if (!out) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	replace_all(s, n, what, nwhat, with, nwith, out);
	out[size] = '\0';
	sqlite3_result_text(ctx, out, (int)size, sqlite3_free);
}

/* --- trim --- */

typedef struct trim_set {
	bytes at[MAX_TRIM_SET];
	uint16_t len[MAX_TRIM_SET];
	size_t n;
	bool is_single[256], has_long;
} trim_set;

/* What SQLite takes for one character: it need not be valid. */
static void read_set(bytes z, trim_set *ret)
{
	ret->n = 0;
	ret->has_long = false;
	memset(ret->is_single, 0, sizeof(ret->is_single));
	while (*z && ret->n < MAX_TRIM_SET) {
		bytes from = z;

		if (*z++ >= 0xc0)
			while (is_inside(*z))
				z++;
		ret->at[ret->n] = from;
		ret->len[ret->n++] = (uint16_t)(z - from);
		ret->is_single[*from] = true;
		ret->has_long |= z - from > 1;
	}
}

/* The length of the set's first character that s begins (or ends) with; 0 = none. */
static size_t trimmed(const trim_set *set, bytes s, size_t n, bool at_end)
{
	if (!set->has_long)
		return set->is_single[at_end ? s[n - 1] : s[0]];
	for (size_t i = 0; i < set->n; i++)
		if (set->len[i] <= n &&
		    memcmp(at_end ? s + n - set->len[i] : s, set->at[i], set->len[i]) == 0)
			return set->len[i];
	return 0;
}

static void trim_by(sqlite3_context *ctx, int argc, sqlite3_value **argv, bool left, bool right)
{
	bytes s = sqlite3_value_text(argv[0]), chars = (bytes) " ";
	size_t n = (size_t)sqlite3_value_bytes(argv[0]), k, cost;
	trim_set set;

	if (!s || (argc > 1 && !(chars = sqlite3_value_text(argv[1]))))
		return;
	if (argc > 1 && sqlite3_value_bytes(argv[1]) > MAX_TRIM_SET) {
		sqlite3_result_error(ctx,
		                     "more than 1000 bytes of characters to trim: name fewer, or "
		                     "use replace()",
		                     -1);
		return;
	}
	read_set(chars, &set);
	cost = set.has_long ? set.n : 1;
	while (left && n && (k = trimmed(&set, s, n, false))) {
		if (spend(ctx, cost))
			return;
		s += k;
		n -= k;
	}
	while (right && n && (k = trimmed(&set, s, n, true))) {
		if (spend(ctx, cost))
			return;
		n -= k;
	}
	sqlite3_result_text(ctx, (const char *)s, (int)n, SQLITE_TRANSIENT);
}

static void trim(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	trim_by(ctx, argc, argv, true, true);
}

static void ltrim(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	trim_by(ctx, argc, argv, true, false);
}

static void rtrim(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	trim_by(ctx, argc, argv, false, true);
}

/* --- like and glob --- */

/* Wildcards; 0 = there is none (a text ends at its first NUL). */
typedef struct wild {
	uint32_t all, one, escape;
	bool has_sets, is_caseless;
} wild;

/* As SQLite reads: any number of bytes that continue, and what is no character becomes U+FFFD. */
static uint32_t read_long(bytes *z)
{
	uint32_t c = *(*z)++;

	if (c < 0xc0)
		return c;
	c = c < 0xe0 ? c & 0x1f : c < 0xf0 ? c & 0x0f : c < 0xf8 ? c & 7 : c < 0xfc ? c & 3 : c & 1;
	if ((*z)[-1] >= 0xfe)
		c = 0;
	while (is_inside(**z))
		c = (c << 6) + (*(*z)++ & 0x3fu);
	return c < 0x80 || (c & 0xfffff800) == 0xd800 || (c & 0xfffffffe) == 0xfffe ? 0xfffd : c;
}

static uint32_t read_char(bytes *z)
{
	return **z < 0x80 ? *(*z)++ : read_long(z);
}

static uint32_t lower(uint32_t c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Behind its "["; *z moves behind the "]". False too when there is none. */
static bool fits_set(bytes *z, uint32_t c)
{
	bool is_in = false, is_inverted = false;
	uint32_t prior = 0, p = read_char(z);

	if (p == '^') {
		is_inverted = true;
		p = read_char(z);
	}
	if (p == ']') {
		is_in = c == ']';
		p = read_char(z);
	}
	while (p && p != ']') {
		if (p == '-' && **z != ']' && **z != '\0' && prior) {
			p = read_char(z);
			is_in |= c >= prior && c <= p;
			prior = 0;
		} else {
			is_in |= c == p;
			prior = p;
		}
		p = read_char(z);
	}
	return p && is_in != is_inverted;
}

/* One element of the pattern that is no `all`, against one character (not the end). Moves *pattern if it fits. */
static bool fits_one(const wild *w, bytes *pattern, uint32_t c)
{
	uint32_t p = read_char(pattern);
	bool is_escaped = false;

	if (p == '\0')
		return false;
	if (w->has_sets && p == '[')
		return fits_set(pattern, c);
	if (!w->has_sets && w->escape && p == w->escape) {
		p = read_char(pattern);
		is_escaped = true;
		if (p == '\0')
			return false;
	}
	if (p == c || (w->is_caseless && p < 0x80 && c < 0x80 && lower(p) == lower(c)))
		return true;
	return p == w->one && w->one && !is_escaped;
}

/* Where the pattern behind an `all` can begin at the earliest: *from or later; "" if nowhere. A plain ASCII letter is looked
 * for, all else is tried. */
static bytes skip_to(const wild *w, bytes pattern, bytes from)
{
	uint32_t c = *pattern;
	char stop[3] = { (char)c, (char)c, '\0' };

	if (c == '\0' || c >= 0x80 || c == w->one || c == w->escape || (w->has_sets && c == '['))
		return from;
	if (w->is_caseless && lower(c) >= 'a' && lower(c) <= 'z') {
		stop[0] = (char)lower(c);
		stop[1] = (char)(lower(c) - 32);
	}
	return from + strcspn((const char *)from, stop);
}

/* Only the last `all` needs to be tried again further on: what an earlier one could take, it can take too. -1: stopped. */
static int fits(sqlite3_context *ctx, const wild *w, bytes pattern, bytes s)
{
	bytes again = NULL, again_at = NULL, from;

	for (;;) {
		bytes p = pattern, next = s;

		if (*p && w->all && *p == w->all) {
			while (*p == w->all)
				p++;
			if (*p == '\0')
				return 1;
			again = pattern = p;
			from = s;
			s = again_at = skip_to(w, p, s);
			if (spend(ctx, (size_t)(s - from) + 1))
				return -1;
			continue;
		}
		if (*s == '\0' && *p == '\0')
			return 1;
		if (*s && fits_one(w, &p, read_char(&next))) {
			pattern = p;
			s = next;
			if (spend(ctx, 1))
				return -1;
			continue;
		}
		/* At the end of the text nothing further on is longer. */
		if (!again || *s == '\0')
			return 0;
		from = again_at;
		read_char(&again_at);
		again_at = skip_to(w, again, again_at);
		pattern = again;
		s = again_at;
		if (spend(ctx, (size_t)(s - from) + (size_t)(p - again)))
			return -1;
	}
}

/* SQLite's `a LIKE b ESCAPE c` is like(b, a, c). */
static void match(sqlite3_context *ctx, int argc, sqlite3_value **argv, wild w)
{
	int max = sqlite3_limit(sqlite3_context_db_handle(ctx), SQLITE_LIMIT_LIKE_PATTERN_LENGTH,
	                        -1);
	bytes pattern, s, escape;
	int found;

	/* As Debian and others build it: with SQLITE_LIKE_DOESNT_MATCH_BLOBS. */
	if (sqlite3_compileoption_used("LIKE_DOESNT_MATCH_BLOBS") &&
	    (sqlite3_value_type(argv[0]) == SQLITE_BLOB ||
	     sqlite3_value_type(argv[1]) == SQLITE_BLOB)) {
		sqlite3_result_int(ctx, 0);
		return;
	}
	if (sqlite3_value_bytes(argv[0]) > max) {
		sqlite3_result_error(ctx, "LIKE or GLOB pattern too complex", -1);
		return;
	}
	if (argc == 3) {
		escape = sqlite3_value_text(argv[2]);
		if (!escape)
			return;
		w.escape = *escape ? read_char(&escape) : 0;
		if (!w.escape || *escape) {
			sqlite3_result_error(ctx, "ESCAPE expression must be a single character",
			                     -1);
			return;
		}
		w.all = w.escape == w.all ? 0 : w.all;
		w.one = w.escape == w.one ? 0 : w.one;
	}
	pattern = sqlite3_value_text(argv[0]);
	s = sqlite3_value_text(argv[1]);
	if (!pattern || !s)
		return;
	found = fits(ctx, &w, pattern, s);
	if (found >= 0)
		sqlite3_result_int(ctx, found);
}

static void like(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	match(ctx, argc, argv, (wild){ .all = '%', .one = '_', .is_caseless = true });
}

static void glob(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	match(ctx, argc, argv, (wild){ .all = '*', .one = '?', .has_sets = true });
}

/* --- in their places --- */

int ag_sqlite_functions(ag_sqlite_conn *c)
{
	static const struct {
		const char *name;
		int narg;
		void (*call)(sqlite3_context *, int, sqlite3_value **);
	} ours[] = {
		{ "glob", 2, glob },       { "instr", 2, instr }, { "like", 2, like },
		{ "like", 3, like },       { "ltrim", 1, ltrim }, { "ltrim", 2, ltrim },
		{ "replace", 3, replace }, { "rtrim", 1, rtrim }, { "rtrim", 2, rtrim },
		{ "trim", 1, trim },       { "trim", 2, trim },
	};
	int rc = SQLITE_OK;

	for (size_t i = 0; !rc && i < AG_NELEM(ours); i++) {
		watch *w = ag_xcalloc(1, sizeof(*w));

		w->c = c;
		/* It frees w, also when it fails. */
		rc = sqlite3_create_function_v2(c->db, ours[i].name, ours[i].narg,
		                                SQLITE_UTF8 | SQLITE_DETERMINISTIC |
		                                        SQLITE_INNOCUOUS,
		                                w, ours[i].call, NULL, NULL, free);
	}
	return rc;
}
