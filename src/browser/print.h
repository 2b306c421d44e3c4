/* print -- an HTML document as a PDF, by the Chromium that is installed.
 *
 * The browser runs as a child of its own, with a folder of its own that is removed afterwards. It has no network: the kernel refuses it
 * every socket but those of this machine's file system. A process of root gives up that for the user nobody. */
#ifndef AG_BROWSER_PRINT_H
#define AG_BROWSER_PRINT_H

#include "base/str.h"
#include "run/ctx.h"

#define AG_BROWSER_MAX_AT_ONCE 2u /* in a process; one takes about 200 MB and a core */
#define AG_BROWSER_MAX_PDF     (64u << 20)
#define AG_BROWSER_PRINT_MS    60000

/* Is there one in PATH: chromium, chromium-browser, google-chrome? errors  AG_UNAVAILABLE */
AG_CHECK ag_status ag_browser_check(ag_err *err);

/* html: a whole document, which must not need anything from elsewhere. Adds the PDF to *ret. Thread safe.
 * errors  AG_UNAVAILABLE: there is no Chromium, or it did not print; AG_LIMIT: too many at once, or the PDF is too large; AG_TIMEOUT,
 *         AG_CANCELLED; AG_IO: its folder cannot be made */
AG_CHECK ag_status ag_browser_print(const ag_ctx *ctx, ag_str html, ag_buf *ret, ag_err *err);

#endif
