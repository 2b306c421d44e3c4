/* manifest -- "which version of X", "what licence": the line of a package.json, pyproject.toml, Dockerfile … that says it. */
#ifndef AG_ASK_MANIFEST_H
#define AG_ASK_MANIFEST_H

#include "ask/root.h"

#define AG_MANIFEST_MAX_FACTS 4u

typedef struct ag_manifest_fact {
	ag_str path,
		text; /* text: the line that says it, or the lines from the name to the version */
	ag_str file_text;         /* of the whole file, for its hash */
	unsigned line, last_line; /* from 1 */
	const char *language;     /* for a fence: "toml" */
} ag_manifest_fact;

typedef struct ag_manifest_answer {
	bool is_asked; /* the question is one that manifests answer */
	ag_str name;   /* what it asks about: "express"; "" = the project itself */
	ag_manifest_fact facts[AG_MANIFEST_MAX_FACTS]; /* best first */
	size_t n;
	ag_str beyond; /* a word of the question that neither the best file's name nor its line has: "price" in "which Node version
	                * does the price service need"; "" = none */
	bool is_cut;   /* there are more manifests than are read */
} ag_manifest_answer;

/* Reads the manifests of the project as they are now: those that declare before those that lock, unless the question asks
 * for the exact version; of several the one whose path the question names, then the one nearest to the root. Texts in arena.
 * errors  AG_CANCELLED, AG_TIMEOUT */
AG_CHECK ag_status ag_manifest_ask(ag_root *r, const ag_ctx *ctx, ag_str question, ag_arena *arena,
                                   ag_manifest_answer *ret, ag_err *err);

#endif
