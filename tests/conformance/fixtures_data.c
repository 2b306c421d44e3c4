/* fixtures_data -- resources, prompts and completions of the conformance suite. */
#include "fixtures.h"

typedef struct thing {
	const char *key, *json;
} thing;

static const thing resources_list[] = {
	{ "test://static-binary",
	  "{\"uri\":\"test://static-binary\",\"name\":\"Static Binary\",\"description\":\"An image\","
	  "\"mimeType\":\"image/png\"}" },
	{ "test://static-text",
	  "{\"uri\":\"test://static-text\",\"name\":\"Static Text\",\"description\":\"A text\","
	  "\"mimeType\":\"text/plain\"}" },
	{ "test://watched-resource",
	  "{\"uri\":\"test://watched-resource\",\"name\":\"Watched\",\"description\":\"It may change\","
	  "\"mimeType\":\"text/plain\"}" },
};

static const thing templates_list[] = {
	{ "test://template/{id}/data",
	  "{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"Template\","
	  "\"description\":\"Data of an id\",\"mimeType\":\"application/json\"}" },
};

static const thing prompts_list[] = {
	{ "test_input_required_result_prompt", "{\"name\":\"test_input_required_result_prompt\","
	                                       "\"description\":\"Asks before it is given\"}" },
	{ "test_prompt_with_arguments",
	  "{\"name\":\"test_prompt_with_arguments\",\"description\":\"With two arguments\",\"arguments\":["
	  "{\"name\":\"arg1\",\"description\":\"The first\",\"required\":true},"
	  "{\"name\":\"arg2\",\"description\":\"The second\",\"required\":true}]}" },
	{ "test_prompt_with_embedded_resource",
	  "{\"name\":\"test_prompt_with_embedded_resource\",\"description\":\"With a resource\","
	  "\"arguments\":[{\"name\":\"resourceUri\",\"description\":\"Its URI\",\"required\":true}]}" },
	{ "test_prompt_with_image",
	  "{\"name\":\"test_prompt_with_image\",\"description\":\"With an image\"}" },
	{ "test_simple_prompt",
	  "{\"name\":\"test_simple_prompt\",\"description\":\"Without arguments\"}" },
};

static ag_status give(const thing *things, size_t n, ag_call *c, ag_mcp_item **ret, size_t *nret)
{
	*ret = ag_new_n(c->arena, ag_mcp_item, n);
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = (ag_mcp_item){ ag_str_c(things[i].key), ag_str_c(things[i].json) };
	*nret = n;
	return AG_OK;
}

static ag_status list_resources(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err)
{
	(void)env, (void)err;
	return give(resources_list, AG_NELEM(resources_list), c, ret, nret);
}

static ag_status list_templates(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err)
{
	(void)env, (void)err;
	return give(templates_list, AG_NELEM(templates_list), c, ret, nret);
}

static ag_status list_prompts(void *env, ag_call *c, ag_mcp_item **ret, size_t *nret, ag_err *err)
{
	(void)env, (void)err;
	return give(prompts_list, AG_NELEM(prompts_list), c, ret, nret);
}

/* --- reading --- */

static void content(ag_buf *out, ag_str uri, const char *mime, const char *kind, ag_str data)
{
	ag_jw w;

	ag_jw_init(&w, out, 0);
	ag_jw_arr(&w);
	ag_jw_obj(&w);
	ag_jw_kstr(&w, "uri", uri);
	ag_jw_kstr(&w, "mimeType", ag_str_c(mime));
	ag_jw_kstr(&w, kind, data);
	ag_jw_obj_end(&w);
	ag_jw_arr_end(&w);
}

static bool template_id(ag_str uri, ag_str *ret)
{
	const ag_str before = AG_S("test://template/"), after = AG_S("/data");

	if (!ag_str_starts(uri, before) || !ag_str_ends(uri, after) ||
	    uri.len <= before.len + after.len)
		return false;
	*ret = ag_str_make(uri.ptr + before.len, uri.len - before.len - after.len);
	return true;
}

static ag_status read_one(void *env, ag_call *c, ag_str uri, ag_buf *ret, ag_err *err)
{
	ag_buf data = AG_BUF_INIT(64 * 1024);
	ag_str id;
	ag_jw w;

	(void)env, (void)c;
	if (ag_str_eqc(uri, "test://static-text")) {
		content(ret, uri, "text/plain", "text",
		        AG_S("This is the content of the static text resource."));
	} else if (ag_str_eqc(uri, "test://watched-resource")) {
		content(ret, uri, "text/plain", "text", AG_S("Watched resource content"));
	} else if (ag_str_eqc(uri, "test://static-binary")) {
		content(ret, uri, "image/png", "blob", AG_S(AG_MCP_FIXTURE_PNG));
	} else if (template_id(uri, &id)) {
		ag_jw_init(&w, &data, 0);
		ag_jw_obj(&w);
		ag_jw_kstr(&w, "id", id);
		ag_jw_kbool(&w, "templateTest", true);
		ag_jw_kstr(&w, "data", ag_str_printf(c->arena, "Data for ID: %.*s", AG_FMT(id)));
		ag_jw_obj_end(&w);
		content(ret, uri, "application/json", "text", ag_buf_view(&data));
		ag_buf_release(&data);
	} else {
		return ag_fail(err, AG_NOT_FOUND, "mcp.fixtures", "there is no such resource");
	}
	return AG_OK;
}

