/* settings_show -- see the header. */
#include "app/settings_show.h"

void ag_app_show_settings(const ag_settings *s, ag_arena *arena, ag_server_setting **ret,
                          size_t *nret)
{
	size_t n;
	const ag_setting *t = ag_settings_table(&n);
	ag_server_setting *list = ag_new_n(arena, ag_server_setting, n);

	for (size_t i = 0; i < n; i++) {
		char variable[AG_SETTING_ENV_MAX];

		ag_setting_env(&t[i], variable);
		list[i] = (ag_server_setting){
			.group = ag_str_c(t[i].group),
			.key = ag_str_c(t[i].key),
			.value = ag_str_dup(arena, ag_settings_text(s, (int)i, arena)),
			.by_default = ag_str_c(t[i].fallback ? t[i].fallback : ""),
			.place = ag_str_c(ag_place_name(s->place[i])),
			.where = ag_str_dup(arena, s->where[i]),
			.help = ag_str_c(t[i].help),
			.variable = ag_str_dup(arena, ag_str_c(variable)),
			.is_live = t[i].is_live,
		};
	}
	*ret = list;
	*nret = n;
}
