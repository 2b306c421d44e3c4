/* Any bytes as the address of a database: what is left of it has no password any more, and is left alone from then on. As a
 * Fernet token and a key: refused with words. As base64url: one text for one sequence of bytes. */
#include <stdlib.h>

#include "base/base64.h"
#include "base/fernet.h"
#include "base/secrets.h"
#include "fuzz.h"
#include "project/credential.h"

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void as_address(ag_str text, ag_arena *arena)
{
	ag_str uri = AG_S("-"), password = AG_S("-"), again, none;
	ag_err err = { 0 };

	if (ag_credential_take(text, arena, &uri, &password, &err)) {
		check(err.status == AG_INVALID || err.status == AG_LIMIT);
		check(err.msg[0] && ag_str_eqc(uri, "-") && ag_str_eqc(password, "-"));
		return;
	}
	check(uri.len + password.len <= text.len);
	check(!ag_credential_take(uri, arena, &again, &none, &err));
	check(none.len == 0 && ag_str_eq(again, uri));
}

static void as_token(ag_str text)
{
	ag_fernet_key key = { .sign = { 1 }, .crypt = { 2 } };
	ag_buf out = AG_BUF_INIT(1 << 21);
	ag_err err = { 0 };

	if (ag_fernet_open(&key, text, &out, &err))
		check((err.status == AG_DENIED || err.status == AG_INVALID) && out.len == 0);
	if (ag_fernet_key_read(text, &key, &err))
		check(err.status == AG_INVALID);
	ag_buf_release(&out);
}

static void as_base64(ag_str text)
{
	ag_buf bytes = AG_BUF_INIT(1 << 21), back = AG_BUF_INIT(1 << 22);

	if (ag_base64url_read(text, &bytes)) {
		const bool is_padded = text.len && text.ptr[text.len - 1] == '=';

		ag_base64url_add(&back, ag_buf_view(&bytes), is_padded);
		check(ag_str_eq(ag_buf_view(&back), text));
	}
	ag_buf_release(&bytes);
	ag_buf_release(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	ag_arena *arena = ag_arena_new();
	ag_str text;

	check(copy);
	if (size)
		memcpy(copy, data, size);
	text = ag_str_make(copy, size);
	as_address(text, arena);
	as_token(text);
	as_base64(text);
	ag_secrets_forget();
	ag_arena_free(arena);
	free(copy);
	return 0;
}
