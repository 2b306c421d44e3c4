/* secrets -- texts that must not leave this process, found in other text in whatever form they stand there.
 *
 * A secret is kept with the forms that programs give it on its way through messages: escaped for JSON and HTML,
 * percent-encoded, in base64 wherever it lies in the encoded bytes, in hexadecimal digits. Used through base/log.h. One list
 * per process, thread safe. When it is full, nothing is shown any more: hiding fails closed. */
#ifndef AG_BASE_SECRETS_H
#define AG_BASE_SECRETS_H

#include "base/str.h"

#define AG_SECRET_MIN_BYTES 6          /* shorter ones would punch holes into ordinary words */
#define AG_SECRET_MAX_BYTES (8 * 1024) /* a PEM key has two to four KB */
#define AG_SECRETS_MAX      256u /* secrets; with all forms that differ at most AG_SECRETS_MAX_FORMS */

#define AG_SECRETS_MAX_FORMS 4096u

/* Ignored below the minimum. One above the maximum, or one too many, fills the list. */
void ag_secrets_add(ag_str secret);
/* Adds the first `safe` bytes of text to out, each stretch of secrets as "[redacted]"; what is behind `safe` is only there
 * to find those that begin before. False, and nothing is added, when the list could not hold every secret. */
bool ag_secrets_hide(ag_str text, size_t safe, ag_buf *out);
/* Bytes of a text that was cut, without the beginning of a secret at its end, which no search would find any more. */
size_t ag_secrets_whole(ag_str text);
/* The same for a text that goes on: without even one byte that may begin a secret. */
size_t ag_secrets_settled(ag_str text);
/* Bytes of the longest form: one that was cut off at the end of a text can begin this far before. */
size_t ag_secrets_longest(void);
/* The list is empty again. For tests. */
void ag_secrets_forget(void);

/* --- secrets_forms.c --- */

typedef void ag_secret_form_fn(void *arg, ag_str form);

/* Gives every form, the secret itself first; some more than once. Each lives for the call. */
void ag_secret_forms(ag_str secret, ag_secret_form_fn *fn, void *arg);

/* --- secrets_env.c --- */

/* Gives every secret in the text of a .env file: values of names such as API_KEY or DB_PASSWORD that have at least 8
 * bytes and are no path, number, name of a variable, placeholder or plain address; and the passwords in addresses
 * (postgres://user:password@host) of whatever name. Each lives for the call. */
void ag_secrets_of_env(ag_str text, ag_secret_form_fn *fn, void *arg);

#endif
