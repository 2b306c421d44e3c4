/* signature -- see the header.
 *
 * The program itself is linked with the hash function of OpenSSL alone (sha256.c). Signatures need its shared library, which
 * libcurl has loaded already when a key was fetched. A key goes in as a SubjectPublicKeyInfo (RFC 5280): OpenSSL checks it as it
 * checks one of a certificate, a point that is not on the curve included. */
#include "base/signature.h"

#include <pthread.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include "base/library.h"

#define ORIGIN   "base.signature"
#define LIBRARY  "libcrypto.so.3"
#define MAX_DER  (2 * AG_RSA_MAX_BYTES)
#define SEQUENCE '\x30'
#define INTEGER  '\x02'
#define BITS     '\x03'

typedef struct crypto_functions {
	EVP_PKEY *(*read_key)(EVP_PKEY **, const unsigned char **, long);
	void (*free_key)(EVP_PKEY *);
	EVP_MD_CTX *(*new_context)(void);
	void (*free_context)(EVP_MD_CTX *);
	const EVP_MD *(*sha256)(void);
	int (*begin)(EVP_MD_CTX *, EVP_PKEY_CTX **, const EVP_MD *, ENGINE *, EVP_PKEY *);
	int (*verify)(EVP_MD_CTX *, const unsigned char *, size_t, const unsigned char *, size_t);
	void (*forget_errors)(void);
} crypto_functions;

