/* project_edit -- argus project add, set, test: what changes a project, and what tries it. */
#ifndef AG_CLI_PROJECT_EDIT_H
#define AG_CLI_PROJECT_EDIT_H

#include "cli/cli.h"

int ag_project_cmd_add(ag_cli *c);
int ag_project_cmd_set(ag_cli *c);
int ag_project_cmd_test(ag_cli *c);

#endif
