/* arm -- accounts and connection strings by the REST interface of Azure Resource Manager.
 *
 * Lists come in pages; a page names the next one, which must be of the same origin, because the token goes there, too. A
 * subscription that cannot be read hides no other. */
#include "azure/parts.h"

#include <stdlib.h>

#include "base/log.h"
#include "net/url.h"

#define ORIGIN       "azure.arm"
#define CONNECT_MS   5000
#define MAX_PAGES    200
#define MAX_ITEMS    10000
#define MAX_ID_BYTES 1024

#define ACCOUNTS_TYPE "Microsoft.DocumentDB/databaseAccounts"
#define CLUSTERS_TYPE "Microsoft.DocumentDB/mongoClusters"

typedef struct arm {
	const ag_ctx *ctx;
	ag_arena *arena;
	ag_str base, origin;
	ag_azure_token token;
} arm;

static ag_status open_arm(const ag_ctx *ctx, ag_arena *arena, arm *ret, ag_err *err)
{
	ag_status st;
	ag_url url;

	*ret = (arm){ .ctx = ctx, .arena = arena };
	st = ag_azure_management(arena, &ret->base, err);
	if (!st)
		st = ag_url_parse(ret->base, arena, &url, err);
	if (st)
		return st;
	ret->origin = ag_url_origin(&url, arena);
	return ag_azure_token_get(ctx, arena, &ret->token, err);
}

static ag_status ask(const arm *a, const char *method, ag_str url, ag_str *ret, ag_err *err)
{
	const ag_str bearer = ag_str_printf(a->arena, "Bearer %.*s", AG_FMT(a->token.text));
	const ag_str headers[] = { AG_S("Authorization"), bearer, AG_S("Accept"),
		                   AG_S("application/json") };
	const ag_status st = ag_azure_send(a->ctx,
	                                   &(ag_azure_request){ .method = ag_str_c(method),
	                                                        .url = url,
	                                                        .headers = headers,
	                                                        .nheader = 2,
	                                                        .connect_ms = CONNECT_MS },
	                                   a->arena, ret, err);

	if (st == AG_DENIED && err && err->native == 401)
		ag_err_hint(err,
		            "the token of %.*s is refused or has expired: run `az login`, or set "
		            "AZURE_ACCESS_TOKEN to a new one",
		            AG_FMT(a->token.from));
	return st;
}

/* Every item of a list, page by page. */
static ag_status each(const arm *a, ag_str url,
                      ag_status (*fn)(void *arg, const ag_val *item, ag_err *err), void *arg,
                      ag_err *err)
{
	ag_status st = AG_OK;

	for (unsigned i = 0; !st && url.len; i++) {
		const ag_val *list;
		ag_str json = { 0 };
		ag_url u;
		ag_val v;

		if (i == MAX_PAGES)
			return ag_fail(err, AG_LIMIT, ORIGIN, "a list has more than %d pages",
			               MAX_PAGES);
		st = ag_url_parse(url, a->arena, &u, err);
		if (!st && !ag_str_eq(ag_url_origin(&u, a->arena), a->origin))
			st = ag_fail(err, AG_PROTOCOL, ORIGIN,
			             "the next page of a list is of another origin than %.*s",
			             AG_FMT(a->origin));
		if (!st)
			st = ask(a, "GET", url, &json, err);
		if (!st)
			st = ag_azure_read_json(json, "a list of Azure Resource Manager", a->arena,
			                        &v, err);
		if (st)
			return st;
		list = ag_val_getc(&v, "value");
		for (uint32_t k = 0; !st && list && list->type == AG_T_ARRAY && k < list->n; k++)
			st = fn(arg, &list->u.items[k], err);
		url = ag_val_member_str(&v, "nextLink");
	}
	return st;
}

/* --- ids ----------------------------------------------------------------------------------------- */

