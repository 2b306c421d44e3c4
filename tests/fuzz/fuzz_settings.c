/* Any bytes as argus.yaml and as a .env file: refused with a place, or values within their limits; what is
 * accepted can be written and read again. */
#include <stdlib.h>

#include "app/settings.h"
#include "fuzz.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void comes_back(const ag_settings *s, ag_arena *arena)
{
	ag_settings again;
	ag_err err;
	size_t n;

	ag_settings_table(&n);
	ag_settings_init(&again);
	for (size_t i = 0; i < n; i++) {
		ag_str text = ag_settings_text(s, (int)i, arena);

		check(!ag_settings_set(&again, (int)i, text, AG_PLACE_FLAG, AG_S("again"), arena,
		                       &err));
		check(ag_str_eq(ag_settings_text(&again, (int)i, arena), text));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str text = ag_str_make((const char *)data, size);
	ag_arena *arena = ag_arena_new();
	ag_settings s;
	ag_err err = { 0 };

	ag_settings_init(&s);
	if (ag_settings_yaml(&s, AG_S("f"), text, arena, &err))
		check(err.msg[0] && err.msg[0] == 'f');
	else
		comes_back(&s, arena);
	ag_settings_init(&s);
	err = (ag_err){ 0 };
	if (ag_settings_dotenv(&s, AG_S("f"), text, arena, &err))
		check(err.msg[0] == 'f');
	else
		comes_back(&s, arena);
	ag_arena_free(arena);
	return 0;
}
