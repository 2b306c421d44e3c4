/* curl_load -- libcurl, loaded when the first request needs it (docs/decisions/0007). */
#ifndef AG_NET_CURL_LOAD_H
#define AG_NET_CURL_LOAD_H

#include <curl/curl.h>

#include "base/err.h"

/* The functions of libcurl that net/ uses, under their names without "curl_". */
typedef struct ag_curl {
	CURLcode (*global_init)(long flags);
	curl_version_info_data *(*version_info)(CURLversion age);
	CURL *(*easy_init)(void);
	void (*easy_cleanup)(CURL *easy);
	void (*easy_reset)(CURL *easy);
	CURLcode (*easy_setopt)(CURL *easy, CURLoption option, ...);
	CURLcode (*easy_getinfo)(CURL *easy, CURLINFO info, ...);
	const char *(*easy_strerror)(CURLcode code);
	struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
	void (*slist_free_all)(struct curl_slist *list);
	CURLM *(*multi_init)(void);
	CURLMcode (*multi_cleanup)(CURLM *multi);
	CURLMcode (*multi_setopt)(CURLM *multi, CURLMoption option, ...);
	CURLMcode (*multi_add_handle)(CURLM *multi, CURL *easy);
	CURLMcode (*multi_remove_handle)(CURLM *multi, CURL *easy);
	CURLMcode (*multi_perform)(CURLM *multi, int *ret_running);
	CURLMcode (*multi_poll)(CURLM *multi, struct curl_waitfd *extra, unsigned nextra,
	                        int timeout_ms, int *ret_nfd);
	CURLMsg *(*multi_info_read)(CURLM *multi, int *ret_nleft);
} ag_curl;

/* Thread safe; loads once, also when that fails.
 * errors  AG_UNAVAILABLE: missing, too old or without TLS */
AG_CHECK ag_status ag_curl_load(const ag_curl **ret, ag_err *err);

#endif
