/* chat_demo -- see the header. The requests and the replies are those of the OpenAI protocol; nothing is remembered between
 * them. */
#include "app/chat_demo.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "llm/json_text.h"
#include "query/extjson.h"

#define ORIGIN "app.chat_demo"

typedef struct demo_entry {
	const char *question;
	const char *first;  /* a statement with a mistake, to show the correction; NULL = none */
	const char *sql;    /* the right one */
	const char *answer; /* {R,C}: the value of row R and column C of the result */
	const char
		*drawn; /* the input of create_artifact, called before the answer; NULL = nothing */
} demo_entry;

#define BY_MONTH                                                                        \
	"SELECT strftime('%Y-%m', ordered_on) AS month, ROUND(SUM(total), 2) AS total " \
	"FROM orders GROUP BY month ORDER BY month"
#define BY_COUNTRY \
	"SELECT country, COUNT(*) AS customers FROM customers GROUP BY country ORDER BY customers DESC"

/* Their figures are read from their queries, so that they are proven and can be read again. */
static const char chart_by_month[] =
	"{\"title\":\"Total of orders by month\",\"artifact_type\":\"plotly\","
	"\"code\":\"{\\\"data\\\":[{\\\"type\\\":\\\"bar\\\",\\\"x\\\":\\\"{{months.month}}\\\",\\\"y\\\":"
	"\\\"{{months.total}}\\\"}],\\\"layout\\\":{\\\"title\\\":{\\\"text\\\":\\\"Total of orders by month\\\"}}}\","
	"\"source_queries\":[{\"name\":\"months\",\"sql\":\"" BY_MONTH "\"}]}";
static const char board_by_country[] =
	"{\"title\":\"Customers by country\",\"artifact_type\":\"react\","
	"\"code\":\"import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'\\n\\n"
	"export default function App({ data }) {\\n"
	"  const [order, setOrder] = React.useState('customers')\\n"
	"  const rows = [...data.countries].sort((a, b) => order === 'country' ? a.country.localeCompare(b.country) : b.customers - a.customers)\\n"
	"  return (\\n    <div className='space-y-4'>\\n"
	"      <label className='flex gap-2 text-sm text-gray-700'>Order by\\n"
	"        <select className='rounded border border-gray-400' value={order} onChange={e => setOrder(e.target.value)}>\\n"
	"          <option>customers</option><option>country</option>\\n        </select>\\n      </label>\\n"
	"      <ResponsiveContainer width='100%' height={320}>\\n        <BarChart data={rows}>\\n"
	"          <CartesianGrid strokeDasharray='3 3' /><XAxis dataKey='country' /><YAxis /><Tooltip />\\n"
	"          <Bar dataKey='customers' fill='#0b6a63' />\\n        </BarChart>\\n      </ResponsiveContainer>\\n"
	"    </div>\\n  )\\n}\\n\","
	"\"source_queries\":[{\"name\":\"countries\",\"sql\":\"" BY_COUNTRY "\"}]}";

static const demo_entry script[] = {
	{ "How many customers are there?", NULL, "SELECT COUNT(*) AS customers FROM customers",
	  "There are {0,0} customers." },
	{ "Which country has the most customers?",
	  "SELECT contry, COUNT(*) AS customers FROM customers GROUP BY contry "
	  "ORDER BY customers DESC LIMIT 5",
	  "SELECT country, COUNT(*) AS customers FROM customers GROUP BY country "
	  "ORDER BY customers DESC LIMIT 5",
	  "{0,0} has the most customers: {0,1}. {1,0} follows with {1,1} customers. The name of a column was "
	  "wrong in my first statement; I corrected it after the error." },
	{ "How many order items are there?", NULL,
	  "SELECT COUNT(*) AS order_items FROM order_items", "There are {0,0} order items." },
	{ "Which 5 products have the most order items?", NULL,
	  "SELECT products.name, COUNT(*) AS items FROM order_items "
	  "JOIN products ON products.sku = order_items.sku GROUP BY products.sku, products.name "
	  "ORDER BY items DESC, products.name LIMIT 5",
	  "{0,0} has the most items: {0,1}. {1,0} has {1,1} items, {2,0} has {2,1} items, {3,0} has {3,1} "
	  "items, and {4,0} has {4,1} items." },
	{ "Which status has the highest total of orders?", NULL,
	  "SELECT status, ROUND(SUM(total), 2) AS total FROM orders GROUP BY status "
	  "ORDER BY total DESC",
	  "The status {0,0} has the highest total: {0,1}. The status {1,0} has a total of {1,1}." },
	{ "How did the total of orders develop by month?", NULL, BY_MONTH,
	  "In {0,0} the total was {0,1}, in {12,0} it was {12,1}, and in {23,0} it was {23,1}." },
	{ "Which 5 customers have the most orders?", NULL,
	  "SELECT first_name || ' ' || last_name AS customer, COUNT(*) AS orders FROM orders "
	  "JOIN customers ON customers.customer_id = orders.customer_id "
	  "GROUP BY customers.customer_id, customer ORDER BY orders DESC, customer LIMIT 5",
	  "{0,0} has the most orders: {0,1}. {1,0} has {1,1} orders, {2,0} has {2,1} orders, {3,0} has {3,1} "
	  "orders, and {4,0} has {4,1} orders." },
	{ "Draw the total of orders by month.", NULL, BY_MONTH,
	  "The chart shows each month. In {0,0} the total was {0,1}, in {23,0} it was {23,1}.",
	  chart_by_month },
	{ "Make a dashboard of the customers by country.", NULL, BY_COUNTRY,
	  "The dashboard shows the customers of each country; most are in {0,0}: {0,1}.",
	  board_by_country },
};

