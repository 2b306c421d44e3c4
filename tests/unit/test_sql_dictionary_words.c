/* Which names of columns hide their values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sql/dictionary.h"

static const char *const hidden[] = {
	"password",
	"password_hash",
	"PASSWORD",
	"passwordHash",
	"hashed_password",
	"userpassword",
	"dbPasswd",
	"PassWord",
	"pwd",
	"user_pwd",
	"pw",
	"pw_hash",
	"passphrase",
	"user_pass",
	"pass",
	"pass_hash",
	"password2",
	"userSSN",
	"ssn",
	"SSNs",
	"ssn_last4",
	"social_security_number",
	"SocialSecurity",
	"ssn_count",
	"has_ssn",
	"api_key",
	"apiKey",
	"APIKey",
	"apikey",
	"x-api-key",
	"my_apikeys",
	"private_key",
	"secret",
	"client_secret",
	"secretKey",
	"token",
	"access_token",
	"refreshToken",
	"tokens",
	"device_tokens",
	"csrf_token",
	"oauth2_token",
	"id_token",
	"token_hash",
	"token_id",
	"jwt",
	"auth",
	"auth_code",
	"session_id",
	"SessionID",
	"cookie",
	"cvv",
	"cvv2",
	"CVC2",
	"iban",
	"IBAN",
	"iban_number",
	"credit_card",
	"creditCardNumber",
	"card_number",
	"cardNo",
	"ccnum",
	"num_carte",
	"card_expiry",
	"pin",
	"pin2",
	"card_pin",
	"otp_code",
	"totp_secret",
	"salt",
	"passport_number",
	"tax_id",
	"national_id",
	"bank_account",
	"webhook_url",
	"connection_string",
	"Passwort",
	"kennwort",
	"mot_de_passe",
	"motDePasse",
	"contraseña",
	"CONTRASEÑA",
	"contrasena",
	"clave",
	"senha",
	"hasło",
	"ŞİFRE",
	"пароль",
	"ПАРОЛЬ",
	"用户密码",
	"パスワード",
	"Steuernummer",
	"kreditkarte",
	"credentials",
	"password_reset",
	"pwd_plain",
	"secrets_json",
	"encryption key",
	"ssh.key",
	"[password]",
};

static const char *const shown[] = {
	"assassin",
	"monkey",
	"keyboard_layout",
	"author",
	"author_id",
	"authority",
	"passenger_count",
	"passenger",
	"token_count",
	"tokenCount",
	"tokens_used",
	"max_tokens",
	"n_tokens",
	"prompt_tokens",
	"total_tokens",
	"tokens_per_second",
	"num_token",
	"token_limit",
	"token_type",
	"token_expires_at",
	"token_expires_in",
	"token_ttl_seconds",
	"password_changed_at",
	"password_length",
	"password_expires_at",
	"is_password_set",
	"has_pin",
	"requires_password",
	"password_policy",
	"shipping",
	"shipping_address",
	"spinning",
	"pinned",
	"opinion",
	"key",
	"key_id",
	"primary_key",
	"public_key",
	"keyword",
	"id",
	"name",
	"email",
	"phone",
	"session",
	"sessions",
	"session_count",
	"secretary",
	"secretariat",
	"tokenizer",
	"compass",
	"pass_rate",
	"boarding_pass",
	"passed",
	"auth_method",
	"author_token_count",
	"classname",
	"messn",
	"assn",
	"hash",
	"sha256",
	"card_type",
	"card",
	"clave_producto",
	"cookie_consent",
	"issn",
	"authored_by",
	"pinterest_url",
	"spin",
	"japan",
	"company",
	"salted_caramel",
	"sms",
	"iba",
	"ibanez",
	"tank",
	"number",
	"account",
	"accounts",
	"",
	"_",
	"2",
	"Größe",
	"clé",
	"naïve",
	"数量",
	"city",
	"credits",
	"created_at",
	"pine",
	"otpusk",
};

static void sensitive_names_are_known_by_their_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < AG_NELEM(hidden); i++) {
		if (!ag_dictionary_is_sensitive(ag_str_c(hidden[i]), NULL, 0))
			fail_msg("\"%s\" is shown", hidden[i]);
	}
	for (size_t i = 0; i < AG_NELEM(shown); i++) {
		if (ag_dictionary_is_sensitive(ag_str_c(shown[i]), NULL, 0))
			fail_msg("\"%s\" is hidden", shown[i]);
	}
}

static void a_project_adds_words(void **state)
{
	static const ag_str more[] = { AG_S_INIT("email"), AG_S_INIT("birth_date"), AG_S_INIT("") };

	(void)state;
	assert_true(ag_dictionary_is_sensitive(AG_S("email"), more, 3));
	assert_true(ag_dictionary_is_sensitive(AG_S("workEmails"), more, 3));
	assert_true(ag_dictionary_is_sensitive(AG_S("birthDate"), more, 3));
	assert_true(ag_dictionary_is_sensitive(AG_S("password"), more, 3));
	assert_false(ag_dictionary_is_sensitive(AG_S("emailer"), more, 3));
	assert_false(ag_dictionary_is_sensitive(AG_S("birth"), more, 3));
	assert_false(ag_dictionary_is_sensitive(AG_S("name"), more, 3));
}

static void a_name_too_long_to_read_is_hidden(void **state)
{
	char name[400];

	(void)state;
	memset(name, 'a', sizeof(name));
	assert_true(ag_dictionary_is_sensitive(ag_str_make(name, sizeof(name)), NULL, 0));
	assert_false(ag_dictionary_is_sensitive(ag_str_make(name, 63), NULL, 0));
	for (size_t i = 1; i < sizeof(name); i += 2)
		name[i] = '_';
	assert_true(ag_dictionary_is_sensitive(ag_str_make(name, 256), NULL, 0));
	assert_false(ag_dictionary_is_sensitive(AG_S("\xff\xfe\xc3"), NULL,
	                                        0)); /* not UTF-8: no words */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sensitive_names_are_known_by_their_words),
		cmocka_unit_test(a_project_adds_words),
		cmocka_unit_test(a_name_too_long_to_read_is_hidden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
