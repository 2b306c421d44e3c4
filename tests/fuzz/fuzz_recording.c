/* Any bytes as a recording: refused with its line, or each exchange that is read is the same once written and read
 * again; and any two halves as texts of JSON to compare. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "llm/recording.h"
#include "llm/transport.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void comes_back(const ag_exchange *x, ag_arena *arena)
{
	ag_buf line = AG_BUF_INIT(1u << 26);
	ag_exchange again = { 0 };

	check(!ag_exchange_write(x, &line, NULL));
	check(!ag_exchange_read(ag_buf_view(&line), arena, &again, NULL));
	check(again.n == x->n && again.status == x->status);
	check(ag_str_eq(again.request, ag_exchange_request(x->request, arena)));
	check(ag_str_eq(again.response, x->response));
	check(again.error.status == x->error.status && again.error.native == x->error.native);
	ag_buf_release(&line);
}

static void as_file(ag_str text)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	ag_transport *t = NULL;
	ag_err err = { 0 };
	char path[64];

	check(fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (ag_transport_replay_new(ag_str_c(path), &t, &err))
		check(err.msg[0] && err.status == AG_INVALID);
	else
		ag_transport_close(t);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_str text = ag_str_make((const char *)data, size), rest = text;
	ag_arena *arena = ag_arena_new();
	ag_err err = { 0 };

	while (rest.len) {
		ag_exchange x = { 0 };

		if (!ag_exchange_read(ag_str_split(&rest, '\n'), arena, &x, &err))
			comes_back(&x, arena);
		else
			check(err.msg[0]);
	}
	as_file(text);
	check(ag_json_difference(text, text, arena).len == 0);
	check(ag_utf8_valid(ag_json_difference(ag_str_make(text.ptr, size / 2),
	                                       ag_str_make(text.ptr + size / 2, size - size / 2),
	                                       arena)));
	ag_arena_free(arena);
	return 0;
}
