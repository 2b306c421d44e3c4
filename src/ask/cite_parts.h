/* cite_parts -- what the files of cite share: the model's last words taken apart, and words that two texts share. */
#ifndef AG_ASK_CITE_PARTS_H
#define AG_ASK_CITE_PARTS_H

#include "ask/cite.h"
#include "ask/outline.h"

/* --- cite_source.c: the final text into the answer and what stood behind "Source:" --- */

typedef struct ag_final_words {
	ag_str answer;
	ag_str sources; /* what was said to be the source, one a line: of a JSON object, of Source lines */
} ag_final_words;

ag_final_words ag_cite_split(ag_str final_text, ag_arena *arena);

/* --- cite_mention.c: paths and API calls that a text names --- */

#define AG_MENTION_MAX 1024u /* that one call gives */

typedef struct ag_mention {
	size_t begin, end; /* bytes of the text: all of it, with anchor and lines */
	ag_str path;       /* as written, without "./" and what a sentence adds; "" = an API call */
	ag_str anchor;     /* as written, without "#" */
	bool has_anchor;   /* "#" stood there, even with nothing behind */
	size_t hash;       /* where, then */
	bool is_code;      /* in backticks */
	unsigned line, last_line; /* "main.py:12-20", "main.py#L12-L20"; 0 = none */
	/* "GET", "/items/?limit=5"; method "" = none was written. A route of a source has its path as well: it may be both. */
	ag_str method, route;
} ag_mention;

/* odd: paths with bytes that end a path in prose (blanks, brackets), which are looked for as they are.
 * is_source: the text is one of sources: a word alone on its line may be a path, and a route needs no method.
 * *pos: where to begin, then where to go on; text.len at the end. In the order of the text, not overlapping. */
size_t ag_cite_mentions(ag_str text, size_t *pos, const ag_str *odd, size_t nodd, bool is_source,
                        ag_arena *arena, ag_mention **ret);
/* Length of a character at i that is a letter, a digit or one of `more`; 0 = of none. */
size_t ag_cite_name_char(ag_str s, size_t i, const char *more);
/* Names without a dot or slash that are files all the same: "Dockerfile", "README". */
bool ag_cite_is_known_name(ag_str name);
/* Would ag_cite_mentions() find the path without being told? */
bool ag_cite_is_odd(ag_str path);

/* --- cite_route.c: calls of the API --- */

/* "GET /items/", "API: /items/", "endpoint `/items/`" at i, where a word begins. Returns where to go on, 0 = none. */
size_t ag_cite_route_at(ag_str s, size_t i, ag_mention *m);
/* Where the path that begins at i ends, without what a sentence adds. */
size_t ag_cite_route_end(ag_str s, size_t i);
/* Is this route the one of a call as it was sent ("GET /items/?limit=5")? Without a query in the route that of the call does
 * not matter, nor a slash at the end, nor what stands for {id}. */
bool ag_cite_route_is(ag_str method, ag_str route, ag_str request);

/* --- cite_files.c: the files that are named, those that were read, and what stands in them --- */

#define AG_CITE_MAX_FILE \
	(16u << 20)           /* bytes: as much as is hashed of a file that is read for a model */
#define AG_CITE_MAX_SEEN 128u /* files of one run */
#define AG_CITE_MAX_LOOK 64u  /* further names that are looked up in the tree */
#define AG_CITE_MAX_READ (64u << 20) /* bytes of all files: what is named beyond is not looked at */

typedef enum ag_cite_state {
	AG_CITE_NOT_LOOKED,
	AG_CITE_IS_THERE,
	AG_CITE_IS_CHANGED, /* no longer what the run read */
	AG_CITE_IS_GONE     /* or may not be read */
} ag_cite_state;

typedef struct ag_cite_file {
	ag_str path;
	bool is_seen;     /* a call of this run gave something of it */
	bool is_read;     /* and it was read_file */
	ag_str hash_then; /* of the last call that has one */
	ag_cite_state state;
	ag_str text, hash_now;
	ag_str why; /* it is gone */
	ag_outline outline;
} ag_cite_file;

typedef struct ag_cite_files {
	ag_root *root;
	ag_ctx ctx;
	ag_arena *arena;
	const ag_answer_call *calls;
	size_t ncall;
	ag_cite_file seen[AG_CITE_MAX_SEEN], looked[AG_CITE_MAX_LOOK];
	size_t nseen, nlooked;
	ag_str odd[AG_CITE_MAX_SEEN]; /* paths of seen, for ag_cite_mentions() */
	size_t nodd;
	size_t nread; /* bytes */
	bool is_cancelled;
} ag_cite_files;

