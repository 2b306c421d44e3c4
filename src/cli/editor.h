/* editor -- lets a person change a text in the editor that he has set. */
#ifndef AG_CLI_EDITOR_H
#define AG_CLI_EDITOR_H

#include "cli/cli.h"

/* Writes text to a file that only its user can read, runs $VISUAL or $EDITOR (else vi) on it, waits, and reads the file.
 * *ret_path is set as soon as the file is there. Texts in the app's arena. It keeps the file: ag_editor_close() removes it.
 * errors  AG_INVALID: the editor failed; AG_IO */
AG_CHECK ag_status ag_editor_open(ag_cli *c, ag_str text, const char *name, ag_str *ret_path,
                                  ag_str *ret, ag_err *err);
void ag_editor_close(ag_str path);

#endif
