/* worth -- in which order files are looked at, so that a cap cuts off what is least likely to answer. */
#ifndef AG_ASK_WORTH_H
#define AG_ASK_WORTH_H

#include "base/str.h"

typedef enum ag_worth {
	AG_WORTH_DOCS,   /* documentation: prose, and folders of it */
	AG_WORTH_SOURCE, /* code and settings */
	AG_WORTH_BULKY   /* built, vendored, generated, locked, minified, rows of data */
} ag_worth;

/* Of a folder by its own name: "docs", "build". */
ag_worth ag_worth_of_folder(ag_str name);
/* Of a file by its own name. The folder it is in is not looked at: see ag_worth_of_path(). */
ag_worth ag_worth_of_file(ag_str name);
/* Of a file by its whole path: a file in a bulky folder is bulky. */
ag_worth ag_worth_of_path(ag_str path);

#endif
