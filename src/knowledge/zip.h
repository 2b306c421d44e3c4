/* zip -- archives of small text files, whole in memory.
 *
 * Our own and not libzip's: of the format only what any packer writes by default is taken (stored and deflated files, no
 * encryption, no ZIP64), with limits on everything; libzip would bring five libraries for what is refused here. The
 * compression is zlib's.
 *
 * Refused: names that are absolute, have "..", "\" or control characters, or come twice; symbolic links and devices; files
 * and sums beyond the limits, whatever the archive says about them; a wrong checksum.
 * source  PKWARE APPNOTE.TXT 6.3 */
#ifndef AG_KNOWLEDGE_ZIP_H
#define AG_KNOWLEDGE_ZIP_H

#include "base/arena.h"
#include "base/err.h"

#define AG_ZIP_MAX_BYTES      (64u << 20) /* of the archive, and of all files in it together */
#define AG_ZIP_MAX_FILE_BYTES (2u << 20)
#define AG_ZIP_MAX_FILES      20000u
#define AG_ZIP_MAX_NAME       512u

typedef struct ag_zip_file {
	ag_str name; /* relative, with '/' */
	ag_str text;
} ag_zip_file;

bool ag_zip_is(ag_str bytes); /* does it begin like an archive? */
/* Is it a name that an archive or folder may have: relative, without "..", "\", an empty part, or a control character? */
bool ag_zip_name_is_safe(ag_str name);
/* All files in the archive's order; folders are left out. In arena.
 * errors  AG_INVALID: names the file and what is wrong with it; AG_LIMIT */
AG_CHECK ag_status ag_zip_read(ag_str bytes, ag_arena *arena, ag_zip_file **ret, size_t *nret,
                               ag_err *err);
/* The same files give the same bytes. errors  AG_LIMIT, AG_INVALID: a name */
AG_CHECK ag_status ag_zip_write(const ag_zip_file *files, size_t n, ag_buf *out, ag_err *err);

#endif
