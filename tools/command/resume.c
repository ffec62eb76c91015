#include "resume.h"

#include "command.h"
#include "scalar.h"
#include "startile_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Reports that `file` exists without the file `missing` of an interrupted run. Returns false. */
static bool report_lone_file(const char *file, const char *missing)
{
    report("--resume: %s exists, but not %s: remove %s to begin anew", file, missing, file);
    return false;
}

bool resume_begin(struct resume *r, const char *file)
{
    *r = (struct resume){.file = file};
    if (!file)
        return true;
    snprintf(r->unfinished, sizeof r->unfinished, "%s.new", file);
    snprintf(r->problem, sizeof r->problem, "%s.problem", file);
    if (snprintf(r->journal, sizeof r->journal, "%s.journal", file) >= (int)sizeof r->journal) {
        report("--resume %s: the name is too long", file);
        return false;
    }
    bool has_file = exists(file);
    r->continues = exists(r->journal);
    if (has_file != r->continues)
        return report_lone_file(has_file ? file : r->journal, has_file ? r->journal : file);
    if (exists(r->problem))
        return true;
    return r->continues            ? report_lone_file(r->journal, r->problem)
           : exists(r->unfinished) ? report_lone_file(r->unfinished, r->problem)
                                   : true;
}

/* Writes a new file, and waits for the disk. */
static bool write_problem(const char *path, const char *problem)
{
    FILE *f = fopen(path, "wx");
    if (!f)
        return false;
    bool is_written = fprintf(f, "%s\n", problem) > 0 && fflush(f) == 0 && fsync(fileno(f)) == 0;
    is_written = fclose(f) == 0 && is_written;
    if (!is_written)
        (void)unlink(path);
    return is_written;
}

/* Reports the reason, errno, why a file cannot be written. Returns STARTILE_ERROR_DISK. */
static int64_t report_file(const char *path)
{
    report("--resume: %s: %s", path, strerror(errno));
    return STARTILE_ERROR_DISK;
}

int64_t resume_check_problem(const struct resume *r, const char *problem)
{
    char found[256] = "";
    if (!r->file)
        return 0;
    if (!exists(r->problem))
        return write_problem(r->problem, problem) ? 0 : report_file(r->problem);
    FILE *f = fopen(r->problem, "r");
    if (f && fgets(found, sizeof found, f))
        found[strcspn(found, "\n")] = '\0';
    if (f)
        (void)fclose(f);
    if (!strcmp(found, problem))
        return 0;
    report("--resume: %s: is of another problem, '%s', and this is '%s'; remove %s, and files with "
           "its name and .journal, .problem or .new, to begin anew",
           r->problem, found, problem, r->file);
    return STARTILE_ERROR_JOURNAL_MATRIX;
}

/* Creates the file with zeros. Returns 0 or a startile_error. */
static int64_t create(const char *path, int64_t bytes)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int64_t status = file >= 0 && ftruncate(file, bytes) == 0 ? 0 : report_file(path);
    if (file >= 0 && close(file) != 0 && !status)
        status = report_file(path);
    return status;
}

int64_t resume_wrap(const struct resume *r, startile_matrix **A, startile_dtype dtype, int64_t m,
                    int64_t n, int64_t mb, int64_t nb)
{
    const char *path = r->continues ? r->file : r->unfinished;
    int64_t status = r->continues ? 0 : create(path, m * n * (int64_t)dtype_size(dtype));
    if (!status)
        status = startile_matrix_wrap_file(A, dtype, m, n, path, 0, at_least_1(m), mb, nb);
    return status ? status : startile_matrix_journal(*A, r->journal);
}

int64_t resume_filled(const struct resume *r, startile_matrix *A)
{
    int64_t status = startile_matrix_gather(A);
    return status ? status : rename(r->unfinished, r->file) == 0 ? 0 : report_file(r->file);
}

void resume_end(const struct resume *r)
{
    if (!r->file)
        return;
    /* in this order: what is left after a kill says which file is missing */
    (void)unlink(r->file);
    (void)unlink(r->journal);
    (void)unlink(r->problem);
}

const char *resume_strerror(const struct resume *r, int64_t outcome)
{
    static char text[PATH_MAX + 256];
    bool is_of_journal = outcome == STARTILE_ERROR_JOURNAL ||
                         outcome == STARTILE_ERROR_JOURNAL_VERSION ||
                         outcome == STARTILE_ERROR_JOURNAL_MATRIX;
    if (!r->file || !is_of_journal)
        return startile_strerror(outcome);
    snprintf(text, sizeof text, "%s; remove the journal and the matrix' file to begin anew",
             startile_strerror(outcome));
    return text;
}
