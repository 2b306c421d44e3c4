/* Frames: documents that draw results of tools in hosts with MCP Apps (docs/decisions/0047).
 *
 *   ui://argus/artifact   a chart, page or text that create_artifact or update_artifact saved
 *   ui://argus/report     the report of audit_collection
 *
 * They are the same for everybody and hold no data: the host hands them the result of the call. A client that does not draw is not
 * told of them. */
#include "app/mcp_tools.h"

#include "artifact/shell.h"
#include "artifact/tools.h"
#include "report/format.h"

#define ORIGIN    "app.mcp_frames"
#define MAX_FRAME (16u << 20)

typedef struct frame {
	const char *uri, *name, *title, *description;
	void (*write)(ag_arena *arena, ag_buf *out);
} frame;

static void write_artifact(ag_arena *arena, ag_buf *out)
{
	(void)arena;
	ag_artifact_shell(AG_S(""), out);
}

static const frame frames[] = {
	{ AG_ARTIFACT_FRAME, "artifact", "Artifact",
	  "Draws a chart, page or text that was saved, with its data.", write_artifact },
	{ AG_APP_REPORT_FRAME, "report", "Audit report",
	  "Shows the findings of an audit, the fields and their values.", ag_report_frame },
};

static ag_status resources(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err)
{
	ag_mcp_item *items = ag_new_n(c->arena, ag_mcp_item, AG_NELEM(frames));

	(void)env;
	(void)err;
	for (size_t i = 0; i < AG_NELEM(frames) && c->wants_frame; i++) {
		ag_buf out = AG_BUF_INIT(4096);
		ag_jw w;

		ag_jw_init(&w, &out, 0);
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "uri", ag_str_c(frames[i].uri));
		ag_jw_kstr(&w, "name", ag_str_c(frames[i].name));
		ag_jw_kstr(&w, "title", ag_str_c(frames[i].title));
		ag_jw_kstr(&w, "description", ag_str_c(frames[i].description));
		ag_jw_kstr(&w, "mimeType", AG_S(AG_MCP_APPS_TYPE));
		ag_jw_obj_end(&w);
		items[i] = (ag_mcp_item){ ag_str_c(frames[i].uri), ag_buf_dup(c->arena, &out) };
		ag_buf_release(&out);
	}
	*ret = items;
	*nret = c->wants_frame ? AG_NELEM(frames) : 0;
	return AG_OK;
}

/* Empty lists: the frame loads nothing and asks nobody. */
static const char meta[] =
	"{\"ui\":{\"csp\":{\"connectDomains\":[],\"resourceDomains\":[],\"frameDomains\":[],"
	"\"baseUriDomains\":[]},\"prefersBorder\":true}}";

static void write_contents(const frame *f, ag_arena *arena, ag_buf *ret)
{
	ag_buf text = AG_BUF_INIT(MAX_FRAME);
	ag_jw w;

	f->write(arena, &text);
	ag_jw_init(&w, ret, 0);
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "uri", ag_str_c(f->uri));
	ag_jw_kstr(&w, "mimeType", AG_S(AG_MCP_APPS_TYPE));
	ag_jw_kstr(&w, "text", ag_buf_view(&text));
	ag_jw_kraw(&w, "_meta", ag_str_c(meta));
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
	ret->failed |= text.failed;
	ag_buf_release(&text);
}

static ag_status read_frame(void *env, ag_call *c, ag_str uri, ag_buf *ret, ag_err *err)
{
	(void)env;
	for (size_t i = 0; i < AG_NELEM(frames) && c->wants_frame; i++) {
		if (!ag_str_eqc(uri, frames[i].uri))
			continue;
		write_contents(&frames[i], c->arena, ret);
		return AG_OK;
	}
	return ag_fail(err, AG_NOT_FOUND, ORIGIN, "there is no such resource");
}

bool ag_app_mcp_frames(ag_mcp_provider *ret)
{
	*ret = (ag_mcp_provider){ .resources = resources, .read = read_frame };
	return ag_artifact_has_shell();
}
