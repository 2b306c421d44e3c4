/* page -- see the header. */
#include "artifact/page.h"

#include "artifact/blocks.h"
#include "artifact/markup.h"
#include "query/extjson.h"

#define ORIGIN     "artifact.page"
#define PAGE_BYTES (16u << 20)

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	"'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 "
	"1rem;color:#1c1c1c;background:#fff}table{border-collapse:collapse}td,th{border:1px solid "
	"#ccc;padding:.25rem .6rem;text-align:left}pre{background:#f5f5f5;padding:.75rem;overflow:"
	"auto}svg{max-width:100%;height:auto}</style>\n<title>";

/* --- Markdown --- */

/* The end of what `mark` opens at i; 0 = it is not closed in this text. */
static size_t closing(ag_str s, size_t i, const char *mark)
{
	const size_t n = strlen(mark);

	for (size_t k = i + n; k + n <= s.len; k++) {
		if (memcmp(s.ptr + k, mark, n) == 0 && k > i + n)
			return k;
	}
	return 0;
}

/* `code`, **strong**, *emphasis*; everything else is text. */
static void write_inline(ag_str s, ag_buf *out)
{
	static const struct {
		const char *mark, *element;
	} marks[] = { { "`", "code" }, { "**", "strong" }, { "*", "em" } };
	size_t from = 0, i = 0;

	while (i < s.len) {
		size_t end = 0, m = 0;

		for (; m < AG_NELEM(marks) && !end; m++) {
			const size_t n = strlen(marks[m].mark);

			if (i + n <= s.len && memcmp(s.ptr + i, marks[m].mark, n) == 0 &&
			    i + n < s.len && s.ptr[i + n] != ' ')
				end = closing(s, i, marks[m].mark);
		}
		if (!end) {
			i++;
			continue;
		}
		m--;
		ag_markup_escape(out, ag_str_make(s.ptr + from, i - from));
		i += strlen(marks[m].mark);
		ag_buf_addf(out, "<%s>", marks[m].element);
		ag_markup_escape(out, ag_str_make(s.ptr + i, end - i));
		ag_buf_addf(out, "</%s>", marks[m].element);
		i = from = end + strlen(marks[m].mark);
	}
	ag_markup_escape(out, ag_str_make(s.ptr + from, s.len - from));
}

static void write_cells(const ag_val *cells, const char *element, ag_buf *out)
{
	ag_buf_adds(out, "<tr>");
	for (uint32_t i = 0; i < cells->n; i++) {
		ag_buf_addf(out, "<%s>", element);
		write_inline(ag_val_text(&cells->u.items[i]), out);
		ag_buf_addf(out, "</%s>", element);
	}
	ag_buf_adds(out, "</tr>\n");
}

static void write_block(const ag_block *b, ag_buf *out)
{
	const char *element = b->kind == AG_BLOCK_QUOTE  ? "blockquote"
	                      : b->kind == AG_BLOCK_ITEM ? "li"
	                                                 : "p";

	switch (b->kind) {
	case AG_BLOCK_HEADING:
		ag_buf_addf(out, "<h%u>", b->level);
		write_inline(b->text, out);
		ag_buf_addf(out, "</h%u>\n", b->level);
		break;
	case AG_BLOCK_CODE:
		ag_buf_adds(out, "<pre>");
		ag_markup_escape(out, b->text);
		ag_buf_adds(out, "</pre>\n");
		break;
	case AG_BLOCK_RULE: ag_buf_adds(out, "<hr>\n"); break;
	case AG_BLOCK_TABLE:
		ag_buf_adds(out, "<table>\n");
		write_cells(&b->columns, "th", out);
		for (uint32_t i = 0; i < b->rows.n; i++)
			write_cells(&b->rows.u.items[i], "td", out);
		ag_buf_adds(out, "</table>\n");
		break;
	case AG_BLOCK_TEXT:
	case AG_BLOCK_ITEM:
	case AG_BLOCK_QUOTE:
		ag_buf_addf(out, "<%s>", element);
		write_inline(b->text, out);
		ag_buf_addf(out, "</%s>\n", element);
		break;
	}
}

void ag_markdown_html(ag_str text, ag_arena *arena, ag_buf *out)
{
	const char *list = NULL; /* "ul", "ol": the one that is open */
	ag_block b;

	while (ag_block_next(&text, arena, &b)) {
		const char *wanted = b.kind != AG_BLOCK_ITEM ? NULL : b.mark.len == 1 ? "ul" : "ol";

		if (list && (!wanted || strcmp(list, wanted) != 0))
			ag_buf_addf(out, "</%s>\n", list);
		if (wanted && (!list || strcmp(list, wanted) != 0))
			ag_buf_addf(out, "<%s>\n", wanted);
		list = wanted;
		write_block(&b, out);
	}
	if (list)
		ag_buf_addf(out, "</%s>\n", list);
}

/* --- {{name}} --- */

static void write_value(const ag_val *data, ag_str name, ag_buf *out, ag_arena *arena)
{
	const ag_val *v = data->type == AG_T_OBJECT ? ag_val_get(data, name) : NULL;

	if (!v)
		return;
	ag_markup_escape(out, v->type == AG_T_STRING
	                              ? ag_val_text(v)
	                              : ag_extjson_str(arena, v, AG_EXTJSON_RELAXED));
}

