/* The text of a .env file, a line "--", and another text: the second comes out with every secret of the first hidden, just as
 * a slow and simple search for each form would hide it. */
#include <stdlib.h>

#include "base/log.h"
#include "base/secrets.h"
#include "fuzz.h"

#define MAX_TEXT 4096

static void check(bool ok)
{
	if (!ok)
		abort();
}

typedef struct search {
	ag_str text;
	unsigned char covered[MAX_TEXT];
	size_t nsecret;
} search;

static void mark(void *arg, ag_str form)
{
	search *s = arg;

	if (form.len < AG_SECRET_MIN_BYTES)
		return;
	for (size_t i = 0; i + form.len <= s->text.len; i++) {
		if (memcmp(s->text.ptr + i, form.ptr, form.len) == 0)
			memset(s->covered + i, 1, form.len);
	}
}

static void mark_all(void *arg, ag_str secret)
{
	search *s = arg;

	s->nsecret++;
	check(secret.len > 0 && secret.len <= AG_SECRET_MAX_BYTES);
	if (secret.len >= AG_SECRET_MIN_BYTES)
		ag_secret_forms(secret, mark, s);
}

static void hide_slowly(const search *s, ag_buf *out)
{
	for (size_t i = 0; i < s->text.len; i++) {
		if (!s->covered[i])
			ag_buf_addc(out, s->text.ptr[i]);
		else if (!i || !s->covered[i - 1])
			ag_buf_adds(out, "[redacted]");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ag_buf fast = AG_BUF_INIT(MAX_TEXT * 2), slow = AG_BUF_INIT(MAX_TEXT * 2);
	char *copy = malloc(size ? size : 1); /* of exactly its size: a read past its end is seen */
	search *s = calloc(1, sizeof(*s));
	const char *line;
	ag_str env;

	check(copy && s);
	if (size)
		memcpy(copy, data, size);
	line = size ? (const char *)memmem(copy, size, "\n--\n", 4) : NULL;
	env = ag_str_make(copy, line ? (size_t)(line - copy) : size);
	if (line)
		s->text = ag_str_make(line + 4, size - (size_t)(line + 4 - copy));
	if (s->text.len > MAX_TEXT)
		s->text.len = MAX_TEXT;
	ag_secrets_forget();
	ag_log_redact_env_text(env);
	ag_secrets_of_env(env, mark_all, s);
	if (ag_log_clean(s->text, &fast)) {
		hide_slowly(s, &slow);
		check(!fast.failed && !slow.failed);
		check(ag_str_eq(ag_buf_view(&fast), ag_buf_view(&slow)));
	} else {
		check(s->nsecret > 100); /* full: more secrets, or forms, than it holds */
	}
	ag_secrets_forget();
	ag_buf_release(&fast);
	ag_buf_release(&slow);
	free(s);
	free(copy);
	return 0;
}
