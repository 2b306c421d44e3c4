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
	ag_str text; /* lower case */
	ag_str end;  /* of BEGINS */
	const char *why;
} rows[] = {
	{ ANY_IS, AG_S_INIT(".env"), AG_S_INIT(""), variables },
	{ IS, AG_S_INIT(".envrc"), AG_S_INIT(""), variables },
	{ IS, AG_S_INIT(".dev.vars"), AG_S_INIT(""), variables },
	{ ENDS, AG_S_INIT(".env"), AG_S_INIT(""), variables },
	{ ANY_ENDS, AG_S_INIT(".secret"), AG_S_INIT(""), "a file of secrets" },
	{ ANY_ENDS, AG_S_INIT(".secrets"), AG_S_INIT(""), "a file of secrets" },
	{ ANY_IS, AG_S_INIT(".secret"), AG_S_INIT(""), "a file of secrets" },
	{ ANY_IS, AG_S_INIT(".secrets"), AG_S_INIT(""), "a folder of secrets" },
	{ TAIL, AG_S_INIT("run/secrets"), AG_S_INIT(""), "a folder of secrets" },

	{ ANY_IS, AG_S_INIT(".git"), AG_S_INIT(""), store },
	{ ANY_IS, AG_S_INIT(".hg"), AG_S_INIT(""), store },
	{ ANY_IS, AG_S_INIT(".svn"), AG_S_INIT(""), store },
	{ ANY_ENDS, AG_S_INIT(".git"), AG_S_INIT(""), store },

	{ ANY_IS, AG_S_INIT(".ssh"), AG_S_INIT(""), "a folder of keys" },
	{ ANY_IS, AG_S_INIT(".gnupg"), AG_S_INIT(""), "a folder of keys" },
	{ ANY_IS, AG_S_INIT(".password-store"), AG_S_INIT(""), passwords },
	{ ANY_IS, AG_S_INIT(".aws"), AG_S_INIT(""), credentials },
	{ ANY_IS, AG_S_INIT(".azure"), AG_S_INIT(""), credentials },
	{ TAIL, AG_S_INIT(".config/gcloud"), AG_S_INIT(""), credentials },
	{ TAIL, AG_S_INIT(".docker/config.json"), AG_S_INIT(""), credentials },
	{ ANY_IS, AG_S_INIT(".kube"), AG_S_INIT(""), credentials },
	{ TAIL, AG_S_INIT(".config/gh/hosts.yml"), AG_S_INIT(""), credentials },
	{ TAIL, AG_S_INIT(".composer/auth.json"), AG_S_INIT(""), credentials },
	{ TAIL, AG_S_INIT(".snowsql/config"), AG_S_INIT(""), credentials },
	{ TAIL, AG_S_INIT(".gem/credentials"), AG_S_INIT(""), credentials },
	{ TAIL, AG_S_INIT(".cargo/credentials"), AG_S_INIT(""), credentials },
	{ TAIL, AG_S_INIT(".cargo/credentials.toml"), AG_S_INIT(""), credentials },

	{ ENDS, AG_S_INIT(".pem"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT(".key"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT(".p8"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT(".p12"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT(".pfx"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT(".pkcs12"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT(".jks"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT(".keystore"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT(".ppk"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT(".ovpn"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT("_rsa"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT("_dsa"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT("_ecdsa"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT("_ecdsa_sk"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT("_ed25519"), AG_S_INIT(""), private_key },
	{ ENDS, AG_S_INIT("_ed25519_sk"), AG_S_INIT(""), private_key },

	{ ENDS, AG_S_INIT(".kdbx"), AG_S_INIT(""), passwords },
	{ ENDS, AG_S_INIT(".kdb"), AG_S_INIT(""), passwords },
	{ ENDS, AG_S_INIT(".psafe3"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT(".netrc"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("_netrc"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT(".pgpass"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("pgpass.conf"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT(".my.cnf"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT(".mylogin.cnf"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT(".htpasswd"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("htpasswd"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("shadow"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("shadow-"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("gshadow"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("master.passwd"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT(".vault_pass"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT(".vault_pass.txt"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT(".vault_password"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("password.txt"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("passwords.txt"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT("passwords.csv"), AG_S_INIT(""), passwords },
	{ IS, AG_S_INIT(".msmtprc"), AG_S_INIT(""), passwords },

	{ IS, AG_S_INIT(".git-credentials"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".npmrc"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".pypirc"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".dockercfg"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".vault-token"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".terraformrc"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".s3cfg"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".boto"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT("rclone.conf"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT("credentials"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".credentials"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".token"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT("token.json"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".curlrc"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".wgetrc"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".databrickscfg"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT(".ftpconfig"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT("sftp-config.json"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT("kubeconfig"), AG_S_INIT(""), credentials },
	{ BEGINS, AG_S_INIT("kubeconfig."), AG_S_INIT(".yaml"), credentials },
	{ BEGINS, AG_S_INIT("kubeconfig."), AG_S_INIT(".yml"), credentials },
	{ ENDS, AG_S_INIT(".kubeconfig"), AG_S_INIT(""), credentials },
	{ ENDS, AG_S_INIT(".tfstate"), AG_S_INIT(""),
	  "a Terraform state, which holds passwords as text" },
	{ ENDS, AG_S_INIT(".tfstate.backup"), AG_S_INIT(""),
	  "a Terraform state, which holds passwords as text" },
	{ ENDS, AG_S_INIT(".tfvars"), AG_S_INIT(""), variables },
	{ ENDS, AG_S_INIT(".tfvars.json"), AG_S_INIT(""), variables },

	{ BEGINS, AG_S_INIT("secrets."), AG_S_INIT(".yml"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secrets."), AG_S_INIT(".yaml"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secrets."), AG_S_INIT(".json"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secrets."), AG_S_INIT(".toml"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secrets."), AG_S_INIT(".ini"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secrets."), AG_S_INIT(".properties"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secrets."), AG_S_INIT(".txt"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secret."), AG_S_INIT(".txt"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secret."), AG_S_INIT(".yml"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secret."), AG_S_INIT(".yaml"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secret."), AG_S_INIT(".json"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secret."), AG_S_INIT(".toml"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secret."), AG_S_INIT(".ini"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("secret."), AG_S_INIT(".properties"), "a file of secrets" },
	{ BEGINS, AG_S_INIT("credentials."), AG_S_INIT(".yml"), credentials },
	{ BEGINS, AG_S_INIT("credentials."), AG_S_INIT(".yaml"), credentials },
	{ BEGINS, AG_S_INIT("credentials."), AG_S_INIT(".json"), credentials },
	{ BEGINS, AG_S_INIT("credentials."), AG_S_INIT(".toml"), credentials },
	{ BEGINS, AG_S_INIT("credentials."), AG_S_INIT(".ini"), credentials },
	{ BEGINS, AG_S_INIT("credentials."), AG_S_INIT(".properties"), credentials },
	{ ENDS, AG_S_INIT("secrets.yml"), AG_S_INIT(""), "a file of secrets" },
	{ ENDS, AG_S_INIT("secrets.yaml"), AG_S_INIT(""), "a file of secrets" },
	{ ENDS, AG_S_INIT("secrets.json"), AG_S_INIT(""), "a file of secrets" },
	{ ENDS, AG_S_INIT("secrets.toml"), AG_S_INIT(""), "a file of secrets" },
	{ ENDS, AG_S_INIT("credentials.json"), AG_S_INIT(""), credentials },
	{ IS, AG_S_INIT("credentials.csv"), AG_S_INIT(""), credentials },
	{ BEGINS, AG_S_INIT("service-account"), AG_S_INIT(".json"), credentials },
	{ BEGINS, AG_S_INIT("service_account"), AG_S_INIT(".json"), credentials },
	{ BEGINS, AG_S_INIT("serviceaccount"), AG_S_INIT(".json"), credentials },
	{ BEGINS, AG_S_INIT("client_secret"), AG_S_INIT(".json"), credentials },

	{ BEGINS, AG_S_INIT("."), AG_S_INIT("_history"), history },
	{ IS, AG_S_INIT(".rhistory"), AG_S_INIT(""), history },
	{ IS, AG_S_INIT(".lesshst"), AG_S_INIT(""), history },
	{ IS, AG_S_INIT(".viminfo"), AG_S_INIT(""), history },
};

/* Endings of what shows how a file of variables looks. */
static const ag_str examples[] = {
	AG_S_INIT(".example"),  AG_S_INIT(".sample"),  AG_S_INIT(".template"),
	AG_S_INIT(".dist"),     AG_S_INIT("-example"), AG_S_INIT("-sample"),
	AG_S_INIT("-template"), AG_S_INIT("_example"), AG_S_INIT("_sample"),
	AG_S_INIT("_template"),
};
static const ag_str copies[] = {
	AG_S_INIT("~"),     AG_S_INIT(".bak"),  AG_S_INIT(".backup"), AG_S_INIT(".old"),
	AG_S_INIT(".orig"), AG_S_INIT(".save"), AG_S_INIT(".swp"),    AG_S_INIT(".swo"),
	AG_S_INIT(".tmp"),  AG_S_INIT(".copy"), AG_S_INIT(".lock"),   AG_S_INIT(".txt"),
};

static bool begins(ag_str s, ag_str text)
{
	return s.len >= text.len && ag_str_ieq(ag_str_make(s.ptr, text.len), text);
}

static bool ends(ag_str s, ag_str text)
{
	return s.len >= text.len &&
	       ag_str_ieq(ag_str_make(s.ptr + s.len - text.len, text.len), text);
}

static bool ends_in_any(ag_str s, const ag_str *list, size_t n, size_t *ret_len)
{
	for (size_t i = 0; i < n; i++) {
		*ret_len = list[i].len;
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
	static const ag_str names[] = { AG_S_INIT("example.env"), AG_S_INIT("sample.env"),
		                        AG_S_INIT("template.env") };

	for (size_t i = 0; i < AG_NELEM(names); i++) {
		if (ends(name, names[i]) &&
		    (name.len == names[i].len || name.ptr[name.len - names[i].len - 1] == '.'))
			return true;
	}
	return false;
}

static bool row_fits(const struct row *r, ag_str name, bool is_last)
{
	switch (r->kind) {
	case IS: return is_last && ag_str_ieq(name, r->text);
	case ANY_IS: return ag_str_ieq(name, r->text);
	case BEGINS: return is_last && begins(name, r->text) && ends(name, r->end);
	case ENDS: return is_last && name.len > r->text.len && ends(name, r->text);
	case ANY_ENDS: return name.len > r->text.len && ends(name, r->text);
	case TAIL: return false;
	}
	return false;
}

/* ".env.local", ".env-prod", ".env (copy)", ".env2"; not ".envoy", ".environment". */
static bool is_env(ag_str name)
{
	char c = name.len > 4 ? name.ptr[4] : 'a';

	return begins(name, AG_S(".env")) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static const char *name_says(ag_str name, bool is_last)
{
	if (is_env(name) && !is_example(name))
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
	const char *why;
	size_t cut = 0;

	if (name.len > 2 && name.ptr[0] == '#' && name.ptr[name.len - 1] == '#') /* of Emacs */
		name = ag_str_make(name.ptr + 1, name.len - 2);
	why = name_says(name, is_last);
	for (int i = 0; !why && i < MAX_COPY_ENDINGS; i++) {
		bool is_swap = ends(name, AG_S(".swp")) || ends(name, AG_S(".swo"));

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
		size_t len = rows[i].text.len;

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