ag_str ag_chat_demo_question(size_t n)
{
	return n < AG_NELEM(script) ? ag_str_c(script[n].question) : AG_S("");
}

static ag_str without_mark(ag_str s)
{
	s = ag_str_trim(s);
	while (s.len && (s.ptr[s.len - 1] == '?' || s.ptr[s.len - 1] == '.'))
		s.len--;
	return ag_str_trim(s);
}

static const demo_entry *find_entry(ag_str question)
{
	for (size_t i = 0; i < AG_NELEM(script); i++) {
		if (ag_str_ieq(without_mark(question), without_mark(ag_str_c(script[i].question))))
			return &script[i];
	}
	return NULL;
}

/* --- what a request says --- */

#define MAX_CALLS 3 /* a statement, the right one, a drawing */

typedef struct demo_request {
	ag_str question;
	ag_str results[MAX_CALLS]; /* of the calls of this question, in their order */
	size_t nresult;
	size_t nmessage;
} demo_request;

static ag_status read_request(ag_str body, ag_arena *arena, demo_request *ret, ag_err *err)
{
	const ag_extjson_opts opts = { 0 };
	const ag_val *list;
	ag_val v;
	ag_status st = ag_extjson_parse(body, &opts, arena, &v, NULL, NULL, err);

	if (st)
		return st;
	*ret = (demo_request){ 0 };
	list = ag_val_getc(&v, "messages");
	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n; i++) {
		const ag_val *m = &list->u.items[i];
		const ag_str role = ag_val_member_str(m, "role"),
			     text = ag_val_member_str(m, "content");

		ret->nmessage++;
		if (ag_str_eqc(role, "user"))
			*ret = (demo_request){ .question = text, .nmessage = ret->nmessage };
		else if (ag_str_eqc(role, "tool") && ret->nresult < MAX_CALLS)
			ret->results[ret->nresult++] = text;
	}
	return AG_OK;
}

/* A line of a result, "[1,"a"]": its nth value as text. */
static ag_str value_of(ag_str line, size_t n, ag_arena *arena)
{
	const ag_extjson_opts opts = { 0 };
	size_t pos = 0;
	ag_str raw = ag_json_raw_next(line, &pos);
	ag_val v;

	while (n-- > 0)
		raw = ag_json_raw_next(line, &pos);
	if (raw.len && raw.ptr[0] == '"' &&
	    !ag_extjson_parse(raw, &opts, arena, &v, NULL, NULL, NULL))
		return ag_val_text(&v);
	return raw;
}

static ag_str cell_of(ag_str result, size_t row, size_t column, ag_arena *arena)
{
	while (result.len) {
		const ag_str line = ag_str_split(&result, '\n');

		if (line.len && line.ptr[0] == '[' && row-- == 0)
			return value_of(line, column, arena);
	}
	return AG_S("");
}

/* --- what it says --- */

static size_t read_number(ag_str *s)
{
	size_t n = 0;

	while (s->len && s->ptr[0] >= '0' && s->ptr[0] <= '9') {
		n = n * 10 + (size_t)(s->ptr[0] - '0');
		*s = ag_str_make(s->ptr + 1, s->len - 1);
	}
	return n;
}

static void say_answer(const demo_entry *e, ag_str result, ag_arena *arena, ag_buf *out)
{
	ag_str rest = ag_str_c(e->answer);

	while (rest.len) {
		size_t row, column;

		ag_buf_add(out, ag_str_split(&rest, '{'));
		if (!rest.len)
			break;
		row = read_number(&rest);
		ag_str_split(&rest, ',');
		column = read_number(&rest);
		ag_str_split(&rest, '}');
		ag_buf_add(out, cell_of(result, row, column, arena));
	}
}

static void say_unknown(ag_buf *out)
{
	ag_buf_addf(out,
	            "This is the demo: a script answers here, not a model, and it does not know "
	            "this question. It knows only these:\n");
	for (size_t i = 0; i < AG_NELEM(script); i++)
		ag_buf_addf(out, "- `%s`\n", script[i].question);
	ag_buf_addf(
		out,
		"For other questions set a model (`argus models` shows how) and leave out --demo.");
}

/* One of both. */
typedef struct demo_call {
	const char *sql, *drawn;
} demo_call;

