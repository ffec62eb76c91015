/*
 * A disk backend for StarPU that records a failed transfer, which tasks and callers query; StarPU's
 * own backends end the program (StarPU quirk 14). With GPUs files are mapped instead, and main
 * memory is the tiles' home node, because of StarPU quirk 15.
 */
#define _GNU_SOURCE /* O_TMPFILE, fallocate() */
#include "memory/disk.h"

#include "library/error_text.h"
#include "library/runtime.h"
#include "memory/file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct location {
    struct store *store;
    int64_t offset; /* offset of the tile in the file, in bytes */
};

struct store {
    int file;
    char *name;    /* of the file, or of the folder of an unnamed file; for messages */
    int64_t first; /* offset of the first tile in the file, in bytes */
    char *map;     /* the mapped file, or NULL */
    size_t mapped;
    int64_t read_at_open,
        written_at_open; /* bytes that the process had read and written when the file was mapped */
    atomic_int failure;  /* errno of the first failed transfer, or 0 */
    atomic_llong read, written;
    struct location location[];
};

/* Records a failed transfer, whose reason is errno; returns the error that StarPU gets. */
static int fail(struct store *s)
{
    int none = 0;
    atomic_compare_exchange_strong(&s->failure, &none, errno != 0 ? errno : EIO);
    return -EIO;
}

/* -- StarPU's node -------------------------------------------------------------------------- */

static atomic_int node =
    -1; /* StarPU's number of the node, valid while StarPU runs; StarPU cannot remove a node */

int disk_node(void)
{
    return atomic_load(&node);
}

#ifdef STARTILE_SIMULATION
static int ensure_node(void)
{
    return explain(STARTILE_ERROR_DISK, "a simulated machine has no disks");
}

bool disk_is_map(void)
{
    return false;
}
#else

bool disk_is_map(void)
{
    return runtime_maps_files();
}

static void *plug(void *parameter, starpu_ssize_t size)
{
    (void)size;
    return parameter;
}

static void unplug(void *base)
{
    (void)base;
    atomic_store(&node, -1);
}

/* Skips StarPU's measurement of the disk's speed (StarPU quirk 17). */
static int bandwidth(unsigned number, void *base)
{
    (void)number;
    (void)base;
    return 1;
}

/* Refuses to allocate: only tiles whose home node is the disk are stored there. */
static void *refuse(void *base, size_t size)
{
    (void)base;
    (void)size;
    return NULL;
}

static void do_nothing(void *base, void *location, size_t size)
{
    (void)base;
    (void)location;
    (void)size;
}

static int read_at(void *base, void *location, void *buffer, off_t offset, size_t size)
{
    const struct location *p = location;
    (void)base;
    if (!read_bytes(p->store->file, buffer, size, p->offset + offset)) {
        int status = fail(p->store);
        memset(buffer, 0, size);
        return status;
    }
    atomic_fetch_add(&p->store->read, (long long)size);
    return 0;
}

/* Writes nothing after a failure: if a read has failed, the data may be invalid. */
static int write_at(void *base, void *location, const void *buffer, off_t offset, size_t size)
{
    const struct location *p = location;
    (void)base;
    if (atomic_load(&p->store->failure) != 0)
        return -EIO;
    if (!write_bytes(p->store->file, buffer, size, p->offset + offset))
        return fail(p->store);
    atomic_fetch_add(&p->store->written, (long long)size);
    return 0;
}

static struct starpu_disk_ops operations = {
    .plug = plug,
    .unplug = unplug,
    .bandwidth = bandwidth,
    .alloc = refuse,
    .free = do_nothing,
    .close = do_nothing,
    .read = read_at,
    .write = write_at,
};

/* Registers the node, at the first call, with its memory fully used, so that StarPU evicts no other
 * data to it (StarPU quirk 16). */
