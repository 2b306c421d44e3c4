/* secret -- a table of names, matched without regard to case.
 *
 * It errs on the side of refusing: whoever needs such a file read can give it another name. What only talks about secrets
 * (secret.c, secrets.md, wiki/secrets-management.md, id_rsa.pub) is not in it, nor examples of .env files, because
 * projects explain their settings there.
 *
 * A folder that is called like a file of the table is none of them ("src/shadow/"); a slash at the end says so.
 *
 * A copy is as secret as the original: endings that editors and people add (~, .bak, .old, .swp) are taken off first.
 * Order: comparing, the table, one name, a path. */
#include "ask/secret.h"

#define MAX_COPY_ENDINGS 4 /* key.pem.old.bak~ is enough of it */

typedef enum secret_kind {
	IS,     /* the last name of the path is this */
	ANY_IS, /* any name in the path is this */
	BEGINS, /* the last name begins so, and ends so, */
	ENDS,   /* the last name ends so, with something before it */
	ANY_ENDS,
	TAIL, /* the path ends in these names */
} secret_kind;

static const char variables[] = "a file of environment variables";
static const char private_key[] = "a private key or certificate store";
static const char passwords[] = "a file of passwords";
static const char credentials[] = "a file of credentials";
static const char history[] = "a history of commands";
static const char store[] = "the inside of version control";

