/* What a PostgreSQL server sends: values as text, and bytes of its protocol in pieces.
 *
 * byte 0   'v': a value: two bytes of a type's number, its text. The JSON must be on one line, and of what is no json it
 *          must be JSON.
 *          else: bytes from a socket, in pieces of that many, with a limit of 64 bytes for rows */
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "pg/wire.h"
#include "query/extjson.h"
#include "sql/postgres_values.h"

#define MAX_COLUMNS 32

static void value(const uint8_t *data, size_t size)
{
	ag_buf out = AG_BUF_INIT(1u << 20), scratch = AG_BUF_INIT(1u << 20);
	ag_pg_type type;

	if (size < 2 || !ag_pg_type_builtin((uint32_t)(data[0] << 8 | data[1]), &type))
		return;
	ag_postgres_value(&out, &type, ag_str_make((const char *)data + 2, size - 2), &scratch);
	AG_ASSERT(out.len > 0 && !memchr(out.ptr, '\n', out.len));
	if (type.kind != AG_PG_JSON) {
		ag_arena *arena = ag_arena_new();
		ag_val v;
		ag_err err;

		AG_ASSERT(ag_extjson_parse(ag_buf_view(&out), &(ag_extjson_opts){ 0 }, arena, &v,
		                           NULL, NULL, &err) == AG_OK);
		ag_arena_free(arena);
	}
	ag_buf_release(&out);
	ag_buf_release(&scratch);
}

static void message(const ag_pg_message *m, ag_arena *arena)
{
	const ag_pg_field *field;
	ag_str cell[MAX_COLUMNS];
	size_t n;

	AG_ASSERT(!m->is_too_large || m->body.len == 0);
	AG_ASSERT(m->is_too_large || m->body.len == m->size);
	if (m->type == 'T' && ag_pg_read_fields(m->body, arena, &field, &n)) {
		for (size_t i = 0; i < n; i++)
			AG_ASSERT(strlen(field[i].name.ptr) == field[i].name.len);
	}
	for (n = 0; m->type == 'D' && n < MAX_COLUMNS; n++) {
		size_t sum = 2;

		if (!ag_pg_read_row(m->body, cell, n))
			continue;
		for (size_t i = 0; i < n; i++)
			sum += 4 + cell[i].len;
		AG_ASSERT(sum == m->body.len);
	}
	if (m->type == 'E')
		AG_ASSERT(ag_pg_error_field(m->body, 'M').len <= m->body.len);
}

static void wire(const uint8_t *data, size_t size, size_t piece)
{
	ag_arena *arena = ag_arena_new();
	size_t at = 0, taken = 0, announced = 0;
	ag_pg_io io = AG_PG_IO_WAIT;
	ag_pg_wire w;
	int pair[2];

	AG_ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	ag_pg_wire_init(&w, pair[0], NULL, NULL, AG_PG_MAX_SEND_BYTES);
	while (at < size && io != AG_PG_IO_BROKEN) {
		size_t n = size - at < piece ? size - at : piece;
		ag_pg_message m;

		AG_ASSERT(write(pair[1], data + at, n) == (ssize_t)n);
		at += n;
		while (ag_pg_read(&w) == AG_PG_IO_DONE && !ag_pg_must_wait(&w))
			;
		while ((io = ag_pg_next(&w, 64, &m)) == AG_PG_IO_DONE) {
			message(&m, arena);
			announced += m.size + 5;
			taken++;
		}
		AG_ASSERT(announced <= at + w.nskip);
		AG_ASSERT(w.cap <= 4u << 20);
	}
	ag_pg_wire_trim(&w);
	ag_pg_wire_release(&w);
	close(pair[0]);
	close(pair[1]);
	ag_arena_free(arena);
	(void)taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1 || size > 8192)
		return 0;
	if (data[0] == 'v')
		value(data + 1, size - 1);
	else
		wire(data + 1, size - 1, data[0] + (size_t)1);
	return 0;
}
