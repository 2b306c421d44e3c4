/* check_secrets -- row 40: passwords that anybody can read.
 *
 * The name says that a field holds passwords, in eight languages. A text there is plain unless it has the form of a hash
 * ($2b$…, {SSHA}…, long hexadecimal or base64 text) or of a mask (***, [hidden]). One is enough, and all may be. */
#include "audit/checks.h"

/* What a hash, a reference to a vault, or a mask looks like. */
#define NO_PLAIN_TEXT                                                                      \
	"^(\\$[0-9A-Za-z]|\\{[0-9A-Za-z.-]+\\}|[0-9A-Za-z_-]+[:$].*\\$|[0-9a-fA-F]{32,}$|" \
	"[0-9A-Za-z+/_-]{40,}=*$|[*.\xe2\x80\xa2#xX]+$|[\\[<(].*[\\])>]$|vault:|arn:|enc:)"

bool ag_name_is_password(const ag_field_name *n)
{
	static const char *const words[] = { "password",   "passwd",     "pwd",        "passwort",
		                             "kennwort",   "motdepasse", "mdp",        "contraseña",
		                             "contrasena", "senha",      "wachtwoord", "lösenord",
		                             "hasło" };
	/* About a password, and not the password. */
	static const char *const about[] = { "hash",      "hashed",  "salt",     "policy",
		                             "reset",     "hint",    "changed",  "expires",
		                             "expired",   "length",  "at",       "strength",
		                             "algorithm", "attempt", "question", "digest",
		                             "encrypted", "type",    "date",     "status" };
	bool is_named = ag_field_has_word(n, "passe") && ag_field_has_word(n, "mot");

	for (size_t i = 0; i < AG_NELEM(words); i++)
		is_named = is_named || ag_field_has_word(n, words[i]);
	for (size_t i = 0; i < AG_NELEM(about); i++)
		if (ag_field_has_word(n, about[i]))
			return false;
	return is_named;
}

void ag_check_secrets(AG_CHECK_ARGS)
{
	ag_arena *a = out->arena;
	ag_hypothesis *h;

	(void)p;
	(void)o;
	if (!f->str.n || !ag_name_is_password(&out->name) || !ag_path_is_plain(a, f))
		return;
	h = ag_suspect(out, f, "pii", AG_HIGH, 0.9,
	               ag_ev_where(a, f,
	                           OBJ(a, KV("$type", ag_ev_text("string")),
	                               KV("$not", ag_ev_regex(a, NO_PLAIN_TEXT, "")),
	                               KV("$ne", ag_ev_text("")))));
	if (!h)
		return;
	ag_suspect_fix(h);
	ag_suspect_say(
		h, "passwords are stored as they were typed",
		"an import from an older system, a test account, or a writer without a hash",
		"replace them with hashes (argon2, bcrypt), and have these users choose new ones");
}
