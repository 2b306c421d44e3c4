/* The table of a report's findings, one line each, in the order of their rank.
 *
 *   #  severity field            problem            docs   share
 *   1  HIGH     customer.email   Null values       2,031   10.2%
 *   2? MEDIUM   status           Case variants        58   1.07%
 *
 * Marks: "?" waits for a person, "+" is new since the previous run, "-" was set aside.
 * A terminal below NARROW columns gets two lines for each finding. Long paths lose their beginning: the end names
 * the field. */
#include "report/text_parts.h"

#define AT_SEVERITY 5
#define AT_FIELD    14
#define COUNT_COLS  7 /* at least: 123,456 */
#define SHARE_COLS  6 /* ">99.9%"; the rare "<0.001%" uses the gap */
#define GAP         2
#define NARROW      66
#define MIN_PROBLEM 16

typedef struct columns {
	size_t field, problem, count;
} columns;

static ag_str field_of(const ag_val *finding)
{
	const ag_str field = ag_report_str(finding, "field");

	return field.len ? field : AG_S("whole documents");
}

static ag_str problem_of(const ag_val *finding)
{
	const ag_str title = ag_report_str(finding, "category_title");

	return title.len ? title : ag_report_str(finding, "category");
}

static bool is_listed(const ag_rt *t, const ag_val *finding)
{
	return t->look->set_aside || !ag_report_is_aside(finding);
}

/* Columns as wide as their widest text; when that is too much, the problem keeps MIN_PROBLEM and the field gets the
 * rest. */
static columns layout(ag_rt *t, const ag_val *items, size_t n)
{
	columns ret = { .field = 5, .problem = 7, .count = COUNT_COLS };
	size_t room;

	for (size_t i = 0; i < n; i++) {
		const size_t field = ag_paint_width(&t->p, field_of(&items[i])),
			     problem = ag_paint_width(&t->p, problem_of(&items[i])),
			     count = ag_human_count(ag_report_count(&items[i], "affected_count"),
		                                    t->arena)
		                             .len;

		if (!is_listed(t, &items[i]))
			continue;
		ret.field = field > ret.field ? field : ret.field;
		ret.problem = problem > ret.problem ? problem : ret.problem;
		ret.count = count > ret.count ? count : ret.count;
	}
	if (t->p.width < NARROW) {
		ret.field = t->p.width - AT_FIELD;
		return ret;
	}
	room = t->p.width - AT_FIELD - 3 * GAP - ret.count - SHARE_COLS;
	if (ret.field + ret.problem > room) {
		const size_t least = ret.problem < MIN_PROBLEM ? ret.problem : MIN_PROBLEM;

		ret.problem = ret.field + least > room ? least : room - ret.field;
		ret.field = room - ret.problem < ret.field ? room - ret.problem : ret.field;
	}
	return ret;
}

static void right(ag_rt *t, ag_ink ink, size_t end, ag_str s)
{
	ag_paint_to(&t->p, end > s.len ? end - s.len : 0);
	ag_paint_text(&t->p, ink, s);
}

static void severity(ag_rt *t, ag_str name)
{
	char badge[9] = "";

	for (size_t i = 0; i < name.len && i < sizeof(badge) - 1; i++)
		badge[i] = name.ptr[i] >= 'a' && name.ptr[i] <= 'z' ? (char)(name.ptr[i] - 32)
		                                                    : name.ptr[i];
	ag_paint_lit(&t->p, ag_severity_ink(name), badge);
}

static const char *mark(const ag_rt *t, const ag_val *finding)
{
	if (ag_report_is_aside(finding))
		return "-";
	if (ag_str_eqc(ag_report_str(finding, "status"), "pending_review"))
		return "?";
	return ag_report_is_new(t->report, finding) ? "+" : "";
}

static void line(ag_rt *t, const columns *c, size_t number, const ag_val *f)
{
	const uint64_t n = ag_report_count(f, "affected_count");
	const ag_str share = ag_human_share(n, ag_report_total(t->report, f), t->arena),
		     count = ag_human_count(n, t->arena);
	const size_t at_problem = AT_FIELD + c->field + GAP,
		     count_end = at_problem + c->problem + GAP + c->count;

	ag_paint_textf(&t->p, AG_INK_DIM, "%3zu", number);
	ag_paint_lit(&t->p, AG_INK_YELLOW, mark(t, f));
	ag_paint_to(&t->p, AT_SEVERITY);
	severity(t, ag_report_str(f, "severity"));
	ag_paint_to(&t->p, AT_FIELD);
	ag_paint_cut_front(&t->p, AG_INK_BOLD, c->field, field_of(f));
	if (t->p.width < NARROW) {
		ag_paint_nl(&t->p);
		ag_paint_to(&t->p, AG_RT_NARROW_BODY);
		ag_paint_wrap(&t->p, AG_INK_PLAIN, AG_RT_NARROW_BODY,
		              ag_str_printf(t->arena, "%.*s: %.*s (%.*s)", AG_FMT(problem_of(f)),
		                            AG_FMT(count), AG_FMT(share)));
	} else {
		ag_paint_to(&t->p, at_problem);
		ag_paint_cut(&t->p, AG_INK_PLAIN, c->problem, problem_of(f));
		right(t, AG_INK_PLAIN, count_end, count);
		right(t, AG_INK_DIM, count_end + GAP + SHARE_COLS, share);
	}
	ag_paint_nl(&t->p);
}

static void header(ag_rt *t, const columns *c)
{
	const size_t at_problem = AT_FIELD + c->field + GAP,
		     count_end = at_problem + c->problem + GAP + c->count;

	if (t->p.width < NARROW)
		return;
	ag_paint_lit(&t->p, AG_INK_DIM, "  #");
	ag_paint_to(&t->p, AT_SEVERITY);
	ag_paint_lit(&t->p, AG_INK_DIM, "severity");
	ag_paint_to(&t->p, AT_FIELD);
	ag_paint_lit(&t->p, AG_INK_DIM, "field");
	ag_paint_to(&t->p, at_problem);
	ag_paint_lit(&t->p, AG_INK_DIM, "problem");
	right(t, AG_INK_DIM, count_end, AG_S("docs"));
	right(t, AG_INK_DIM, count_end + GAP + SHARE_COLS, AG_S("share"));
	ag_paint_nl(&t->p);
}

void ag_rt_table(ag_rt *t)
{
	size_t n, shown = 0;
	const ag_val *items = ag_report_items(t->report, "findings", &n);
	const columns c = layout(t, items, n);

	for (size_t i = 0; i < n; i++) {
		if (!is_listed(t, &items[i]))
			continue;
		if (!shown) {
			ag_paint_nl(&t->p);
			header(t, &c);
		}
		line(t, &c, ++shown, &items[i]);
	}
	for (size_t i = 0; i < n && t->look->set_aside && !t->look->details; i++)
		if (ag_report_is_aside(&items[i]))
			ag_rt_aside_reason(t, &items[i]);
}