ag_cite_files *ag_cite_files_new(ag_root *r, const ag_ctx *ctx, const ag_answer_call *calls,
                                 size_t ncall, ag_arena *arena);
/* The file that a path means: as it is, else (*ret_mended) the one that was read with that name, or that lies beside one that
 * was read. NULL = there is none. What was not read is looked up in the tree. */
ag_cite_file *ag_cite_resolve(ag_cite_files *f, ag_str path, bool *ret_mended);
/* The file of exactly this path, seen or in the tree, whatever its state; NULL when too many were looked up. */
ag_cite_file *ag_cite_file_at(ag_cite_files *f, ag_str path);
/* Its text and outline as they are now. */
ag_cite_state ag_cite_look(ag_cite_files *f, ag_cite_file *file);
/* Could it be the name of a file: with an ending, or in folders? Not "C", "example.com/x". */
bool ag_cite_looks_like_file(ag_str path);

typedef enum ag_anchor_fit {
	AG_ANCHOR_NONE,  /* nothing like it */
	AG_ANCHOR_NEAR,  /* the nearest heading */
	AG_ANCHOR_ALIKE, /* the same but for case, or the heading's words */
	AG_ANCHOR_EXACT
} ag_anchor_fit;

/* ret: the heading; NULL with EXACT for a target that is none (<a name>). */
ag_anchor_fit ag_cite_anchor(const ag_cite_file *file, ag_str anchor, ag_arena *arena,
                             const ag_outline_item **ret);
/* Did a read_file show any of these lines? last 0 = any line of it */
bool ag_cite_is_shown(const ag_cite_files *f, const ag_cite_file *file, unsigned first,
                      unsigned last);

/* --- cite_rewrite.c, and what is told of all changes --- */

#define AG_CITE_MAX_NOTES 32u

typedef struct ag_cite_notes {
	ag_str list[AG_CITE_MAX_NOTES];
	size_t n;
} ag_cite_notes;

/* One sentence; each is told once. cite.c */
AG_PRINTF(3, 4) void ag_cite_note(ag_cite_notes *n, ag_arena *arena, const char *fmt, ...);
/* The text without anchors that do not exist. */
ag_str ag_cite_rewrite(ag_cite_files *f, ag_str text, ag_cite_notes *notes, ag_arena *arena);

/* --- cite_text.c: words that two texts share --- */

typedef struct ag_cite_words ag_cite_words;

/* Words of the answer, and with half their weight those that only the question has. */
ag_cite_words *ag_cite_words_of(ag_str answer, ag_str question, ag_arena *arena);
/* Share of the answer's distinct words that the text has, 0..1; *ret_n (may be NULL): how many. */
double ag_cite_share(ag_cite_words *w, ag_str text, size_t *ret_n);
/* Lines first..last of a text, 1-based, with their line breaks; last 0 = to its end. */
ag_str ag_cite_lines(ag_str text, unsigned first, unsigned last);

#define AG_QUOTE_BYTES 300u

/* The line, or a sentence of a long one, that has most of the words, rare ones worth more; "" when there is none with any of
 * the answer's. A view of text. first_line: the number of text's first line; ret_line: that of the quote. */
ag_str ag_cite_quote(ag_cite_words *w, ag_str text, unsigned first_line, unsigned *ret_line,
                     double *ret_score);
/* The one section of a Markdown file that the answer's words come from, or NULL when that is not plain. */
const ag_outline_item *ag_cite_section(ag_cite_words *w, const ag_outline *o, ag_str text);

/* --- cite_section.c: what of a file is cited --- */

typedef struct ag_cite_desk {
	ag_cite_files *files;
	ag_cite_words *words;
	ag_cite_notes *notes;
	ag_arena *arena;
	ag_str behind; /* the name that is tried: the rest of its line, when that is one of sources */
} ag_cite_desk;

/* file: seen, and as it was. What is not cited of what was written is told in a note. */
ag_citation ag_cite_of_file(ag_cite_desk *d, const ag_mention *m, const ag_cite_file *file);
/* As the model wrote it, cut where it is long. */
ag_str ag_cite_written(const ag_mention *m, ag_arena *arena);

#endif
