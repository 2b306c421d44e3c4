/* Any bytes as a file of any kind: the first byte chooses the name. Whatever comes out is in order and inside the text, each
 * anchor is there once and leads to its heading, an anchor of an anchor is the same, and no text is longer than asked for. */
#include <stdlib.h>

#include "ask/outline.h"
#include "base/utf8.h"
#include "fuzz.h"

static const char *const names[] = {
	"a.md",  "a.md",     "a.md",       "a.md",  "README", "a.c",    "a.h",    "a.cpp",
	"a.cs",  "a.go",     "a.java",     "a.js",  "a.ts",   "a.kt",   "a.php",  "a.py",
	"a.rb",  "a.rs",     "a.sh",       "a.sql", "a.yaml", "a.toml", "a.json", "a.ini",
	"a.hpp", "Makefile", "Dockerfile", "a.py",  "a.js",   "a.md",   "a.md",   "a.md",
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void is_proper(const ag_outline *o, size_t i, size_t nbyte)
{
	const ag_outline_item *it = &o->items[i];

	check(it->level >= 1 && it->line >= 1);
	check(it->line <= it->last_line && it->last_line <= it->section_last_line);
	check(it->begin <= it->end && it->end <= nbyte);
	check(it->parent < (int)i);
	check(i == 0 || it[-1].line <= it->line);
	check(i == 0 || it[-1].begin <= it->begin);
	if (it->parent >= 0)
		check(o->items[it->parent].level < it->level &&
		      o->items[it->parent].section_last_line >= it->last_line);
	for (size_t k = 0; k < it->title.len; k++)
		check((unsigned char)it->title.ptr[k] >= ' ');
	check(o->is_markdown || it->anchor.len == 0);
	check(!ag_outline_at(o, it->line) || ag_outline_at(o, it->line)->line == it->line);
}

static void leads_back(const ag_outline *o, const ag_outline_item *it, ag_arena *arena)
{
	if (!it->anchor.len)
		return;
	check(ag_utf8_valid(it->anchor));
	check(ag_outline_find(o, it->anchor) == it);
	check(ag_outline_nearest(o, it->anchor) == it);
	check(ag_outline_has_anchor(o, it->anchor));
	check(ag_str_eq(ag_outline_slug(it->anchor, arena), it->anchor));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *name = names[size ? data[0] % AG_NELEM(names) : 0];
	size_t n = size ? size - 1 : 0;
	char *copy = malloc(n ? n : 1); /* of exactly its size: a read past its end is seen */
	ag_str text = ag_str_make(copy, n), slug;
	ag_arena *arena = ag_arena_new();
	ag_outline o;

	check(copy);
	if (n)
		memcpy(copy, data + 1, n);
	ag_outline_of(ag_str_c(name), text, arena, &o);
	check(o.language[0]);
	for (size_t i = 0; i < o.n; i++) {
		is_proper(&o, i, n);
		if (i < 64) /* each looks at all */
			leads_back(&o, &o.items[i], arena);
	}
	for (size_t max = 0; max < 400; max = max * 2 + 1)
		check(ag_outline_text(&o, max, arena).len <= max);
	slug = ag_outline_slug(text, arena);
	check(ag_utf8_valid(slug) && ag_str_eq(ag_outline_slug(slug, arena), slug));
	ag_outline_nearest(&o, text);
	ag_outline_find(&o, text);
	ag_arena_free(arena);
	free(copy);
	return 0;
}
