/* code_scheme -- see code_scheme.h. Linear schemes are rows of numbers; the others have a function each. */
#include "audit/code_scheme.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool are_digits(const char *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_digit(c[i]))
			return false;
	return true;
}

static bool are_upper(const char *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_upper(c[i]))
			return false;
	return true;
}

static unsigned digit(char c)
{
	return (unsigned)(c - '0');
}

/* A is 10, Z is 35. */
static unsigned value(char c)
{
	return is_digit(c) ? digit(c) : (unsigned)(c - 'A') + 10;
}

static ag_code_fit verdict(bool is_right)
{
	return is_right ? AG_CODE_RIGHT : AG_CODE_WRONG;
}

/* The remainder of a number of any length; letters are two digits. */
static unsigned remainder_of(const char *c, size_t n, unsigned from, unsigned modulo)
{
	for (size_t i = 0; i < n; i++)
		from = is_digit(c[i]) ? (from * 10 + digit(c[i])) % modulo
		                      : (from * 100 + value(c[i])) % modulo;
	return from;
}

/* ---- articles and cards ---- */

/* From the right, every second digit counts three times. Zeros in front change nothing. */
static ag_code_fit fit_gtin(const char *c, size_t n)
{
	unsigned sum = 0;

	if ((n != 8 && n != 12 && n != 13 && n != 14 && n != 18) || !are_digits(c, n))
		return AG_CODE_OTHER;
	for (size_t i = 0; i < n; i++)
		sum += digit(c[i]) * ((n - i) % 2 ? 1 : 3);
	return verdict(sum % 10 == 0);
}

/* From the right, every second digit is doubled, and the digits of the result are added. */
static bool is_luhn(const char *c, size_t n)
{
	unsigned sum = 0;

	for (size_t i = 0; i < n; i++) {
		const unsigned d = digit(c[i]) * ((n - i) % 2 ? 1 : 2);

		sum += d > 9 ? d - 9 : d;
	}
	return sum % 10 == 0;
}

static ag_code_fit fit_luhn(const char *c, size_t n)
{
	return n < 8 || n > 19 || !are_digits(c, n) ? AG_CODE_OTHER : verdict(is_luhn(c, n));
}

/* ---- banks and securities ---- */

static ag_code_fit fit_iban(const char *c, size_t n)
{
	if (n < 15 || !are_upper(c, 2) || !are_digits(c + 2, 2))
		return AG_CODE_OTHER;
	return verdict(remainder_of(c, 4, remainder_of(c + 4, n - 4, 0, 97), 97) == 1);
}

static ag_code_fit fit_lei(const char *c, size_t n)
{
	if (n != 20 || !are_digits(c + 18, 2))
		return AG_CODE_OTHER;
	return verdict(remainder_of(c, n, 0, 97) == 1);
}

static ag_code_fit fit_isin(const char *c, size_t n)
{
	char digits[24];
	size_t k = 0;

	if (n != 12 || !are_upper(c, 2) || !is_digit(c[11]))
		return AG_CODE_OTHER;
	for (size_t i = 0; i < n; i++) {
		if (is_upper(c[i]))
			digits[k++] = (char)('0' + value(c[i]) / 10);
		digits[k++] = (char)('0' + value(c[i]) % 10);
	}
	return verdict(is_luhn(digits, k));
}

static ag_code_fit fit_cusip(const char *c, size_t n)
{
	unsigned sum = 0;

	if (n != 9 || !are_digits(c, 3) || !is_digit(c[8]))
		return AG_CODE_OTHER;
	for (size_t i = 0; i < 8; i++) {
		const unsigned v = value(c[i]) * (i % 2 ? 2 : 1);

		sum += v / 10 + v % 10;
	}
	return verdict((sum + digit(c[8])) % 10 == 0);
}

static ag_code_fit fit_sedol(const char *c, size_t n)
{
	static const unsigned char weight[] = { 1, 3, 1, 7, 3, 9, 1 };
	unsigned sum = 0;

	if (n != 7 || !is_digit(c[6]) || are_digits(c, 6))
		return AG_CODE_OTHER;
	for (size_t i = 0; i < n; i++) {
		if (strchr("AEIOU", c[i]))
			return AG_CODE_OTHER;
		sum += weight[i] * value(c[i]);
	}
	return verdict(sum % 10 == 0);
}

/* ---- vehicles ---- */

/* What each letter counts; 0: I, O and Q do not occur. */
static const char vin_letters[] = "12345678012345070923456789";

