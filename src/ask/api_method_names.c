/* api_method_names -- the HTTP methods that query_api knows: their bits, their names, and lists of them. */
#include "ask/api_methods.h"

#define ORIGIN "ask.api"

static const struct {
	const char *name;
	unsigned bit;
} methods[] = {
	{ "GET", AG_API_GET }, { "HEAD", AG_API_HEAD },   { "POST", AG_API_POST },
	{ "PUT", AG_API_PUT }, { "PATCH", AG_API_PATCH }, { "DELETE", AG_API_DELETE },
};

unsigned ag_api_method_bit(ag_str name)
{
	for (size_t i = 0; i < AG_NELEM(methods); i++) {
		if (ag_str_ieq(name, ag_str_c(methods[i].name)))
			return methods[i].bit;
	}
	return 0;
}

ag_str ag_api_method_name(unsigned bit)
{
	for (size_t i = 0; i < AG_NELEM(methods); i++) {
		if (methods[i].bit == bit)
			return ag_str_c(methods[i].name);
	}
	return AG_S("");
}

ag_str ag_api_methods_text(unsigned bits, ag_arena *arena)
{
	AG_AUTO(ag_buf_release) ag_buf out = AG_BUF_INIT(128);

	for (size_t i = 0; i < AG_NELEM(methods); i++) {
		if (!(bits & methods[i].bit))
			continue;
		bits &= ~methods[i].bit;
		if (out.len)
			ag_buf_adds(&out, bits ? ", " : " and ");
		ag_buf_adds(&out, methods[i].name);
	}
	return ag_buf_dup(arena, &out);
}

ag_status ag_api_methods_parse(ag_str list, unsigned *ret, ag_err *err)
{
	unsigned bits = AG_API_READING;

	while (list.ptr) {
		const ag_str name = ag_str_trim(ag_str_split(&list, ','));
		const unsigned bit = ag_api_method_bit(name);

		if (!bit) {
			ag_fail(err, AG_INVALID, ORIGIN,
			        "api_methods: want names of methods, got '%.*s'", AG_FMT(name));
			return ag_err_hint(err, "write some of GET,HEAD,POST,PUT,PATCH,DELETE");
		}
		bits |= bit;
	}
	*ret = bits;
	return AG_OK;
}