/* Part i of "/a/b/c", from 0; "" when there is none. */
static ag_str part(ag_str id, unsigned i)
{
	ag_str rest = id.len ? ag_str_make(id.ptr + 1, id.len - 1) : id, ret = AG_S("");

	for (unsigned k = 0; k <= i; k++)
		ret = ag_str_split(&rest, '/');
	return ret;
}

static bool is_plain(ag_str id)
{
	for (size_t i = 0; i < id.len; i++)
		if (!((id.ptr[i] >= 'a' && id.ptr[i] <= 'z') ||
		      (id.ptr[i] >= 'A' && id.ptr[i] <= 'Z') ||
		      (id.ptr[i] >= '0' && id.ptr[i] <= '9') || memchr("/-_.()", id.ptr[i], 6)))
			return false;
	return true;
}

static bool is_cluster(ag_str id)
{
	return ag_str_ieq(part(id, 6), AG_S("mongoClusters"));
}

/* Nothing of an id may change where a request goes. */
bool ag_azure_is_id(ag_str id)
{
	return ag_str_starts(id, AG_S("/")) && id.len <= MAX_ID_BYTES && is_plain(id) &&
	       !ag_str_contains(id, AG_S("..")) && ag_str_ieq(part(id, 0), AG_S("subscriptions")) &&
	       ag_str_ieq(part(id, 2), AG_S("resourceGroups")) &&
	       ag_str_ieq(part(id, 4), AG_S("providers")) &&
	       ag_str_ieq(part(id, 5), AG_S("Microsoft.DocumentDB")) &&
	       (ag_str_ieq(part(id, 6), AG_S("databaseAccounts")) || is_cluster(id)) &&
	       part(id, 1).len && part(id, 3).len && part(id, 7).len && !part(id, 8).len;
}

/* --- lists --------------------------------------------------------------------------------------- */

typedef struct listing {
	arm a;
	ag_azure_accounts *out;
	ag_str subscription; /* the one that is read */
	ag_str *subscriptions;
	size_t nsubscription;
} listing;

static void *grown(ag_arena *arena, const void *items, size_t n, size_t size)
{
	void *more;

	/* Powers of two, and none at first. */
	if (n & (n - 1))
		return NULL;
	more = ag_arena_alloc_n(arena, n ? 2 * n : 1, size);
	if (n)
		memcpy(more, items, n * size);
	return more;
}

static ag_status take_subscription(void *arg, const ag_val *item, ag_err *err)
{
	listing *l = arg;
	const ag_str id = ag_val_member_str(item, "subscriptionId");
	ag_str *more;

	if (!id.len || !is_plain(id) || ag_str_find(id, '/') >= 0)
		return AG_OK;
	if (l->nsubscription == MAX_ITEMS)
		return ag_fail(err, AG_LIMIT, ORIGIN, "there are more than %d subscriptions",
		               MAX_ITEMS);
	more = grown(l->a.arena, l->subscriptions, l->nsubscription, sizeof(*more));
	if (more)
		l->subscriptions = more;
	l->subscriptions[l->nsubscription++] = id;
	return AG_OK;
}

static ag_status take_account(void *arg, const ag_val *item, ag_err *err)
{
	listing *l = arg;
	ag_azure_accounts *out = l->out;
	const ag_str id = ag_val_member_str(item, "id");
	ag_azure_account *more;

	if (!ag_azure_is_id(id))
		return AG_OK;
	if (out->n == MAX_ITEMS)
		return ag_fail(err, AG_LIMIT, ORIGIN, "there are more than %d accounts", MAX_ITEMS);
	more = grown(l->a.arena, out->items, out->n, sizeof(*more));
	if (more)
		out->items = more;
	out->items[out->n++] = (ag_azure_account){
		.id = id,
		.name = part(id, 7),
		.location = ag_val_member_str(item, "location"),
		.subscription = part(id, 1),
		.is_cluster = is_cluster(id),
	};
	return AG_OK;
}