static ag_code_fit fit_vin(const char *c, size_t n)
{
	static const unsigned char weight[] = {
		8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2
	};
	unsigned sum = 0;

	if (n != 17 || (!is_digit(c[8]) && c[8] != 'X') || are_digits(c, n))
		return AG_CODE_OTHER;
	for (size_t i = 0; i < n; i++) {
		const char v = is_digit(c[i]) ? c[i] : vin_letters[c[i] - 'A'];

		if (!is_digit(c[i]) && v == '0')
			return AG_CODE_OTHER;
		sum += weight[i] * digit(v);
	}
	return verdict(sum % 11 == (c[8] == 'X' ? 10 : digit(c[8])));
}

/* Boxes on ships, ISO 6346. Letters count from 10 and leave out the multiples of 11. */
static ag_code_fit fit_container(const char *c, size_t n)
{
	unsigned sum = 0;

	if (n != 11 || !are_upper(c, 4) || !are_digits(c + 4, 7))
		return AG_CODE_OTHER;
	for (size_t i = 0; i < 10; i++) {
		const unsigned v = value(c[i]);

		sum += (is_digit(c[i]) ? v : v + (v - 1) / 10) << i;
	}
	return verdict(sum % 11 % 10 == digit(c[10]));
}

/* ---- people and companies ---- */

static ag_code_fit fit_nif(const char *c, size_t n)
{
	static const char letters[] = "TRWAGMYFPDXBNJZSQVHLCKE";
	const bool is_foreign = n == 9 && c[0] >= 'X' && c[0] <= 'Z';

	if (n != 9 || !is_upper(c[8]) || !are_digits(c + is_foreign, 8 - is_foreign))
		return AG_CODE_OTHER;
	return verdict(letters[remainder_of(c + is_foreign, 8 - is_foreign,
	                                    is_foreign ? (unsigned)(c[0] - 'X') : 0, 23)] == c[8]);
}

/* The next check digit of a Brazilian number: weights grow from the right, from 2 up to `top`. */
static unsigned brazilian(const char *c, size_t n, unsigned top)
{
	unsigned sum = 0, weight = 2;

	for (size_t i = n; i-- > 0; weight = weight == top ? 2 : weight + 1)
		sum += digit(c[i]) * weight;
	return sum * 10 % 11 % 10;
}

static ag_code_fit fit_cpf(const char *c, size_t n)
{
	if (n != 11 || !are_digits(c, n))
		return AG_CODE_OTHER;
	return verdict(brazilian(c, 9, 11) == digit(c[9]) && brazilian(c, 10, 11) == digit(c[10]));
}

static ag_code_fit fit_cnpj(const char *c, size_t n)
{
	if (n != 14 || !are_digits(c, n))
		return AG_CODE_OTHER;
	return verdict(brazilian(c, 12, 9) == digit(c[12]) && brazilian(c, 13, 9) == digit(c[13]));
}

/* Chile: weights 2 to 7 from the right, K is a ten. */
static ag_code_fit fit_rut(const char *c, size_t n)
{
	unsigned sum = 0, check;

	if ((n != 8 && n != 9) || !are_digits(c, n - 1) || (!is_digit(c[n - 1]) && c[n - 1] != 'K'))
		return AG_CODE_OTHER;
	for (size_t i = 0; i + 1 < n; i++)
		sum += digit(c[i]) * (unsigned)((n - 2 - i) % 6 + 2);
	check = (11 - sum % 11) % 11;
	return verdict(c[n - 1] == (check == 10 ? 'K' : (char)('0' + check)));
}

/* ISO 7064 MOD 11,10: German tax numbers. */
static ag_code_fit fit_german_tax(const char *c, size_t n)
{
	unsigned product = 10;

	if ((n != 9 && n != 11) || !are_digits(c, n))
		return AG_CODE_OTHER;
	for (size_t i = 0; i + 1 < n; i++) {
		const unsigned sum = (digit(c[i]) + product) % 10;

		product = (sum ? sum : 10) * 2 % 11;
	}
	return verdict((product + digit(c[n - 1])) % 10 == 1);
}

/* ISO 7064 MOD 11-2: ORCID, ISNI. */
static ag_code_fit fit_orcid(const char *c, size_t n)
{
	unsigned total = 0;

	if (n != 16 || !are_digits(c, 15) || (!is_digit(c[15]) && c[15] != 'X'))
		return AG_CODE_OTHER;
	for (size_t i = 0; i < 15; i++)
		total = (total + digit(c[i])) * 2 % 11;
	return verdict((total + (c[15] == 'X' ? 10 : digit(c[15]))) % 11 == 1);
}

/* France: thirteen digits and what is missing to a multiple of 97. */
static ag_code_fit fit_nir(const char *c, size_t n)
{
	if (n != 15 || !are_digits(c, n))
		return AG_CODE_OTHER;
	return verdict(97 - remainder_of(c, 13, 0, 97) == digit(c[13]) * 10 + digit(c[14]));
}

