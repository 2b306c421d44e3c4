/* base64 -- base64 of the alphabet for addresses and file names (RFC 4648 section 5: - and _). */
#ifndef AG_BASE_BASE64_H
#define AG_BASE_BASE64_H

#include "base/str.h"

/* Adds the text of bytes to out, with = at its end when is_padded. */
void ag_base64url_add(ag_buf *out, ag_str bytes, bool is_padded);
/* Adds the bytes of text to out; padding may be there or be left out. False, and something may have been added, when it is
 * not what ag_base64url_add() would write: also bits that no byte has must be 0. */
bool ag_base64url_read(ag_str text, ag_buf *out);

#endif
