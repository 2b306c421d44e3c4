/* dictionary_words -- which names of columns hold what is not shown.
 *
 * lint: table. A name is cut into words at borders of case, digits and everything that is no letter: "userSSN" is user, ssn;
 * "cvv2" is cvv, 2; "api-key" is api, key. Each row matches one or more whole words that follow each other: "apikey" is found in
 * "api_key", "APIKey" and "apikey", never in "apikeyboard"; a plural s may follow. So "assassin", "monkey", "author",
 * "passenger_count" and "keyboard_layout" are shown.
 *
 * What only speaks about a secret is shown as well: a number of tokens ("token_count", "max_tokens"), a property
 * ("password_changed_at", "token_type"), a question ("has_pin"). That holds for credentials, never for numbers of persons and
 * cards: "card_type_ssn" or "num_carte" stay hidden. What is hidden in vain costs three samples; what is shown in vain
 * cannot be taken back. So in doubt a word has a row here.
 *
 * Words of one kind share a row; sorted() makes the table that is searched. Personal data that analysis lives on
 * (mail, phone, birth) has no row: a project adds such words (ag_dictionary_opts). */
#include <pthread.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "sql/dictionary.h"

#define MAX_NAME_BYTES 256 /* PostgreSQL has at most 63; a longer name is hidden unread */
#define MAX_WORDS      64

typedef enum kind {
	CREDENTIAL, /* anywhere in the name, unless the name only speaks about it */
	NUMBER,     /* of a person or a card: anywhere, without exception */
	ENDING,     /* the last words of the name: "clave" but not "clave_producto" */
	ALONE,      /* the whole name */
	INSIDE,     /* a credential also in the middle of a word: "dbpassword" */
} kind;

static const struct {
	kind kind;
	const char *words;
} rows[] = {
	{ INSIDE,
	  "password passwd passwort passphrase passcode kennwort wachtwoord contrasena contraseña motdepasse "
	  "accesstoken refreshtoken authtoken apikey secretkey privatekey" },
	{ CREDENTIAL,
	  "pwd pw secret token credential cred jwt bearer psk salt otp totp hotp pin puk mnemonic "
	  "accesskey authkey encryptionkey decryptionkey signingkey masterkey licensekey licencekey sshkey accountkey "
	  "sharedkey sessionkey storagekey recoverykey webhookkey clientkey serverkey wifikey hmackey aeskey rsakey "
	  "gpgkey pgpkey privkey seckey keymaterial "
	  "authcode authdata authhash authstring authheader authcookie sessionid sessiondata "
	  "mfacode recoverycode backupcode verificationcode resetcode securitycode securityanswer securityquestion "
	  "seedphrase recoveryphrase connectionstring connstring databaseurl webhookurl htpasswd "
	  "userpass dbpass adminpass loginpass rootpass smtppass ftppass ldappass mailpass emailpass wifipass proxypass "
	  "passhash passenc passsalt" },
	/* other languages: German, French, Spanish, Portuguese, Italian, Polish, Czech, Croatian, Swedish, Danish, Norwegian,
	 * Finnish, Turkish, Russian */
	{ CREDENTIAL,
	  "geheim geheimnis geheimzahl geheimwort zugangsdaten mdp motsecret clesecrete clésecrète cleapi cléapi "
	  "claveapi clavesecreta claveprivada senha segredo palavrapasse haslo hasło heslo lozinka losenord lösenord "
	  "adgangskode adgangskod passord salasana sifre şifre parol пароль секрет токен" },
	{ ENDING, "clave parola cookie authorization" },
	{ ALONE, "pass auth" },
	/* persons */
	{ NUMBER,
	  "ssn socialsecurity socialinsurance sinnumber nationalid nationalinsurance ninumber identitycard identitynumber "
	  "idcard taxid taxpayerid itin tinnumber passport driverslicense driverslicence driverlicense driverlicence "
	  "drivinglicense drivinglicence mrn medicalrecordnumber nhsnumber insurancenumber aadhaar aadhar "
	  "reisepass personalausweis ausweis ausweisnummer fuehrerschein führerschein steuerid steuernummer "
	  "sozialversicherung sozialversicherungsnummer svnr svnummer passeport permisconduire numsecu numerosecu "
	  "securitesociale sécuritésociale pasaporte dni curp nif cedula cédula cpf codicefiscale bsn pesel personnummer "
	  "personnumber fodselsnummer fødselsnummer снилс инн паспорт" },
	/* money */
	{ NUMBER,
	  "iban creditcard debitcard cardnumber cardno cardnum cardnr ccnumber ccnum ccno ccn pan cvv cvc cvn cardcode "
	  "cardverification cardexpiry cardexpiration cardholder bankaccount accountnumber accountno routingnumber "
	  "kreditkarte kreditkartennummer kartennummer kartennr kontonummer kontonr bankkonto bankverbindung "
	  "cartebancaire cartecredit numerocarte numcarte tarjetacredito tarjetadecredito numerotarjeta numtarjeta clabe "
	  "cartaodecredito cartãodecrédito cartadicredito" },
};

