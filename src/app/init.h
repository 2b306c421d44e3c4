/* init -- a project of argus.yaml from the address of a database: tried first, then written, nothing overwritten. */
#ifndef AG_APP_INIT_H
#define AG_APP_INIT_H

#include "app/app.h"
#include "sql/dictionary.h"

typedef struct ag_init {
	ag_str id;            /* the project */
	ag_str source;        /* as it is in the settings: without a password */
	ag_str password_env;  /* the variable that must hold the password; "" = none needed */
	bool password_is_set; /* that variable is set already */
	ag_str file;          /* the settings file that has it now */
	bool made_file;
	int64_t connect_us;
	ag_dictionary dictionary;
} ag_init;

/* source: postgresql://…, sqlite:PATH, or the path of a SQLite file. id "" = by the name of the database.
 * errors  AG_INVALID: no database, no id, a settings file that cannot take an entry; AG_NOT_FOUND: no such file;
 * AG_CONFLICT: the settings have a project of that name; AG_UNAVAILABLE, AG_DENIED: of the database */
AG_CHECK ag_status ag_app_init_project(ag_app *app, ag_str source, ag_str id, ag_init *ret,
                                       ag_err *err);

/* The text of a settings file with one more project; pure. errors  AG_INVALID: "projects:" is no plain group */
AG_CHECK ag_status ag_init_add_project(ag_str text, ag_str id, ag_str source, ag_str password_env,
                                       ag_arena *arena, ag_str *ret, ag_err *err);

#endif