static const struct row {
	secret_kind kind;
	const char *text, *end; /* lower case; end of BEGINS only */
	const char *why;
} rows[] = {
	{ ANY_IS, ".env", NULL, variables },
	{ IS, ".envrc", NULL, variables },
	{ ENDS, ".env", NULL, variables },
	{ ANY_ENDS, ".secret", NULL, "a file of secrets" },
	{ ANY_ENDS, ".secrets", NULL, "a file of secrets" },
	{ ANY_IS, ".secret", NULL, "a file of secrets" },
	{ ANY_IS, ".secrets", NULL, "a folder of secrets" },
	{ TAIL, "run/secrets", NULL, "a folder of secrets" },

	{ ANY_IS, ".git", NULL, store },
	{ ANY_IS, ".hg", NULL, store },
	{ ANY_IS, ".svn", NULL, store },

	{ ANY_IS, ".ssh", NULL, "a folder of keys" },
	{ ANY_IS, ".gnupg", NULL, "a folder of keys" },
	{ ANY_IS, ".password-store", NULL, passwords },
	{ ANY_IS, ".aws", NULL, credentials },
	{ ANY_IS, ".azure", NULL, credentials },
	{ TAIL, ".config/gcloud", NULL, credentials },
	{ TAIL, ".docker/config.json", NULL, credentials },
	{ TAIL, ".kube/config", NULL, credentials },
	{ TAIL, ".gem/credentials", NULL, credentials },
	{ TAIL, ".cargo/credentials", NULL, credentials },
	{ TAIL, ".cargo/credentials.toml", NULL, credentials },

	{ ENDS, ".pem", NULL, private_key },
	{ ENDS, ".key", NULL, private_key },
	{ ENDS, ".p8", NULL, private_key },
	{ ENDS, ".p12", NULL, private_key },
	{ ENDS, ".pfx", NULL, private_key },
	{ ENDS, ".pkcs12", NULL, private_key },
	{ ENDS, ".jks", NULL, private_key },
	{ ENDS, ".keystore", NULL, private_key },
	{ ENDS, ".ppk", NULL, private_key },
	{ ENDS, ".ovpn", NULL, private_key },
	{ ENDS, "_rsa", NULL, private_key },
	{ ENDS, "_dsa", NULL, private_key },
	{ ENDS, "_ecdsa", NULL, private_key },
	{ ENDS, "_ecdsa_sk", NULL, private_key },
	{ ENDS, "_ed25519", NULL, private_key },
	{ ENDS, "_ed25519_sk", NULL, private_key },

	{ ENDS, ".kdbx", NULL, passwords },
	{ ENDS, ".kdb", NULL, passwords },
	{ ENDS, ".psafe3", NULL, passwords },
	{ IS, ".netrc", NULL, passwords },
	{ IS, "_netrc", NULL, passwords },
	{ IS, ".pgpass", NULL, passwords },
	{ IS, "pgpass.conf", NULL, passwords },
	{ IS, ".my.cnf", NULL, passwords },
	{ IS, ".mylogin.cnf", NULL, passwords },
	{ IS, ".htpasswd", NULL, passwords },
	{ IS, "htpasswd", NULL, passwords },
	{ IS, "shadow", NULL, passwords },
	{ IS, "shadow-", NULL, passwords },
	{ IS, "gshadow", NULL, passwords },
	{ IS, "master.passwd", NULL, passwords },
	{ IS, ".vault_pass", NULL, passwords },
	{ IS, ".vault_pass.txt", NULL, passwords },
	{ IS, ".vault_password", NULL, passwords },
	{ IS, ".msmtprc", NULL, passwords },

	{ IS, ".git-credentials", NULL, credentials },
	{ IS, ".npmrc", NULL, credentials },
	{ IS, ".pypirc", NULL, credentials },
	{ IS, ".dockercfg", NULL, credentials },
	{ IS, ".vault-token", NULL, credentials },
	{ IS, ".terraformrc", NULL, credentials },
	{ IS, ".s3cfg", NULL, credentials },
	{ IS, ".boto", NULL, credentials },
	{ IS, "rclone.conf", NULL, credentials },
	{ IS, "kubeconfig", NULL, credentials },
	{ ENDS, ".kubeconfig", NULL, credentials },
	{ ENDS, ".tfstate", NULL, "a Terraform state, which holds passwords as text" },
	{ ENDS, ".tfstate.backup", NULL, "a Terraform state, which holds passwords as text" },
	{ ENDS, ".tfvars", NULL, variables },

	{ BEGINS, "secrets.", ".yml", "a file of secrets" },
	{ BEGINS, "secrets.", ".yaml", "a file of secrets" },
	{ BEGINS, "secrets.", ".json", "a file of secrets" },
	{ BEGINS, "secrets.", ".toml", "a file of secrets" },
	{ BEGINS, "secrets.", ".ini", "a file of secrets" },
	{ BEGINS, "secrets.", ".properties", "a file of secrets" },
	{ BEGINS, "secret.", ".yml", "a file of secrets" },
	{ BEGINS, "secret.", ".yaml", "a file of secrets" },
	{ BEGINS, "secret.", ".json", "a file of secrets" },
	{ BEGINS, "secret.", ".toml", "a file of secrets" },
	{ BEGINS, "secret.", ".ini", "a file of secrets" },
	{ BEGINS, "secret.", ".properties", "a file of secrets" },
	{ BEGINS, "credentials.", ".yml", credentials },
	{ BEGINS, "credentials.", ".yaml", credentials },
	{ BEGINS, "credentials.", ".json", credentials },
	{ BEGINS, "credentials.", ".toml", credentials },
	{ BEGINS, "credentials.", ".ini", credentials },
	{ BEGINS, "credentials.", ".properties", credentials },
	{ IS, "credentials.csv", NULL, credentials },
	{ BEGINS, "service-account", ".json", credentials },
	{ BEGINS, "service_account", ".json", credentials },
	{ BEGINS, "serviceaccount", ".json", credentials },
	{ BEGINS, "client_secret", ".json", credentials },

	{ IS, ".bash_history", NULL, history },
	{ IS, ".zsh_history", NULL, history },
	{ IS, ".python_history", NULL, history },
	{ IS, ".node_repl_history", NULL, history },
	{ IS, ".psql_history", NULL, history },
	{ IS, ".mysql_history", NULL, history },
	{ IS, ".rediscli_history", NULL, history },
};