/* Scripts that write words without borders: found anywhere. */
static const char *const unspaced[] = { "密码",   "密碼",       "口令",     "密钥",    "令牌",
	                                "身份证", "パスワード", "暗証番号", "비밀번호" };

/* What a name ends in that only speaks about a credential … */
static const char properties[] =
	" count counts cnt length len limit limits type types kind at date on by time timestamp expires expiry expiration "
	"enabled disabled required policy strength attempts tries usage budget ttl status cost costs price ratio rate total "
	"totals changed quota symbol decimals supply name names ";
/* … a unit may follow it … */
static const char units[] =
	" ms s sec secs second seconds minute minutes hour hours day days byte bytes char chars utc "
	"pct percent usd eur ";
/* … and what it begins with: a question … */
static const char questions[] =
	" is has have needs requires require must allow allows can enable enabled show without ";
/* … or, of tokens, what is counted, before and after. */
static const char counted_before[] =
	" max min num n nb total avg mean median sum count used remaining prompt completion input output cached reasoning llm ";
static const char counted_after[] =
	" used per in out left remaining today spent saved consumed generated processed ";

typedef struct entry {
	char text[40];
	unsigned char len;
	kind kind;
} entry;

#define MAX_ENTRIES 400

static struct {
	entry all[MAX_ENTRIES];
	size_t n;
	const entry *inside[32]; /* the few that are looked for in the middle of words */
	size_t ninside;
} table;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static int by_text(const void *a, const void *b)
{
	const entry *x = a, *y = b;

	return ag_str_cmp(ag_str_make(x->text, x->len), ag_str_make(y->text, y->len));
}

static void sorted(void)
{
	for (size_t i = 0; i < AG_NELEM(rows); i++) {
		ag_str rest = ag_str_c(rows[i].words);

		while (rest.ptr) {
			ag_str word = ag_str_split(&rest, ' ');
			entry *e = &table.all[table.n];

			if (word.len == 0)
				continue;
			AG_ASSERT(table.n < MAX_ENTRIES && word.len < sizeof(e->text));
			memcpy(e->text, word.ptr, word.len);
			e->len = (unsigned char)word.len;
			e->kind = rows[i].kind;
			table.n++;
		}
	}
	qsort(table.all, table.n, sizeof(table.all[0]), by_text);
	for (size_t i = 0; i < table.n; i++) {
		AG_ASSERT(table.ninside < AG_NELEM(table.inside));
		if (table.all[i].kind == INSIDE)
			table.inside[table.ninside++] = &table.all[i];
	}
}

/* --- the words of a name --- */

/* Lower case, one after the other without borders; word i is bytes at[i] to at[i + 1]. */
typedef struct words {
	char text[MAX_NAME_BYTES * 2];
	size_t at[MAX_WORDS + 1];
	size_t n;
	bool is_too_long;
} words;

typedef enum class { BORDER, LOWER, UPPER, DIGIT } class;

/* Upper and lower case of Latin, Greek and Cyrillic letters; others have one case. */
static uint32_t lower_of(uint32_t cp)
{
	if ((cp >= 'A' && cp <= 'Z') || (cp >= 0xc0 && cp <= 0xde && cp != 0xd7) ||
	    (cp >= 0x391 && cp <= 0x3a9) || (cp >= 0x410 && cp <= 0x42f))
		return cp + 0x20;
	if (cp >= 0x139 && cp <= 0x148) /* here capitals are odd */
		return cp & 1 ? cp + 1 : cp;
	if (cp == 0x130) /* the Turkish capital i */
		return 'i';
	if (cp >= 0x100 && cp <= 0x177)
		return cp | 1;
	if (cp == 0x179 || cp == 0x17b || cp == 0x17d)
		return cp + 1;
	return cp;
}

static class class_of(uint32_t cp)
{
	if (cp >= '0' && cp <= '9')
		return DIGIT;
	if (lower_of(cp) != cp)
		return UPPER;
	if ((cp >= 'a' && cp <= 'z') ||
	    (cp >= 0xc0 && cp != 0xd7 && cp != 0xf7 && !(cp >= 0x2000 && cp <= 0x206f) &&
	     !(cp >= 0x3000 && cp <= 0x3004) && cp != 0xfffd))
		return LOWER;
	return BORDER;
}

/* "userSSNHash": a capital begins a word behind a small letter, and before one: user, SSN, Hash. */
static bool begins_word(class before, class this, class next)
{
	if (this == UPPER)
		return before != UPPER || next == LOWER;
	if (this == LOWER)
		return before == DIGIT || before == BORDER;
	return before != DIGIT;
}

static void cut(ag_str name, words *ret)
{
	class before = BORDER;
	size_t pos = 0, len = 0;

	ret->n = 0;
	ret->is_too_long = name.len > MAX_NAME_BYTES;
	if (ret->is_too_long)
		return;
	while (pos < name.len) {
		uint32_t cp = ag_utf8_next(name, &pos);
		size_t ahead = pos;
		class this = class_of(cp);
		class next = pos < name.len ? class_of(ag_utf8_next(name, &ahead)) : BORDER;

		if (this != BORDER) {
			if (begins_word(before, this, next)) {
				if (ret->n == MAX_WORDS) {
					ret->is_too_long = true;
					return;
				}
				ret->at[ret->n++] = len;
			}
			len += ag_utf8_put(ret->text + len,
			                   lower_of(cp)); /* at most 2 for 1: 0x130 shrinks */
		}
		before = this;
	}
	ret->at[ret->n] = len;
}

