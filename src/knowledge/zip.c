/* zip -- see the header. Read ag_zip_read(): the list at the end of the archive leads, and each file's own header must agree
 * with it. Every number is checked before it is used as a place. */
#include "knowledge/zip.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/utf8.h"

#define ORIGIN       "knowledge.zip"
#define END_SIGN     0x06054b50u
#define LIST_SIGN    0x02014b50u
#define FILE_SIGN    0x04034b50u
#define END_BYTES    22u
#define LIST_BYTES   46u
#define FILE_BYTES   30u
#define MAX_COMMENT  65535u
#define IS_ENCRYPTED 0x0001u
#define IS_UTF8      0x0800u
#define STORED       0u
#define DEFLATED     8u
#define UNIX         3u
#define FILE_TYPE    0170000u
#define REGULAR      0100000u
#define FOLDER       0040000u
#define DATE_1980    0x0021u /* the format's first day: the time of writing says nothing */

typedef struct entry {
	ag_str name;
	unsigned method;
	uint32_t crc, packed, size;
	size_t at; /* of its header */
} entry;

typedef struct archive {
	ag_str bytes;
	ag_arena *arena;
	ag_err *err;
	size_t total; /* bytes of all files so far */
} archive;

static uint32_t u16(ag_str s, size_t at)
{
	return (uint32_t)(unsigned char)s.ptr[at] | (uint32_t)(unsigned char)s.ptr[at + 1] << 8;
}

static uint32_t u32(ag_str s, size_t at)
{
	return u16(s, at) | u16(s, at + 2) << 16;
}

static ag_status broken(const archive *a, const char *what)
{
	return ag_fail(a->err, AG_INVALID, ORIGIN, "the zip archive is broken: %s", what);
}

AG_PRINTF(4, 5)
static ag_status refuse(const archive *a, ag_status st, ag_str name, const char *fmt, ...)
{
	AG_AUTO(ag_buf_release) ag_buf text = AG_BUF_INIT(300);
	AG_AUTO(ag_buf_release) ag_buf shown = AG_BUF_INIT(300);
	va_list ap;

	va_start(ap, fmt);
	ag_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < name.len && i < 100; i++)
		ag_buf_addc(&shown, (unsigned char)name.ptr[i] < 0x20 || name.ptr[i] == 0x7f
		                            ? '?'
		                            : name.ptr[i]);
	return ag_fail(a->err, st, ORIGIN, "the zip archive is refused: \"%.*s\" %.*s",
	               AG_FMT(ag_buf_view(&shown)), AG_FMT(ag_buf_view(&text)));
}

bool ag_zip_is(ag_str bytes)
{
	return bytes.len >= 4 && (u32(bytes, 0) == FILE_SIGN || u32(bytes, 0) == END_SIGN);
}

bool ag_zip_name_is_safe(ag_str name)
{
	ag_str rest = name;

	if (!name.len || name.len > AG_ZIP_MAX_NAME || !ag_utf8_is_text(name))
		return false;
	for (size_t i = 0; i < name.len; i++) {
		const unsigned char c = (unsigned char)name.ptr[i];

		if (c < 0x20 || c == 0x7f || c == '\\' || c == ':')
			return false;
	}
	while (rest.ptr) {
		const ag_str part = ag_str_split(&rest, '/');

		if (!part.len || ag_str_eqc(part, ".") || ag_str_eqc(part, ".."))
			return false;
	}
	return true;
}

/* --- the list --- */

static ag_status find_end(const archive *a, size_t *ret)
{
	const size_t len = a->bytes.len;
	size_t first;

	if (len < END_BYTES)
		return broken(a, "it is too short");
	first = len > END_BYTES + MAX_COMMENT ? len - END_BYTES - MAX_COMMENT : 0;
	for (size_t at = len - END_BYTES + 1; at-- > first;) {
		if (u32(a->bytes, at) == END_SIGN &&
		    at + END_BYTES + u16(a->bytes, at + 20) == len) {
			*ret = at;
			return AG_OK;
		}
	}
	return broken(a, "its end is missing");
}

/* What kind of file a packer on Unix says that it is. */
static ag_status check_type(const archive *a, ag_str name, size_t at)
{
	const unsigned system = u16(a->bytes, at + 4) >> 8;
	const unsigned type = (u32(a->bytes, at + 38) >> 16) & FILE_TYPE;

	if (system != UNIX || !type || type == REGULAR || type == FOLDER)
		return AG_OK;
	return refuse(a, AG_INVALID, name, "is a symbolic link or a device");
}

static ag_status read_entry(const archive *a, size_t *at, size_t end, entry *ret)
{
	size_t name_len, skip;
	ag_status st;

	if (*at + LIST_BYTES > end || u32(a->bytes, *at) != LIST_SIGN)
		return broken(a, "its list of files");
	name_len = u16(a->bytes, *at + 28);
	skip = (size_t)u16(a->bytes, *at + 30) + u16(a->bytes, *at + 32);
	if (name_len + skip > end - *at - LIST_BYTES)
		return broken(a, "its list of files");
	*ret = (entry){ .name = ag_str_make(a->bytes.ptr + *at + LIST_BYTES, name_len),
		        .method = u16(a->bytes, *at + 10),
		        .crc = u32(a->bytes, *at + 16),
		        .packed = u32(a->bytes, *at + 20),
		        .size = u32(a->bytes, *at + 24),
		        .at = u32(a->bytes, *at + 42) };
	if (u16(a->bytes, *at + 8) & IS_ENCRYPTED)
		return refuse(a, AG_INVALID, ret->name, "is encrypted");
	st = check_type(a, ret->name, *at);
	*at += LIST_BYTES + name_len + skip;
	return st;
}

