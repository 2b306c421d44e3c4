/* root -- the handle, and reading the beginning of a file.
 *
 * Reading order of the room: root_path.c (words), root_open.c (beneath the root), root_find.c (may it be seen), then here and
 * root_dir.c, root_walk.c for what is done with it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ask/root_parts.h"
#include "base/utf8.h"

#define BINARY_LOOK 8192 /* bytes in which a NUL says that it is no text */
#define TEXT_LOOK   65536
#define PIECE       (1u << 20) /* between two looks at the clock */
/* Bytes of base64 that make a private key: the shortest have 64. */
#define MIN_KEY_BODY 60

/* --- open and close ------------------------------------------------------------------------------ */

static ag_status open_folder(const char *path, ag_root *r, ag_err *err)
{
	ag_root_shown shown = ag_root_show(ag_str_c(path));
	ag_status status;
	struct statfs fs;
	struct stat st;
	char *real;

	r->fd = open(path, O_PATH | O_CLOEXEC);
	if (r->fd < 0 || fstat(r->fd, &st) != 0) {
		status = ag_fail_errno(err, errno, AG_ROOT_ORIGIN, "cannot open the project %s",
		                       shown.text);
		ag_err_hint(err, "name the project's folder with --root");
		return status;
	}
	if (!S_ISDIR(st.st_mode)) {
		ag_fail(err, AG_INVALID, AG_ROOT_ORIGIN, "%s is no folder", shown.text);
		return ag_err_hint(err, "name the project's folder with --root");
	}
	if (fstatfs(r->fd, &fs) == 0 && (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC))
		return ag_fail(err, AG_DENIED, AG_ROOT_ORIGIN, "%s is no project but the kernel's",
		               shown.text);
	r->dev = st.st_dev;
	real = realpath(path, NULL);
	if (!real)
		return ag_fail_errno(err, errno, AG_ROOT_ORIGIN, "cannot name the folder %s",
		                     shown.text);
	r->path = ag_str_dup(r->arena, ag_str_c(real));
	free(real);
	return AG_OK;
}

ag_status ag_root_open(const ag_root_opts *o, ag_root **ret, ag_err *err)
{
	ag_root *r = ag_xcalloc(1, sizeof(*r));
	ag_status st;

	r->fd = -1;
	pthread_mutex_init(&r->lock, NULL);
	r->arena = ag_arena_new();
	r->rules_arena = ag_arena_new();
	r->allow_ignored = o->allow_ignored;
	if (ag_str_find(o->path, '\0') >= 0)
		st = ag_fail(err, AG_INVALID, AG_ROOT_ORIGIN,
		             "the project's path holds a zero byte");
	else
		st = open_folder(o->path.len ? ag_str_cstr(r->arena, o->path) : ".", r, err);
	if (st) {
		ag_root_close(r);
		return st;
	}
	r->by_hand = o->no_openat2 || !ag_root_can_openat2(r->fd);
	ag_root_load_above(r);
	*ret = r;
	return AG_OK;
}

ag_root *ag_root_close(ag_root *r)
{
	if (!r)
		return NULL;
	if (r->fd >= 0)
		close(r->fd);
	ag_arena_free(r->rules_arena);
	ag_arena_free(r->arena);
	free(r->secrets);
	pthread_mutex_destroy(&r->lock);
	free(r);
	return NULL;
}

ag_str ag_root_path(const ag_root *r)
{
	return r->path;
}

void ag_root_add_secret_inode(ag_root *r, uint64_t dev, uint64_t ino)
{
	for (size_t i = 0; i < r->nsecret; i++) {
		if (r->secrets[i].dev == dev && r->secrets[i].ino == ino)
			return;
	}
	r->secrets = ag_xrealloc(r->secrets, (r->nsecret + 1) * sizeof(*r->secrets));
	r->secrets[r->nsecret++] = (ag_root_inode){ .dev = dev, .ino = ino };
}

bool ag_root_add_secret(ag_root *r, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	ag_root_add_secret_inode(r, st.st_dev, st.st_ino);
	return true;
}

/* --- reading ------------------------------------------------------------------------------------- */

/* At most n bytes; a file that became shorter meanwhile gives what is left. */
static ag_status read_bytes(int fd, const ag_ctx *ctx, char *to, size_t n, size_t *ret_len,
                            ag_str path, ag_err *err)
{
	size_t len = 0;

	while (len < n) {
		size_t want = n - len < PIECE ? n - len : PIECE;
		ag_status st = ag_ctx_check(ctx, err);
		ssize_t got;

		if (st)
			return st;
		got = read(fd, to + len, want);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ag_fail_errno(err, errno, AG_ROOT_ORIGIN, "cannot read %s",
			                     ag_root_show(path).text);
		if (got == 0)
			break;
		len += (size_t)got;
	}
	*ret_len = len;
	return AG_OK;
}

/* A few bad bytes are a slip, or the end of a text that was cut; more of them are another kind of file. */
static bool is_binary(ag_str text)
{
	size_t look = text.len < BINARY_LOOK ? text.len : BINARY_LOOK;
	size_t at = 0, nbad = 0;

	if (look && memchr(text.ptr, 0, look))
		return true;
	if (text.len > TEXT_LOOK)
		text.len = TEXT_LOOK;
	if (ag_utf8_valid(text))
		return false;
	while (at < text.len) {
		size_t before = at;

		nbad += ag_utf8_next(text, &at) == 0xfffd && at == before + 1;
	}
	return nbad * 10 > text.len + 64;
}

