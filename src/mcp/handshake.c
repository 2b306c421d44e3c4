/* handshake -- who speaks which revision: initialize until 2025-11-25, server/discover and each request's _meta since. */
#include "mcp/parts.h"

static const char *const names[AG_MCP_NREVISION] = {
	[AG_MCP_2024_11_05] = "2024-11-05", [AG_MCP_2025_03_26] = "2025-03-26",
	[AG_MCP_2025_06_18] = "2025-06-18", [AG_MCP_2025_11_25] = "2025-11-25",
	[AG_MCP_2026_07_28] = "2026-07-28",
};

const char *ag_mcp_revision_name(ag_mcp_revision r)
{
	return names[r];
}

bool ag_mcp_revision_read(ag_str text, ag_mcp_revision *ret)
{
	for (int r = 0; r < AG_MCP_NREVISION; r++)
		if (ag_str_eqc(text, names[r])) {
			*ret = (ag_mcp_revision)r;
			return true;
		}
	return false;
}

void ag_mcp_server_info(ag_jw *w, ag_mcp_revision r)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "name", AG_S("argus"));
	if (r >= AG_MCP_2025_06_18)
		ag_jw_kstr(w, "title", AG_S("Argus"));
	ag_jw_kstr(w, "version", AG_S(AG_VERSION));
	ag_jw_obj_end(w);
}

static void empty(ag_jw *w, const char *key)
{
	ag_jw_kraw(w, key, AG_S("{}"));
}

/* Only what is there. Lists do not change while a server runs, so there is no listChanged. */
static void write_capabilities(const ag_mcp_server *s, ag_jw *w, ag_mcp_revision r)
{
	ag_jw_kkey(w, "capabilities");
	ag_jw_obj(w);
	if (s->nrow)
		empty(w, "tools");
	if (s->has_resources) {
		ag_jw_kkey(w, "resources");
		ag_jw_obj(w);
		if (s->can_subscribe)
			ag_jw_kbool(w, "subscribe", true);
		ag_jw_obj_end(w);
	}
	if (s->has_prompts)
		empty(w, "prompts");
	if (s->has_completion && r >= AG_MCP_2025_03_26)
		empty(w, "completions");
	empty(w, "logging");
	ag_jw_obj_end(w);
}

void ag_mcp_client_can(const ag_val *capabilities, bool *ret_sample, bool *ret_elicit,
                       bool *ret_roots)
{
	const ag_val *elicit = capabilities ? ag_val_getc(capabilities, "elicitation") : NULL;
	const ag_val *sample = capabilities ? ag_val_getc(capabilities, "sampling") : NULL;
	const ag_val *roots = capabilities ? ag_val_getc(capabilities, "roots") : NULL;

	*ret_sample = sample && sample->type == AG_T_OBJECT;
	*ret_roots = roots && roots->type == AG_T_OBJECT;
	/* {} means forms; one that only opens addresses cannot fill any. */
	*ret_elicit = elicit && elicit->type == AG_T_OBJECT &&
	              (ag_val_getc(elicit, "form") || !ag_val_getc(elicit, "url"));
}

bool ag_mcp_client_draws(const ag_val *capabilities)
{
	const ag_val *extensions = capabilities ? ag_val_getc(capabilities, "extensions") : NULL;
	const ag_val *apps = extensions && extensions->type == AG_T_OBJECT
	                             ? ag_val_getc(extensions, AG_MCP_APPS)
	                             : NULL;
	const ag_val *types = apps && apps->type == AG_T_OBJECT ? ag_val_getc(apps, "mimeTypes")
	                                                        : NULL;

	for (uint32_t i = 0; types && types->type == AG_T_ARRAY && i < types->n; i++) {
		const ag_val *one = &types->u.items[i];

		if (one->type == AG_T_STRING && ag_str_eqc(ag_val_text(one), AG_MCP_APPS_TYPE))
			return true;
	}
	return false;
}

void ag_mcp_initialize(ag_mcp_turn *t)
{
	const ag_val *capabilities = t->params ? ag_val_getc(t->params, "capabilities") : NULL;
	ag_mcp_session *session;
	ag_mcp_revision r;
	ag_str version;
	ag_jw w;

	if (t->session) {
		ag_mcp_error(t, AG_RPC_INVALID_REQUEST, AG_S(""),
		             "this session was initialized before");
		return;
	}
	if (!ag_mcp_text_of(t, "protocolVersion", &version))
		return;
	if (!ag_mcp_revision_read(version, &r) || r > AG_MCP_2025_11_25)
		r = AG_MCP_2025_11_25;
	session = ag_mcp_session_new(t->server, t->who, r);
	if (!session) {
		ag_mcp_error(
			t, AG_RPC_INTERNAL_ERROR, AG_S(""),
			"there are too many sessions, and all of them are busy; try again later");
		return;
	}
	ag_mcp_client_can(capabilities, &session->can_sample, &session->can_elicit,
	                  &session->can_list_roots);
	session->draws = t->server->o.has_frames && ag_mcp_client_draws(capabilities);
	t->ret->opened = session;
	ag_mcp_result_begin(t, &w);
	ag_jw_kstr(&w, "protocolVersion", ag_str_c(names[r]));
	write_capabilities(t->server, &w, r);
	ag_jw_kkey(&w, "serverInfo");
	ag_mcp_server_info(&w, r);
	if (t->server->o.instructions && t->server->o.instructions[0])
		ag_jw_kstr(&w, "instructions", ag_str_c(t->server->o.instructions));
	ag_mcp_result_end(t, &w);
}

void ag_mcp_discover(ag_mcp_turn *t)
{
	ag_jw w;

	ag_mcp_result_begin(t, &w);
	/* Those that a request can say; the older ones are had through initialize. */
	ag_jw_kraw(&w, "supportedVersions", AG_S("[\"2026-07-28\"]"));
	write_capabilities(t->server, &w, t->revision);
	if (t->server->o.instructions && t->server->o.instructions[0])
		ag_jw_kstr(&w, "instructions", ag_str_c(t->server->o.instructions));
	ag_mcp_result_cache(t, &w, 60 * 60 * 1000, true);
	ag_mcp_result_end(t, &w);
}