/* Only what would end every other one, too, ends the list. */
static ag_status list_subscription(listing *l, ag_err *err)
{
	const ag_str url = ag_str_printf(
		l->a.arena,
		"%.*s/subscriptions/%.*s/resources?api-version=2021-04-01&$filter=resourceType%%20eq%%20"
		"'" ACCOUNTS_TYPE "'%%20or%%20resourceType%%20eq%%20'" CLUSTERS_TYPE "'",
		AG_FMT(l->a.base), AG_FMT(l->subscription));
	ag_azure_skip *more;
	ag_err why = { 0 };
	const ag_status st = each(&l->a, url, take_account, l, &why);

	if (!st) {
		l->out->nsubscription++;
		return AG_OK;
	}
	if (st == AG_CANCELLED || st == AG_TIMEOUT || st == AG_LIMIT ||
	    (st == AG_DENIED && why.native == 401)) {
		*err = why;
		return st;
	}
	ag_log(AG_LOG_WARN, "azure_subscription_skipped", "%.*s: %s", AG_FMT(l->subscription),
	       why.msg);
	more = grown(l->a.arena, l->out->skipped, l->out->nskipped, sizeof(*more));
	if (more)
		l->out->skipped = more;
	l->out->skipped[l->out->nskipped++] =
		(ag_azure_skip){ l->subscription, ag_str_dup(l->a.arena, ag_str_c(why.msg)) };
	return AG_OK;
}

static int by_name(const void *a, const void *b)
{
	const ag_azure_account *x = a, *y = b;
	const int c = ag_str_cmp(x->name, y->name);

	return c ? c : ag_str_cmp(x->id, y->id);
}

static ag_status list_all(const arm *a, ag_azure_accounts *ret, ag_err *err)
{
	listing l = { .a = *a, .out = ret };
	ag_status st = each(a,
	                    ag_str_printf(a->arena, "%.*s/subscriptions?api-version=2022-12-01",
	                                  AG_FMT(a->base)),
	                    take_subscription, &l, err);

	*ret = (ag_azure_accounts){ 0 };
	for (size_t i = 0; !st && i < l.nsubscription; i++) {
		l.subscription = l.subscriptions[i];
		st = list_subscription(&l, err);
	}
	if (!st && ret->n > 1)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
	return st;
}

ag_status ag_azure_list(const ag_ctx *ctx, ag_arena *arena, ag_azure_accounts *ret, ag_err *err)
{
	ag_err why = { 0 };
	arm a;
	ag_status st = open_arm(ctx, arena, &a, &why);

	if (!st)
		st = list_all(&a, ret, &why);
	if (st && err)
		*err = why;
	return st;
}

/* --- one account --------------------------------------------------------------------------------- */

static ag_status fail_unknown(const arm *a, ag_str name, const ag_azure_accounts *all, ag_err *err)
{
	const char **names = ag_new_n(a->arena, const char *, all->n + 1);
	const char *near;
	ag_buf b = AG_BUF_INIT(160);

	for (size_t i = 0; i < all->n; i++) {
		names[i] = ag_str_cstr(a->arena, all->items[i].name);
		ag_buf_addf(&b, "%s%s", b.len ? ", " : "", names[i]);
	}
	near = ag_str_nearest(name, names, all->n);
	ag_fail(err, AG_NOT_FOUND, ORIGIN,
	        "the Azure account \"%.*s\" is not found: %zu account%s in %zu subscription%s %s visible%s",
	        (int)(name.len < 80 ? name.len : 80), name.ptr, all->n, all->n == 1 ? "" : "s",
	        all->nsubscription, all->nsubscription == 1 ? "" : "s", all->n == 1 ? "is" : "are",
	        all->nskipped ? ", and some subscriptions cannot be read" : "");
	if (near)
		ag_err_hint(err, "did you mean \"%s\"?", near);
	else if (all->n)
		ag_err_hint(err, "visible: %.*s; `argus accounts` lists them",
		            AG_FMT(ag_buf_view(&b)));
	else
		ag_err_hint(err, "`argus accounts` lists the accounts that you may see");
	ag_buf_release(&b);
	return AG_NOT_FOUND;
}

