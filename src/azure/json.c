/* json -- what ARM and tokens say, read from their JSON. Nothing here asks anybody. */
#include "azure/parts.h"

#include "base/base64.h"
#include "query/extjson.h"

#define ORIGIN     "azure"
#define MAX_VALUES 200000 /* of one answer */

ag_status ag_azure_read_json(ag_str json, const char *what, ag_arena *arena, ag_val *ret,
                             ag_err *err)
{
	const ag_extjson_opts opts = { .max_depth = 64, .max_values = MAX_VALUES };

	if (ag_extjson_parse(json, &opts, arena, ret, NULL, NULL, NULL) || ret->type != AG_T_OBJECT)
		return ag_fail(err, AG_PROTOCOL, ORIGIN, "%s is no JSON object", what);
	return AG_OK;
}

static bool has_word(ag_str text, const char *word)
{
	const ag_str w = ag_str_c(word);

	for (size_t i = 0; i + w.len <= text.len; i++)
		if (ag_str_ieq(ag_str_make(text.ptr + i, w.len), w))
			return true;
	return false;
}

/* Among several, a lower rank is chosen. */
static int rank(ag_str description, bool can_write)
{
	const bool reads = has_word(description, "read-only") || has_word(description, "read only");
	const int second = has_word(description, "primary") ? 0 : 1;

	return reads == can_write ? 10 + second : second;
}

ag_status ag_azure_choose(ag_str json, bool can_write, ag_arena *arena, ag_azure_string *ret,
                          ag_err *err)
{
	const ag_val *list;
	ag_val v;
	bool any_mongo = false;
	int best = 100;
	ag_status st = ag_azure_read_json(json, "the answer with connection strings", arena, &v,
	                                  err);

	if (st)
		return st;
	*ret = (ag_azure_string){ 0 };
	list = ag_val_getc(&v, "connectionStrings");
	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n; i++)
		any_mongo = any_mongo ||
		            has_word(ag_val_member_str(&list->u.items[i], "description"), "mongo");
	for (uint32_t i = 0; list && list->type == AG_T_ARRAY && i < list->n; i++) {
		const ag_val *item = &list->u.items[i];
		const ag_str text = ag_val_member_str(item, "connectionString"),
			     description = ag_val_member_str(item, "description");
		const int r = rank(description, can_write);

		if (!text.len || (any_mongo && !has_word(description, "mongo")) || r >= best)
			continue;
		best = r;
		*ret = (ag_azure_string){ .text = ag_str_dup(arena, text),
			                  .description = ag_str_dup(arena, description),
			                  .can_write = (r >= 10) != can_write };
	}
	return ret->text.len
	               ? AG_OK
	               : ag_fail(err, AG_PROTOCOL, ORIGIN, "the account has no connection string");
}

/* The middle part of a JSON web token. */
ag_str ag_azure_token_owner(ag_str token, ag_arena *arena)
{
	static const char *const names[] = { "upn", "unique_name", "email", "appid" };
	ag_str rest = token, ret = AG_S("");
	ag_buf bytes = AG_BUF_INIT(64 * 1024);
	ag_str part;
	ag_val v;

	ag_str_split(&rest, '.');
	part = ag_str_split(&rest, '.');
	if (part.len && rest.len && ag_base64url_read(part, &bytes) &&
	    !ag_azure_read_json(ag_buf_dup(arena, &bytes), "the token", arena, &v, NULL))
		for (size_t i = 0; i < AG_NELEM(names) && !ret.len; i++)
			ret = ag_val_member_str(&v, names[i]);
	ag_buf_release(&bytes);
	return ag_str_make(ret.ptr, ret.len < 200 ? ret.len : 200);
}
