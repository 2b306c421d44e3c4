/* cite -- a citation is printed only when it is proven: the file was read in this run, the anchor exists in it.
 *
 * Out of the model's last words come the answer and what it cites, in this order: a "Source:" line or a JSON object
 * {"answer","source"}; the first path with an anchor; a path; "API: METHOD /path"; else the last file that was read with
 * success, else the last API call; else a folder that a call listed. An anchor that does not exist becomes that of the nearest heading, or falls away; a file
 * that was not read is no source, and is taken out of the answer's own citations. Each change is told. */
#ifndef AG_ASK_CITE_H
#define AG_ASK_CITE_H

#include "ask/answer.h"
#include "ask/root.h"

typedef struct ag_cited {
	ag_str answer; /* the words without the "Source:" line; no anchor in it that does not exist */
	ag_str source; /* "wiki/github.md#protect-a-branch", "backend/app/main.py", "API endpoint GET /items/", "wiki", "" */
	const ag_citation *citations;
	size_t ncitation;
	const ag_str *notes; /* one sentence each, for standard error */
	size_t nnote;
} ag_cited;

/* The model's last words, and what they are about. */
typedef struct ag_cite_input {
	ag_str text, question;
	const ag_answer_call *calls; /* what was really done */
	size_t ncall;
} ag_cite_input;

/* Files are read again through `r` for their outline; one that changed since is no source. */
AG_CHECK ag_status ag_cite(ag_root *r, const ag_ctx *ctx, const ag_cite_input *in, ag_arena *arena,
                           ag_cited *ret, ag_err *err);

/* --- verify.c: an answer against the tree as it is now --- */

typedef enum ag_ask_check {
	AG_ASK_CONFIRMED, /* the same file, the anchor and the quote are there */
	AG_ASK_CHANGED, /* the file changed; `why` says whether anchor and quote are still there */
	AG_ASK_GONE,    /* file, anchor or quote are not there any more */
	AG_ASK_FALSE, /* the answer contradicts itself: a hash that is not that of its text, a source nothing in it proves */
	AG_ASK_UNCHECKED /* cannot be checked here: an API call */
} ag_ask_check;

typedef struct ag_ask_verified {
	ag_str what; /* "citation 1: wiki/github.md#protect-a-branch", "call 3: read_file wiki/github.md", "source" */
	ag_ask_check result;
	ag_str why;
} ag_ask_verified;

typedef struct ag_ask_verification {
	const ag_ask_verified *items;
	size_t n, nconfirmed, nchanged, ngone, nfalse, nunchecked;
	/* Something that needed a check could not get it. A search or a failed call of the trace is never run again and
	 * does not count: no citation rests on it. */
	bool is_unchecked;
} ag_ask_verification;

AG_CHECK ag_status ag_ask_verify(ag_root *r, const ag_ctx *ctx, const ag_answer *a, ag_arena *arena,
                                 ag_ask_verification *ret, ag_err *err);
const char *ag_ask_check_name(
	ag_ask_check c); /* "confirmed", "changed", "gone", "false", "not checkable" */

#endif
