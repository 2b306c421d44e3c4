/* settings_show -- the settings of a server for its page (server/server.h). */
#ifndef AG_APP_SETTINGS_SHOW_H
#define AG_APP_SETTINGS_SHOW_H

#include "app/settings.h"
#include "server/server.h"

/* Each row of the table with its value, without passwords, and where that comes from. In arena. */
void ag_app_show_settings(const ag_settings *s, ag_arena *arena, ag_server_setting **ret,
                          size_t *nret);

#endif
