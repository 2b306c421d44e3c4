/* tool_files -- read_file, list_files, outline: a file whole when it fits, else a slice that says where it goes on.
 *
 * A whole file is given byte for byte, so that the hash of the result is that of the file. A slice ends behind a line; what
 * Argus adds stands behind it in lines that begin with "[". */
#include <stdio.h>

#include "ask/outline.h"
#include "ask/root_parts.h"
#include "ask/tools.h"
#include "base/log.h"
#include "base/paint.h"
#include "base/sha256.h"
#include "base/utf8.h"

#define LIST_MAX_BYTES (64u * 1024)

typedef struct slice {
	ag_str text;
	unsigned first, last, nline; /* lines are counted from 1; last 0 = none was shown */
	bool is_cut_line;            /* one line alone is longer than what may be shown */
} slice;

static unsigned count_lines(ag_str text)
{
	unsigned n = 0;

	for (const char *p = text.ptr, *end = text.ptr + text.len; p < end;) {
		const char *nl = (const char *)memchr(p, '\n', (size_t)(end - p));

		n++;
		p = nl ? nl + 1 : end;
	}
	return n;
}

/* The bytes of a line with its end; the rest moves behind it. */
static ag_str take_line(ag_str *rest)
{
	const char *nl = (const char *)memchr(rest->ptr, '\n', rest->len);
	const size_t n = nl ? (size_t)(nl - rest->ptr) + 1 : rest->len;
	const ag_str line = ag_str_make(rest->ptr, n);

	*rest = ag_str_make(rest->ptr + n, rest->len - n);
	return line;
}

/* Lines from `first` on, at most `max` of them and `bytes` bytes. */
static slice cut(ag_str text, unsigned first, unsigned max, size_t bytes)
{
	slice ret = { .first = first, .nline = count_lines(text) };
	ag_str rest = text, line;
	size_t begin, n = 0;

	for (unsigned i = 1; i < first && rest.len; i++)
		take_line(&rest);
	begin = text.len - rest.len;
	for (unsigned i = 0; i < max && rest.len; i++) {
		line = take_line(&rest);
		if (n + line.len > bytes) {
			ret.is_cut_line = i == 0;
			if (ret.is_cut_line) {
				n = ag_utf8_prefix(line, bytes).len;
				ret.last = first;
			}
			break;
		}
		n += line.len;
		ret.last = first + i;
	}
	ret.text = ag_str_make(text.ptr + begin, n);
	return ret;
}

