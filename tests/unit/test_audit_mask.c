/* What is masked by name and by look, and what stays readable because it is the defect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "audit/mask.h"
#include "query/extjson.h"

static void fields(void **state)
{
	static const char *const personal[] = {
		"email",
		"billingEmail",
		"user.phone",
		"first_name",
		"customer.address.street",
		"shipping.address.name",
		"users[].name",
		"cardNumber",
		"ip_address",
		"passwordHash",
		"dateOfBirth",
		"birth_date",
		"kunde.telefonnummer",
		"Geburtsdatum",
		"prénom",
		"date_naissance",
		"mot_de_passe",
		"correo",
		"cliente.apellidos",
		"contraseña",
	};
	static const char *const open[] = {
		"name",          "product.name", "filename",
		"message",       "status",       "city",
		"discard",       "amount",       "token_count_total_ms.x",
		"ship",          "ruedas",       "nombre",
		"strassenbelag", "mot",
	};

	(void)state;
	for (size_t i = 0; i < AG_NELEM(personal); i++)
		if (!ag_mask_field(ag_str_c(personal[i])))
			fail_msg("%s is personal", personal[i]);
	for (size_t i = 0; i < AG_NELEM(open); i++)
		if (ag_mask_field(ag_str_c(open[i])))
			fail_msg("%s is not personal", open[i]);
}

/* field | value | as it is shown */
static const char *const values[][3] = {
	{ "email", "\"ann@example.org\"", "\"aaa@aaa.aaa\"" },
	{ "note", "\"write to ann@example.org\"", "\"aaa aa aaa@aaa.aaa\"" },
	{ "note", "\"just text\"", "\"just text\"" },
	{ "first_name", "\"  Ann \"", "\"  Aaa \"" },
	{ "first_name", "\"N/A\"", "\"N/A\"" },
	{ "last_name", "\"MÃ¼ller-PeÃ±a\"", "\"AÃ¼aaa-AaÃ±a\"" },
	{ "last_name", "\"Müller\"", "\"Aaaa\"" },
	{ "email", "\"JÃ¶rg <a7@example.org>\"", "\"AÃ¶aa <a9@aaa.aaa>\"" },
	{ "first_name", "\"\"", "\"\"" },
	{ "x", "\"4111 1111 1111 1111\"", "\"999 999 999 999\"" },
	{ "x", "\"DE89370400440532013000\"", "\"AA999\"" },
	{ "x", "\"+1 555 010 9999\"", "\"+9 999 999 999\"" },
	{ "x", "12345", "12345" },
	{ "phone", "15550109999", "\"•••\"" },
	{ "birth_date", "{\"$date\":\"1984-03-02T00:00:00Z\"}", "\"•••\"" },
	{ "birth_date", "{\"$date\":\"1970-01-01T00:00:00Z\"}",
	  "{\"$date\":\"1970-01-01T00:00:00Z\"}" },
	{ "", "{\"email\":\"a@b.cd\",\"n\":1,\"o\":{\"phone\":\"+1 555 010 9999\"}}",
	  "{\"email\":\"a@a.aa\",\"n\":1,\"o\":{\"phone\":\"+9 999 999 999\"}}" },
	{ "", "[{\"surname\":\"Null\"}]", "[{\"surname\":\"Null\"}]" },
	{ "", "[{\"surname\":\"Nullman\"}]", "[{\"surname\":\"Aaaa\"}]" },
	{ "email", "\"ann7@mail.de\"", "\"aaa9@aaa.aa\"" },
	{ "surname", "\"Müller-Lüdenscheidt\"", "\"Aaaa-Aaaa\"" },
	{ "surname", "\"Ω§\"", "\"aa\"" },
	{ "passwordHash", "\"p@ss!1\"", "\"•••\"" },
	{ "api_key", "\"sk-12\"", "\"•••\"" },
	{ "street", "\"12 Main St. / 3rd floor, back door, ring twice please, or call\"",
	  "\"99 Aaaa Aa. / 9aa aaa, aaa aaa, aaa aaa …\"" },
};

static void shown(void **state)
{
	const ag_extjson_opts opts = { .typed = true };
	ag_arena *arena = ag_arena_new();

	(void)state;
	for (size_t i = 0; i < AG_NELEM(values); i++) {
		ag_err err = { 0 };
		ag_str text;
		ag_val v;

		assert_int_equal(ag_extjson_parse(ag_str_c(values[i][1]), &opts, arena, &v, NULL,
		                                  NULL, &err),
		                 AG_OK);
		v = ag_mask_val(ag_str_c(values[i][0]), &v, arena);
		text = ag_extjson_str(arena, &v, AG_EXTJSON_RELAXED);
		if (!ag_str_eqc(text, values[i][2]))
			fail_msg("%s %s: want %s, got %.*s", values[i][0], values[i][1],
			         values[i][2], AG_FMT(text));
	}
	ag_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
