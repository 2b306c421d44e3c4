/* mask -- personal data is not printed unless the user asks (DESIGN section 9, "Privacy").
 *
 * A value is personal by the name of its field (name, email, phone, street, birth date, account, token …) or by
 * its look (e-mail address, phone number, card number, IBAN, IP address). What is plainly a defect and no person
 * ("N/A", "", " ", -1, null) stays readable, because that is what the finding is about. */
#ifndef AG_AUDIT_MASK_H
#define AG_AUDIT_MASK_H

#include "query/value.h"

/* Does the last name in a path tell of a person or a secret? */
bool ag_mask_field(ag_str path);
/* Is it a secret, of which not even the shape is shown? */
bool ag_mask_is_secret(ag_str path);
/* The value as it may be shown: itself, or a text of its shape ("ann7@example.org" is "aaa9@aaa.aaa"), or "•••"
 * for a secret and for what is no text. Looks into objects and arrays with the names of their members. */
ag_val ag_mask_val(ag_str path, const ag_val *v, ag_arena *arena);
/* Does a text beside a finding quote values of its personal field, or one that looks personal? */
bool ag_mask_quotes(ag_str field, ag_str text);
/* The first personal field that a filter or pipeline reads, or "". What a pipeline gives may hold that field's values
 * under any name. */
ag_str ag_mask_query_field(const ag_val *query, ag_arena *arena);

#endif