static const ag_library_function functions[] = {
	AG_LIBRARY_FUNCTION(crypto_functions, read_key, d2i_PUBKEY),
	AG_LIBRARY_FUNCTION(crypto_functions, free_key, EVP_PKEY_free),
	AG_LIBRARY_FUNCTION(crypto_functions, new_context, EVP_MD_CTX_new),
	AG_LIBRARY_FUNCTION(crypto_functions, free_context, EVP_MD_CTX_free),
	AG_LIBRARY_FUNCTION(crypto_functions, sha256, EVP_sha256),
	AG_LIBRARY_FUNCTION(crypto_functions, begin, EVP_DigestVerifyInit),
	AG_LIBRARY_FUNCTION(crypto_functions, verify, EVP_DigestVerify),
	AG_LIBRARY_FUNCTION(crypto_functions, forget_errors, ERR_clear_error),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static crypto_functions crypto;
static ag_status loaded;
static ag_err why;

static void load(void)
{
	loaded = ag_library_load(LIBRARY, "the library for signatures", functions,
	                         AG_NELEM(functions), &crypto, &why);
}

static ag_status need_library(ag_err *err)
{
	pthread_once(&once, load);
	if (loaded && err)
		*err = why;
	return loaded;
}

/* --- DER --- */

static ag_str without_zeros(ag_str number)
{
	while (number.len > 1 && number.ptr[0] == '\0')
		number = ag_str_make(number.ptr + 1, number.len - 1);
	return number;
}

static void add_head(ag_buf *out, char tag, size_t len)
{
	ag_buf_addc(out, tag);
	if (len >= 256) {
		ag_buf_addc(out, '\x82');
		ag_buf_addc(out, (char)(len >> 8));
	} else if (len >= 128) {
		ag_buf_addc(out, '\x81');
	}
	ag_buf_addc(out, (char)(len & 0xFF));
}

static bool needs_zero(ag_str number)
{
	return number.len == 0 || ((unsigned char)number.ptr[0] & 0x80);
}

static void add_integer(ag_buf *out, ag_str number)
{
	number = without_zeros(number);
	add_head(out, INTEGER, number.len + needs_zero(number));
	if (needs_zero(number))
		ag_buf_addc(out, '\0');
	ag_buf_add(out, number);
}

/* SEQUENCE { INTEGER a, INTEGER b }: an RSA key, and an ECDSA signature. */
static void add_pair(ag_buf *out, ag_str a, ag_str b)
{
	AG_AUTO(ag_buf_release) ag_buf both = AG_BUF_INIT(MAX_DER);

	add_integer(&both, a);
	add_integer(&both, b);
	add_head(out, SEQUENCE, both.len);
	ag_buf_add(out, ag_buf_view(&both));
}

/* SEQUENCE { the algorithm, BIT STRING { the key } } */
static void add_key(ag_buf *out, const ag_public_key *k)
{
	static const char rsa[] = "\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";
	static const char p256[] = "\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86"
				   "\x48\xce\x3d\x03\x01\x07";
	const bool is_rsa = k->alg == AG_SIGNATURE_RS256;
	const ag_str algorithm = is_rsa ? ag_str_make(rsa, sizeof(rsa) - 1)
	                                : ag_str_make(p256, sizeof(p256) - 1);
	AG_AUTO(ag_buf_release) ag_buf key = AG_BUF_INIT(MAX_DER);
	AG_AUTO(ag_buf_release) ag_buf inner = AG_BUF_INIT(MAX_DER);

	if (is_rsa) {
		add_pair(&key, k->a, k->b);
	} else {
		ag_buf_addc(&key, '\x04'); /* both coordinates follow */
		ag_buf_add(&key, k->a);
		ag_buf_add(&key, k->b);
	}
	ag_buf_add(&inner, algorithm);
	add_head(&inner, BITS, key.len + 1);
	ag_buf_addc(&inner, '\0'); /* no bit is left over */
	ag_buf_add(&inner, ag_buf_view(&key));
	add_head(out, SEQUENCE, inner.len);
	ag_buf_add(out, ag_buf_view(&inner));
}

/* --- checking --- */

bool ag_public_key_is_usable(const ag_public_key *k)
{
	const ag_str n = without_zeros(k->a), e = without_zeros(k->b);

	if (k->alg == AG_SIGNATURE_ES256)
		return k->a.len == AG_P256_BYTES && k->b.len == AG_P256_BYTES;
	return n.len >= AG_RSA_MIN_BYTES && n.len <= AG_RSA_MAX_BYTES && e.len >= 1 && e.len <= 8 &&
	       ((unsigned char)e.ptr[e.len - 1] & 1) && (e.len > 1 || e.ptr[0] != '\1') &&
	       ((unsigned char)n.ptr[n.len - 1] & 1);
}

static bool is_signed(EVP_PKEY *key, ag_str text, ag_str signature)
{
	EVP_MD_CTX *context = crypto.new_context();
	const bool ok = context && crypto.begin(context, NULL, crypto.sha256(), NULL, key) == 1 &&
	                crypto.verify(context, (const unsigned char *)signature.ptr, signature.len,
	                              (const unsigned char *)text.ptr, text.len) == 1;

	crypto.free_context(context);
	return ok;
}

ag_status ag_signature_check(const ag_public_key *k, ag_str text, ag_str signature, ag_err *err)
{
	const size_t half = AG_P256_BYTES;
	AG_AUTO(ag_buf_release) ag_buf der = AG_BUF_INIT(MAX_DER);
	AG_AUTO(ag_buf_release) ag_buf pair = AG_BUF_INIT(MAX_DER);
	const unsigned char *at;
	EVP_PKEY *key;
	bool ok = false;
	ag_status st;

	if (!ag_public_key_is_usable(k))
		return ag_fail(err, AG_DENIED, ORIGIN, "the key is too short, too long or no key");
	if (k->alg == AG_SIGNATURE_ES256) {
		if (signature.len != 2 * half)
			return ag_fail(err, AG_DENIED, ORIGIN, "the signature is wrong");
		add_pair(&pair, ag_str_make(signature.ptr, half),
		         ag_str_make(signature.ptr + half, half));
		signature = ag_buf_view(&pair);
	}
	st = need_library(err);
	if (st)
		return st;
	add_key(&der, k);
	AG_ASSERT(!der.failed && !pair.failed);
	at = (const unsigned char *)der.ptr;
	key = crypto.read_key(NULL, &at, (long)der.len);
	if (key) {
		ok = is_signed(key, text, signature);
		crypto.free_key(key);
	}
	crypto.forget_errors();
	return ok ? AG_OK : ag_fail(err, AG_DENIED, ORIGIN, "the signature is wrong");
}
