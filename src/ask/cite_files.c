/* cite_files -- which file a name means, whether this run read it, and what stands in it now.
 *
 * What was read is known from the calls, never from what the model says. A name is first taken as it is; only when no such
 * file is in the tree it may be another way to say one that was read ("github.md" for "wiki/github.md", a path from another
 * folder, a link as it stands in a page that was read), and only when exactly one fits. Each file is looked at once.
 *
 * Read: ag_cite_files_new(), ag_cite_resolve(), ag_cite_look(), ag_cite_anchor(). */
#include "ask/cite_parts.h"
#include "ask/root_parts.h"
#include "base/log.h"
#include "base/sha256.h"

#define MAX_BESIDE 8 /* folders of files that were read, in which a link may begin */

/* --- what was read --- */

static ag_cite_file *seen_file(ag_cite_files *f, ag_str path)
{
	ag_cite_file *file;

	for (size_t i = 0; i < f->nseen; i++) {
		if (ag_str_eq(f->seen[i].path, path))
			return &f->seen[i];
	}
	if (f->nseen == AG_CITE_MAX_SEEN || !path.len)
		return NULL;
	file = &f->seen[f->nseen++];
	*file = (ag_cite_file){ .path = path, .is_seen = true };
	if (ag_cite_is_odd(path))
		f->odd[f->nodd++] = path;
	return file;
}

/* "wiki/git.md:12: text": the files of a search's hits. */
static void see_hits(ag_cite_files *f, ag_str result)
{
	while (result.ptr) {
		ag_str line = ag_str_split(&result, '\n');
		ptrdiff_t colon = ag_str_find(line, ':');
		size_t i = (size_t)colon + 1;

		while (colon > 0 && i < line.len && line.ptr[i] >= '0' && line.ptr[i] <= '9')
			i++;
		if (colon > 0 && i > (size_t)colon + 1 && i < line.len && line.ptr[i] == ':')
			seen_file(f, ag_str_make(line.ptr, (size_t)colon));
	}
}

ag_cite_files *ag_cite_files_new(ag_root *r, const ag_ctx *ctx, const ag_answer_call *calls,
                                 size_t ncall, ag_arena *arena)
{
	ag_cite_files *f = ag_new(arena, ag_cite_files);

	f->root = r;
	f->ctx = ctx ? *ctx : (ag_ctx){ .clock = &ag_clock_system, .nthread = 1 };
	/* What was found is to be printed even when the run's time is up; a few files are no long work. */
	f->ctx.deadline_ms = 0;
	f->arena = arena;
	f->calls = calls;
	f->ncall = ncall;
	for (size_t i = 0; i < ncall; i++) {
		const ag_answer_call *c = &calls[i];
		ag_cite_file *file = c->ok ? seen_file(f, c->file.path) : NULL;

		if (file && ag_str_eqc(c->tool, "read_file"))
			file->is_read = true;
		if (file && c->file.sha256.len)
			file->hash_then = c->file.sha256;
	}
	/* Behind the others: they may be many. */
	for (size_t i = 0; i < ncall; i++) {
		if (calls[i].ok && ag_str_eqc(calls[i].tool, "search_files"))
			see_hits(f, calls[i].result);
	}
	return f;
}

bool ag_cite_is_shown(const ag_cite_files *f, const ag_cite_file *file, unsigned first,
                      unsigned last)
{
	for (size_t i = 0; i < f->ncall; i++) {
		const ag_answer_call *c = &f->calls[i];

		if (!c->ok || !ag_str_eqc(c->tool, "read_file") ||
		    !ag_str_eq(c->file.path, file->path))
			continue;
		if (!c->file.last_line || !last ||
		    (c->file.first_line <= last && first <= c->file.last_line))
			return true;
	}
	return false;
}

/* --- what stands in it --- */

