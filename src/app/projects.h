/* projects -- which projects there are, and the hub that opens them.
 *
 * From argus.yaml ("projects:"), from the command line or ARGUS_DATABASE (project "default"), and from the store. A password
 * does not stand in argus.yaml: an entry names the variable that holds it (password_env); a settings file that was found in
 * the current folder may only name one that begins with ARGUS_. */
#ifndef AG_APP_PROJECTS_H
#define AG_APP_PROJECTS_H

#include "app/app.h"
#include "project/project.h"

/* All projects that are no store's, those of argus.yaml in its order. `source`: of the command line, "" = none. Texts in the
 * app's arena.
 * errors  AG_INVALID: names the entry and what is wrong; AG_DENIED: a variable that the file may not name */
AG_CHECK ag_status ag_app_projects(ag_app *app, ag_str source, ag_project **ret, size_t *nret,
                                   ag_err *err);
/* The hub over them and the store. Close it with ag_project_hub_close() before the app is released. */
AG_CHECK ag_status ag_app_project_hub(ag_app *app, ag_str source, ag_project_hub **ret,
                                      ag_err *err);
/* The same over one project alone and the store; `only` lives in the app's arena. */
AG_CHECK ag_status ag_app_project_hub_of(ag_app *app, const ag_project *only, ag_project_hub **ret,
                                         ag_err *err);

/* A hub, the local user, and the project that he means: `id`, or "" when there is only one; with a database in `source` that
 * one. Nothing is asked of its database. Close the hub.
 * errors  AG_NOT_FOUND: no project, or several and no id */
AG_CHECK ag_status ag_app_find_project(ag_app *app, ag_str source, ag_str id,
                                       ag_project_hub **ret_hub, ag_caller *ret_who,
                                       const ag_project **ret, ag_err *err);

#endif
