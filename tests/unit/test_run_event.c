/* Event types and the one-line envelope. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "run/event.h"

static void types_and_texts_match(void **state)
{
	(void)state;
	for (unsigned t = 0; t < AG_EV_UNKNOWN; t++) {
		const char *text = ag_event_type_text((ag_event_type)t);

		assert_int_equal(ag_event_type_parse(ag_str_c(text)), t);
	}
	assert_string_equal(ag_event_type_text(AG_EV_TOOL_INPUT), "tool_input");
	assert_int_equal(ag_event_type_parse(AG_S("tool_inpu")), AG_EV_UNKNOWN);
	assert_int_equal(ag_event_type_parse(AG_S("")), AG_EV_UNKNOWN);
	assert_int_equal(ag_event_type_parse(AG_S("RUN_STARTED")), AG_EV_UNKNOWN);
	assert_true(ag_event_type_durable(AG_EV_TOOL_INPUT));
	assert_true(ag_event_type_durable(AG_EV_RUN_FINISHED));
	assert_false(ag_event_type_durable(AG_EV_TEXT_DELTA));
	assert_true(ag_event_type_durable(AG_EV_UNKNOWN));
}

static ag_event example(void)
{
	ag_event ev = {
		.v = 1,
		.run = { "0190c3e2-aaaa-7000-8000-000000000001" },
		.seq = 2,
		.type = AG_EV_VERDICT,
		.at_ms = 1772353800000,
		.payload = AG_S("{\"a\":[1, 2]}"),
	};

	return ev;
}

static void assert_json(const ag_event *ev, const char *want)
{
	ag_buf out = AG_BUF_INIT(4096);

	ag_event_json(ev, &out);
	assert_false(out.failed);
	assert_string_equal(out.ptr, want);
	ag_buf_release(&out);
}

static void envelope_is_one_line(void **state)
{
	ag_event ev = example();

	(void)state;
	assert_json(&ev, "{\"v\":1,\"run\":\"0190c3e2-aaaa-7000-8000-000000000001\",\"seq\":2,"
	                 "\"type\":\"verdict\",\"call_id\":null,\"cause\":null,"
	                 "\"at\":\"2026-03-01T08:30:00Z\",\"payload\":{\"a\":[1, 2]}}");
	ev.type = AG_EV_UNKNOWN;
	ev.type_text = AG_S("from \"tomorrow\"");
	ev.call_id = ev.run;
	ev.cause = 1;
	ev.at_ms += 7;
	ev.payload = AG_S("{\n\t\"a\":\r\n\"x\\ny\"}");
	assert_json(&ev, "{\"v\":1,\"run\":\"0190c3e2-aaaa-7000-8000-000000000001\",\"seq\":2,"
	                 "\"type\":\"from \\\"tomorrow\\\"\","
	                 "\"call_id\":\"0190c3e2-aaaa-7000-8000-000000000001\",\"cause\":1,"
	                 "\"at\":\"2026-03-01T08:30:00.007Z\","
	                 "\"payload\":{ \t\"a\":  \"x\\ny\"}}");
	ev = example();
	ev.payload = AG_S("");
	assert_json(&ev, "{\"v\":1,\"run\":\"0190c3e2-aaaa-7000-8000-000000000001\",\"seq\":2,"
	                 "\"type\":\"verdict\",\"call_id\":null,\"cause\":null,"
	                 "\"at\":\"2026-03-01T08:30:00Z\",\"payload\":{}}");
}

static void small_buffer_fails_once(void **state)
{
	ag_event ev = example();
	ag_buf out = AG_BUF_INIT(60);

	(void)state;
	ev.payload = AG_S("{\n}");
	ag_event_json(&ev, &out);
	assert_true(out.failed);
	ag_buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_and_texts_match),
		cmocka_unit_test(envelope_is_one_line),
		cmocka_unit_test(small_buffer_fails_once),
	};

	return cmocka_run_group_tests_name("run_event", tests, NULL, NULL);
}