/* As calls showed it: a quote must not hold a part of a key, nor an anchor one in small letters. */
static ag_str without_keys(ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(2 * text.len + 64);
	ag_str ret = AG_S("");

	if (ag_log_clean(text, &out) && !out.failed)
		ret = ag_str_eq(ag_buf_view(&out), text) ? text : ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* Answers name many things that are no files, and ag_root_read() goes through the tree for a name like each. */
static bool is_missing(ag_cite_files *f, ag_str path)
{
	ag_root_found found;
	bool must_be_folder;
	const char *why;
	ag_str normal;

	if (!ag_root_normal_path(path, f->arena, &normal, &must_be_folder, &why))
		return false;
	ag_root_find(f->root, normal, f->arena, &found);
	ag_root_release(&found);
	return found.verdict == AG_ROOT_MISSING;
}

static ag_cite_state look(ag_cite_files *f, ag_cite_file *file)
{
	ag_root_text text;
	ag_sha256_hex hash;
	ag_err err = { 0 };

	if (f->nread > AG_CITE_MAX_READ)
		file->why = AG_S("too many large files are named");
	else if (!file->is_seen && is_missing(f, file->path))
		file->why = AG_S("there is no such file");
	if (file->why.len)
		return AG_CITE_IS_GONE;
	if (ag_root_read(f->root, &f->ctx, file->path, AG_CITE_MAX_FILE, f->arena, &text, &err)) {
		f->is_cancelled |= err.status == AG_CANCELLED;
		file->why = ag_str_dup(f->arena, ag_str_c(err.msg));
		return AG_CITE_IS_GONE;
	}
	if (text.is_binary) {
		file->why = AG_S("it has no text");
		return AG_CITE_IS_GONE;
	}
	f->nread += text.text.len;
	file->text = without_keys(text.text, f->arena);
	if (!text.is_cut) {
		hash = ag_sha256(text.text);
		file->hash_now = ag_str_dup(f->arena, ag_str_c(hash.text));
	}
	ag_outline_of(file->path, file->text, f->arena, &file->outline);
	if (file->hash_then.len && !ag_str_eq(file->hash_then, file->hash_now))
		return AG_CITE_IS_CHANGED;
	return AG_CITE_IS_THERE;
}

ag_cite_state ag_cite_look(ag_cite_files *f, ag_cite_file *file)
{
	if (file->state == AG_CITE_NOT_LOOKED)
		file->state = look(f, file);
	return file->state;
}

/* --- which file a name means --- */

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static ag_str decoded(ag_str s, ag_arena *arena)
{
	char *to;
	size_t n = 0;

	if (ag_str_find(s, '%') < 0)
		return s;
	to = ag_arena_alloc(arena, s.len + 1);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '%' && i + 2 < s.len && hex(s.ptr[i + 1]) >= 0 &&
		    hex(s.ptr[i + 2]) >= 0) {
			to[n++] = (char)(hex(s.ptr[i + 1]) * 16 + hex(s.ptr[i + 2]));
			i += 2;
		} else {
			to[n++] = s.ptr[i];
		}
	}
	return ag_str_make(to, n);
}

static ag_str last_name(ag_str path)
{
	size_t i = path.len;

	while (i && path.ptr[i - 1] != '/')
		i--;
	return ag_str_make(path.ptr + i, path.len - i);
}

bool ag_cite_looks_like_file(ag_str path)
{
	ag_str name = last_name(path);
	ptrdiff_t slash = ag_str_find(path, '/'), dot;
	size_t i = name.len;

	if (ag_cite_is_known_name(name))
		return true;
	while (i && name.ptr[i - 1] != '.')
		i--;
	/* An ending of letters and digits: not "e.g", "v1.2", "etc." */
	if (i < 2 || name.len - i < 1 || name.len - i > 12 ||
	    (name.ptr[i] >= '0' && name.ptr[i] <= '9'))
		return i == 1 && name.len > 2; /* ".env" */
	if (ag_str_ends(path, AG_S(".md")))
		return true;
	/* A host in front: "example.com/page.html". */
	dot = ag_str_find(path, '.');
	return !(slash > 0 && dot > 0 && dot < slash);
}

/* Does `whole` end with "/part"? */
static bool ends_with_path(ag_str whole, ag_str part)
{
	return part.len && whole.len > part.len && ag_str_ends(whole, part) &&
	       whole.ptr[whole.len - part.len - 1] == '/';
}

typedef enum likeness {
	SAME,
	SAME_BUT_CASE,
	TAIL,   /* "github.md" of "wiki/github.md" */
	WITHIN, /* "project/wiki/github.md", an absolute path */
	NAME    /* the last name only */
} likeness;

static bool is_like(ag_str seen, ag_str path, likeness how)
{
	switch (how) {
	case SAME: return ag_str_eq(seen, path);
	case SAME_BUT_CASE: return ag_str_ieq(seen, path);
	case TAIL: return ends_with_path(seen, path);
	case WITHIN: return ends_with_path(path, seen);
	default: return ag_str_ieq(last_name(seen), last_name(path));
	}
}