static bool is_folder(const entry *e)
{
	return e->name.len && e->name.ptr[e->name.len - 1] == '/';
}

static ag_status check_entry(const archive *a, const entry *e)
{
	const ag_str name = is_folder(e) ? ag_str_make(e->name.ptr, e->name.len - 1) : e->name;

	if (!ag_zip_name_is_safe(name))
		return refuse(a, AG_INVALID, e->name,
		              "is no safe name: want a relative one without \"..\"");
	if (e->method != STORED && e->method != DEFLATED)
		return refuse(a, AG_INVALID, e->name, "is packed in a way that is not known (%u)",
		              e->method);
	if (e->size > AG_ZIP_MAX_FILE_BYTES)
		return refuse(a, AG_LIMIT, e->name, "is larger than %u bytes",
		              AG_ZIP_MAX_FILE_BYTES);
	return AG_OK;
}

/* --- a file --- */

static ag_status inflate_all(const archive *a, const entry *e, ag_str packed, char *to)
{
	z_stream z = { 0 };
	int rc;

	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return ag_fail(a->err, AG_INTERNAL, ORIGIN, "out of memory");
	z.next_in = (Bytef *)(uintptr_t)packed.ptr;
	z.avail_in = (uInt)packed.len;
	z.next_out = (Bytef *)to;
	z.avail_out = e->size + 1; /* one more: a file that is longer than it says */
	rc = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (rc != Z_STREAM_END || z.total_out != e->size)
		return refuse(a, AG_INVALID, e->name, "cannot be unpacked");
	return AG_OK;
}

static ag_status unpack(archive *a, const entry *e, ag_str *ret)
{
	size_t from;
	ag_str packed;
	char *to;
	ag_status st = AG_OK;

	if (e->at > a->bytes.len || a->bytes.len - e->at < FILE_BYTES ||
	    u32(a->bytes, e->at) != FILE_SIGN)
		return refuse(a, AG_INVALID, e->name, "is not where the list says");
	from = e->at + FILE_BYTES + u16(a->bytes, e->at + 26) + u16(a->bytes, e->at + 28);
	if (from > a->bytes.len || a->bytes.len - from < e->packed)
		return refuse(a, AG_INVALID, e->name, "ends beyond the archive");
	if (e->method == STORED && e->packed != e->size)
		return refuse(a, AG_INVALID, e->name, "has two sizes");
	a->total += e->size;
	if (a->total > AG_ZIP_MAX_BYTES)
		return refuse(a, AG_LIMIT, e->name,
		              "and the files before it are larger than %u bytes", AG_ZIP_MAX_BYTES);
	packed = ag_str_make(a->bytes.ptr + from, e->packed);
	to = ag_arena_alloc(a->arena, (size_t)e->size + 1);
	if (e->method == DEFLATED)
		st = inflate_all(a, e, packed, to);
	else if (e->size)
		memcpy(to, packed.ptr, e->size);
	if (!st && crc32(0, (const Bytef *)to, e->size) != e->crc)
		st = refuse(a, AG_INVALID, e->name, "has a wrong checksum");
	to[e->size] = '\0';
	*ret = ag_str_make(to, e->size);
	return st;
}

static int by_name(const void *a, const void *b)
{
	return ag_str_cmp((*(const ag_zip_file *const *)a)->name,
	                  (*(const ag_zip_file *const *)b)->name);
}

static ag_status check_twice(const archive *a, const ag_zip_file *files, size_t n)
{
	const ag_zip_file **list = ag_new_n(a->arena, const ag_zip_file *, n + 1);

	for (size_t i = 0; i < n; i++)
		list[i] = &files[i];
	if (n)
		qsort(list, n, sizeof(*list), by_name);
	for (size_t i = 1; i < n; i++) {
		if (ag_str_eq(list[i]->name, list[i - 1]->name))
			return refuse(a, AG_INVALID, list[i]->name, "comes twice");
	}
	return AG_OK;
}

