/* shell -- see the header. The document has a place for each frame, which the program has compressed for browsers of argus serve. */
#include "artifact/shell.h"

#include "base/base64.h"
#include "base/embedded.h"

#define SHELL "web/apps/artifact.html"

bool ag_artifact_has_shell(void)
{
	return ag_embedded_find(SHELL) != NULL;
}

void ag_artifact_shell(ag_buf *out)
{
	static const struct {
		const char *place, *file;
	} parts[] = { { "<!--react-->", "web/frame/react.html.gz" },
		      { "<!--plotly-->", "web/frame/plotly.html.gz" },
		      { "<!--document-->", "web/frame/document.html.gz" } };
	const ag_embedded *shell = ag_embedded_find(SHELL);
	ag_str rest;

	AG_ASSERT(shell);
	rest = ag_str_make((const char *)shell->ptr, shell->len);
	for (size_t i = 0; i < AG_NELEM(parts); i++) {
		const ag_embedded *f = ag_embedded_find(parts[i].file);
		const size_t nplace = strlen(parts[i].place);
		const char *at = memmem(rest.ptr, rest.len, parts[i].place, nplace);
		size_t n;

		AG_ASSERT(f && at);
		n = (size_t)(at - rest.ptr);
		ag_buf_add(out, ag_str_make(rest.ptr, n));
		ag_base64url_add(out, ag_str_make((const char *)f->ptr, f->len), false);
		rest = ag_str_make(at + nplace, rest.len - n - nplace);
	}
	ag_buf_add(out, rest);
}