/* The only one that was seen and is like it. */
static ag_cite_file *only_one(ag_cite_files *f, ag_str path, likeness how)
{
	ag_cite_file *found = NULL;

	for (size_t i = 0; i < f->nseen; i++) {
		if (!is_like(f->seen[i].path, path, how))
			continue;
		if (found)
			return NULL;
		found = &f->seen[i];
	}
	return found;
}

ag_cite_file *ag_cite_file_at(ag_cite_files *f, ag_str path)
{
	ag_cite_file *file = only_one(f, path, SAME);

	for (size_t i = 0; i < f->nlooked && !file; i++) {
		if (ag_str_eq(f->looked[i].path, path))
			file = &f->looked[i];
	}
	if (!file && f->nlooked < AG_CITE_MAX_LOOK) {
		file = &f->looked[f->nlooked++];
		*file = (ag_cite_file){ .path = path };
	}
	return file;
}

/* A file that nobody read, if it is in the tree. */
static ag_cite_file *in_tree(ag_cite_files *f, ag_str path)
{
	ag_cite_file *file = ag_cite_file_at(f, path);

	return file && ag_cite_look(f, file) == AG_CITE_IS_THERE ? file : NULL;
}

/* A link as it stands in a page: from the page's own folder, "../" steps up. "" = it leads out. */
static ag_str joined(ag_str page, ag_str link, ag_arena *arena)
{
	ag_str folder = ag_str_make(page.ptr, page.len - last_name(page).len);

	while (ag_str_starts(link, AG_S("../")) || ag_str_starts(link, AG_S("./"))) {
		size_t n = link.ptr[1] == '.' ? 3 : 2;

		if (n == 3 && !folder.len)
			return AG_S("");
		if (n == 3)
			folder.len -= last_name(ag_str_make(folder.ptr, folder.len - 1)).len + 1;
		link = ag_str_make(link.ptr + n, link.len - n);
	}
	return ag_str_printf(arena, "%.*s%.*s", AG_FMT(folder), AG_FMT(link));
}

static ag_cite_file *beside(ag_cite_files *f, ag_str path)
{
	for (size_t i = 0; i < f->nseen && i < MAX_BESIDE; i++) {
		ag_str whole = joined(f->seen[i].path, path, f->arena);
		ag_cite_file *file = whole.len ? only_one(f, whole, SAME) : NULL;

		if (!file && whole.len)
			file = in_tree(f, whole);
		if (file)
			return file;
	}
	return NULL;
}

ag_cite_file *ag_cite_resolve(ag_cite_files *f, ag_str path, bool *ret_mended)
{
	static const likeness others[] = { TAIL, WITHIN };
	ag_cite_file *file = only_one(f, path, SAME);
	bool is_file;

	*ret_mended = false;
	if (file || !path.len || path.len > AG_ROOT_MAX_PATH)
		return file;
	path = decoded(path, f->arena);
	while (path.len && path.ptr[0] == '/')
		path = ag_str_make(path.ptr + 1, path.len - 1);
	is_file = ag_cite_looks_like_file(path);
	file = only_one(f, path, SAME);
	if (!file && (is_file || ag_str_find(path, '/') > 0))
		file = in_tree(f, path);
	if (file)
		return file;
	*ret_mended = true;
	file = only_one(f, path, SAME_BUT_CASE);
	for (size_t i = 0; i < AG_NELEM(others) && !file; i++)
		file = only_one(f, path, others[i]);
	if (!file && is_file)
		file = beside(f, path);
	if (!file && is_file)
		file = only_one(f, path, NAME);
	return file;
}

/* --- anchors --- */

ag_anchor_fit ag_cite_anchor(const ag_cite_file *file, ag_str anchor, ag_arena *arena,
                             const ag_outline_item **ret)
{
	const ag_outline *o = &file->outline;

	*ret = NULL;
	if (!o->is_markdown || !anchor.len)
		return AG_ANCHOR_NONE;
	*ret = ag_outline_find(o, anchor);
	if (*ret || ag_outline_has_anchor(o, anchor))
		return AG_ANCHOR_EXACT;
	/* Of a heading's words as they stand, or in capitals, its anchor is made. */
	*ret = ag_outline_find(o, ag_outline_slug(decoded(anchor, arena), arena));
	if (*ret)
		return AG_ANCHOR_ALIKE;
	*ret = ag_outline_nearest(o, anchor);
	return *ret ? AG_ANCHOR_NEAR : AG_ANCHOR_NONE;
}
