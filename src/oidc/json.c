/* json -- objects as an issuer sends them. */
#include "oidc/parts.h"

#include "query/extjson.h"

#define ORIGIN     "oidc"
#define MAX_DEPTH  16
#define MAX_VALUES 20000

ag_status ag_oidc_read_json(ag_str text, const char *what, ag_arena *arena, ag_val *ret,
                            ag_err *err)
{
	const ag_extjson_opts opts = { .reject_duplicates = true,
		                       .max_depth = MAX_DEPTH,
		                       .max_values = MAX_VALUES };

	if (ag_extjson_parse(text, &opts, arena, ret, NULL, NULL, NULL) || ret->type != AG_T_OBJECT)
		return ag_fail(err, AG_PROTOCOL, ORIGIN, "%s is no JSON object", what);
	return AG_OK;
}
