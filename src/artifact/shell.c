/* shell -- see the header. The document has a place for each frame, which the program has compressed for browsers of argus serve. */
#include "artifact/shell.h"

#include "base/base64.h"
#include "base/embedded.h"

#define SHELL "web/apps/artifact.html"

bool ag_artifact_has_shell(void)
{
	return ag_embedded_find(SHELL) != NULL;
}

/* Inside of <script>: "<" could end it. */
static void write_inert(ag_buf *out, ag_str json)
{
	for (size_t i = 0; i < json.len; i++) {
		if (json.ptr[i] == '<')
			ag_buf_adds(out, "\\u003c");
		else
			ag_buf_addc(out, json.ptr[i]);
	}
}

void ag_artifact_shell(ag_str view, ag_buf *out)
{
	static const struct {
		const char *place, *file;
	} parts[] = { { "<!--view-->", NULL },
		      { "<!--react-->", "web/frame/react.html.gz" },
		      { "<!--plotly-->", "web/frame/plotly.html.gz" },
		      { "<!--document-->", "web/frame/document.html.gz" } };
	const ag_embedded *shell = ag_embedded_find(SHELL);
	ag_str rest;

	AG_ASSERT(shell);
	rest = ag_str_make((const char *)shell->ptr, shell->len);
	for (size_t i = 0; i < AG_NELEM(parts); i++) {
		const ag_embedded *f = parts[i].file ? ag_embedded_find(parts[i].file) : NULL;
		const size_t nplace = strlen(parts[i].place);
		const char *at = memmem(rest.ptr, rest.len, parts[i].place, nplace);
		size_t n;

		AG_ASSERT((f || !parts[i].file) && at);
		n = (size_t)(at - rest.ptr);
		ag_buf_add(out, ag_str_make(rest.ptr, n));
		if (f)
			ag_base64url_add(out, ag_str_make((const char *)f->ptr, f->len), false);
		else
			write_inert(out, view.len ? view : AG_S("null"));
		rest = ag_str_make(at + nplace, rest.len - n - nplace);
	}
	ag_buf_add(out, rest);
}
