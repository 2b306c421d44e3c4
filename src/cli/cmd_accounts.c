/* argus accounts: the accounts of Azure Cosmos DB for MongoDB that the user may see. No key is asked for. */
#include "azure/azure.h"
#include "cli/cli.h"
#include "documents/cosmos.h"

static const ag_option options[] = {
	{ .setting = "output_format" },
	{ .setting = "deadline" },
};

static const char *kind(const ag_azure_account *a)
{
	return a->is_cluster ? "vcore" : "ru";
}

/* {"accounts":[{"name","kind","location","subscription","id"}],"skipped":[{"subscription","why"}]} */
static int json(ag_cli *c, const ag_azure_accounts *all)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	bool ok;
	ag_jw w;

	ag_jw_init(&w, &out, 2);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "accounts");
	ag_jw_arr(&w);
	for (size_t i = 0; i < all->n; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "name", all->items[i].name);
		ag_jw_kstr(&w, "kind", ag_str_c(kind(&all->items[i])));
		ag_jw_kstr(&w, "location", all->items[i].location);
		ag_jw_kstr(&w, "subscription", all->items[i].subscription);
		ag_jw_kstr(&w, "id", all->items[i].id);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_kkey(&w, "skipped");
	ag_jw_arr(&w);
	for (size_t i = 0; i < all->nskipped; i++) {
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "subscription", all->skipped[i].subscription);
		ag_jw_kstr(&w, "why", all->skipped[i].why);
		ag_jw_obj_end(&w);
	}
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	ok = ag_cli_print_json(c, ag_buf_view(&out));
	ag_buf_release(&out);
	return ok ? AG_EXIT_OK : AG_EXIT_FAILED;
}

static int text(ag_cli *c, const ag_azure_accounts *all)
{
	ag_buf out = AG_BUF_INIT(AG_LIMIT_OUTPUT);
	ag_paint p = ag_cli_paint(c, &out);

	for (size_t i = 0; i < all->n; i++) {
		const ag_azure_account *a = &all->items[i];

		ag_paint_text(&p, AG_INK_BOLD, a->name);
		ag_paint_textf(&p, AG_INK_PLAIN, "  %s  %.*s",
		               a->is_cluster ? "vCore" : "request units", AG_FMT(a->location));
		ag_paint_nl(&p);
		ag_paint_to(&p, 2);
		ag_paint_text(&p, AG_INK_DIM, a->id);
		ag_paint_nl(&p);
	}
	if (!all->n)
		ag_cli_note(c, "no account of Azure Cosmos DB for MongoDB in %zu subscription%s",
		            all->nsubscription, all->nsubscription == 1 ? "" : "s");
	for (size_t i = 0; i < all->nskipped; i++)
		ag_cli_warn(c, "subscription %.*s is left out: %.*s",
		            AG_FMT(all->skipped[i].subscription), AG_FMT(all->skipped[i].why));
	return ag_cli_finish(c, &out, AG_EXIT_OK);
}

static int run(ag_cli *c)
{
	const char *instead = ag_cosmos_stand_in();
	ag_azure_accounts all = { 0 };
	ag_err err = { 0 };

	if (instead)
		ag_cli_note(c, "%s is set: every cosmos:// address means that server", instead);
	else if (ag_azure_list(&c->app.ctx, c->app.arena, &all, &err))
		return ag_cli_fail(c, &err);
	return ag_cli_is_json(c) ? json(c, &all) : text(c, &all);
}

const ag_command ag_cmd_accounts = {
	.name = "accounts",
	.summary = "List the accounts of Azure Cosmos DB that you may see",
	.group = AG_GROUP_SET_UP,
	.usage = "[options]",
	.about =
		"Asks Azure Resource Manager with the token in AZURE_ACCESS_TOKEN, that of a managed identity "
		"(IDENTITY_ENDPOINT), that of `az`, or that of the machine. An account is used as "
		"cosmos://NAME/database.collection, or with -a NAME. A subscription that cannot be read is named and left out.",
	.examples = "argus accounts # names, kinds and places\n"
		    "argus audit -a shop-prod -d shop -c orders # use one",
	.options = options,
	.noption = AG_NELEM(options),
	.run = run,
};
