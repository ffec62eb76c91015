/* Fuzz target: the reader of Matrix Market files. */
#include "command.h"
#include "fuzz.h"
#include "matrix_market.h"
#include "measure.h"
#include "scalar.h"

#include <stdlib.h>

/* Replaces the machine's memory: the reader refuses larger matrices. */
size_t memory_total(void)
{
    return (size_t)1 << 20;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_write("matrix.mtx", data, size);
    is_silent = true; /* no messages */
    for (int t = 0; t < 2; t++) {
        startile_dtype dtype = t == 0 ? STARTILE_S : STARTILE_Z;
        struct mm_file file;
        char description[128];
        void *a;
        if (!mm_open(&file, path))
            return 0;
        mm_describe(&file, description, sizeof description);
        /* the sum of the elements: the sanitizers see each read */
        if (mm_read(&file, dtype, 2, &a)) {
            const unsigned char *bytes = a;
            volatile unsigned sum = 0;
            for (size_t i = 0; i < (size_t)file.m * (size_t)file.n * dtype_size(dtype); i++)
                sum = sum + bytes[i];
            free(a);
        }
        mm_close(&file);
    }
    return 0;
}
