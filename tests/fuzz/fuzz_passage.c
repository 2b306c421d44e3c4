/* Any bytes as a file and as a question about it: documents that are pieces of the text with the right lines, passages that
 * are not too long, have no open fence and no half character more than the text had, a quote that stands in the text. */
#include <stdlib.h>

#include "ask/index_cut.h"
#include "ask/offline_passage.h"
#include "ask/offline_proof.h"
#include "base/utf8.h"
#include "fuzz.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_docs(ag_str path, ag_str text, ag_arena *arena)
{
	ag_index_doc *docs = NULL;
	unsigned nline = 1;
	size_t n = 0;

	ag_index_cut(path, text, arena, &docs, &n);
	for (size_t i = 0; i < text.len; i++)
		nline += text.ptr[i] == '\n';
	for (size_t i = 0; i < n; i++) {
		check(docs[i].body.len > 0 && docs[i].body.len < 16384);
		check(ag_utf8_valid(docs[i].body) && ag_utf8_valid(docs[i].title));
		check(ag_utf8_valid(docs[i].names) && ag_utf8_valid(docs[i].trail));
		check(!memchr(docs[i].body.ptr, '\0', docs[i].body.len));
		check(docs[i].line >= 1 && docs[i].line <= docs[i].last_line);
		check(docs[i].last_line <= nline);
	}
}

static void check_passages(ag_str text, ag_arena *arena)
{
	const ag_str question = ag_str_make(text.ptr, text.len < 80 ? text.len : 80);
	const bool is_text = ag_utf8_valid(text);
	unsigned first = 0, last = 0;
	ag_question q;
	ag_str p;

	ag_question_read(question, arena, &q);
	for (size_t i = 0; i < q.nword; i++)
		q.words[i].with = 1;
	p = ag_passage_of_section(&q, text, arena);
	check(p.len <= AG_PASSAGE_MAX_BYTES + 100 && (!is_text || ag_utf8_valid(p)));
	p = ag_passage_of_code(&q, text, "c", text.len % 2, arena, &first, &last);
	check(p.len <= AG_PASSAGE_MAX_BYTES + 100 && first <= last);
	check(!is_text || ag_utf8_valid(p));
	p = ag_passage_quote(&q, text);
	check(p.len <= AG_QUOTE_MAX_BYTES);
	check(!p.len || (p.ptr >= text.ptr && p.ptr + p.len <= text.ptr + text.len));
}

/* Statements are not empty; what they refer to is in the text. */
static void check_statements(ag_str text, ag_arena *arena)
{
	size_t n = 0;
	const ag_statement *list = ag_statements_of(text, arena, &n);

	for (size_t i = 0; i < n; i++) {
		const ag_str around = list[i].around;

		check(list[i].text.len > 0);
		check(!around.len ||
		      (around.ptr >= text.ptr && around.ptr + around.len <= text.ptr + text.len));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const paths[] = { "a.md", "a.py", "a.yml", "a.txt", "a/b.c" };
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_str text = ag_str_make(copy, size);
	ag_arena *arena = ag_arena_new();

	check(copy);
	if (size)
		memcpy(copy, data, size);
	check_docs(ag_str_c(paths[size % AG_NELEM(paths)]), text, arena);
	check_docs(AG_S("b.md"), text, arena);
	check_passages(text, arena);
	check_statements(text, arena);
	ag_arena_free(arena);
	free(copy);
	return 0;
}
