/* fernet -- the token: sealed, opened, and nothing told to who has not the key.
 *
 * As in sha256.c these are OpenSSL's low-level calls, which bring kilobytes into the program where the recommended ones bring
 * the provider machinery (docs/decisions/0009). Opening checks the signature over the whole token before a byte is
 * decrypted; what is wrong behind that check is told with the same words. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/fernet.h"

#include <openssl/aes.h>
#include <openssl/sha.h>
#include <unistd.h>

#include "base/base64.h"

#define ORIGIN "base.fernet"

#define VERSION    0x80
#define HEAD_BYTES (1 + 8 + AES_BLOCK_SIZE) /* version, time, IV */
#define MAC_BYTES  SHA256_DIGEST_LENGTH
/* Head, plain text with its padding, signature. */
#define MAX_RAW (HEAD_BYTES + AG_FERNET_MAX_PLAIN + AES_BLOCK_SIZE + MAC_BYTES)

/* The compiler must not leave it out because nobody reads it afterwards. */
static void wipe(void *p, size_t n)
{
	volatile unsigned char *byte = p;

	while (n--)
		*byte++ = 0;
}

static void release_secret(ag_buf *b)
{
	if (b->ptr)
		wipe(b->ptr, b->cap);
	ag_buf_release(b);
}

static void hash_two(const unsigned char block[SHA256_CBLOCK], ag_str text,
                     unsigned char ret[MAC_BYTES])
{
	SHA256_CTX ctx;

	AG_ASSERT(SHA256_Init(&ctx) == 1);
	AG_ASSERT(SHA256_Update(&ctx, block, SHA256_CBLOCK) == 1);
	AG_ASSERT(SHA256_Update(&ctx, text.ptr, text.len) == 1);
	AG_ASSERT(SHA256_Final(ret, &ctx) == 1);
	wipe(&ctx, sizeof(ctx));
}

/* HMAC-SHA256 (RFC 2104) with a key that is shorter than a block. */
static void sign(const ag_fernet_key *key, ag_str text, unsigned char ret[MAC_BYTES])
{
	unsigned char inner[SHA256_CBLOCK], outer[SHA256_CBLOCK];

	for (size_t i = 0; i < SHA256_CBLOCK; i++) {
		unsigned char k = i < sizeof(key->sign) ? key->sign[i] : 0;

		inner[i] = k ^ 0x36;
		outer[i] = k ^ 0x5c;
	}
	hash_two(inner, text, ret);
	hash_two(outer, ag_str_make((const char *)ret, MAC_BYTES), ret);
	wipe(inner, sizeof(inner));
	wipe(outer, sizeof(outer));
}

static bool is_equal(const unsigned char *a, const unsigned char *b, size_t n)
{
	volatile unsigned char diff = 0;

	for (size_t i = 0; i < n; i++)
		diff |= a[i] ^ b[i];
	return diff == 0;
}

/* --- keys --- */

ag_status ag_fernet_key_read(ag_str text, ag_fernet_key *ret, ag_err *err)
{
	AG_AUTO(release_secret) ag_buf raw = AG_BUF_INIT(64);
	ag_str t = ag_str_trim(text);

	if (t.len > 64 || !ag_base64url_read(t, &raw) || raw.len != 32) {
		ag_fail(err, AG_INVALID, ORIGIN, "the key is not 32 bytes in base64url");
		return ag_err_hint(err, "a key has 44 characters, the last is =; \"argus project "
		                        "key\" makes one");
	}
	memcpy(ret->sign, raw.ptr, sizeof(ret->sign));
	memcpy(ret->crypt, raw.ptr + sizeof(ret->sign), sizeof(ret->crypt));
	return AG_OK;
}

static ag_status random_bytes(void *to, size_t n, ag_err *err)
{
	if (getentropy(to, n))
		return ag_fail(err, AG_INTERNAL, ORIGIN, "the kernel gives no random bytes");
	return AG_OK;
}

ag_status ag_fernet_key_new(char ret[45], ag_err *err)
{
	AG_AUTO(release_secret) ag_buf text = AG_BUF_INIT(64);
	char raw[32];
	ag_status st = random_bytes(raw, sizeof(raw), err);

	if (st)
		return st;
	ag_base64url_add(&text, ag_str_make(raw, sizeof(raw)), true);
	AG_ASSERT(text.len == 44);
	memcpy(ret, text.ptr, 45);
	wipe(raw, sizeof(raw));
	return AG_OK;
}

/* --- tokens --- */

static void add_head(ag_buf *raw, int64_t wall_ms, const char iv[AES_BLOCK_SIZE])
{
	uint64_t seconds = wall_ms > 0 ? (uint64_t)wall_ms / 1000 : 0;

	ag_buf_addc(raw, (char)VERSION);
	for (int shift = 56; shift >= 0; shift -= 8)
		ag_buf_addc(raw, (char)(seconds >> shift));
	ag_buf_add(raw, ag_str_make(iv, AES_BLOCK_SIZE));
}

