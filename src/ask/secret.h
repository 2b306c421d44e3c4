/* secret -- names of files that hold secrets, as one table. */
#ifndef AG_ASK_SECRET_H
#define AG_ASK_SECRET_H

#include "base/str.h"

/* Does a path (its last name, or a folder in it) say secret? Any case. ".env", ".env.*" (but not .example, .sample, .template,
 * .dist), "*.pem", "id_rsa", ".git/", ".ssh/", ".netrc", ".aws/credentials" … A slash at the end: the last name is a folder.
 * ret_why: "a file of environment variables"; may be NULL. */
bool ag_secret_path(ag_str path, const char **ret_why);

#endif
