/* mongo_scram -- see the header. Salt and nonce are fixed: it is a test. */
#include "fake/mongo_scram.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

#define HASH       32
#define ITERATIONS 4096 /* libmongoc refuses fewer */
#define SALT       "argus-salt-of-28-bytes-fixed"
#define NONCE      "ArgusFakeServer"

static ag_str base64(const unsigned char *p, size_t n, ag_arena *arena)
{
	char *to = ag_arena_alloc(arena, n * 2 + 8);

	return ag_str_make(to, (size_t)EVP_EncodeBlock((unsigned char *)to, p, (int)n));
}

static void hmac(const void *key, size_t nkey, ag_str text, unsigned char ret[HASH])
{
	unsigned n = HASH;

	HMAC(EVP_sha256(), key, (int)nkey, (const unsigned char *)text.ptr, text.len, ret, &n);
}

/* The value of "…,x=value,…". */
static ag_str field(ag_str message, char name)
{
	while (message.len) {
		const ag_str one = ag_str_split(&message, ',');

		if (one.len > 2 && one.ptr[0] == name && one.ptr[1] == '=')
			return ag_str_make(one.ptr + 2, one.len - 2);
	}
	return AG_S("");
}

ag_str mongo_scram_first(mongo_scram *s, ag_str message, ag_arena *arena)
{
	const ag_str user = field(message, 'n'), nonce = field(message, 'r');
	ag_str ret;

	*s = (mongo_scram){ 0 };
	if (!ag_str_starts(message, AG_S("n,,")) || !user.len || !nonce.len || message.len > 300)
		return AG_S("");
	ret = ag_str_printf(arena, "r=%.*s" NONCE ",s=%.*s,i=%d", AG_FMT(nonce),
	                    AG_FMT(base64((const unsigned char *)SALT, strlen(SALT), arena)),
	                    ITERATIONS);
	snprintf(s->user, sizeof(s->user), "%.*s", AG_FMT(user));
	snprintf(s->first, sizeof(s->first), "%.*s,%.*s", (int)message.len - 3, message.ptr + 3,
	         AG_FMT(ret));
	return ret;
}

ag_str mongo_scram_final(const mongo_scram *s, const char *user, const char *password,
                         ag_str message, ag_arena *arena)
{
	const ag_str proof = field(message, 'p');
	unsigned char salted[HASH], client[HASH], stored[HASH], signature[HASH], server[HASH],
		sum[HASH];
	ag_str said;

	if (strcmp(s->user, user) != 0 || proof.len + 3 > message.len)
		return AG_S("");
	said = ag_str_printf(arena, "%s,%.*s", s->first, (int)(message.len - proof.len - 3),
	                     message.ptr);
	PKCS5_PBKDF2_HMAC(password, (int)strlen(password), (const unsigned char *)SALT,
	                  (int)strlen(SALT), ITERATIONS, EVP_sha256(), HASH, salted);
	hmac(salted, HASH, AG_S("Client Key"), client);
	EVP_Digest(client, HASH, stored, NULL, EVP_sha256(), NULL);
	hmac(stored, HASH, said, signature);
	for (int i = 0; i < HASH; i++)
		sum[i] = client[i] ^ signature[i];
	if (!ag_str_eq(proof, base64(sum, HASH, arena)))
		return AG_S("");
	hmac(salted, HASH, AG_S("Server Key"), server);
	hmac(server, HASH, said, signature);
	return ag_str_printf(arena, "v=%.*s", AG_FMT(base64(signature, HASH, arena)));
}
