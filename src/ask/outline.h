/* outline -- headings of Markdown with GitHub's anchors, and the definitions of source files, with line numbers.
 *
 * Markdown is read by cmark-gfm. An anchor is made as GitHub makes it: visible text of the heading, lower case, everything
 * deleted but letters, marks, digits, "_", "-" and blanks, each blank a "-"; one that is there already gets -1, -2, ... .
 * Headings in fenced code do not count; those in quotes and lists, setext ones, and <h1>..<h6> in HTML do. */
#ifndef AG_ASK_OUTLINE_H
#define AG_ASK_OUTLINE_H

#include "base/arena.h"
#include "base/err.h"

#define AG_OUTLINE_MAX_TEXT  (8u << 20) /* bytes that are looked at */
#define AG_OUTLINE_MAX_ITEMS 20000u

typedef struct ag_outline_item {
	ag_str title; /* visible text of a heading; "def load(path)", "class Item" of a definition */
	ag_str anchor;  /* of a heading; "" of a definition */
	ag_str name;    /* of a definition: "load"; "" of a heading */
	unsigned level; /* 1..6; of definitions by nesting, 1.. */
	unsigned line;  /* 1-based, where it stands */
	unsigned
		last_line; /* of its own text: up to the next item of any level, blank lines at the end left out */
	unsigned section_last_line; /* up to the next item of the same or a higher level */
	size_t begin, end;          /* bytes of its own text, heading included */
	int parent;                 /* index of the item above it, -1 = none */
} ag_outline_item;

typedef struct ag_outline {
	const ag_outline_item *items; /* in order */
	size_t n;
	const ag_str *anchors; /* further targets: <a name="…">, id="…" */
	size_t nanchor;
	bool is_markdown;
	const char *language; /* "markdown", "python", …; "" = nothing is known of it */
} ag_outline;

/* By the name: .md, .markdown, .mdx, README without an ending. */
bool ag_outline_is_markdown(ag_str path);
/* Of a file by its name; n 0 where nothing is known of its kind. Never fails on content: what cannot be read is left out.
 * Texts in arena or views of text. Languages: Python, JavaScript/TypeScript, C/C++, Go, Rust, Java, Kotlin, C#, Ruby, PHP,
 * shell, SQL, and the keys of YAML, TOML, INI (top two levels), stages of Dockerfiles, targets of Makefiles. */
void ag_outline_of(ag_str path, ag_str text, ag_arena *arena, ag_outline *ret);

/* The anchor of one visible text, without the number of a repeated one. */
ag_str ag_outline_slug(ag_str visible, ag_arena *arena);
/* The heading with this anchor (without "#"; as written, and percent-decoded), or NULL. */
const ag_outline_item *ag_outline_find(const ag_outline *o, ag_str anchor);
/* Also the other targets (<a name>). */
bool ag_outline_has_anchor(const ag_outline *o, ag_str anchor);
/* The nearest heading by its anchor: most shared words, then edit distance; NULL when none is near. */
const ag_outline_item *ag_outline_nearest(const ag_outline *o, ag_str anchor);
/* The innermost item whose section holds the line, or NULL. */
const ag_outline_item *ag_outline_at(const ag_outline *o, unsigned line);
/* For people and models: one line per item, "  12  ## Protect a branch  #protect-a-branch"; at most max_bytes, then
 * "… 40 more"; deeper levels are left out first. In arena. */
ag_str ag_outline_text(const ag_outline *o, size_t max_bytes, ag_arena *arena);

#endif
