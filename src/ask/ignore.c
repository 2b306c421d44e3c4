/* ignore -- the lines of a .gitignore, kept in order; the last that fits decides.
 *
 * A pattern is cut once, when it is read: what it says (not, folders only, anchored) and how many bytes of it are plain,
 * so that most paths are settled by comparing a few bytes. Git compares those bytes first, too, and the rest as a pattern
 * of its own; that shows ("a/x**" reaches into folders), so it is done the same way here.
 *
 * tests/unit/test_ask_ignore.c holds it against git itself. */
#include "ask/ignore.h"

#include "ask/glob.h"

#define MAX_PATTERNS      10000
#define MAX_PATTERN_BYTES 4096 /* no path is longer */

typedef struct pattern {
	ag_str text; /* without "!", a first and a last slash */
	size_t plain;
	unsigned line;
	bool is_not, is_folder, is_anchored;
} pattern;

struct ag_ignore {
	pattern *patterns;
	size_t n;
};

/* Blanks at the end do not count, unless a backslash is before them. */
static ag_str without_blanks(ag_str s)
{
	size_t keep = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\\') {
			if (++i >= s.len)
				return s;
			keep = i + 1;
		} else if (s.ptr[i] != ' ') {
			keep = i + 1;
		}
	}
	return ag_str_make(s.ptr, keep);
}

static bool read_line(ag_str line, pattern *ret)
{
	pattern p = { 0 };
	ptrdiff_t nul = ag_str_find(line, '\0');

	if (nul >= 0)
		line.len = (size_t)nul;
	line = without_blanks(line);
	if (!line.len)
		return false;
	if (line.ptr[0] == '!') {
		p.is_not = true;
		line = ag_str_make(line.ptr + 1, line.len - 1);
	}
	if (line.len && line.ptr[line.len - 1] == '/') {
		p.is_folder = true;
		line.len--;
	}
	p.is_anchored = ag_str_find(line, '/') >= 0;
	if (p.is_anchored && line.ptr[0] == '/')
		line = ag_str_make(line.ptr + 1, line.len - 1);
	if (!line.len || line.len > MAX_PATTERN_BYTES)
		return false;
	p.text = line;
	p.plain = ag_glob_plain_len(line);
	*ret = p;
	return true;
}

ag_ignore *ag_ignore_parse(ag_str text, ag_arena *arena)
{
	ag_ignore *g = ag_new(arena, ag_ignore);
	size_t nline = 1;
	unsigned number = 0;
	ag_str rest;

	if (text.len > AG_IGNORE_MAX_TEXT)
		text.len = AG_IGNORE_MAX_TEXT;
	if (ag_str_starts(text, AG_S("\xef\xbb\xbf")))
		text = ag_str_make(text.ptr + 3, text.len - 3);
	for (size_t i = 0; i < text.len; i++)
		nline += text.ptr[i] == '\n';
	g->patterns = ag_new_n(arena, pattern, nline < MAX_PATTERNS ? nline : MAX_PATTERNS);
	rest = ag_str_dup(arena, text);
	while (rest.ptr && g->n < MAX_PATTERNS) {
		ag_str line = ag_str_split(&rest, '\n');

		number++;
		if (!line.len || line.ptr[0] == '#')
			continue;
		/* Only in front of a line feed is a carriage return part of the line's end. */
		if (rest.ptr && line.ptr[line.len - 1] == '\r')
			line.len--;
		if (read_line(line, &g->patterns[g->n]))
			g->patterns[g->n++].line = number;
	}
	return g;
}

static ag_str last_name(ag_str path)
{
	size_t at = path.len;

	while (at > 0 && path.ptr[at - 1] != '/')
		at--;
	return ag_str_make(path.ptr + at, path.len - at);
}

static bool rest_matches(ag_str glob, size_t plain, ag_str text, bool is_path)
{
	ag_str more, left;

	if (text.len < plain || (plain && memcmp(glob.ptr, text.ptr, plain) != 0))
		return false;
	more = ag_str_make(glob.ptr + plain, glob.len - plain);
	left = ag_str_make(text.ptr + plain, text.len - plain);
	if (!more.len)
		return !left.len;
	return is_path ? ag_glob_path(more, left) : ag_glob_name(more, left);
}

ag_ignored ag_ignore_match(const ag_ignore *g, ag_str path, bool is_folder, unsigned *ret_line)
{
	ag_str name = last_name(path);

	for (size_t i = g->n; i-- > 0;) {
		const pattern *p = &g->patterns[i];

		if (p->is_folder && !is_folder)
			continue;
		if (!rest_matches(p->text, p->plain, p->is_anchored ? path : name, p->is_anchored))
			continue;
		if (ret_line)
			*ret_line = p->line;
		return p->is_not ? AG_IGNORE_NO : AG_IGNORE_YES;
	}
	return AG_IGNORE_UNSAID;
}

bool ag_glob_match(ag_str glob, ag_str path)
{
	bool is_path = ag_str_find(glob, '/') >= 0;

	if (is_path && glob.ptr[0] == '/')
		glob = ag_str_make(glob.ptr + 1, glob.len - 1);
	if (!glob.len || glob.len > MAX_PATTERN_BYTES)
		return false;
	return rest_matches(glob, ag_glob_plain_len(glob), is_path ? path : last_name(path),
	                    is_path);
}

bool ag_ignore_always(ag_str name)
{
	static const char *const names[] = {
		".cache",
		".eggs",
		".gradle",
		".hypothesis",
		".ipynb_checkpoints",
		".mypy_cache",
		".next",
		".nox",
		".nuxt",
		".parcel-cache",
		".pnpm-store",
		".pytest_cache",
		".ruff_cache",
		".svelte-kit",
		".terraform",
		".tox",
		".turbo",
		".venv",
		".yarn",
		"__pycache__",
		"__pypackages__",
		"bower_components",
		"node_modules",
		"site-packages",
	};

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		if (ag_str_eqc(name, names[i]))
			return true;
	}
	return false;
}
