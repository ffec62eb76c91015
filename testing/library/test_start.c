/* Tests of the library's start where StarPU itself would end the program: folders and files that it
 * cannot use, limits of the process, malformed environment variables. Each start runs in a child
 * process, which must not end by a signal. */
#define _GNU_SOURCE /* nftw(), setresuid(), unshare() */
#include "check.h"
#include "startile_lapack.h"

#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* SKIPPED: exit code of a child that cannot prepare the test on this machine. */
enum { PATH = 4096, SECONDS = 60, SKIPPED = 77 };

/* The folder of a test, its home folder and its folder for temporary files. */
static char root[64], home[96];

/* -- files ----------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *at)
{
    (void)s, (void)type, (void)at;
    return remove(path);
}

/* Makes an empty home folder, and lets the environment name it. All users can write in it. */
static int make_home(void **state)
{
    char temporary[96];
    (void)state;
    snprintf(root, sizeof root, "/tmp/startile-start-XXXXXX");
    if (mkdtemp(root) == NULL)
        return 1;
    snprintf(home, sizeof home, "%s/home", root);
    snprintf(temporary, sizeof temporary, "%s/tmp", root);
    mkdir(home, 0777);
    mkdir(temporary, 0777);
    setenv("HOME", home, 1);
    setenv("TMPDIR", temporary, 1);
    unsetenv("STARPU_HOME");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("STARPU_PERF_MODEL_DIR");
    return chmod(root, 0777) || chmod(home, 0777) || chmod(temporary, 0777);
}

static int remove_home(void **state)
{
    (void)state;
    return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Makes the folder in StarPU's folder and those above it; all users can write in them. */
static void make_folder(const char *entry)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/.starpu/sampling/%s", home, entry);
    for (char *c = path + strlen(home) + 1;; c++)
        if (*c == '/' || *c == '\0') {
            char end = *c;
            *c = '\0';
            mkdir(path, 0777);
            chmod(path, 0777);
            *c = end;
            if (end == '\0')
                return;
        }
}

/* Writes "FOLDER/NAME.HOST" or, with an end, "FOLDER/HOST.END". */
static void file_of_host(char path[PATH], const char *folder, const char *name, const char *end)
{
    char host[65] = "";
    gethostname(host, sizeof host - 1);
    host[strcspn(host, ".")] = '\0';
    snprintf(path, PATH, "%s/.starpu/sampling/%s/%s%s%s%s", home, folder, name,
             name[0] != '\0' ? "." : "", host, end);
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    require(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0 && chmod(path, 0666) == 0);
}

static long bytes_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (long)s.st_size : -1;
}

/* -- a start in a child process -------------------------------------------------------------- */

/* Gives up the rights of root, which no file and no number of threads is refused. */
static void become_user(void)
{
    enum { NOBODY = 65534 };
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 ||
                           setresuid(NOBODY, NOBODY, NOBODY) != 0))
        _exit(SKIPPED);
}

/* Factors a matrix of several tiles, which starts the library, and returns the info. */
static int64_t factor(void)
{
    enum { N = 96 };
    static double a[N * N];
    for (int i = 0; i < N * N; i++)
        a[i] = i % (N + 1) == 0 ? N : 1;
    setenv("STARTILE_NB", "32", 1);
    return startile_dpotrf('L', N, a, N);
}

/* Calls prepare(), starts the library, and returns its info. `text` gets the message. */
static int64_t info_of_start(void (*prepare)(void), char text[256])
{
    int result[2], status;
    struct {
        int64_t info;
        char text[256];
    } outcome = {12345, ""};
    require(pipe(result) == 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        if (prepare != NULL)
            prepare();
        outcome.info = factor();
        snprintf(outcome.text, sizeof outcome.text, "%s", startile_strerror(outcome.info));
        exit(write(result[1], &outcome, sizeof outcome) == sizeof outcome ? 0 : 1);
    }
    close(result[1]);
    require(child > 0 && waitpid(child, &status, 0) == child);
    require(!WIFSIGNALED(status));
    if (WEXITSTATUS(status) == SKIPPED) {
        printf("skipped: this user may not change the user or mount\n");
        skip();
    }
    require(WEXITSTATUS(status) == 0);
    require(read(result[0], &outcome, sizeof outcome) == sizeof outcome);
    close(result[0]);
    if (text != NULL)
        memcpy(text, outcome.text, sizeof outcome.text);
    return outcome.info;
}