static int ensure_node(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static char base;
    pthread_mutex_lock(&mutex);
    if (disk_node() < 0) {
        int n = starpu_disk_register(&operations, &base, STARPU_DISK_SIZE_MIN);
        if (n >= 0)
            starpu_memory_allocate((unsigned)n, STARPU_DISK_SIZE_MIN, STARPU_MEMORY_OVERFLOW);
        atomic_store(&node, n);
    }
    pthread_mutex_unlock(&mutex);
    return disk_node() >= 0
               ? 0
               : explain(STARTILE_ERROR_DISK, "StarPU has no memory node left for files");
}
#endif

struct store *store_of(starpu_data_handle_t handle)
{
    int disk = disk_node();
    if (disk < 0 || starpu_data_get_home_node(handle) != disk)
        return NULL;
    return starpu_data_get_user_data(handle);
}

/* -- files ---------------------------------------------------------------------------------- */

/* Returns whether the process may write a file of `bytes`. Beyond its limit the system sends
 * SIGXFSZ, which ends most programs. Otherwise sets errno. */
static bool is_within_file_size_limit(int64_t bytes)
{
    struct rlimit limit;
    bool is_within = getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
                     (rlim_t)bytes <= limit.rlim_cur;
    if (!is_within)
        errno = EFBIG;
    return is_within;
}

/* Extends the file to `bytes` if its disk has enough free space, and returns whether it could;
 * otherwise sets errno. For a mapped file free space does not count: all blocks must be allocated.
 */
static bool extend_within_free_space(int file, int64_t bytes)
{
    struct statvfs disk;
    struct stat now;
    if (fstatvfs(file, &disk) != 0 || fstat(file, &now) != 0)
        return false;
    double present = 512.0 * (double)now.st_blocks;
    /* a mapped file needs reserved space, since writing to it on a full disk ends the program */
    double free_bytes = disk_is_map() ? 0 : (double)disk.f_bavail * (double)disk.f_frsize;
    errno = ENOSPC; /* unless ftruncate() has another reason */
    return (double)bytes - present <= free_bytes &&
           (now.st_size >= bytes || ftruncate(file, bytes) == 0);
}

/* Reserves the file's disk space, so that a full disk is an error here and not during a run. If the
 * file system cannot reserve space, checks its free space. Returns false and sets errno if there is
 * not enough space. */
static bool reserve(int file, int64_t bytes)
{
    if (!is_within_file_size_limit(bytes))
        return false;
    return bytes == 0 || fallocate(file, 0, 0, bytes) == 0 ||
           (errno == EOPNOTSUPP && extend_within_free_space(file, bytes));
}

/* Creates an unnamed file in the folder. Returns its descriptor, or −1 and sets errno. */
static int unnamed_file(const char *folder)
{
    char path[4096];
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return file;
    int length = snprintf(path, sizeof path, "%s/startile-XXXXXX", folder);
    if (length >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        unlink(path);
    return file;
}

static void free_store(struct store *s)
{
    if (s != NULL)
        free(s->name);
    free(s);
}

/* Returns NULL without memory. */
static struct store *new_store(int file, const char *name, int64_t first, int64_t tiles)
{
    struct store *s = NULL;
    size_t size;
    if (!__builtin_mul_overflow((size_t)tiles, sizeof s->location[0], &size))
        s = calloc(1, sizeof *s + size);
    if (s == NULL || (s->name = strdup(name)) == NULL) {
        free_store(s);
        return NULL;
    }
    s->file = file;
    s->first = first;
    return s;
}

/* Stores the bytes that the process has read and written; the system has no counters for one file.
 */
static void process_bytes(int64_t *read, int64_t *written)
{
    struct rusage now = {0};
    getrusage(RUSAGE_SELF, &now);
    *read = 512 * now.ru_inblock;
    *written = 512 * now.ru_oublock;
}

/* Maps the first `bytes` bytes of the file. Returns 0 or a startile_error. */
static int map(struct store *s, int64_t bytes)
{
    if (bytes == 0)
        return 0;
    void *all = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->file, 0);
    if (all == MAP_FAILED)
        return errno == ENOMEM ? STARTILE_ERROR_MEMORY : explain_file(STARTILE_ERROR_DISK, s->name);
    s->map = all;
    s->mapped = (size_t)bytes;
    process_bytes(&s->read_at_open, &s->written_at_open);
    return 0;
}

