/* inspect_html -- the fields of collections as one page (page.c): its data, and a table as plain HTML. */
#include "report/format_parts.h"
#include "report/inspect.h"

#define WORDS_COLS 60

static void overview(const ag_val *const *collections, size_t n, ag_arena *arena, ag_buf *out)
{
	ag_buf_adds(out, "<table><tr><th>collection</th><th class=\"n\">documents</th>"
	                 "<th class=\"n\">fields</th></tr>\n");
	for (size_t i = 0; i < n; i++) {
		size_t npath;

		ag_report_items(collections[i], "distributions", &npath);
		ag_buf_addf(out, "<tr><td><a href=\"#plain%zu\">", i + 1);
		ag_html_text(out, ag_report_str(collections[i], "collection"), arena);
		ag_buf_addf(out,
		            "</a></td><td class=\"n\">%.*s</td><td class=\"n\">%zu</td></tr>\n",
		            AG_FMT(ag_human_count(
				    ag_report_count(collections[i], "collection_size"), arena)),
		            npath);
	}
	ag_buf_adds(out, "</table>\n");
}

/* "5,400 documents · examples/shop/orders.ndjson · personal values are masked" */
static void about(const ag_val *c, ag_arena *arena, ag_buf *out)
{
	const ag_val *masked = ag_report_get(c, "masked");
	const uint64_t size = ag_report_count(c, "collection_size"),
		       sampled = ag_report_count(c, "documents_sampled"),
		       broken = ag_report_count(c, "broken");

	ag_buf_adds(out, "<p class=\"soft\">");
	if (sampled < size)
		ag_buf_addf(out, "%.*s of ", AG_FMT(ag_human_count(sampled, arena)));
	ag_html_text(out, ag_human_documents(size, arena), arena);
	ag_buf_adds(out, " · ");
	ag_html_text(out, ag_report_str(c, "source"), arena);
	if (masked && ag_val_truthy(masked))
		ag_buf_adds(out, " · personal values are masked");
	ag_buf_adds(out, "</p>\n");
	if (!broken)
		return;
	ag_buf_adds(out, "<p class=\"gap\">");
	ag_html_text(out,
	             ag_str_printf(arena, "%.*s cannot be read and %s left out; the first: %.*s",
	                           AG_FMT(ag_human_documents(broken, arena)),
	                           broken == 1 ? "is" : "are",
	                           AG_FMT(ag_report_str(c, "first_issue"))),
	             arena);
	ag_buf_adds(out, "</p>\n");
}

static void row(const ag_val *d, ag_arena *arena, ag_buf *out)
{
	const uint64_t distinct = ag_report_count(d, "distinct");

	ag_buf_adds(out, "<tr><td>");
	ag_html_text(out, ag_report_str(d, "path"), arena);
	ag_buf_adds(out, "</td><td>");
	ag_html_text(out, ag_bars_types(d, NULL, arena), arena);
	ag_buf_addf(out, "</td><td class=\"n\">%.*s</td><td class=\"n\">",
	            AG_FMT(ag_bars_filled(d, arena)));
	if (distinct)
		ag_buf_add(out, ag_human_count(distinct, arena));
	ag_buf_adds(out, "</td><td class=\"wide words\">");
	ag_html_text(out, ag_bars_words(d, WORDS_COLS, arena), arena);
	ag_buf_adds(out, "</td></tr>\n");
}

static void one(const ag_val *c, size_t number, ag_arena *arena, ag_buf *out)
{
	size_t n;
	const ag_val *paths = ag_report_items(c, "distributions", &n);

	ag_buf_addf(out, "<h2 id=\"plain%zu\">", number);
	ag_html_text(out, ag_report_str(c, "collection"), arena);
	ag_buf_adds(out, "</h2>\n");
	about(c, arena, out);
	if (!n)
		return;
	ag_buf_adds(out, "<table class=\"fields\"><tr><th>field</th><th>types</th>"
	                 "<th class=\"n\">filled</th><th class=\"n\">distinct</th>"
	                 "<th class=\"wide\">values</th></tr>\n");
	for (size_t i = 0; i < n; i++)
		row(&paths[i], arena, out);
	ag_buf_adds(out, "</table>\n");
}

static void data(const ag_val *const *collections, size_t n, ag_buf *out)
{
	static const char *const members[] = {
		"collection", "collection_size", "documents_sampled", "masked", "source",
		"broken",     "first_issue",     "distributions",     NULL
	};
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "inspected");
	ag_jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		ag_jw_obj(&w);
		ag_html_members(collections[i], members, &w);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
}

void ag_inspect_html(const ag_val *const *collections, size_t n, ag_arena *arena, ag_buf *out)
{
	ag_buf json = AG_BUF_INIT(out->limit);
	ag_html_page page;

	ag_html_open(&page, "Data profile", arena, out);
	if (n > 1)
		overview(collections, n, arena, out);
	for (size_t i = 0; i < n; i++)
		one(collections[i], i + 1, arena, out);
	data(collections, n, &json);
	out->failed |= json.failed;
	ag_html_close(&page, ag_buf_view(&json));
	ag_buf_release(&json);
}