/* -- folders --------------------------------------------------------------------------------- */

/* Tests folders that cannot be made, and that the environment of the program does not change. */
static void test_missing_folders(void)
{
    static const char *const variables[] = {"STARPU_HOME", "XDG_CACHE_HOME",
                                            "STARPU_PERF_MODEL_DIR"};
    for (int v = 0; v < 3; v++) {
        in_case("%s=/dev/null/missing", variables[v]);
        setenv(variables[v], "/dev/null/missing", 1);
        require_info(info_of_start(become_user, NULL), 0);
        unsetenv(variables[v]);
    }
    in_case("a path that is too long for StarPU");
    char path[PATH];
    snprintf(path, sizeof path, "%s/%0200d", home, 0);
    require(mkdir(path, 0777) == 0 && chmod(path, 0777) == 0);
    setenv("HOME", path, 1);
    require_info(info_of_start(become_user, NULL), 0);
}

/* Tests folders in which another user may not write, as after a start by root. */
static void test_folders_of_others(void)
{
    static const char *const folders[] = {"bus", "codelets/45", "."};
    char path[PATH];
    for (int f = 0; f < 3; f++) {
        in_case("read-only %s", folders[f]);
        make_folder(folders[f]);
        snprintf(path, sizeof path, "%s/.starpu/sampling/%s", home, folders[f]);
        require(chmod(path, 0555) == 0);
        require_info(info_of_start(become_user, NULL), 0);
        require(chmod(path, 0777) == 0);
    }
}

/* -- damaged files --------------------------------------------------------------------------- */

/* Requires a start to succeed, and to leave the file with more than one line. */
static void require_replaced(const char *path)
{
    require_info(info_of_start(become_user, NULL), 0);
    require(bytes_of(path) > 10);
}

/* Tests measurements of the machine that a full disk has cut. */
static void test_damaged_bus(void)
{
    char path[PATH];
    static const char *const ends[] = {".config", ".affinity"};
    make_folder("bus");
    for (int e = 0; e < 2; e++) {
        in_case("empty %s", ends[e]);
        file_of_host(path, "bus", "", ends[e]);
        unlink(path);
        write_file(path, "");
        require_replaced(path);
    }
    in_case("a folder for a file");
    require(unlink(path) == 0 && mkdir(path, 0777) == 0);
    require_replaced(path);
    in_case("unreadable file");
    require(chmod(path, 0) == 0);
    require_replaced(path);
}

/* Tests measurements of tasks that were cut, or written with a decimal comma. */
static void test_damaged_model(void)
{
    static const char *const texts[] = {"45\n1\n1\n0\n0\n1\n1\n1\n1,2e+00\t1,2e+00\n", "45\n1\n"};
    char path[PATH];
    make_folder("codelets/45");
    for (int t = 0; t < 2; t++) {
        in_case("damaged model %d", t);
        file_of_host(path, "codelets/45", "startile_dpotrf", "");
        write_file(path, texts[t]);
        require_info(info_of_start(become_user, NULL), 0);
        require(bytes_of(path) == -1);
    }
}

/* Sets a limit of files' sizes below those of StarPU's files. */
static void limit_files(void)
{
    const struct rlimit l = {.rlim_cur = 1000, .rlim_max = 1000};
    become_user();
    setrlimit(RLIMIT_FSIZE, &l);
}

/* Tests that a start without files fails if it may write none, and leaves nothing that disturbs the
 * next one; and that a start needs no writing then. */
static void test_file_size(void)
{
    in_case("limit of file sizes");
    require_info(info_of_start(limit_files, NULL), STARTILE_ERROR_DISK);
    in_case("after it");
    require_info(info_of_start(become_user, NULL), 0);
    in_case("limit of file sizes, with measurements");
    require_info(info_of_start(limit_files, NULL), 0);
}

