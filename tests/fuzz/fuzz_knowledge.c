/* Any bytes as a file of knowledge: an archive, Markdown with front matter, or YAML of dbt. Refused with a sentence, or read;
 * what was read is written and read back as the same, also from an archive. The bytes as SQL: the plain form is its own plain
 * form. */
#include <stdlib.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "knowledge/dbt.h"
#include "knowledge/markdown.h"
#include "knowledge/statement.h"
#include "knowledge/zip.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_error(ag_status st, const ag_err *err)
{
	check(st && err->status == st && err->msg[0] && !strchr(err->msg, '\n'));
}

static void check_same(const ag_know *a, const ag_know *b)
{
	check(a->kind == b->kind && a->status == b->status && ag_str_eq(a->key, b->key) &&
	      ag_str_eq(a->name, b->name) && ag_str_eq(a->author, b->author) &&
	      a->confidence == b->confidence && a->uses == b->uses &&
	      a->created_ms == b->created_ms && a->changed_ms == b->changed_ms &&
	      a->used_ms == b->used_ms && ag_val_eq(&a->body, &b->body));
}

static void check_object(const ag_know *o, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(16u << 20);
	ag_know again;
	ag_err err = { 0 };

	check(ag_zip_name_is_safe(ag_know_markdown_name(o, arena)));
	ag_know_markdown_write(o, &out);
	check(!out.failed);
	check(!ag_know_markdown_read(ag_buf_view(&out), AG_S("b.md"), 7, arena, &again, &err));
	check_same(o, &again);
	ag_buf_release(&out);
}

static void markdown(ag_str text, ag_arena *arena)
{
	ag_know o;
	ag_err err = { 0 };
	const ag_status st = ag_know_markdown_read(text, AG_S("a.md"), 7, arena, &o, &err);

	if (st)
		check_error(st, &err);
	else
		check_object(&o, arena);
}

static void archive(ag_str bytes, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT(128u << 20);
	ag_zip_file *files, *again;
	ag_err err = { 0 };
	size_t n = 0, nagain = 0;
	const ag_status st = ag_zip_read(bytes, arena, &files, &n, &err);

	if (st)
		check_error(st, &err);
	for (size_t i = 0; i < n && !st; i++)
		check(ag_zip_name_is_safe(files[i].name));
	if (!st) {
		check(!ag_zip_write(files, n, &out, &err));
		check(!ag_zip_read(ag_buf_view(&out), arena, &again, &nagain, &err));
		check(n == nagain);
		for (size_t i = 0; i < n; i++)
			check(ag_str_eq(files[i].name, again[i].name) &&
			      ag_str_eq(files[i].text, again[i].text));
	}
	ag_buf_release(&out);
}

static void dbt(ag_str text, ag_arena *arena)
{
	ag_know_source s;
	ag_err err = { 0 };
	const ag_status st = ag_know_dbt_read(text, AG_S("schema.yml"), 7, arena, &s, &err);

	if (st)
		check_error(st, &err);
	for (size_t i = 0; i < s.n && !st && i < 20; i++)
		check_object(&s.objects[i], arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_arena *arena = ag_arena_new();
	ag_str text, plain;

	check(copy);
	if (size)
		memcpy(copy, data, size);
	text = ag_str_make(copy, size);
	if (ag_zip_is(text)) {
		archive(text, arena);
	} else {
		markdown(text, arena);
		dbt(text, arena);
		plain = ag_know_plain_sql(text, arena);
		check(!plain.len || ag_know_uses_sql(plain, plain));
	}
	ag_arena_free(arena);
	free(copy);
	return 0;
}
