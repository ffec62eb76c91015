/*
 * Kills factorizations with journals at random moments and continues them: the results must have
 * the bits of an uninterrupted run without a journal (of LU on GPUs: with one). The matrix exceeds
 * StarPU's main memory, so tiles are written to the file at any moment. Some
 * of the processes also check for silent corruption: they find a bit that flips after a kill.
 *
 *     test_journal_kill cpu TYPE
 *     test_journal_kill run TYPE ROUTINE FOLDER [NAME]
 *
 * The second form is the process that is killed: it factors FOLDER/matrix, with the journal
 * FOLDER/NAME if NAME is given, and writes interchanges or triangles to FOLDER/extra.
 */
#include "check.h"
#include "journal_runs.h"

#include "journal/journal_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/startile-journal-XXXXXX";
static const char *program, *type_letter;

/* Returns the path of a file in the folder; the text of two calls is valid at a time. */
static const char *path(const char *name)
{
    static char text[2][64];
    static int next;
    next = !next;
    snprintf(text[next], sizeof text[next], "%s/%s", folder, name);
    return text[next];
}

/* -- files ------------------------------------------------------------------------------------ */

struct bytes {
    size_t size;
    char *p;
};

static struct bytes read_all(const char *name)
{
    struct stat s;
    FILE *f = fopen(path(name), "rb");
    require(f != NULL && fstat(fileno(f), &s) == 0);
    struct bytes b = {(size_t)s.st_size, malloc((size_t)s.st_size + 1)};
    require(b.p != NULL && fread(b.p, 1, b.size, f) == b.size && fclose(f) == 0);
    return b;
}

static void write_all(const char *name, struct bytes b)
{
    FILE *f = fopen(path(name), "wb");
    require(f != NULL && fwrite(b.p, 1, b.size, f) == b.size && fclose(f) == 0);
}

static void require_same_file(const char *name, struct bytes wanted)
{
    struct bytes b = read_all(name);
    require(b.size == wanted.size && memcmp(b.p, wanted.p, b.size) == 0);
    free(b.p);
}

/* Makes the matrix: random elements in [−1/2, 1/2), with `bump` on the diagonal, and a leading
 * dimension that is larger than m. */
static struct bytes new_matrix(const struct journal_run *r)
{
    size_t parts = dtype == STARTILE_C || dtype == STARTILE_Z ? 2 : 1;
    size_t count = (size_t)(r->m + LD_PAD) * (size_t)r->n * parts,
           size = element_size(dtype) / parts;
    struct bytes b = {count * size, malloc(count * size)};
    require(b.p != NULL);
    for (size_t e = 0; e < count; e++) {
        int64_t i = (int64_t)(e / parts) % (r->m + LD_PAD),
                j = (int64_t)(e / parts) / (r->m + LD_PAD);
        double x = drand48() - 0.5 + (i == j && e % parts == 0 ? r->bump : 0);
        x = i == j && e % parts == 1 && r->is_triangular ? 0 : x;
        if (is_single(dtype))
            ((float *)(void *)b.p)[e] = (float)x;
        else
            ((double *)(void *)b.p)[e] = x;
    }
    return b;
}

/* -- processes -------------------------------------------------------------------------------- */

/* Starts a process that factors the matrix; journal: NULL for none. */
static pid_t start(const struct journal_run *r, const char *journal, bool verifies)
{
    static int starts;
    pid_t child = fork();
    require(child >= 0);
    if (child > 0)
        return child;
    /* one and two workers in turn: an interrupted factorization may continue with another number */
    setenv("STARPU_NCPU", starts++ % 2 ? "1" : "2", 1);
    setenv("STARTILE_VERIFY", verifies ? "1" : "0", 1);
    execl(program, program, "run", type_letter, r->name, folder, journal, (char *)NULL);
    _exit(127);
}