static ag_str joined(const words *w, size_t from, size_t to)
{
	return ag_str_make(w->text + w->at[from], w->at[to] - w->at[from]);
}

static bool is_in(const char *list, ag_str word)
{
	char padded[24] = " ";

	if (word.len == 0 || word.len > sizeof(padded) - 3)
		return false;
	memcpy(padded + 1, word.ptr, word.len);
	padded[word.len + 1] = ' ';
	return strstr(list, padded) != NULL;
}

static bool is_number(ag_str word)
{
	return word.len && word.ptr[0] >= '0' && word.ptr[0] <= '9';
}

/* --- what it means --- */

/* Does the name, with a credential at words from to `to`, only speak about it? */
static bool speaks_about(const words *w, size_t from, size_t to, bool is_tokens)
{
	size_t end = w->n;

	if (from > 0 && is_in(questions, joined(w, 0, 1)))
		return true;
	if (is_tokens) {
		if (from > 0 && is_in(counted_before, joined(w, from - 1, from)))
			return true;
		if (to < w->n && is_in(counted_after, joined(w, to, to + 1)))
			return true;
	}
	/* "num_token", "max_token" */
	if (from == 1 && to == w->n && w->at[to] - w->at[from] == 5 &&
	    is_in(" max min num n nb total ", joined(w, 0, 1)))
		return memcmp(w->text + w->at[from], "token", 5) == 0;
	while (end > to + 1 &&
	       (is_number(joined(w, end - 1, end)) || is_in(units, joined(w, end - 1, end))))
		end--;
	if (end > to + 1 && ag_str_eqc(joined(w, end - 1, end), "in")) /* expires_in */
		end--;
	return end > to && is_in(properties, joined(w, end - 1, end));
}

static const entry *find(ag_str text)
{
	entry key = { 0 };

	if (text.len == 0 || text.len >= sizeof(key.text))
		return NULL;
	memcpy(key.text, text.ptr, text.len);
	key.len = (unsigned char)text.len;
	return bsearch(&key, table.all, table.n, sizeof(table.all[0]), by_text);
}

static const entry *find_or_plural(ag_str text)
{
	const entry *e = find(text);

	if (!e && text.len > 3 && text.ptr[text.len - 1] == 's')
		e = find(ag_str_make(text.ptr, text.len - 1));
	return e;
}

/* Do words from to `to`, taken together, hide the name? */
static bool hides(const words *w, size_t from, size_t to)
{
	ag_str text = joined(w, from, to);
	const entry *e = find_or_plural(text);
	size_t end = w->n;

	if (!e)
		return false;
	while (end > to && is_number(joined(w, end - 1, end)))
		end--;
	switch (e->kind) {
	case NUMBER: return true;
	case ENDING: return end == to;
	case ALONE: return from == 0 && end == to;
	case CREDENTIAL:
	case INSIDE: return !speaks_about(w, from, to, ag_str_eqc(text, "tokens"));
	}
	return true;
}

/* "dbpassword", "useraccesstokens" */
static bool hides_inside(const words *w, size_t i)
{
	ag_str word = joined(w, i, i + 1);

	for (size_t k = 0; k < table.ninside; k++) {
		const entry *e = table.inside[k];

		if (word.len > e->len && ag_str_contains(word, ag_str_make(e->text, e->len)))
			return !speaks_about(w, i, i + 1, false);
	}
	return false;
}

/* Words that a project added: found like those of the table, never excused. */
static bool is_word_of(const words *w, size_t from, size_t to, const words *more)
{
	ag_str text = joined(w, from, to), want = joined(more, 0, more->n);

	if (want.len == 0 || !ag_str_starts(text, want))
		return false;
	return text.len == want.len || (text.len == want.len + 1 && text.ptr[want.len] == 's');
}

/* more NULL: by the table. */
static bool is_hidden(const words *w, const words *more)
{
	for (size_t from = 0; from < w->n; from++) {
		if (!more && hides_inside(w, from))
			return true;
		for (size_t to = from + 1; to <= w->n; to++) {
			if (more ? is_word_of(w, from, to, more) : hides(w, from, to))
				return true;
		}
	}
	return false;
}

bool ag_dictionary_is_sensitive(ag_str column, const ag_str *more, size_t nmore)
{
	words w, extra;

	pthread_once(&table_once, sorted);
	for (size_t i = 0; i < AG_NELEM(unspaced); i++) {
		if (ag_str_contains(column, ag_str_c(unspaced[i])))
			return true;
	}
	cut(column, &w);
	if (w.is_too_long || is_hidden(&w, NULL))
		return true;
	for (size_t i = 0; i < nmore; i++) {
		cut(more[i], &extra);
		if (!extra.is_too_long && is_hidden(&w, &extra))
			return true;
	}
	return false;
}
