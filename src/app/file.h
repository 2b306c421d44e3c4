/* file -- whole small files in, and files that are written completely or not at all. */
#ifndef AG_APP_FILE_H
#define AG_APP_FILE_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"

/* A whole file of at most `limit` bytes. "-" is standard input. Pipes are read as well when the user named
 * them (`allow_pipe`); a read that waits ends when *cancel becomes true and a signal comes (cancel may be NULL).
 * errors  AG_NOT_FOUND, AG_DENIED, AG_IO, AG_INVALID (a folder), AG_LIMIT, AG_CANCELLED */
AG_CHECK ag_status ag_file_read(ag_str path, size_t limit, bool allow_pipe,
                                const atomic_bool *cancel, ag_arena *arena, ag_str *ret,
                                ag_err *err);

/* Can `path` be written by ag_file_replace()? Asked before the work, so that its result is not lost. */
AG_CHECK ag_status ag_file_can_replace(ag_str path, ag_err *err);
/* Write a temporary file beside `path`, bring it to disk, put it in the place of `path`. A reader sees the old
 * file or the new one; on failure nothing is left behind. A path that is no regular file (a pipe, a device, a
 * terminal) is opened and written. "-", /dev/stdout, /dev/fd/N and their like are the descriptor itself, written
 * where it stands, whatever it leads to. */
AG_CHECK ag_status ag_file_replace(ag_str path, ag_str text, ag_err *err);

/* A folder with those above it, for this user alone. It may be there. errors  AG_DENIED, AG_IO */
AG_CHECK ag_status ag_file_make_folder(ag_str path, ag_arena *arena, ag_err *err);

/* All bytes, however often write() stops short. Returns 0 or errno. */
int ag_fd_write(int fd, ag_str text);

#endif