/* Belgium: nine digits, and two that complete them to a multiple of 97; births since 2000 have a 2 in front. */
static ag_code_fit fit_belgian(const char *c, size_t n)
{
	unsigned check;

	if (n != 11 || !are_digits(c, n))
		return AG_CODE_OTHER;
	check = digit(c[9]) * 10 + digit(c[10]);
	return verdict(97 - remainder_of(c, 9, 0, 97) == check ||
	               97 - remainder_of(c, 9, 2, 97) == check);
}

/* lint: table. Where a value fits two schemes, the one that more values satisfy counts. */
static const ag_code_scheme schemes[] = {
	{ "GTIN", "ean gtin upc barcode isbn sscc gln ean13 ahv", 0.1, "", .fit = fit_gtin },
	{ "Luhn", "card pan imei siren siret npi iccid creditcard cardno ccnumber", 0.1, "",
	  .fit = fit_luhn },
	{ "IBAN", "iban account bank", 0.0104, "", .fit = fit_iban },
	{ "LEI", "lei", 0.0104, "", .fit = fit_lei },
	{ "ISIN", "isin security", 0.1, "", .fit = fit_isin },
	{ "CUSIP", "cusip", 0.1, "", .fit = fit_cusip },
	{ "SEDOL", "sedol", 0.1, "", .fit = fit_sedol },
	{ "VIN", "vin chassis", 0.1, "", .fit = fit_vin },
	{ "ISO 6346", "container", 0.1, "", .fit = fit_container },
	{ "NIF", "nif dni nie cif", 0.044, "ES", .fit = fit_nif },
	{ "CPF", "cpf", 0.01, "", .fit = fit_cpf },
	{ "CNPJ", "cnpj", 0.01, "", .fit = fit_cnpj },
	{ "RUT", "rut run", 0.1, "", .fit = fit_rut },
	{ "ISO 7064", "vat ustid steuer", 0.1, "DE", .fit = fit_german_tax },
	{ "ORCID", "orcid isni", 0.1, "", .fit = fit_orcid },
	{ "NIR", "nir", 0.0104, "", .fit = fit_nir },
	{ "Belgian number", "niss insz rijksregister", 0.021, "", .fit = fit_belgian },
	{ "ISBN-10", "isbn nhs", 0.1, "", 10, { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 }, 11, true },
	{ "ISSN", "issn", 0.1, "", 8, { 8, 7, 6, 5, 4, 3, 2, 1 }, 11, true },
	{ "IMO", "imo", 0.1, "IMO", 7, { 7, 6, 5, 4, 3, 2, 9 }, 10 },
	{ "ABA", "aba routing", 0.1, "", 9, { 3, 7, 1, 3, 7, 1, 3, 7, 1 }, 10 },
	{ "BSN", "bsn", 0.1, "", 9, { 9, 8, 7, 6, 5, 4, 3, 2, 10 }, 11 },
	{ "PESEL", "pesel", 0.1, "", 11, { 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1 }, 10 },
	{ "NIP", "nip", 0.1, "PL", 10, { 6, 5, 7, 2, 3, 4, 5, 6, 7, 10 }, 11 },
};

const ag_code_scheme *ag_code_schemes(size_t *ret_n)
{
	*ret_n = AG_NELEM(schemes);
	return schemes;
}

bool ag_code_read(ag_str text, ag_code *ret)
{
	ret->n = 0;
	for (size_t i = 0; i < text.len; i++) {
		const char c = text.ptr[i] >= 'a' && text.ptr[i] <= 'z'
		                       ? (char)(text.ptr[i] - 'a' + 'A')
		                       : text.ptr[i];

		if (c == ' ' || c == '-' || c == '.' || c == '/')
			continue;
		if ((!is_digit(c) && !is_upper(c)) || ret->n == AG_CODE_MAX)
			return false;
		ret->c[ret->n++] = c;
	}
	ret->c[ret->n] = '\0';
	return ret->n > 0;
}

static ag_code_fit fit_linear(const ag_code_scheme *s, const char *c, size_t n)
{
	unsigned sum = 0;

	if (n != s->len || !are_digits(c, n - 1) ||
	    (!is_digit(c[n - 1]) && !(s->may_end_in_x && c[n - 1] == 'X')))
		return AG_CODE_OTHER;
	for (size_t i = 0; i < n; i++)
		sum += s->weight[i] * (c[i] == 'X' ? 10 : digit(c[i]));
	return verdict(sum % s->modulo == 0);
}

ag_code_fit ag_code_fits(const ag_code_scheme *s, const ag_code *code)
{
	const size_t skip = strlen(s->prefix);
	const char *c = code->c;
	size_t n = code->n;

	if (skip && n > skip && strncmp(c, s->prefix, skip) == 0) {
		c += skip;
		n -= skip;
	}
	return s->len ? fit_linear(s, c, n) : s->fit(c, n);
}