/* A character that was cut in the middle is left out. */
static size_t whole_characters(ag_str text)
{
	size_t back = 0;

	while (back < 3 && back < text.len &&
	       ((unsigned char)text.ptr[text.len - 1 - back] & 0xc0) == 0x80)
		back++;
	if (back < text.len) {
		unsigned char lead = (unsigned char)text.ptr[text.len - 1 - back];
		size_t need = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;

		if (need > back)
			return text.len - 1 - back;
	}
	return text.len;
}

/* How much of a text is base64, with line breaks also as they are escaped in JSON. */
static size_t base64_len(ag_str s)
{
	size_t i = 0;

	for (; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		bool is_digit = ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9');

		if (!is_digit && (!c || !strchr("+/= \t\r\n\\", c)))
			break;
	}
	return i;
}

/* "-----BEGIN … PRIVATE KEY-----" with a key behind it, wherever it stands (bundles of certificates, accounts in JSON) and
 * whatever the file is called. One with dots in it is an example of documentation. */
static bool is_private_key(ag_str text)
{
	static const ag_str mark = AG_S_INIT("PRIVATE KEY-----"), end = AG_S_INIT("-----END ");
	size_t at = 0, n;
	const char *p;

	if (ag_str_starts(text, AG_S("-----BEGIN ")) &&
	    ag_str_contains(ag_str_make(text.ptr, text.len < 80 ? text.len : 80),
	                    AG_S("PRIVATE KEY")))
		return true;
	while (at < text.len && (p = memmem(text.ptr + at, text.len - at, mark.ptr, mark.len))) {
		size_t from = (size_t)(p - text.ptr);
		size_t back = from < 32 ? from : 32; /* "BEGIN ENCRYPTED ", and not "END" */
		bool is_begin = ag_str_contains(ag_str_make(p - back, back), AG_S("BEGIN "));
		ag_str body;

		at = from + mark.len;
		body = ag_str_make(text.ptr + at, text.len - at);
		n = base64_len(body);
		if (is_begin && n >= MIN_KEY_BODY &&
		    (n == body.len || ag_str_starts(ag_str_make(body.ptr + n, body.len - n), end)))
			return true;
	}
	return false;
}

static ag_status no_file(const ag_root_found *f, ag_str path, ag_err *err)
{
	if (f->stat.kind != AG_ROOT_FOLDER)
		return ag_fail(err, AG_INVALID, AG_ROOT_ORIGIN, "%s is neither a file nor a folder",
		               ag_root_show(path).text);
	ag_fail(err, AG_INVALID, AG_ROOT_ORIGIN, "%s is a folder, not a file",
	        f->stat.path.len ? ag_root_show(f->stat.path).text : "the project's root");
	return ag_err_hint(err, "list it");
}

static ag_status read_found(ag_root *r, const ag_ctx *ctx, const ag_root_found *f, size_t limit,
                            ag_arena *arena, ag_root_text *ret, ag_err *err)
{
	int fd = ag_root_open_for_reading(r, &f->at);
	ag_root_text t = { .stat = f->stat };
	size_t want = t.stat.size < limit ? (size_t)t.stat.size : limit, len = 0;
	ag_status st;
	char *buf;

	if (fd < 0 && errno == EACCES) {
		ag_fail(err, AG_DENIED, AG_ROOT_ORIGIN, "no permission to read %s",
		        ag_root_show(f->stat.path).text);
		ag_err_hint(err, "go on without it");
		return AG_DENIED;
	}
	if (fd < 0)
		return ag_fail_errno(err, errno, AG_ROOT_ORIGIN, "cannot open %s",
		                     ag_root_show(f->stat.path).text);
	buf = ag_arena_alloc(arena, want + 1);
	st = read_bytes(fd, ctx, buf, want, &len, f->stat.path, err);
	close(fd);
	if (st)
		return st;
	t.text = ag_str_make(buf, len);
	t.is_cut = t.stat.size > limit;
	t.is_binary = is_binary(t.text);
	if (is_private_key(t.text))
		return ag_fail(err, AG_DENIED, AG_ROOT_ORIGIN,
		               "refused: %s is a private key; secrets are not read",
		               ag_root_show(f->stat.path).text);
	if (t.is_binary)
		t.text = AG_S("");
	else if (t.is_cut)
		t.text.len = whole_characters(t.text);
	*ret = t;
	return AG_OK;
}

ag_status ag_root_read(ag_root *r, const ag_ctx *ctx, ag_str path, size_t limit, ag_arena *arena,
                       ag_root_text *ret, ag_err *err)
{
	AG_AUTO(ag_root_release) ag_root_found f = { .at = { .fd = -1 } };
	ag_status st = ag_root_get(r, ctx, path, arena, &f, err);

	if (st)
		return st;
	if (f.stat.kind != AG_ROOT_FILE)
		return no_file(&f, path, err);
	return read_found(r, ctx, &f, limit < AG_ROOT_MAX_FILE ? limit : AG_ROOT_MAX_FILE, arena,
	                  ret, err);
}