static void fill_places(ag_str code, ag_str data, ag_arena *arena, ag_buf *out)
{
	const ag_extjson_opts opts = { .max_values = 1u << 20 };
	ag_val v = ag_val_missing();
	size_t from = 0;

	if (data.len && ag_extjson_parse(data, &opts, arena, &v, NULL, NULL, NULL))
		v = ag_val_missing();
	for (size_t i = 0; i + 4 <= code.len;) {
		size_t end = i + 2;

		if (code.ptr[i] != '{' || code.ptr[i + 1] != '{') {
			i++;
			continue;
		}
		while (end + 1 < code.len && end - i < 200 && code.ptr[end] != '}' &&
		       code.ptr[end] != '\n')
			end++;
		if (end + 1 >= code.len || code.ptr[end] != '}' || code.ptr[end + 1] != '}') {
			i += 2;
			continue;
		}
		ag_buf_add(out, ag_str_make(code.ptr + from, i - from));
		write_value(&v, ag_str_trim(ag_str_make(code.ptr + i + 2, end - i - 2)), out,
		            arena);
		i = from = end + 2;
	}
	ag_buf_add(out, ag_str_make(code.ptr + from, code.len - from));
}

/* --- the page --- */

static size_t write_body(const ag_artifact *a, ag_str data, ag_arena *arena, ag_buf *out)
{
	ag_buf filled = AG_BUF_INIT(PAGE_BYTES);
	size_t nleft = 0;

	if (a->kind == AG_ARTIFACT_MARKDOWN) {
		ag_markdown_html(a->version.code, arena, out);
	} else {
		fill_places(a->version.code, data, arena, &filled);
		nleft = ag_markup_clean(ag_buf_view(&filled), a->kind == AG_ARTIFACT_SVG, out);
	}
	ag_buf_release(&filled);
	return nleft;
}

ag_status ag_artifact_page(const ag_artifact *a, ag_str data, ag_arena *arena, ag_buf *out,
                           size_t *ret_nleft, ag_err *err)
{
	if (a->kind == AG_ARTIFACT_REACT || a->kind == AG_ARTIFACT_PLOTLY) {
		ag_fail(err, AG_INVALID, ORIGIN,
		        "a %s artifact is drawn by a script, which needs a page with its libraries",
		        ag_artifact_kind_name(a->kind));
		return ag_err_hint(err, "export its code (.%s), or its data (.csv, .json)",
		                   a->kind == AG_ARTIFACT_REACT ? "jsx" : "plotly");
	}
	ag_buf_adds(out, head);
	ag_markup_escape(out, a->row.title);
	ag_buf_adds(out, "</title>\n</head>\n<body>\n");
	*ret_nleft = write_body(a, data, arena, out);
	ag_buf_adds(out, "\n</body>\n</html>\n");
	return out->failed ? ag_fail(err, AG_LIMIT, ORIGIN, "the page is too large") : AG_OK;
}

/* --- the view of a frame --- */

static void write_troubles(const ag_artifact_result *list, size_t n, ag_jw *w)
{
	ag_jw_kkey(w, "failed");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		if (!list[i].error.len)
			continue;
		ag_jw_obj(w);
		ag_jw_kstr(w, "name", list[i].name);
		ag_jw_kstr(w, "error", list[i].error);
		ag_jw_obj_end(w);
	}
	ag_jw_arr_end(w);
	ag_jw_kkey(w, "cut");
	ag_jw_arr(w);
	for (size_t i = 0; i < n; i++)
		if (list[i].is_cut)
			ag_jw_str(w, list[i].name);
	ag_jw_arr_end(w);
}

ag_status ag_artifact_view(const ag_know_place *p, const ag_artifact *a, ag_arena *arena,
                           ag_buf *out, ag_err *err)
{
	const bool is_drawn = a->kind == AG_ARTIFACT_REACT || a->kind == AG_ARTIFACT_PLOTLY;
	ag_buf page = AG_BUF_INIT(PAGE_BYTES);
	ag_artifact_result *list = NULL;
	size_t n = 0, nleft = 0;
	ag_str data = AG_S("");
	ag_jw w;
	ag_status st = ag_artifact_query(p, a, NULL, arena, &list, &n, err);

	if (!st) {
		data = ag_artifact_data(a, list, n, arena);
		if (!is_drawn)
			st = ag_artifact_page(a, data, arena, &page, &nleft, err);
	}
	if (!st) {
		ag_jw_init(&w, out, 0);
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "kind", ag_str_c(ag_artifact_kind_name(a->kind)));
		ag_jw_kstr(&w, "title", a->row.title);
		ag_jw_kstr(&w, "code", is_drawn ? a->version.code : ag_buf_view(&page));
		/* The data of a page is in it. */
		ag_jw_kraw(&w, "data", is_drawn ? data : AG_S("{}"));
		write_troubles(list, n, &w);
		ag_jw_obj_end(&w);
		if (out->failed)
			st = ag_fail(err, AG_LIMIT, ORIGIN, "the view is larger than %zu bytes",
			             out->limit);
	}
	ag_buf_release(&page);
	return st;
}
