/* sha256 -- OpenSSL's block function, and nothing else of OpenSSL.
 *
 * The SHA256_* calls are the low-level ones: OpenSSL 3 discourages them because they bypass its providers, and that is
 * why they are used. The program is linked against libcrypto.a, of which they bring 22 KB with the code for SHA
 * instructions, and a start costs what it did; the recommended calls drag the provider machinery in, the shared library
 * 2 ms into every start (docs/decisions/0009). */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha256.h"

#include <openssl/sha.h>

/* No table, so that the compiler makes vector code of the loop: with SHA instructions, looking up the digits one by one
 * took as long as the hash of a short text. */
static char digit(unsigned v)
{
	return (char)(v + '0' + (v > 9 ? 'a' - '9' - 1 : 0));
}

ag_sha256_hex ag_sha256(ag_str bytes)
{
	unsigned char hash[SHA256_DIGEST_LENGTH];
	ag_sha256_hex ret;
	SHA256_CTX ctx;

	/* These return 0 only for a FIPS build that forbids them. A hash that is not one must not get out. */
	AG_ASSERT(SHA256_Init(&ctx) == 1);
	AG_ASSERT(SHA256_Update(&ctx, bytes.len ? bytes.ptr : "", bytes.len) == 1);
	AG_ASSERT(SHA256_Final(hash, &ctx) == 1);
	for (size_t i = 0; i < sizeof(hash); i++) {
		ret.text[2 * i] = digit(hash[i] >> 4);
		ret.text[2 * i + 1] = digit(hash[i] & 0xF);
	}
	ret.text[64] = '\0';
	return ret;
}
