/* Any bytes as a kept dictionary: refused, or read, and then what is written of it reads back the same; every table is
 * found by the name it is shown under, unless that name is somebody else's as well. The bytes are a name too. */
#include <stdlib.h>

#include "fuzz.h"
#include "sql/dictionary.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static char *text_of(const ag_dictionary *d)
{
	ag_buf out = AG_BUF_INIT((size_t)64 * 1024 * 1024);
	ag_jw w;

	ag_jw_init(&w, &out, 0);
	ag_dictionary_write(d, &w);
	check(!out.failed);
	return ag_buf_steal(&out);
}

static void check_dictionary(const ag_dictionary *d, ag_arena *arena)
{
	ag_buf out = AG_BUF_INIT((size_t)64 * 1024 * 1024);
	char *first = text_of(d), *second;
	ag_dictionary back;
	ag_err err;
	ag_jw w;

	check(ag_dictionary_read(ag_str_c(first), arena, &back, &err) == AG_OK);
	second = text_of(&back);
	check(strcmp(first, second) == 0);
	for (size_t i = 0; i < d->ntable && i < 8; i++) {
		const ag_dict_table *t = ag_dictionary_find(d, d->tables[i].name);

		check(!t || ag_str_ieq(t->name, d->tables[i].name));
		check(ag_dictionary_suggest(d, d->tables[i].name, arena).len > 0);
	}
	ag_jw_init(&w, &out, 0);
	ag_dictionary_list_json(d, &w);
	ag_jw_obj(&w);
	ag_dictionary_all_json(d, &w);
	ag_jw_obj_end(&w);
	ag_buf_release(&out);
	free(first);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_arena *arena = ag_arena_new();
	ag_dictionary d;
	ag_err err = { 0 };
	ag_str text;

	check(copy);
	if (size)
		memcpy(copy, data, size);
	text = ag_str_make(copy, size);
	if (ag_dictionary_read(text, arena, &d, &err) == AG_OK) {
		check_dictionary(&d, arena);
		ag_dictionary_find(&d, text);
		ag_dictionary_suggest(&d, text, arena);
	} else {
		check(err.status == AG_INVALID && err.msg[0]);
	}
	ag_dictionary_is_sensitive(text, &text, 1);
	ag_arena_free(arena);
	free(copy);
	return 0;
}
