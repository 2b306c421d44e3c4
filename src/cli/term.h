/* term -- what the terminal can do: width, colours, characters. Asked once, at start. */
#ifndef AG_CLI_TERM_H
#define AG_CLI_TERM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ag_term {
	bool out_is_tty, err_is_tty;
	bool colour;     /* on standard output */
	bool can_redraw; /* standard error can show a progress line */
	bool utf8;
	size_t width; /* of standard output; 100 when it is no terminal */
	size_t err_width;
	char charset[32];      /* of the locale: "UTF-8" */
	const char *why_plain; /* why there are no colours, NULL when there are */
} ag_term;

void ag_term_init(ag_term *t);

#endif
