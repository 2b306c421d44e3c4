/* TZif files: a header, tables with times of 32 bits, the same with 64 bits, and a line with a rule. Of version 1 the first tables
 * are read, of later ones the second.
 *
 * Everything is checked when it is read, so that the functions below can only be asked what they know. */
#include "base/zone.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/time.h"

#define ORIGIN       "base.zone"
#define FOLDER       "/usr/share/zoneinfo/"
#define MAX_OFFSET   (26 * 3600) /* seconds; RFC 8536 allows a little less */
#define MAX_TIMES    20000u
#define MAX_TYPES    256u
#define HEADER_BYTES 44u
#define DAY          INT64_C(86400)

/* When a rule changes: of POSIX's three forms. */
typedef struct change {
	enum { JULIAN, ZERO_BASED, MONTH } form;
	int day;         /* of JULIAN and ZERO_BASED; weekday of MONTH, 0 = Sunday */
	int month, week; /* of MONTH; week 5 = the last */
	int64_t seconds; /* of local time, may be negative or beyond a day */
} change;

struct ag_zone {
	const int64_t *times; /* when the offset becomes offsets[i + 1]; offsets[0] is before all */
	const int64_t *offsets;
	size_t n;
	bool has_rule, has_summer; /* of what follows the last time */
	int64_t standard, summer;
	change begin, end; /* of summer time */
};

/* --- the rule --- */

static bool read_int(ag_str *s, int64_t max, int64_t *ret)
{
	size_t n = 0;

	*ret = 0;
	while (n < s->len && n < 4 && s->ptr[n] >= '0' && s->ptr[n] <= '9')
		*ret = *ret * 10 + (s->ptr[n++] - '0');
	*s = ag_str_make(s->ptr + n, s->len - n);
	return n > 0 && *ret <= max;
}

static bool take_char(ag_str *s, char c)
{
	if (!s->len || s->ptr[0] != c)
		return false;
	*s = ag_str_make(s->ptr + 1, s->len - 1);
	return true;
}

/* [+-]hh[:mm[:ss]] */
static bool read_time(ag_str *s, int64_t *ret)
{
	const bool is_minus = take_char(s, '-');
	int64_t h, m = 0, sec = 0;

	if (!is_minus)
		take_char(s, '+');
	if (!read_int(s, 167, &h) || (take_char(s, ':') && !read_int(s, 59, &m)) ||
	    (take_char(s, ':') && !read_int(s, 59, &sec)))
		return false;
	*ret = (h * 3600 + m * 60 + sec) * (is_minus ? -1 : 1);
	return true;
}

/* "CET", "<+0330>" */
static bool skip_name(ag_str *s)
{
	const bool is_quoted = take_char(s, '<');
	size_t n = 0;

	while (n < s->len && (is_quoted ? s->ptr[n] != '>'
	                                : ((s->ptr[n] | 32) >= 'a' && (s->ptr[n] | 32) <= 'z')))
		n++;
	*s = ag_str_make(s->ptr + n, s->len - n);
	return n > 0 && (!is_quoted || take_char(s, '>'));
}

static bool read_change(ag_str *s, change *ret)
{
	int64_t a = 0, b = 0, c = 0;

	*ret = (change){ .form = ZERO_BASED, .seconds = 2 * 3600 };
	if (!take_char(s, ','))
		return false;
	if (take_char(s, 'M')) {
		ret->form = MONTH;
		if (!read_int(s, 12, &a) || a < 1 || !take_char(s, '.') || !read_int(s, 5, &b) ||
		    b < 1 || !take_char(s, '.') || !read_int(s, 6, &c))
			return false;
		ret->month = (int)a;
		ret->week = (int)b;
		ret->day = (int)c;
	} else {
		if (take_char(s, 'J'))
			ret->form = JULIAN;
		if (!read_int(s, 365, &a) || (ret->form == JULIAN && a < 1))
			return false;
		ret->day = (int)a;
	}
	return !take_char(s, '/') || read_time(s, &ret->seconds);
}

/* The sign of POSIX is the other way round: west is positive. */
static bool read_rule(ag_str s, ag_zone *z)
{
	int64_t west;

	z->has_rule = s.len > 0;
	if (!s.len)
		return true;
	if (!skip_name(&s) || !read_time(&s, &west) || west > MAX_OFFSET || west < -MAX_OFFSET)
		return false;
	z->standard = -west;
	if (!s.len)
		return true;
	z->has_summer = true;
	z->summer = z->standard + 3600;
	if (!skip_name(&s))
		return false;
	if (s.len && s.ptr[0] != ',') {
		if (!read_time(&s, &west) || west > MAX_OFFSET || west < -MAX_OFFSET)
			return false;
		z->summer = -west;
	}
	return read_change(&s, &z->begin) && read_change(&s, &z->end) && !s.len;
}