static ag_str with_note(const slice *s, const ag_root_text *file, ag_str outline, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT((size_t)AG_ASK_READ_BYTES * 64);
	ag_str ret;

	ag_buf_add(&out, s->text);
	if (s->text.len && s->text.ptr[s->text.len - 1] != '\n')
		ag_buf_addc(&out, '\n');
	if (s->is_cut_line)
		ag_buf_addf(&out,
		            "[line %u is cut: it has more bytes than one result may have; "
		            "search_files finds places in it]\n",
		            s->first);
	ag_buf_addf(&out, "[lines %u-%u of %s%u; the file has %llu bytes.", s->first, s->last,
	            file->is_cut ? "more than " : "", s->nline,
	            (unsigned long long)file->stat.size);
	if (s->last < s->nline)
		ag_buf_addf(&out, " The next lines: offset=%u", s->last + 1);
	ag_buf_adds(&out, "]\n");
	if (outline.len) {
		ag_buf_adds(&out, "[outline of the whole file, with line numbers]\n");
		ag_buf_add(&out, outline);
	}
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

/* Keys leave before a slice is cut out: half of one would not be found later. */
static bool hide_keys(ag_root_text *file, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(2 * file->text.len + 64);
	bool ok = ag_log_clean(file->text, &out) && !out.failed;

	if (ok && !ag_str_eq(ag_buf_view(&out), file->text))
		file->text = ag_buf_dup(arena, &out);
	if (ok && file->is_cut)
		file->text.len = ag_log_whole(file->text);
	ag_buf_release(&out);
	return ok;
}

/* AG_OK and ret->ok false when the file cannot be read as text: then ret says why. */
static ag_status load(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena, const ag_val *input,
                      ag_root_text *file, ag_ask_result *ret, ag_err *err)
{
	const ag_str path = ag_tool_text(input, "path", arena);
	ag_sha256_hex hash;
	ag_err why = { 0 };

	if (ag_root_read(t->root, ctx, path, AG_ASK_HASHED_BYTES, arena, file, &why))
		return ag_ask_failed(&why, arena, ret, err);
	if (file->is_binary) {
		ret->text = ag_str_printf(
			arena, "Error: %.*s is a binary file of %llu bytes: it has no text to read",
			AG_FMT(file->stat.path), (unsigned long long)file->stat.size);
		return AG_OK;
	}
	ret->ok = true;
	ret->file.path = file->stat.path;
	ret->file.nline = count_lines(file->text);
	if (!file->is_cut) {
		hash = ag_sha256(file->text);
		ret->file.sha256 = ag_str_dup(arena, ag_str_c(hash.text));
	}
	if (hide_keys(file, arena))
		return AG_OK;
	*ret = (ag_ask_result){ .text = AG_S("Error: keys cannot be kept out of this file") };
	return AG_OK;
}

/* A number out of range is an answer, no failure: models guess. */
static unsigned line_number(int64_t v, unsigned fallback)
{
	return v < 1 ? fallback : v > INT32_MAX ? INT32_MAX : (unsigned)v;
}

ag_status ag_ask_read_file(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena, const ag_val *input,
                           ag_ask_result *ret, ag_err *err)
{
	const size_t bytes = t->read_bytes ? t->read_bytes : AG_ASK_READ_BYTES;
	const unsigned first = line_number(ag_tool_int(input, "offset", 1), 1);
	const unsigned max = line_number(ag_tool_int(input, "limit", INT32_MAX), INT32_MAX);
	ag_root_text file = { 0 };
	ag_outline outline;
	ag_str text = AG_S("");
	slice s;
	const ag_status st = load(t, ctx, arena, input, &file, ret, err);

	if (st || !ret->ok)
		return st;
	if (first > 1 && first > ret->file.nline) {
		ret->ok = false;
		ret->text = ag_str_printf(
			arena, "Error: %.*s has %s%u lines%s, there is no line %u to show",
			AG_FMT(file.stat.path), file.is_cut ? "more than " : "", ret->file.nline,
			file.is_cut ? " and no later ones are read" : "", first);
		ret->file = (ag_seen_file){ 0 };
		return AG_OK;
	}
	s = cut(file.text, first, max, bytes);
	ret->file.first_line = s.last ? s.first : 0;
	ret->file.last_line = s.last;
	if (s.text.len == file.text.len && !file.is_cut) {
		ret->text = file.text;
		return AG_OK;
	}
	/* Once is enough: with the first piece of what does not fit. */
	if (first == 1 && file.text.len > bytes) {
		ag_outline_of(file.stat.path, file.text, arena, &outline);
		text = ag_outline_text(&outline, AG_ASK_OUTLINE_BYTES, arena);
	}
	ret->text = with_note(&s, &file, text, arena);
	return AG_OK;
}

ag_status ag_ask_outline(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena, const ag_val *input,
                         ag_ask_result *ret, ag_err *err)
{
	ag_root_text file = { 0 };
	ag_outline outline;
	const ag_status st = load(t, ctx, arena, input, &file, ret, err);

	if (st || !ret->ok)
		return st;
	ag_outline_of(file.stat.path, file.text, arena, &outline);
	ret->text = ag_outline_text(&outline, AG_ASK_READ_BYTES, arena);
	if (!outline.n)
		ret->text = ag_str_printf(
			arena,
			"No headings or definitions are known in %.*s (%u lines); read_file "
			"shows it.",
			AG_FMT(file.stat.path), ret->file.nline);
	return AG_OK;
}

ag_str ag_ask_list_text(const ag_root_list *list, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(LIST_MAX_BYTES);
	size_t shown = 0;
	ag_str ret;

	for (; shown < list->n && out.len < LIST_MAX_BYTES - 2048; shown++) {
		if (shown)
			ag_buf_addc(&out, '\n');
		/* A name with a line break is one line all the same. */
		ag_paint_escape(&out, list->entries[shown].name, true, false);
	}
	if (shown < list->n || list->is_cut)
		ag_buf_addf(&out,
		            "\n[%s%zu more names are not shown; search_files finds files in them]",
		            list->is_cut ? "at least " : "",
		            list->n - shown + (list->is_cut ? 1 : 0));
	if (!list->n)
		ag_buf_adds(&out, "[the folder is empty]");
	ret = ag_buf_dup(arena, &out);
	ag_buf_release(&out);
	return ret;
}

ag_status ag_ask_list_files(ag_ask_tools *t, const ag_ctx *ctx, ag_arena *arena,
                            const ag_val *input, ag_ask_result *ret, ag_err *err)
{
	const ag_str path = ag_tool_text(input, "path", arena);
	bool must_be_folder;
	const char *why_not;
	ag_root_list list;
	ag_err why = { 0 };

	if (ag_root_list_dir(t->root, ctx, path, arena, &list, &why))
		return ag_ask_failed(&why, arena, ret, err);
	ret->ok = true;
	ret->text = ag_ask_list_text(&list, arena);
	if (!ag_root_normal_path(path, arena, &ret->folder, &must_be_folder, &why_not) ||
	    !ret->folder.len)
		ret->folder = AG_S(".");
	return AG_OK;
}