ag_status ag_zip_read(ag_str bytes, ag_arena *arena, ag_zip_file **ret, size_t *nret, ag_err *err)
{
	archive a = { .bytes = bytes, .arena = arena, .err = err };
	size_t end = 0, at, n;
	ag_zip_file *files;
	ag_status st;

	if (bytes.len > AG_ZIP_MAX_BYTES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the zip archive is larger than %u bytes",
		               AG_ZIP_MAX_BYTES);
	st = find_end(&a, &end);
	if (st)
		return st;
	n = u16(bytes, end + 10);
	at = u32(bytes, end + 16);
	if (n > AG_ZIP_MAX_FILES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "the zip archive has more than %u files",
		               AG_ZIP_MAX_FILES);
	if (at > end)
		return broken(&a, "its list of files");
	files = ag_new_n(arena, ag_zip_file, n + 1);
	*nret = 0;
	for (size_t i = 0; i < n && !st; i++) {
		entry e = { 0 };

		st = read_entry(&a, &at, end, &e);
		if (!st)
			st = check_entry(&a, &e);
		if (st || is_folder(&e))
			continue;
		files[*nret].name = ag_str_dup(arena, e.name);
		st = unpack(&a, &e, &files[(*nret)++].text);
	}
	if (!st)
		st = check_twice(&a, files, *nret);
	*ret = files;
	return st;
}

/* --- writing --- */

static void put16(ag_buf *out, uint32_t v)
{
	ag_buf_addc(out, (char)(v & 0xff));
	ag_buf_addc(out, (char)(v >> 8 & 0xff));
}

static void put32(ag_buf *out, uint32_t v)
{
	put16(out, v & 0xffff);
	put16(out, v >> 16);
}

/* What the header of a file and its row of the list share, from the version on. */
static void put_entry(ag_buf *out, const entry *e)
{
	put16(out, 20); /* 2.0: deflate */
	put16(out, IS_UTF8);
	put16(out, e->method);
	put16(out, 0);
	put16(out, DATE_1980);
	put32(out, e->crc);
	put32(out, e->packed);
	put32(out, e->size);
	put16(out, (uint32_t)e->name.len);
	put16(out, 0);
}

static bool deflate_all(ag_str text, ag_buf *out)
{
	z_stream z = { 0 };
	const uLong bound = compressBound((uLong)text.len) + 64;
	char *to = ag_buf_room(out, bound);
	bool ok = to && deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
	                             Z_DEFAULT_STRATEGY) == Z_OK;

	if (!ok)
		return false;
	z.next_in = (Bytef *)(uintptr_t)text.ptr;
	z.avail_in = (uInt)text.len;
	z.next_out = (Bytef *)to;
	z.avail_out = (uInt)bound;
	ok = deflate(&z, Z_FINISH) == Z_STREAM_END;
	out->len += z.total_out;
	deflateEnd(&z);
	return ok;
}

static ag_status put_file(const ag_zip_file *f, entry *e, ag_buf *out, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf packed = AG_BUF_INIT(2 * AG_ZIP_MAX_FILE_BYTES);

	if (!ag_zip_name_is_safe(f->name))
		return ag_fail(err, AG_INVALID, ORIGIN, "\"%.*s\" is no name for a file",
		               AG_FMT(ag_utf8_prefix(f->name, 100)));
	if (f->text.len > AG_ZIP_MAX_FILE_BYTES || !deflate_all(f->text, &packed))
		return ag_fail(err, AG_LIMIT, ORIGIN, "%.*s is larger than %u bytes",
		               AG_FMT(f->name), AG_ZIP_MAX_FILE_BYTES);
	*e = (entry){ .name = f->name,
		      .method = DEFLATED,
		      .crc = (uint32_t)crc32(0, (const Bytef *)f->text.ptr, (uInt)f->text.len),
		      .packed = (uint32_t)packed.len,
		      .size = (uint32_t)f->text.len,
		      .at = out->len };
	put32(out, FILE_SIGN);
	put_entry(out, e);
	ag_buf_add(out, f->name);
	ag_buf_add(out, ag_buf_view(&packed));
	return AG_OK;
}

static void put_row(ag_buf *out, const entry *e)
{
	put32(out, LIST_SIGN);
	put16(out, UNIX << 8 | 20);
	put_entry(out, e);
	put16(out, 0); /* comment, disk, text or not */
	put16(out, 0);
	put16(out, 0);
	put32(out, (REGULAR | 0644u) << 16);
	put32(out, (uint32_t)e->at);
	ag_buf_add(out, e->name);
}

ag_status ag_zip_write(const ag_zip_file *files, size_t n, ag_buf *out, ag_err *err)
{
	AG_AUTO(ag_arena_freep) ag_arena *arena = ag_arena_new();
	entry *entries = ag_new_n(arena, entry, n + 1);
	size_t from, size;
	ag_status st = AG_OK;

	if (n > AG_ZIP_MAX_FILES)
		return ag_fail(err, AG_LIMIT, ORIGIN, "more than %u files", AG_ZIP_MAX_FILES);
	for (size_t i = 0; i < n && !st; i++)
		st = put_file(&files[i], &entries[i], out, err);
	if (st)
		return st;
	from = out->len;
	for (size_t i = 0; i < n; i++)
		put_row(out, &entries[i]);
	size = out->len - from;
	put32(out, END_SIGN);
	put32(out, 0); /* one disk */
	put16(out, (uint32_t)n);
	put16(out, (uint32_t)n);
	put32(out, (uint32_t)size);
	put32(out, (uint32_t)from);
	put16(out, 0); /* no comment */
	return out->failed ? ag_fail(err, AG_LIMIT, ORIGIN, "the archive is larger than %zu bytes",
	                             out->limit)
	                   : AG_OK;
}