/* Adds plain with its PKCS7 padding, encrypted. */
static void add_crypted(const ag_fernet_key *key, ag_str plain, const char iv[AES_BLOCK_SIZE],
                        ag_buf *raw)
{
	AG_AUTO(release_secret) ag_buf padded = AG_BUF_INIT(AG_FERNET_MAX_PLAIN + AES_BLOCK_SIZE);
	size_t npad = AES_BLOCK_SIZE - plain.len % AES_BLOCK_SIZE;
	unsigned char chain[AES_BLOCK_SIZE];
	AES_KEY schedule;
	char *to;

	ag_buf_add(&padded, plain);
	for (size_t i = 0; i < npad; i++)
		ag_buf_addc(&padded, (char)npad);
	to = ag_buf_room(raw, padded.len);
	AG_ASSERT(to);
	memcpy(chain, iv, sizeof(chain));
	AG_ASSERT(AES_set_encrypt_key(key->crypt, 128, &schedule) == 0);
	AES_cbc_encrypt((const unsigned char *)padded.ptr, (unsigned char *)to, padded.len,
	                &schedule, chain, AES_ENCRYPT);
	raw->len += padded.len;
	wipe(&schedule, sizeof(schedule));
}

static ag_status seal(const ag_fernet_key *key, ag_str plain, int64_t wall_ms,
                      const char iv[AES_BLOCK_SIZE], ag_buf *out, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf raw = AG_BUF_INIT(MAX_RAW);
	unsigned char mac[MAC_BYTES];

	add_head(&raw, wall_ms, iv);
	add_crypted(key, plain, iv, &raw);
	sign(key, ag_buf_view(&raw), mac);
	ag_buf_add(&raw, ag_str_make((const char *)mac, sizeof(mac)));
	ag_base64url_add(out, ag_buf_view(&raw), true);
	return out->failed ? ag_fail(err, AG_LIMIT, ORIGIN, "there is no room for the token")
	                   : AG_OK;
}

ag_status ag_fernet_seal(const ag_fernet_key *key, ag_str plain, int64_t wall_ms, ag_buf *out,
                         ag_err *err)
{
	char iv[AES_BLOCK_SIZE];
	ag_status st;

	if (plain.len > AG_FERNET_MAX_PLAIN)
		return ag_fail(err, AG_LIMIT, ORIGIN, "a secret has at most %u bytes, not %zu",
		               AG_FERNET_MAX_PLAIN, plain.len);
	st = random_bytes(iv, sizeof(iv), err);
	return st ? st : seal(key, plain, wall_ms, iv, out, err);
}

static ag_status wrong_key(ag_err *err)
{
	ag_fail(err, AG_DENIED, ORIGIN, "the secret cannot be decrypted");
	return ag_err_hint(err, "it was encrypted with another key, or has been changed");
}

/* The bytes of plain text behind the padding, or 0 for a padding that is none. */
static bool unpad(ag_str padded, size_t *ret)
{
	unsigned char npad = (unsigned char)padded.ptr[padded.len - 1];

	if (npad < 1 || npad > AES_BLOCK_SIZE)
		return false;
	for (size_t i = 1; i <= npad; i++) {
		if ((unsigned char)padded.ptr[padded.len - i] != npad)
			return false;
	}
	*ret = padded.len - npad;
	return true;
}

static ag_status decrypt(const ag_fernet_key *key, ag_str head, ag_str crypted, ag_buf *out,
                         ag_err *err)
{
	AG_AUTO(release_secret) ag_buf padded = AG_BUF_INIT(AG_FERNET_MAX_PLAIN + AES_BLOCK_SIZE);
	unsigned char chain[AES_BLOCK_SIZE];
	AES_KEY schedule;
	size_t n = 0;
	char *to = ag_buf_room(&padded, crypted.len);

	AG_ASSERT(to);
	memcpy(chain, head.ptr + HEAD_BYTES - sizeof(chain), sizeof(chain));
	AG_ASSERT(AES_set_decrypt_key(key->crypt, 128, &schedule) == 0);
	AES_cbc_encrypt((const unsigned char *)crypted.ptr, (unsigned char *)to, crypted.len,
	                &schedule, chain, AES_DECRYPT);
	padded.len = crypted.len;
	wipe(&schedule, sizeof(schedule));
	if (!unpad(ag_buf_view(&padded), &n))
		return wrong_key(err);
	ag_buf_add(out, ag_str_make(padded.ptr, n));
	return out->failed ? ag_fail(err, AG_LIMIT, ORIGIN, "there is no room for the secret")
	                   : AG_OK;
}

ag_status ag_fernet_open(const ag_fernet_key *key, ag_str token, ag_buf *out, ag_err *err)
{
	AG_AUTO(ag_buf_release) ag_buf raw = AG_BUF_INIT(MAX_RAW);
	unsigned char mac[MAC_BYTES];
	ag_str crypted;

	if (token.len > (MAX_RAW + 2) / 3 * 4 || !ag_base64url_read(token, &raw) ||
	    raw.len < HEAD_BYTES + AES_BLOCK_SIZE + MAC_BYTES ||
	    (raw.len - HEAD_BYTES - MAC_BYTES) % AES_BLOCK_SIZE ||
	    (unsigned char)raw.ptr[0] != VERSION)
		return ag_fail(err, AG_INVALID, ORIGIN, "the secret is not a Fernet token");
	sign(key, ag_str_make(raw.ptr, raw.len - MAC_BYTES), mac);
	if (!is_equal(mac, (const unsigned char *)raw.ptr + raw.len - MAC_BYTES, MAC_BYTES))
		return wrong_key(err);
	crypted = ag_str_make(raw.ptr + HEAD_BYTES, raw.len - HEAD_BYTES - MAC_BYTES);
	return decrypt(key, ag_str_make(raw.ptr, HEAD_BYTES), crypted, out, err);
}
