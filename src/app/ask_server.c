/* ask_server -- see the header. */
#include "app/ask_server.h"

#include "app/ask_project.h"
#include "app/file.h"
#include "base/embedded.h"

#define ORIGIN "app.ask_server"
#define PAGES  "pages/wiki/" /* of embedded files */

static ag_status answer(void *arg, const ag_server_question *q, ag_err *err)
{
	ag_app_mcp *m = (ag_app_mcp *)arg;
	ag_call call = { .who = q->who,
		         .hub = m->hub,
		         .project = q->project,
		         .ctx = *q->ctx,
		         .arena = q->arena,
		         .session = AG_S(""),
		         .watch_fd = -1 };
	ag_app_question question = { .app = m->app,
		                     .services = m->services,
		                     .store_uri = m->store_uri,
		                     .call = &call,
		                     .text = q->text,
		                     .choices = m->app->settings.ask,
		                     .record = q->record };
	ag_str ignored;

	question.choices.offline = question.choices.offline || q->is_offline;
	if (q->seconds > 0 && q->seconds < question.choices.deadline)
		question.choices.deadline = q->seconds;
	return ag_app_ask_project(&question, &ignored, err);
}

/* The script of the demo answers conversations only, so the index answers here. */
static ag_status answer_demo(void *arg, const ag_server_question *q, ag_err *err)
{
	ag_server_question without = *q;

	without.is_offline = true;
	return answer(arg, &without, err);
}

static ag_status open_root(void *arg, const ag_project *p, ag_arena *arena, ag_root **ret,
                           ag_err *err)
{
	const ag_app_mcp *m = (const ag_app_mcp *)arg;

	return ag_app_project_root(m->app, p, arena, ret, err);
}

static ag_status choose(void *arg, ag_str folder, ag_str api_base, ag_arena *arena,
                        ag_str *ret_folder, ag_err *err)
{
	const ag_app_mcp *m = (const ag_app_mcp *)arg;
	ag_status st = AG_OK;

	*ret_folder = AG_S("");
	if (folder.len)
		st = ag_app_ask_folder(m->app, folder, arena, ret_folder, err);
	if (!st && api_base.len)
		st = ag_app_ask_address(m->app, api_base, arena, err);
	return st;
}

static bool has_model(void *arg, const ag_project *p)
{
	const ag_app_mcp *m = (const ag_app_mcp *)arg;
	ag_llm *llm = NULL;
	const bool ret = !m->app->settings.ask.offline &&
	                 !ag_service_model(ag_services_of(m->services, p), &llm, NULL);

	ag_llm_close(llm);
	return ret;
}

static bool has_none(void *arg, const ag_project *p)
{
	(void)arg;
	(void)p;
	return false;
}

static ag_str demo_question(size_t n)
{
	static const ag_str questions[] = {
		AG_S_INIT("How do I protect a branch?"),
		AG_S_INIT("How do I make a backup?"),
		AG_S_INIT("What does the API answer without a key?"),
	};

	return n < AG_NELEM(questions) ? questions[n] : AG_S("");
}

ag_server_asks ag_app_ask_server(ag_app_mcp *m, bool is_demo)
{
	const ag_settings *s = &m->app->settings;

	return (ag_server_asks){ .answer = is_demo ? answer_demo : answer,
		                 .open_root = open_root,
		                 .choose = choose,
		                 .has_model = is_demo ? has_none : has_model,
		                 .arg = m,
		                 .max_seconds = s->ask.deadline,
		                 .folders = s->ask_folders,
		                 .apis = s->ask_apis,
		                 .starter = is_demo ? demo_question : NULL };
}

ag_status ag_app_demo_pages(ag_app *app, ag_str *ret, ag_err *err)
{
	const ag_embedded *list;
	const size_t n = ag_embedded_list(PAGES, &list);
	ag_str state, folder;
	ag_status st = ag_store_state_folder(app->arena, &state, err);

	if (st)
		return st;
	if (!n)
		return ag_fail(err, AG_INTERNAL, ORIGIN, "the program has no pages to ask about");
	folder = ag_str_printf(app->arena, "%.*s/demo/wiki", AG_FMT(state));
	st = ag_file_make_folder(folder, app->arena, err);
	for (size_t i = 0; i < n && !st; i++)
		st = ag_file_replace(ag_str_printf(app->arena, "%.*s/%s", AG_FMT(folder),
		                                   list[i].path + sizeof(PAGES) - 1),
		                     ag_str_make((const char *)list[i].ptr, list[i].len), err);
	if (!st)
		*ret = ag_str_printf(app->arena, "%.*s/demo", AG_FMT(state));
	return st;
}