/* Mounts a file system of 8 KiB on the home folder, for this process. */
static void mount_small_disk(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", home, "tmpfs", 0, "size=8k,mode=777") != 0)
        _exit(SKIPPED);
    become_user();
}

static void test_full_disk(void)
{
    in_case("full disk");
    require_info(info_of_start(mount_small_disk, NULL), 0);
}

/* -- limits ---------------------------------------------------------------------------------- */

static void limit_threads(void)
{
    const struct rlimit l = {.rlim_cur = 1, .rlim_max = 1};
    become_user();
    setrlimit(RLIMIT_NPROC, &l);
}

static void limit_descriptors(void)
{
    rlim_t used = (rlim_t)open("/dev/null", O_RDONLY) + 1;
    const struct rlimit l = {.rlim_cur = used, .rlim_max = used};
    setrlimit(RLIMIT_NOFILE, &l);
}

/* MiB of address space that the next child may use in addition to what it has. */
static long mebibytes;

static void limit_memory(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%ld", &pages) != 1)
        _exit(SKIPPED);
    fclose(f);
    rlim_t bytes = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + (mebibytes << 20));
    const struct rlimit l = {.rlim_cur = bytes, .rlim_max = bytes};
    setrlimit(RLIMIT_AS, &l);
}

static void test_limits(void)
{
    in_case("no thread");
    require_info(info_of_start(limit_threads, NULL), STARTILE_ERROR_MEMORY);
    in_case("no file descriptor");
    require_info(info_of_start(limit_descriptors, NULL), STARTILE_ERROR_DISK);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* they map terabytes */
    for (mebibytes = 0; mebibytes <= 80; mebibytes += 20) {
        in_case("%ld MiB", mebibytes);
        require_info(info_of_start(limit_memory, NULL), STARTILE_ERROR_MEMORY);
    }
#endif
}

/* -- environment variables ------------------------------------------------------------------- */

static void test_environment(void)
{
    static const char *const wrong[][2] = {
        {"STARPU_NCPU", "abc"},
        {"STARPU_NCPUS", "-1"},
        {"STARPU_PREFETCH", "2147483648"},
        {"STARPU_CALIBRATE", "yes"},
        {"STARPU_LIMIT_CPU_NUMA_0_MEM", "1G"},
        {"STARPU_SCHED_ALPHA", "one"},
        {"STARPU_WORKERS_CPUID", "abc"},
        {"STARPU_WORKERS_COREID", "0 -9"},
        {"STARPU_WORKERS_CUDAID", "abc"},
        {"STARPU_MAIN_THREAD_CPUID", "1000000"},
        {"STARPU_NTHREADS_PER_CORE", "0"},
        {"STARPU_NTHREADS_PER_CORE", "100"},
        {"STARPU_NWORKER_PER_CUDA", "0"},
        {"STARPU_HOSTNAME", "a/b"},
        {"STARPU_DISK_SWAP", "/dev/null/missing"},
        {"STARPU_BUS_STATS_FILE", "/dev/null/missing"},
        {"STARPU_PERF_MODEL_PATH", "a:b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t"},
    };
    char text[256];
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        in_case("%s=%s", wrong[w][0], wrong[w][1]);
        setenv(wrong[w][0], wrong[w][1], 1);
        require_info(info_of_start(NULL, text), STARTILE_ERROR_ENVIRONMENT);
        require(strstr(text, wrong[w][0]) != NULL);
        unsetenv(wrong[w][0]);
    }
    in_case("well-formed values");
    setenv("STARPU_SCHED_ALPHA", "1.5", 1);
    setenv("STARPU_WORKERS_CPUID", "0-", 1);
    require_info(info_of_start(NULL, text), 0);
    unsetenv("STARPU_SCHED_ALPHA");
    unsetenv("STARPU_WORKERS_CPUID");
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    setenv("STARPU_NCUDA", "0", 0);
    return run_group_between(make_home, remove_home, "start", test_missing_folders,
                             test_folders_of_others, test_damaged_bus, test_damaged_model,
                             test_file_size, test_full_disk, test_limits, test_environment) != 0;
}