static void require_success(pid_t child)
{
    int status;
    require(waitpid(child, &status, 0) == child && WIFEXITED(status));
    require_info(WEXITSTATUS(status), 0);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_for(double time)
{
    struct timespec t = {(time_t)time, (long)(1e9 * (time - (double)(time_t)time))};
    nanosleep(&t, NULL);
}

/* Returns whether the child has ended, with success. */
static bool has_ended(pid_t child)
{
    int status;
    pid_t ended = waitpid(child, &status, WNOHANG);
    require(ended == 0 || (ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0));
    return ended == child;
}

/* Waits until the child has opened the journal: it then makes the file `begun`. Returns false if it
 * has ended. */
static bool wait_for_begin(pid_t child)
{
    while (access(path("begun"), F_OK) != 0) {
        if (has_ended(child))
            return access(path("begun"), F_OK) == 0;
        pause_for(0.0005);
    }
    return true;
}

/* -- kills ------------------------------------------------------------------------------------ */

/* Overwrites a part of block column k in the file. */
static void spoil(const struct journal_run *r, int file, int64_t k)
{
    bool is_row = strcmp(r->name, "potrf_upper") == 0; /* a row of tiles */
    int64_t last = is_row ? r->n : min(r->n, (k + 1) * NB), row = r->is_triangular ? k * NB : 0;
    for (int64_t j = k * NB; j < last; j++) {
        int64_t element = row + j * (r->m + LD_PAD);
        require(pwrite(file, "spoiled", 7, element * (int64_t)element_size(dtype)) == 7);
    }
}

enum state { NOT_BEGUN, IN_WORK, FINISHED };

/* Reads the journal, and overwrites the block columns that are in work: a process that is killed
 * may leave anything there. */
static enum state state_after_kill(const struct journal_run *r)
{
    struct journal *j;
    require(journal_new(&j, path("journal")) == 0);
    require_info(journal_open(j), 0);
    bool interchanges = strncmp(r->name, "getrf", 5) == 0 && strcmp(r->name, "getrf_nopiv") != 0;
    int64_t factored = 0, interchanged = 0, columns = 0;
    int f = open(path("matrix"), O_WRONLY);
    require(f >= 0);
    for (; j->file >= 0 && columns < j->header.columns; columns++) {
        enum journal_stage stage = j->column[columns].stage;
        factored += stage >= FACTORED;
        interchanged += stage == INTERCHANGED;
        if (stage == SAVED || stage == SAVED_FACTORED)
            spoil(r, f, columns);
    }
    bool is_finished =
        factored == columns && (!interchanges || interchanged == j->header.panels - 1);
    close(f);
    journal_close(j);
    if (columns == 0 || is_finished)
        return columns == 0 ? NOT_BEGUN : FINISHED;
    printf("  %s: killed with %d of %d block columns factored, %d interchanged\n", r->name,
           (int)factored, (int)columns, (int)interchanged);
    return IN_WORK;
}

/* Factors the matrix with up to `kills` kills at random moments of `duration` seconds. Returns
 * their number. */
static int run_with_kills(const struct journal_run *r, int kills, double duration)
{
    bool is_finished = false;
    for (int done = 0;;) {
        unlink(path("begun"));
        pid_t child = start(r, "journal", drand48() < 0.5);
        if (done == kills || is_finished) {
            require_success(child);
            return done;
        }
        bool has_begun = wait_for_begin(child);
        if (has_begun)
            pause_for(duration * drand48());
        if (!has_begun || has_ended(child))
            return done;
        int status;
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
        switch (state_after_kill(r)) {
        case NOT_BEGUN:
            break;
        case IN_WORK:
            done++;
            duration *= 0.7; /* a part is finished */
            break;
        case FINISHED:
            is_finished = true;
        }
    }
}

/* Removes the results of earlier runs and writes the matrix. */
static void begin_anew(struct bytes matrix)
{
    unlink(path("journal"));
    unlink(path("extra"));
    write_all("matrix", matrix);
}

/* Kills the process, then flips a bit in the one that continues: it must find that. Returns false
 * if the factorization was finished before the kill, or had no more panels. */
static bool check_flip(const struct journal_run *r, struct bytes matrix, double time)
{
    int status;
    begin_anew(matrix);
    unlink(path("begun"));
    pid_t child = start(r, "journal", true);
    if (!wait_for_begin(child))
        return false;
    pause_for(time);
    if (has_ended(child))
        return false;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (state_after_kill(r) != IN_WORK)
        return false;
    setenv("STARTILE_TEST_FLIP", "1", 1);
    child = start(r, "journal", true);
    unsetenv("STARTILE_TEST_FLIP");
    require(waitpid(child, &status, 0) == child && WIFEXITED(status));
    require(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == FLIP_FOUND);
    return WEXITSTATUS(status) == FLIP_FOUND;
}

/* Tests a routine with at least `kills` kills. */
static void check_routine(const struct journal_run *r, int kills)
{
    struct bytes matrix = new_matrix(r);
    in_case("%s", r->name);
    begin_anew(matrix);
    /* on GPUs a journal changes the bits of LU, which then solves instead of multiplying by
     * inverses */
    bool is_lu = strncmp(r->name, "getrf", 5) == 0;
    require_success(start(r, is_lu && backend != CPU ? "journal" : NULL, false));
    struct bytes factors = read_all("matrix"), extra = read_all("extra");
    require(memcmp(factors.p, matrix.p, factors.size) != 0);

    begin_anew(matrix);
    unlink(path("begun"));
    pid_t child = start(r, "journal", true);
    require(wait_for_begin(child));
    double duration = seconds();
    while (access(path("extra"), F_OK) != 0)
        pause_for(0.001);
    duration = seconds() - duration;
    require_success(child);
    require_same_file("matrix", factors);
    require_same_file("extra", extra);

    for (int done = 0; done < kills;) {
        begin_anew(matrix);
        done += run_with_kills(r, kills - done, duration);
        require_same_file("matrix", factors);
        require_same_file("extra", extra);
    }
    /* a finished factorization stays as it is */
    unlink(path("extra"));
    require_success(start(r, "journal", true));
    require_same_file("matrix", factors);
    require_same_file("extra", extra);
    in_case("%s, a flip after a kill", r->name);
    for (int tries = 1; !check_flip(r, matrix, duration / 2 / tries); tries++)
        require(tries < 20);
    free(matrix.p);
    free(factors.p);
    free(extra.p);
}

static void test_kills(void)
{
    /* 50 in both tests of CTest; fewer for mapped files, which differ only in how tiles reach the
     * file */
    int kills = getenv("STARTILE_TEST_MAP") != NULL ? 14 : 36;
    long seed = (long)time(NULL);
    printf("  seed %ld\n", seed);
    srand48(seed);
    for (int i = 0, done = 0; i < journal_runs; i++) {
        int share = (kills - done) / (journal_runs - i);
        check_routine(&journal_run[i], share);
        done += share;
    }
}

int main(int argc, char **argv)
{
    if (argc >= 5 && strcmp(argv[1], "run") == 0)
        return journal_run_here(argc, argv);
    check_arguments(argc, argv);
    program = argv[0];
    /* on GPUs only this option gives a continued factorization the bits of the whole one */
    if (backend != CPU)
        setenv("STARTILE_REPRODUCIBLE", "1", 1);
    type_letter = argc > 2 ? argv[2] : "d";
    require(mkdtemp(folder) != NULL && setenv("STARPU_LIMIT_CPU_MEM", "4", 1) == 0);
    int failed = run_group("journal_kill", test_kills);
    const char *const files[] = {"matrix", "journal", "journal.new", "extra", "begun"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(path(files[i]));
    rmdir(folder);
    return failed != 0;
}