/* Endings of what shows how a file of variables looks. */
static const char *const examples[] = { ".example", ".sample", ".template", ".dist" };
static const char *const copies[] = { "~",     ".bak", ".backup", ".old", ".orig",
	                              ".save", ".swp", ".swo",    ".tmp", ".copy" };

static bool begins(ag_str s, const char *text)
{
	ag_str t = ag_str_c(text);

	return s.len >= t.len && ag_str_ieq(ag_str_make(s.ptr, t.len), t);
}

static bool ends(ag_str s, const char *text)
{
	ag_str t = ag_str_c(text);

	return s.len >= t.len && ag_str_ieq(ag_str_make(s.ptr + s.len - t.len, t.len), t);
}

static bool ends_in_any(ag_str s, const char *const *list, size_t n, size_t *ret_len)
{
	for (size_t i = 0; i < n; i++) {
		*ret_len = strlen(list[i]);
		if (s.len > *ret_len && ends(s, list[i]))
			return true;
	}
	return false;
}

static bool is_example(ag_str name)
{
	size_t len;

	return ends_in_any(name, examples, AG_NELEM(examples), &len);
}

/* example.env, sample.env: the same, named the other way round. */
static bool is_example_env(ag_str name)
{
	return ag_str_ieq(name, AG_S("example.env")) || ag_str_ieq(name, AG_S("sample.env")) ||
	       ag_str_ieq(name, AG_S("template.env")) || ends(name, ".example.env") ||
	       ends(name, ".sample.env") || ends(name, ".template.env");
}

static bool row_fits(const struct row *r, ag_str name, bool is_last)
{
	ag_str text = ag_str_c(r->text);

	switch (r->kind) {
	case IS: return is_last && ag_str_ieq(name, text);
	case ANY_IS: return ag_str_ieq(name, text);
	case BEGINS: return is_last && begins(name, r->text) && ends(name, r->end);
	case ENDS: return is_last && name.len > text.len && ends(name, r->text);
	case ANY_ENDS: return name.len > text.len && ends(name, r->text);
	case TAIL: return false;
	}
	return false;
}

static const char *name_says(ag_str name, bool is_last)
{
	if (begins(name, ".env.") && !is_example(name))
		return variables;
	if (is_example_env(name))
		return NULL;
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		if (row_fits(&rows[i], name, is_last))
			return rows[i].why;
	}
	return NULL;
}

/* The name, and what it is a copy of: "id_rsa.bak", ".id_rsa.swp". */
static const char *name_or_copy_says(ag_str name, bool is_last)
{
	const char *why = name_says(name, is_last);
	size_t cut = 0;

	for (int i = 0; !why && i < MAX_COPY_ENDINGS; i++) {
		bool is_swap = ends(name, ".swp") || ends(name, ".swo");

		if (!ends_in_any(name, copies, AG_NELEM(copies), &cut))
			break;
		name.len -= cut;
		why = name_says(name, is_last);
		if (!why && is_swap && name.len > 1 && name.ptr[0] == '.')
			why = name_says(ag_str_make(name.ptr + 1, name.len - 1), is_last);
	}
	return why;
}

/* Does the path up to here end in these names? */
static const char *tail_says(ag_str path)
{
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		size_t len = strlen(rows[i].text);

		if (rows[i].kind == TAIL && ends(path, rows[i].text) &&
		    (path.len == len || path.ptr[path.len - len - 1] == '/'))
			return rows[i].why;
	}
	return NULL;
}

bool ag_secret_path(ag_str path, const char **ret_why)
{
	ag_str rest = path;
	const char *why = NULL;

	while (!why && rest.ptr) {
		ag_str name = ag_str_split(&rest, '/');

		if (!name.len)
			continue;
		why = name_or_copy_says(name, !rest.ptr);
		if (!why)
			why = tail_says(
				ag_str_make(path.ptr, (size_t)(name.ptr + name.len - path.ptr)));
	}
	if (why && ret_why)
		*ret_why = why;
	return why != NULL;
}