static void write_call(ag_jw *w, const demo_call *c, size_t n)
{
	ag_buf args = AG_BUF_INIT(64u * 1024);
	char id[32];

	if (c->sql) {
		ag_buf_addf(&args, "{\"query\":");
		ag_json_quote(&args, ag_str_c(c->sql));
		ag_buf_addf(&args, "}");
	} else {
		ag_buf_adds(&args, c->drawn);
	}
	snprintf(id, sizeof(id), "demo_%zu", n);
	ag_jw_kkey(w, "tool_calls");
	ag_jw_arr(w);
	ag_jw_obj(w);
	ag_jw_kstr(w, "id", ag_str_c(id));
	ag_jw_kstr(w, "type", AG_S("function"));
	ag_jw_kkey(w, "function");
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", c->sql ? AG_S("execute_sql") : AG_S("create_artifact"));
	ag_jw_kstr(w, "arguments", ag_buf_view(&args));
	ag_jw_obj_end(w);
	ag_jw_obj_end(w);
	ag_jw_arr_end(w);
	ag_buf_release(&args);
}

static size_t nstatement(const demo_entry *e)
{
	return e->first ? 2 : 1;
}

/* The next call of this question. False: the answer comes. */
static bool next_call(const demo_entry *e, const demo_request *q, demo_call *ret)
{
	const size_t n = nstatement(e);

	*ret = (demo_call){ 0 };
	if (q->nresult < n)
		ret->sql = q->nresult + 1 < n ? e->first : e->sql;
	else if (q->nresult == n)
		ret->drawn = e->drawn;
	return ret->sql || ret->drawn;
}

static void write_reply(const demo_request *q, ag_arena *arena, ag_buf *out)
{
	const demo_entry *e = find_entry(q->question);
	demo_call call = { 0 };
	const bool calls = e && next_call(e, q, &call);
	const ag_str result = e && !calls ? q->results[nstatement(e) - 1] : AG_S("");
	ag_buf text = AG_BUF_INIT(1u << 20);
	ag_jw w;

	if (!e)
		say_unknown(&text);
	else if (!calls && !cell_of(result, 0, 0, arena).len)
		ag_buf_addf(
			&text,
			"The statement of the demo did not run, so there is no answer. The reason is in /why of a "
			"conversation and in --output json.");
	else if (!calls)
		say_answer(e, result, arena, &text);
	ag_jw_init(&w, out, 0);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "object", AG_S("chat.completion"));
	ag_jw_kstr(&w, "model", AG_S(AG_CHAT_DEMO_MODEL));
	ag_jw_kkey(&w, "choices");
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_kint(&w, "index", 0);
	ag_jw_kstr(&w, "finish_reason", calls ? AG_S("tool_calls") : AG_S("stop"));
	ag_jw_kkey(&w, "message");
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "role", AG_S("assistant"));
	ag_jw_kstr(&w, "content", ag_buf_view(&text));
	if (calls)
		write_call(&w, &call, q->nmessage);
	ag_jw_obj_end(&w);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ag_buf_release(&text);
}

/* --- the transport --- */

static ag_status demo_send(ag_transport *t, const ag_ctx *ctx, const char *purpose,
                           const char *provider, const ag_http_request *r, ag_arena *arena,
                           ag_http_response *ret, ag_err *err)
{
	ag_buf out = AG_BUF_INIT(2u << 20);
	demo_request q = { 0 };
	ag_status st = ag_ctx_check(ctx, err);

	(void)t;
	(void)purpose;
	(void)provider;
	*ret = (ag_http_response){ 0 };
	if (!st)
		st = read_request(r->body, arena, &q, err);
	if (st)
		return st;
	write_reply(&q, arena, &out);
	if (out.failed) {
		ag_buf_release(&out);
		return ag_fail(err, AG_LIMIT, ORIGIN, "the answer of the demo is too long");
	}
	ret->status = 200;
	ret->content_type = AG_S("application/json");
	ret->body = ag_str_dup(arena, ag_buf_view(&out));
	ret->nbyte = ret->body.len;
	ret->is_sent = true;
	ag_buf_release(&out);
	return r->on_body ? r->on_body(r->arg, ret->body, err) : AG_OK;
}

static void demo_close(ag_transport *t)
{
	free(t);
}

static const ag_transport_type demo_type = {
	.name = "demo",
	.send = demo_send,
	.close = demo_close,
	.waits = false,
};

ag_transport *ag_chat_demo_transport(void)
{
	ag_transport *t = ag_xcalloc(1, sizeof(*t));

	t->type = &demo_type;
	return t;
}

/* The address is never asked: the transport answers. */
void ag_chat_demo_model(ag_llm_model *ret)
{
	ag_llm_model_init(ret);
	ret->name = AG_S("demo");
	ret->provider = AG_S("openai");
	ret->base_url = AG_S("http://127.0.0.1/demo");
	ret->model = AG_S(AG_CHAT_DEMO_MODEL);
	ret->no_stream = true;
	ret->attempts = 1;
	ret->input_price = 0;
	ret->output_price = 0;
}
