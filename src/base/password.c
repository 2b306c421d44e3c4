/* password -- see the header. */
#include "base/password.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <crypt.h>

#include "base/library.h"

#define ORIGIN  "base.password"
#define LIBRARY "libcrypt.so.1"
#define SCRYPT  "$7$"
#define COST    7 /* N = 2^14, r = 32 */

typedef struct crypt_functions {
	char *(*hash)(const char *, const char *, struct crypt_data *);
	char *(*salt)(const char *, unsigned long, const char *, int, char *, int);
} crypt_functions;

static const ag_library_function functions[] = {
	AG_LIBRARY_FUNCTION(crypt_functions, hash, crypt_r),
	AG_LIBRARY_FUNCTION(crypt_functions, salt, crypt_gensalt_rn),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;
static crypt_functions crypto;
static ag_status loaded;
static ag_err why;

static void load(void)
{
	loaded = ag_library_load(LIBRARY, "the library for passwords", functions,
	                         AG_NELEM(functions), &crypto, &why);
}

static ag_status need_library(ag_err *err)
{
	pthread_once(&once, load);
	if (loaded && err)
		*err = why;
	return loaded;
}

/* setting: a salt, or a hash whose salt is meant. */
static ag_status compute(ag_str password, const char *setting, char ret[AG_PASSWORD_HASH],
                         ag_err *err)
{
	char text[AG_PASSWORD_MAX + 1];
	struct crypt_data *data = (struct crypt_data *)ag_xcalloc(1, sizeof(*data));
	const char *hash;
	bool is_good;

	memcpy(text, password.ptr, password.len);
	text[password.len] = '\0';
	pthread_mutex_lock(&alone);
	hash = crypto.hash(text, setting, data);
	pthread_mutex_unlock(&alone);
	is_good = hash && strncmp(hash, SCRYPT, sizeof(SCRYPT) - 1) == 0 &&
	          strlen(hash) < AG_PASSWORD_HASH;
	if (is_good)
		memcpy(ret, hash, strlen(hash) + 1);
	explicit_bzero(text, sizeof(text));
	explicit_bzero(data, sizeof(*data));
	free(data);
	return is_good ? AG_OK
	               : ag_fail(err, AG_INTERNAL, ORIGIN, "the password could not be hashed");
}

static ag_status new_salt(char ret[AG_PASSWORD_HASH], ag_err *err)
{
	return crypto.salt(SCRYPT, COST, NULL, 0, ret, (int)AG_PASSWORD_HASH)
	               ? AG_OK
	               : ag_fail(err, AG_INTERNAL, ORIGIN, "the kernel gives no random bytes");
}

ag_status ag_password_hash(ag_str password, char ret[AG_PASSWORD_HASH], ag_err *err)
{
	char salt[AG_PASSWORD_HASH];
	ag_status st;

	if (password.len < AG_PASSWORD_MIN || password.len > AG_PASSWORD_MAX)
		return ag_fail(err, AG_INVALID, ORIGIN, "want a password of %u to %u bytes",
		               AG_PASSWORD_MIN, AG_PASSWORD_MAX);
	if (ag_str_find(password, '\0') >= 0)
		return ag_fail(err, AG_INVALID, ORIGIN, "the password has a NUL byte");
	st = need_library(err);
	if (!st)
		st = new_salt(salt, err);
	return st ? st : compute(password, salt, ret, err);
}

ag_status ag_password_check(ag_str password, ag_str hash, bool *ret, ag_err *err)
{
	char setting[AG_PASSWORD_HASH], got[AG_PASSWORD_HASH] = "";
	const bool can_match = hash.len && hash.len < AG_PASSWORD_HASH &&
	                       ag_str_starts(hash, AG_S(SCRYPT)) &&
	                       password.len <= AG_PASSWORD_MAX && ag_str_find(password, '\0') < 0;
	unsigned char differs = 0;
	ag_status st = need_library(err);

	*ret = false;
	if (!st && can_match) {
		memcpy(setting, hash.ptr, hash.len);
		setting[hash.len] = '\0';
	} else if (!st) {
		st = new_salt(setting, err);
	}
	if (!st)
		st = compute(can_match ? password : AG_S("-"), setting, got, err);
	if (st || !can_match || strlen(got) != hash.len)
		return st;
	for (size_t i = 0; i < hash.len; i++)
		differs |= (unsigned char)(got[i] ^ hash.ptr[i]);
	*ret = differs == 0;
	return AG_OK;
}