/* Makes a store of an open file, which it closes on failure. Returns 0 or a startile_error. */
static int open_store(struct store **store, int file, const char *name, int64_t first,
                      int64_t bytes, int64_t tiles)
{
    struct store *s = new_store(file, name, first, tiles);
    int status = s == NULL                       ? STARTILE_ERROR_MEMORY
                 : !reserve(file, first + bytes) ? explain_file(STARTILE_ERROR_DISK, name)
                 : disk_is_map()                 ? map(s, first + bytes)
                                                 : ensure_node();
    if (status == 0) {
        *store = s;
        return 0;
    }
    close(file);
    free_store(s);
    return status;
}

int store_create(struct store **store, const char *folder, int64_t bytes, int64_t tiles)
{
    int f = unnamed_file(folder);
    return f >= 0 ? open_store(store, f, folder, 0, bytes, tiles)
                  : explain_file(STARTILE_ERROR_DISK, folder);
}

/* Returns 0, or STARTILE_ERROR_DISK for a file that is none or ends before byte `end`. */
static int check_content(int file, const char *name, int64_t end)
{
    struct stat now;
    if (fstat(file, &now) != 0)
        return explain_file(STARTILE_ERROR_DISK, name);
    if (!S_ISREG(now.st_mode))
        return explain(STARTILE_ERROR_DISK, "%.700s: not a regular file", name);
    if (now.st_size < end)
        return explain(STARTILE_ERROR_DISK,
                       "%.700s: the file has %lld bytes, and the matrix ends at byte %lld", name,
                       (long long)now.st_size, (long long)end);
    return 0;
}

int store_open(struct store **store, const char *file, int64_t first, int64_t bytes, int64_t tiles)
{
    int f = open(file, O_RDWR | O_CLOEXEC);
    if (f < 0)
        return explain_file(STARTILE_ERROR_DISK, file);
    int status = check_content(f, file, first + bytes);
    if (status == 0)
        return open_store(store, f, file, first, bytes, tiles);
    close(f);
    return status;
}

int store_file(const struct store *store)
{
    return store->file;
}

int64_t store_first_offset(const struct store *store)
{
    return store->first;
}

bool store_is_mapped(const struct store *store)
{
    return store->map != NULL;
}

int store_node(const struct store *store)
{
    return store_is_mapped(store) ? STARPU_MAIN_RAM : disk_node();
}

uintptr_t store_tile_address(struct store *store, int64_t tile, int64_t offset)
{
    if (store_is_mapped(store))
        return (uintptr_t)(store->map + store->first + offset);
    struct location *p = &store->location[tile];
    *p = (struct location){store, store->first + offset};
    return (uintptr_t)p;
}

int store_status(const struct store *store)
{
    errno = atomic_load(&store->failure);
    return errno == 0 ? 0 : explain_file(STARTILE_ERROR_DISK, store->name);
}

const char *store_name(const struct store *store)
{
    return store->name;
}

void store_bytes(const struct store *store, int64_t *read, int64_t *written)
{
    if (store_is_mapped(store)) {
        process_bytes(read, written);
        *read -= store->read_at_open;
        *written -= store->written_at_open;
        return;
    }
    *read = atomic_load(&store->read);
    *written = atomic_load(&store->written);
}

int store_sync(struct store *store)
{
    if (fdatasync(store->file) != 0)
        (void)fail(store);
    return store_status(store);
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    if (store_is_mapped(store))
        munmap(store->map, store->mapped);
    close(store->file);
    free_store(store);
}
