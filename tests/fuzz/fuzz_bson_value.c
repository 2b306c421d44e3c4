/* Answers of a MongoDB server: bytes as one BSON document; what is read is written, and read the same. */
#include "fuzz.h"

#include "query/bson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_arena *arena = ag_arena_new();
	ag_buf b = AG_BUF_INIT(1 << 24);
	ag_val v, back;
	ag_err err;

	if (!ag_bson_read(ag_str_make((const char *)data, size), arena, &v, &err)) {
		/* A name cannot hold a NUL byte here: it ends at it. */
		AG_ASSERT(ag_bson_write(&b, &v) && !b.failed);
		AG_ASSERT(!ag_bson_read(ag_buf_view(&b), arena, &back, &err));
		AG_ASSERT(ag_val_eq(&v, &back));
	} else {
		AG_ASSERT(err.status == AG_INVALID && err.msg[0]);
	}
	ag_buf_release(&b);
	ag_arena_free(arena);
	return 0;
}