static int64_t day_of(int64_t year, int month, int day)
{
	const ag_civil c = { .year = year, .month = month, .day = day };

	return ag_time_from_civil(&c) / 1000 / DAY;
}

static bool is_leap(int64_t year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Local seconds since 1970 of the change in that year. */
static int64_t when(const change *c, int64_t year)
{
	int64_t day;

	if (c->form == MONTH) {
		const int64_t first = day_of(year, c->month, 1);
		const int64_t next = day_of(year, c->month + 1, 1);
		const int64_t weekday = ((first + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */

		day = first + (c->day - weekday + 7) % 7 + (c->week - 1) * 7;
		if (day >= next)
			day -= 7;
	} else {
		day = day_of(year, 1, 1) + c->day - (c->form == JULIAN);
		if (c->form == JULIAN && is_leap(year) && c->day >= 60)
			day++; /* 29 February is never counted */
	}
	return day * DAY + c->seconds;
}

static int64_t offset_by_rule(const ag_zone *z, int64_t utc)
{
	const int64_t year = ag_time_to_civil((utc + z->standard) * 1000).year;
	int64_t begin, end;

	if (!z->has_summer)
		return z->standard;
	begin = when(&z->begin, year) - z->standard;
	end = when(&z->end, year) - z->summer;
	if (begin < end)
		return utc >= begin && utc < end ? z->summer : z->standard;
	return utc >= end && utc < begin ? z->standard : z->summer;
}

/* --- the file --- */

static uint64_t big_endian(const char *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

typedef struct header {
	unsigned version; /* 1, 2 … */
	size_t nisut, nisstd, nleap, ntime, ntype, nchar;
} header;

static bool read_header(ag_str s, header *ret)
{
	if (s.len < HEADER_BYTES || memcmp(s.ptr, "TZif", 4) != 0)
		return false;
	*ret = (header){ .version = s.ptr[4] >= '2' ? (unsigned)(s.ptr[4] - '0') : 1,
		         .nisut = big_endian(s.ptr + 20, 4),
		         .nisstd = big_endian(s.ptr + 24, 4),
		         .nleap = big_endian(s.ptr + 28, 4),
		         .ntime = big_endian(s.ptr + 32, 4),
		         .ntype = big_endian(s.ptr + 36, 4),
		         .nchar = big_endian(s.ptr + 40, 4) };
	return ret->ntime <= MAX_TIMES && ret->ntype >= 1 && ret->ntype <= MAX_TYPES &&
	       ret->nchar <= MAX_TIMES && ret->nleap <= MAX_TIMES && ret->nisut <= MAX_TYPES &&
	       ret->nisstd <= MAX_TYPES;
}

static size_t body_bytes(const header *h, size_t time_bytes)
{
	return h->ntime * (time_bytes + 1) + h->ntype * 6 + h->nchar + h->nleap * (time_bytes + 4) +
	       h->nisstd + h->nisut;
}

static bool read_body(const char *p, const header *h, size_t time_bytes, ag_arena *arena,
                      ag_zone *z)
{
	const char *index = p + h->ntime * time_bytes, *types = index + h->ntime;
	int64_t *times = ag_new_n(arena, int64_t, h->ntime + 1);
	int64_t *offsets = ag_new_n(arena, int64_t, h->ntime + 1);

	for (size_t i = 0; i <= h->ntime; i++) {
		/* Before the first change the first type holds. */
		const unsigned type = i ? (unsigned char)index[i - 1] : 0;

		if (type >= h->ntype)
			return false;
		offsets[i] = (int32_t)(uint32_t)big_endian(types + 6 * type, 4);
		if (offsets[i] > MAX_OFFSET || offsets[i] < -MAX_OFFSET)
			return false;
		if (i == h->ntime)
			break;
		times[i] = time_bytes == 8 ? (int64_t)big_endian(p + 8 * i, 8)
		                           : (int32_t)(uint32_t)big_endian(p + 4 * i, 4);
		if (i && times[i] <= times[i - 1])
			return false;
	}
	z->times = times;
	z->offsets = offsets;
	z->n = h->ntime;
	return true;
}

static bool read_file(ag_str s, ag_arena *arena, ag_zone *z)
{
	header h;
	size_t time_bytes = 4, at = HEADER_BYTES;

	if (!read_header(s, &h))
		return false;
	if (h.version > 1) {
		const size_t second = HEADER_BYTES + body_bytes(&h, 4);

		if (second > s.len || !read_header(ag_str_make(s.ptr + second, s.len - second), &h))
			return false;
		time_bytes = 8;
		at = second + HEADER_BYTES;
	}
	if (at + body_bytes(&h, time_bytes) > s.len ||
	    !read_body(s.ptr + at, &h, time_bytes, arena, z))
		return false;
	if (time_bytes == 4)
		return true;
	at += body_bytes(&h, time_bytes);
	s = ag_str_make(s.ptr + at, s.len - at);
	if (!take_char(&s, '\n') || !s.len || s.ptr[s.len - 1] != '\n')
		return false;
	return read_rule(ag_str_make(s.ptr, s.len - 1), z);
}

ag_status ag_zone_read(ag_str bytes, ag_arena *arena, const ag_zone **ret, ag_err *err)
{
	ag_zone *z = ag_new(arena, ag_zone);

	*z = (ag_zone){ 0 };
	if (bytes.len > AG_ZONE_MAX_BYTES || !read_file(bytes, arena, z))
		return ag_fail(err, AG_INVALID, ORIGIN, "the file of the time zone is damaged");
	*ret = z;
	return AG_OK;
}

/* --- opening --- */

static bool is_name(ag_str s)
{
	if (!s.len || s.len > AG_ZONE_MAX_NAME || s.ptr[0] == '/' || s.ptr[s.len - 1] == '/')
		return false;
	for (size_t i = 0; i < s.len; i++) {
		const char c = s.ptr[i], l = (char)(c | 32);

		if (!(l >= 'a' && l <= 'z') && !(c >= '0' && c <= '9') && !strchr("/_+-", c))
			return false;
	}
	return true;
}

static ag_status no_zone(ag_str name, ag_err *err)
{
	ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no time zone \"%.*s\" in " FOLDER,
	        (int)(name.len < 60 ? name.len : 60), name.len ? name.ptr : "");
	if (access(FOLDER, F_OK))
		return ag_err_hint(err, "install the package tzdata");
	return ag_err_hint(err, "names are like Europe/Berlin, America/New_York, UTC");
}

ag_status ag_zone_open(ag_str name, ag_arena *arena, const ag_zone **ret, ag_err *err)
{
	char path[sizeof(FOLDER) + AG_ZONE_MAX_NAME];
	AG_AUTO(ag_buf_release) ag_buf bytes = AG_BUF_INIT(AG_ZONE_MAX_BYTES);
	char piece[4096];
	ssize_t n;
	int fd;

	if (!is_name(name))
		return no_zone(name, err);
	memcpy(path, FOLDER, sizeof(FOLDER) - 1);
	memcpy(path + sizeof(FOLDER) - 1, name.ptr, name.len);
	path[sizeof(FOLDER) - 1 + name.len] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return no_zone(name, err);
	while ((n = read(fd, piece, sizeof(piece))) > 0)
		ag_buf_add(&bytes, ag_str_make(piece, (size_t)n));
	close(fd);
	if (n < 0 || bytes.len < 4 || memcmp(bytes.ptr, "TZif", 4) != 0)
		return no_zone(name, err); /* a folder, a list */
	return ag_zone_read(ag_buf_view(&bytes), arena, ret, err);
}

/* --- asking --- */

int64_t ag_zone_offset(const ag_zone *z, int64_t utc)
{
	size_t low = 0, high = z->n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (z->times[mid] <= utc)
			low = mid + 1;
		else
			high = mid;
	}
	return low == z->n && z->has_rule && (z->n == 0 || utc >= z->times[z->n - 1])
	               ? offset_by_rule(z, utc)
	               : z->offsets[low];
}

/* A local time lies within a day and a bit of the same number of UTC. Whether clocks show it or a later one can change only where
 * the offset does, and more than one change in two days has not been. */
int64_t ag_zone_utc(const ag_zone *z, int64_t local)
{
	int64_t low = local - MAX_OFFSET, high = local + MAX_OFFSET;
	const int64_t first = local - ag_zone_offset(z, low);

	/* By the offset before a change, if there is one. */
	if (ag_zone_offset(z, first) == ag_zone_offset(z, low))
		return first;
	/* Not there any more: the time is shown by a later offset, or skipped. The first second at which clocks show it or more: */
	while (low < high) {
		const int64_t mid = low + (high - low) / 2;

		if (mid + ag_zone_offset(z, mid) >= local)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}
