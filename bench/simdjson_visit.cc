/* simdjson_visit -- the yardstick of bench/scan.c: parse each line, visit every value once. */
#include <cstdint>
#include <cstring>
#include <simdjson.h>

extern "C" uint64_t bench_visit(const char *p, size_t n, uint64_t *ret_sum);

static uint64_t visit(simdjson::dom::element e, uint64_t *sum)
{
	simdjson::dom::object object;
	simdjson::dom::array array;
	std::string_view text;
	uint64_t n = 1;
	int64_t i = 0;
	double d = 0;

	if (!e.get(text)) {
		*sum += text.size();
	} else if (!e.get(object)) {
		for (auto m : object) {
			*sum += m.key.size();
			n += visit(m.value, sum);
		}
	} else if (!e.get(i)) {
		*sum += (uint64_t)i;
	} else if (!e.get(d)) {
		*sum += (uint64_t)(int64_t)d;
	} else if (!e.get(array)) {
		for (auto item : array)
			n += visit(item, sum);
	} else {
		*sum += 1;
	}
	return n;
}

uint64_t bench_visit(const char *p, size_t n, uint64_t *ret_sum)
{
	simdjson::dom::parser parser;
	uint64_t count = 0;
	size_t at = 0;

	while (at < n) {
		const char *nl = (const char *)memchr(p + at, '\n', n - at);
		size_t to = nl ? (size_t)(nl - p) : n;
		simdjson::dom::element e;

		if (to > at && !parser.parse((const uint8_t *)p + at, to - at, false).get(e))
			count += visit(e, ret_sum);
		at = to + 1;
	}
	return count;
}
