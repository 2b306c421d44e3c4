/* outline_code -- what the readers of source code share. Private to ask/outline_*.c.
 *
 * Nothing here parses a language. Comments and strings are blanked out first (ag_code_mask), then definitions are known by
 * how their line begins and where they end by braces, indentation or the next one. Roughly right on ordinary code, linear on
 * any bytes. Titles never show what stands behind "=": it may be a secret. */
#ifndef AG_ASK_OUTLINE_CODE_H
#define AG_ASK_OUTLINE_CODE_H

#include "ask/outline_build.h"

/* --- outline_mask.c --- */

enum {
	AG_CODE_SLASH = 1,       /* comments: // and slash-star */
	AG_CODE_HASH = 2,        /* # */
	AG_CODE_DASH = 4,        /* -- and slash-star */
	AG_CODE_QUOTES = 8,      /* "…" that ends with its line */
	AG_CODE_SINGLE = 16,     /* '…' is a string too, */
	AG_CODE_CHARS = 32,      /* or a character: 'x', but not 'static */
	AG_CODE_BACKTICK = 64,   /* `…` over lines */
	AG_CODE_TRIPLE = 128,    /* """…""" over lines, also ''' where there is SINGLE */
	AG_CODE_REGEX = 256,     /* /…/ of JavaScript */
	AG_CODE_DIRECTIVES = 512 /* of a line that begins with # only the # stays */
};

/* What stands for the quotes that close a text of TRIPLE: a line that begins with it began in a string. */
#define AG_CODE_CLOSED '\1'

/* A copy (free() it) of the same length and lines with blanks for comments and for what is in strings; quotes stay. */
char *ag_code_mask(ag_str text, unsigned flags);

/* --- outline_scan.c: words of a line --- */

typedef struct ag_code_scan {
	ag_str s;
	size_t i;
} ag_code_scan;

bool ag_code_is_word(char c);
void ag_code_skip_blanks(ag_code_scan *c);
/* The word at the place, "" when there is none; moves behind it and blanks. */
ag_str ag_code_word(ag_code_scan *c);
/* Moves behind the word or sign when it stands there. */
bool ag_code_eat(ag_code_scan *c, const char *word);
char ag_code_peek(const ag_code_scan *c); /* 0 at the end */
ag_str ag_code_rest(const ag_code_scan *c);
/* Moves behind the bracket that closes the one at the place; false, and nothing moves, when it is not there. */
bool ag_code_skip_group(ag_code_scan *c, char open, char close);
bool ag_code_in(ag_str word, const char *words); /* words parted by blanks */
bool ag_code_is_upper(ag_str word);              /* MAX_ROWS */
/* "GET /items" from a verb in any case and text whose first string is the path; false: no route. */
bool ag_code_route(ag_outline_build *b, ag_str verb, ag_str raw, ag_str *ret);
/* A line of source as a title: without what opens its body. */
ag_str ag_code_title(ag_str raw);
ag_str ag_code_before(ag_str s, char c); /* up to the first c, trimmed */

/* --- the readers --- */

void ag_outline_c(ag_outline_build *b);
void ag_outline_cpp(ag_outline_build *b);
void ag_outline_csharp(ag_outline_build *b);
void ag_outline_go(ag_outline_build *b);
void ag_outline_java(ag_outline_build *b);
void ag_outline_javascript(ag_outline_build *b);
void ag_outline_kotlin(ag_outline_build *b);
void ag_outline_php(ag_outline_build *b);
void ag_outline_rust(ag_outline_build *b);
void ag_outline_python(ag_outline_build *b);
void ag_outline_ruby(ag_outline_build *b);
void ag_outline_shell(ag_outline_build *b);
void ag_outline_sql(ag_outline_build *b);
void ag_outline_yaml(ag_outline_build *b);
void ag_outline_toml(ag_outline_build *b);
void ag_outline_json(ag_outline_build *b);
void ag_outline_dockerfile(ag_outline_build *b);
void ag_outline_makefile(ag_outline_build *b);

/* --- outline_brace.c: the frame of languages with braces --- */

typedef struct ag_code_found {
	ag_str name, title; /* title "" = the line as it stands */
	bool is_container;  /* definitions are looked for in its body */
	bool is_space;      /* a container whose content is often not indented: namespace, mod */
	bool is_hidden;     /* no item of its own: extern "C" */
	bool is_line;       /* may have no body and no ";" */
	bool needs_body;    /* without one it was a declaration, or nothing */
	bool is_typedef;    /* its name stands behind its body */
	bool is_strong;     /* begins with a word that only a definition has */
	bool is_whole;      /* the line is all of it: nothing is opened */
} ag_code_found;

typedef struct ag_code_place {
	ag_outline_build *b;
	ag_str raw;   /* the line with its comments and strings, trimmed */
	bool is_top;  /* not in a container but a namespace */
	ag_str owner; /* name of the container, "" = none */
} ag_code_place;

/* Is a definition on this line? `line` is masked and trimmed. */
typedef bool (*ag_code_match)(const ag_code_place *at, ag_str line, ag_code_found *ret);

void ag_code_braces(ag_outline_build *b, unsigned mask, ag_code_match match);

#endif
