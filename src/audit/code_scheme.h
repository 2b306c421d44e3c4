/* code_scheme -- the check digits of codes: article numbers, cards, accounts, vehicles, people, companies.
 *
 * A scheme knows the form of its codes (length, letters, digits) and the arithmetic that a right code satisfies. Pure
 * functions on short texts; blanks, hyphens, dots and slashes do not count, nor does the case. */
#ifndef AG_AUDIT_CODE_SCHEME_H
#define AG_AUDIT_CODE_SCHEME_H

#include "base/str.h"

#define AG_CODE_MAX 34 /* characters of the longest code, an IBAN */

typedef enum ag_code_fit {
	AG_CODE_OTHER, /* not the form of the scheme */
	AG_CODE_WRONG, /* the form, and another check digit */
	AG_CODE_RIGHT
} ag_code_fit;

/* A code without its separators, in capitals. */
typedef struct ag_code {
	char c[AG_CODE_MAX + 1];
	size_t n;
} ag_code;

typedef struct ag_code_scheme {
	const char *name;   /* "IBAN" */
	const char *words;  /* in the names of fields that hold such codes */
	double chance;      /* that a text of this form is right by chance */
	const char *prefix; /* that may precede the code; "" = nothing */
	/* Linear schemes: the digits times these weights, modulo. len 0: fit decides instead. */
	size_t len;
	unsigned char weight[11];
	unsigned modulo;
	bool may_end_in_x; /* X is a ten */
	ag_code_fit (*fit)(const char *c, size_t n);
} ag_code_scheme;

const ag_code_scheme *ag_code_schemes(size_t *ret_n);
/* False: the text holds other signs, or is too long for any code. */
bool ag_code_read(ag_str text, ag_code *ret);
ag_code_fit ag_code_fits(const ag_code_scheme *s, const ag_code *code);

#endif
