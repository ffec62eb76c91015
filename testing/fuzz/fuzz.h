/* Files for fuzz targets, whose readers take paths. */
#ifndef TESTING_FUZZ_H
#define TESTING_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feeds one input to the readers; defined by each target, called by fuzz_driver.c or libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Makes a folder for the target's files below TMPDIR or /tmp, which is removed at exit with the
 * files of fuzz_write(). Returns its path. */
const char *fuzz_folder(void);

/* Makes a subfolder, for example "codelets/45". */
void fuzz_subfolder(const char *name);

/* Writes a file of the folder. size = 0: removes it. Returns its path, valid until the next call.
 */
const char *fuzz_write(const char *name, const uint8_t *data, size_t size);

/* Writes the parts of the input to these files, the first part to names[0] and so on. Parts are
 * separated by lines "==". Files without a part are removed. */
void fuzz_write_parts(const char *const *names, size_t count, const uint8_t *data, size_t size);

#endif
