/* A saved page: one document with its style and script inside, which draws the data that it carries (web/report/). Without the script
 * it shows its plain form.
 *
 * The document is made by tools/build-web and embedded compressed: its length as 4 bytes, the lowest first, then zlib's stream. It has
 * four places: title, style, plain, data. A program that was built without it writes the plain form alone. */
#include <zlib.h>

#include "base/embedded.h"
#include "query/extjson.h"
#include "report/format_parts.h"

#define MAX_PAGE (4u << 20) /* bytes of the document without data */

static ag_str expanded(ag_arena *arena)
{
	const ag_embedded *file = ag_embedded_find("web/report/page.deflated");
	uLongf len = 0;
	char *text;

	if (!file || file->len < 4)
		return AG_S("");
	for (size_t i = 4; i-- > 0;)
		len = len << 8 | file->ptr[i];
	AG_ASSERT(len <= MAX_PAGE);
	text = ag_new_n(arena, char, len + 1);
	if (uncompress((Bytef *)text, &len, file->ptr + 4, (uLong)(file->len - 4)) != Z_OK)
		return AG_S("");
	return ag_str_make(text, len);
}

/* Writes the document up to the place, which is left out. */
static void up_to(ag_html_page *p, const char *place)
{
	const char *at = memmem(p->rest.ptr, p->rest.len, place, strlen(place));
	size_t n;

	AG_ASSERT(at);
	n = (size_t)(at - p->rest.ptr);
	ag_buf_add(p->out, ag_str_make(p->rest.ptr, n));
	n += strlen(place);
	p->rest = ag_str_make(p->rest.ptr + n, p->rest.len - n);
}

static void plain_head(ag_buf *out)
{
	ag_buf_adds(out,
	            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	            "<meta http-equiv=\"Content-Security-Policy\" "
	            "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n");
}

void ag_html_open(ag_html_page *p, const char *title, ag_arena *arena, ag_buf *out)
{
	const ag_embedded *css = ag_embedded_find("report/report.css");
	const ag_str style = ag_str_make((const char *)css->ptr, css->len);

	*p = (ag_html_page){ .rest = expanded(arena), .out = out };
	p->has_script = p->rest.len > 0;
	if (p->has_script) {
		up_to(p, "<!--title-->");
		ag_buf_adds(out, title);
		up_to(p, "<!--style-->");
		ag_buf_add(out, style);
		up_to(p, "<!--plain-->");
	} else {
		plain_head(out);
		ag_buf_addf(out, "<title>%s</title>\n<style>\n%.*s</style>\n</head>\n<body>\n",
		            title, AG_FMT(style));
	}
	ag_buf_addf(out, "<div class=\"plain\">\n<h1>%s</h1>\n", title);
}

/* Inside of <script>: "<" could end it, and what steers a line is escaped as JSON does it. */
static void inert(ag_buf *out, ag_str json)
{
	ag_buf safe = AG_BUF_INIT(out->limit);

	ag_paint_escape(&safe, json, true, true);
	out->failed |= safe.failed;
	for (size_t i = 0; i < safe.len; i++) {
		const char *lt = memchr(safe.ptr + i, '<', safe.len - i);
		const size_t n = lt ? (size_t)(lt - safe.ptr) - i : safe.len - i;

		ag_buf_add(out, ag_str_make(safe.ptr + i, n));
		if (lt)
			ag_buf_adds(out, "\\u003c");
		i += n;
	}
	ag_buf_release(&safe);
}

void ag_html_close(ag_html_page *p, ag_str data)
{
	ag_buf_adds(p->out, "</div>\n");
	if (!p->has_script) {
		ag_buf_adds(p->out, "</body>\n</html>\n");
		return;
	}
	up_to(p, "<!--data-->");
	inert(p->out, data);
	ag_buf_add(p->out, p->rest);
}

/* The same document without data: the host of MCP Apps hands it a report. */
void ag_report_frame(ag_arena *arena, ag_buf *out)
{
	ag_html_page p;

	ag_html_open(&p, "Audit report", arena, out);
	ag_html_close(&p, AG_S("null"));
}

void ag_html_members(const ag_val *v, const char *const *names, ag_jw *w)
{
	ag_buf text = AG_BUF_INIT(w->out->limit);

	for (; *names; names++) {
		const ag_val *m = ag_report_get(v, *names);

		if (!m)
			continue;
		ag_buf_clear(&text);
		ag_extjson_write(&text, m, AG_EXTJSON_RELAXED);
		w->out->failed |= text.failed;
		ag_jw_kraw(w, *names, ag_buf_view(&text));
	}
	ag_buf_release(&text);
}