static ag_status id_of(const arm *a, ag_str name, ag_str *ret, ag_err *err)
{
	const ag_azure_account *found = NULL;
	ag_azure_accounts all;
	ag_status st = list_all(a, &all, err);

	if (st)
		return st;
	for (size_t i = 0; i < all.n; i++) {
		if (!ag_str_ieq(all.items[i].name, name))
			continue;
		if (found) {
			ag_fail(err, AG_CONFLICT, ORIGIN,
			        "several Azure accounts are called \"%.*s\"", AG_FMT(name));
			ag_err_hint(err, "name one by its id: %.*s or %.*s", AG_FMT(found->id),
			            AG_FMT(all.items[i].id));
			return AG_CONFLICT;
		}
		found = &all.items[i];
	}
	if (!found)
		return fail_unknown(a, name, &all, err);
	*ret = found->id;
	return AG_OK;
}

static ag_status strings_of(const arm *a, ag_str id, ag_str *ret, ag_err *err)
{
	const char *version = is_cluster(id) ? "2024-07-01" : "2024-11-15";
	const ag_status st = ask(a, "POST",
	                         ag_str_printf(a->arena,
	                                       "%.*s%.*s/listConnectionStrings?api-version=%s",
	                                       AG_FMT(a->base), AG_FMT(id), version),
	                         ret, err);

	if (st == AG_DENIED && err && err->native == 403)
		ag_err_hint(err,
		            "give the user the role \"DocumentDB Account Contributor\", or use a "
		            "connection string: -a 'mongodb://…'");
	return st;
}

static ag_status choose(ag_str json, ag_str account, ag_str id, bool can_write, ag_arena *arena,
                        ag_azure_string *ret, ag_err *err)
{
	ag_status st = ag_azure_choose(json, can_write, arena, ret, err);

	if (st)
		return st;
	ret->is_cluster = is_cluster(id);
	if (ret->is_cluster || can_write || !ret->can_write)
		return AG_OK;
	ag_fail(err, AG_DENIED, ORIGIN, "the account \"%.*s\" has no read-only key",
	        (int)(account.len < 80 ? account.len : 80), account.ptr);
	ag_err_hint(err, "--allow-read-write uses the key that may write; Argus still sends only "
	                 "commands that read");
	return AG_DENIED;
}

static ag_status find(const ag_ctx *ctx, ag_str account, ag_arena *arena, ag_str *ret_id,
                      ag_str *ret_json, ag_err *err)
{
	const ag_str id_key = ag_str_printf(arena, "id %.*s", AG_FMT(account));
	ag_str json_key;
	arm a = { 0 };
	ag_status st = AG_OK;

	*ret_id = account;
	if (!ag_azure_is_id(account) && !ag_azure_kept(id_key, arena, ret_id)) {
		st = open_arm(ctx, arena, &a, err);
		if (!st)
			st = id_of(&a, account, ret_id, err);
		if (st)
			return st;
		ag_azure_keep(id_key, *ret_id);
	}
	json_key = ag_str_printf(arena, "strings %.*s", AG_FMT(*ret_id));
	if (ag_azure_kept(json_key, arena, ret_json))
		return AG_OK;
	if (!a.base.len)
		st = open_arm(ctx, arena, &a, err);
	if (!st)
		st = strings_of(&a, *ret_id, ret_json, err);
	if (!st)
		ag_azure_keep(json_key, *ret_json);
	return st;
}

ag_status ag_azure_connection(const ag_ctx *ctx, ag_str account, bool can_write, ag_arena *arena,
                              ag_azure_string *ret, ag_err *err)
{
	ag_str id = { 0 }, json = { 0 };
	ag_err why = { 0 };
	ag_status st = find(ctx, account, arena, &id, &json, &why);

	if (!st)
		st = choose(json, account, id, can_write, arena, ret, &why);
	if (st && err)
		*err = why;
	return st;
}
