/* Any bytes as the code of an artifact. What is cleaned has only tags and attributes of the list, in quotes and closed in
 * order, and is the same when it is cleaned again; pages, words, blocks, data, queries and files of any bytes are refused with a
 * sentence or made. */
#include <ctype.h>
#include <stdlib.h>

#include "artifact/blocks.h"
#include "artifact/diff.h"
#include "artifact/draft.h"
#include "artifact/files.h"
#include "artifact/markup.h"
#include "artifact/page.h"
#include "artifact/table.h"
#include "base/utf8.h"
#include "fuzz.h"

#define BYTES (64u << 20)

static void check(bool ok)
{
	if (!ok)
		abort();
}

static bool has(ag_str text, const char *word)
{
	const size_t n = strlen(word);

	for (size_t i = 0; i + n <= text.len; i++) {
		if (ag_str_ieq(ag_str_make(text.ptr + i, n), ag_str_c(word)))
			return true;
	}
	return false;
}

/* Reads the output in the simplest way, which any browser's must agree with: `<name a="v">`, `</name>`, text without "<". */
static void check_tags(ag_str s)
{
	static const char *const never[] = { "script",   "iframe",   "object",        "embed",
		                             "form",     "input",    "foreignobject", "template",
		                             "link",     "meta",     "base",          "math",
		                             "textarea", "noscript", "animate",       "set",
		                             "image" };
	size_t depth = 0, i = 0;

	while (i < s.len) {
		size_t n = 0;
		char name[64] = "";
		bool is_end;

		if (s.ptr[i] != '<') {
			check(s.ptr[i] != '\0');
			i++;
			continue;
		}
		is_end = s.ptr[++i] == '/';
		i += is_end;
		while (i < s.len && (isalnum((unsigned char)s.ptr[i]) != 0) && n < sizeof(name) - 1)
			name[n++] = (char)tolower((unsigned char)s.ptr[i++]);
		check(n > 0);
		for (size_t k = 0; k < AG_NELEM(never); k++)
			check(strcmp(name, never[k]) != 0);
		while (!is_end && i < s.len && s.ptr[i] == ' ') {
			const size_t from = ++i;
			ag_str key;

			while (i < s.len && s.ptr[i] != '=')
				i++;
			key = ag_str_make(s.ptr + from, i - from);
			check(!(key.len > 1 && has(ag_str_make(key.ptr, 2), "on")));
			check(i + 1 < s.len && s.ptr[i + 1] == '"');
			for (i += 2; i < s.len && s.ptr[i] != '"'; i++)
				check(s.ptr[i] != '<' && s.ptr[i] != '>');
			i++;
		}
		check(i < s.len && s.ptr[i] == '>');
		i++;
		if (is_end)
			check(depth-- > 0);
		else if (strcmp(name, "br") != 0 && strcmp(name, "hr") != 0 &&
		         strcmp(name, "img") != 0 && strcmp(name, "wbr") != 0 &&
		         strcmp(name, "col") != 0)
			depth++;
	}
	check(!depth);
	check(ag_utf8_valid(s));
	check(!has(s, "href=\"javascript") && !has(s, "href=\"data") && !has(s, "src=\"http"));
}

static void clean(ag_str text, bool only_svg)
{
	ag_buf once = AG_BUF_INIT(BYTES), twice = AG_BUF_INIT(BYTES);

	ag_markup_clean(text, only_svg, &once);
	check(!once.failed);
	check_tags(ag_buf_view(&once));
	ag_markup_clean(ag_buf_view(&once), only_svg, &twice);
	check_tags(ag_buf_view(&twice));
	ag_buf_release(&once);
	ag_buf_release(&twice);
}

static void pages(ag_str text, ag_arena *arena)
{
	ag_artifact a = { .row = { .title = text }, .version = { .code = text, .data = text } };
	ag_artifact_table *tables;
	ag_err err = { 0 };

	for (int k = 0; k < AG_ARTIFACT_NKIND; k++) {
		ag_buf out = AG_BUF_INIT(BYTES);
		size_t nleft = 0;

		a.kind = (ag_artifact_kind)k;
		if (ag_artifact_page(&a, text, arena, &out, &nleft, &err))
			check(err.msg[0] != '\0');
		else
			check(ag_utf8_valid(ag_buf_view(&out)));
		ag_buf_release(&out);
	}
	for (int k = 0; k < 2; k++) {
		const size_t n = k ? ag_artifact_plotly_tables(&a, arena, &tables)
		                   : ag_artifact_data_tables(&a, arena, &tables);

		for (size_t i = 0; i < n; i++) {
			ag_buf out = AG_BUF_INIT(BYTES);

			ag_artifact_csv(&tables[i], &out);
			ag_artifact_rows_json(&tables[i], arena, &out);
			ag_buf_release(&out);
		}
	}
}

static void blocks(ag_str text, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(BYTES);
	ag_diff_line *lines;
	ag_block b;
	ag_str rest = text;

	while (ag_block_next(&rest, arena, &b))
		check(b.kind != AG_BLOCK_TABLE || b.columns.type == AG_T_ARRAY);
	ag_markdown_html(text, arena, &out);
	if (ag_utf8_valid(text))
		check_tags(ag_buf_view(&out));
	ag_buf_release(&out);
	check(ag_diff_lines(text, ag_str_make(text.ptr + text.len / 2, text.len - text.len / 2),
	                    arena, &lines) < SIZE_MAX);
}

static void drafts(ag_str text, ag_arena *arena)
{
	const ag_val v = ag_val_str(text);
	ag_str ret, again;
	ag_err err = { 0 };

	if (ag_artifact_check_data(&v, arena, &ret, &err)) {
		check(err.msg[0] != '\0');
	} else {
		/* What is kept is kept as it is: an import compares it. */
		const ag_val kept = ag_val_str(ret);

		check(!ag_artifact_check_data(&kept, arena, &again, &err));
		check(ag_str_eq(ret, again));
	}
	if (!ag_artifact_check_queries(&v, arena, &ret, &err) && ret.len) {
		const ag_val kept = ag_val_str(ret);

		check(!ag_artifact_check_queries(&kept, arena, &again, &err));
		check(ag_str_eq(ret, again));
	}
}

static void files(ag_str text, ag_arena *arena)
{
	ag_zip_file *list, one[3] = { { AG_S("x/artifact.json"), text },
		                      { AG_S("x/v1.json"), text },
		                      { AG_S("x/v1.code"), text } };
	size_t n = 3;
	ag_artifact_set set;
	ag_err err = { 0 };

	if (!ag_zip_is(text))
		list = one;
	else if (ag_zip_read(text, arena, &list, &n, NULL))
		return;
	if (ag_artifact_files_read(list, n, arena, &set, &err))
		check(err.msg[0] != '\0');
	else if (ag_artifact_set_check(&set, arena, &err))
		check(err.msg[0] != '\0');
	else
		ag_artifact_files_write(&set, arena, &list, &n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_arena *arena = ag_arena_new();
	ag_str text;

	check(copy != NULL);
	if (size)
		memcpy(copy, data, size);
	text = ag_str_make(copy, size);
	clean(text, false);
	clean(text, true);
	check(ag_markup_text(text, arena).ptr != NULL);
	blocks(text, arena);
	drafts(text, arena);
	pages(text, arena);
	files(text, arena);
	ag_arena_free(arena);
	free(copy);
	return 0;
}
