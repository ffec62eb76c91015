/* The cause of a failure, for error codes that have several. Private to codelets/. */
#ifndef STARTILE_ERROR_TEXT_H
#define STARTILE_ERROR_TEXT_H

#include <stdint.h>

/* Stores the message that startile_strerror(code) returns in the calling thread, until the thread's
 * next message. Returns code. */
__attribute__((format(printf, 2, 3))) int explain(int code, const char *format, ...);
/* Stores the message "PATH: text of errno"; ENODATA: the file is shorter than its content. Returns
 * code. */
int explain_file(int code, const char *path);

/* A request takes the message from the thread that fails it, and gives it to the thread that waits.
 * take_explanation() returns a string for free(), or NULL without a message of this code;
 * give_explanation() takes NULL for none. */
char *take_explanation(int64_t code);
void give_explanation(int64_t code, const char *text);

#endif
