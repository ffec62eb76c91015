/* Complete transfers between memory and files. */
#include "memory/file_bytes.h"

#include <errno.h>
#include <unistd.h>

bool read_bytes(int file, void *buffer, size_t size, int64_t offset)
{
    for (size_t done = 0; done < size;) {
        ssize_t n =
            pread(file, (char *)buffer + done, size - done, (off_t)(offset + (int64_t)done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENODATA;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

bool write_bytes(int file, const void *buffer, size_t size, int64_t offset)
{
    for (size_t done = 0; done < size;) {
        ssize_t n =
            pwrite(file, (const char *)buffer + done, size - done, (off_t)(offset + (int64_t)done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}