/* --- prompts --- */

static void message_begin(ag_jw *w)
{
	ag_jw_obj(w);
	ag_jw_kstr(w, "role", AG_S("user"));
	ag_jw_kkey(w, "content");
}

static void message(ag_jw *w, ag_str text)
{
	message_begin(w);
	ag_mcp_fixture_text(w, text);
	ag_jw_obj_end(w);
}

static ag_status argument(const ag_val *arguments, const char *name, ag_str *ret, ag_err *err)
{
	const ag_val *v = ag_val_getc(arguments, name);

	if (!v || v->type != AG_T_STRING)
		return ag_fail(err, AG_INVALID, "mcp.fixtures", "arguments.%s: want a string",
		               name);
	*ret = ag_val_text(v);
	return AG_OK;
}

static ag_status write_prompt(ag_call *c, ag_str name, const ag_val *arguments, ag_jw *w,
                              ag_err *err)
{
	ag_str a = AG_S(""), b = AG_S("");

	if (ag_str_eqc(name, "test_simple_prompt")) {
		message(w, AG_S("This is a simple prompt for testing."));
	} else if (ag_str_eqc(name, "test_prompt_with_arguments")) {
		if (argument(arguments, "arg1", &a, err) || argument(arguments, "arg2", &b, err))
			return AG_INVALID;
		message(w,
		        ag_str_printf(c->arena, "Prompt with arguments: arg1='%.*s', arg2='%.*s'",
		                      AG_FMT(a), AG_FMT(b)));
	} else if (ag_str_eqc(name, "test_prompt_with_embedded_resource")) {
		if (argument(arguments, "resourceUri", &a, err))
			return AG_INVALID;
		message_begin(w);
		ag_mcp_fixture_resource(w, a, "text/plain",
		                        AG_S("Embedded resource content for testing."));
		ag_jw_obj_end(w);
		message(w, AG_S("Please process the embedded resource above."));
	} else if (ag_str_eqc(name, "test_prompt_with_image")) {
		message_begin(w);
		ag_mcp_fixture_data(w, "image", AG_MCP_FIXTURE_PNG, "image/png");
		ag_jw_obj_end(w);
		message(w, AG_S("Please analyze the image above."));
	} else {
		return ag_fail(err, AG_NOT_FOUND, "mcp.fixtures", "there is no such prompt");
	}
	return AG_OK;
}

static ag_status get_prompt(void *env, ag_call *c, ag_str name, const ag_val *arguments,
                            ag_buf *ret, ag_err *err)
{
	ag_status st;
	ag_jw w;

	(void)env;
	if (ag_str_eqc(name, "test_input_required_result_prompt"))
		return ag_mcp_fixture_prompt_input(c, ret, err);
	ag_jw_init(&w, ret, 0);
	ag_jw_obj(&w);
	ag_jw_kkey(&w, "messages");
	ag_jw_arr(&w);
	st = write_prompt(c, name, arguments, &w, err);
	ag_jw_arr_end(&w);
	ag_jw_obj_end(&w);
	return st;
}

static ag_status complete(void *env, ag_call *c, const ag_mcp_completion *what, ag_str **ret,
                          size_t *nret, ag_err *err)
{
	static const char *const words[] = { "paris", "park", "party", "test", "testing" };
	const bool is_known = what->is_prompt ? ag_str_eqc(what->ref, "test_prompt_with_arguments")
	                                      : ag_str_eqc(what->ref, "test://template/{id}/data");

	(void)env;
	if (!is_known)
		return ag_fail(err, AG_NOT_FOUND, "mcp.fixtures", "there is no such reference");
	*ret = ag_new_n(c->arena, ag_str, AG_NELEM(words));
	*nret = 0;
	for (size_t i = 0; i < AG_NELEM(words); i++)
		if (ag_str_starts(ag_str_c(words[i]), what->prefix))
			(*ret)[(*nret)++] = ag_str_c(words[i]);
	return AG_OK;
}

ag_mcp_provider ag_mcp_fixture_provider(void)
{
	return (ag_mcp_provider){ .can_subscribe = true,
		                  .resources = list_resources,
		                  .templates = list_templates,
		                  .read = read_one,
		                  .prompts = list_prompts,
		                  .prompt = get_prompt,
		                  .complete = complete };
}
