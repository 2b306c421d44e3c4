/* verify_answer -- argus verify of an answer of argus ask; cmd_verify.c decides which of both a file is. */
#ifndef AG_CLI_VERIFY_ANSWER_H
#define AG_CLI_VERIFY_ANSWER_H

#include "cli/cli.h"
#include "query/value.h"

/* Returns the exit code: 1 when something could not be checked or the command failed, else 3 when something changed, is
 * gone or is false, else 0. */
int ag_cli_verify_answer(ag_cli *c, const ag_val *answer);

#endif
