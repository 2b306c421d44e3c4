/* models_parts -- what models.c and models_open.c share. Private to app/. */
#ifndef AG_APP_MODELS_PARTS_H
#define AG_APP_MODELS_PARTS_H

#include "app/models.h"

/* The value of a variable, "" when it is not set; name may be NULL. */
ag_str ag_models_var(const ag_app *app, const char *name);
/* Two names for one thing: what stands in the higher place counts, in the same place the newer name. NULL = neither. */
const ag_var *ag_models_newer(const ag_app *app, const char *old_name, const char *new_name);

#endif
