/*
 * The sum over the processes of Open MPI's mpirun on this host. Each process announces itself when
 * it begins, in a file in mpirun's folder for temporary files, and adds its rows when it ends; the
 * last one adds them up and removes the file. Processes of mpirun that do not report are not in the
 * file, and one that was killed has no rows. mpirun removes its folder, so no file remains if a
 * process does not end normally. Lines of the file, with fields between tabulators:
 *   A rank process              a process, by its number, that will report
 *   R rank program              begins the rows of a process
 *   C name place reason calls smallest largest seconds flops
 *   M remark
 */
#define _GNU_SOURCE
#include "calls.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Place of this process among those of mpirun; local: number of processes on this host */
struct place {
    int rank, size, local;
    const char *job;
};

static int integer_of(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && isdigit((unsigned char)*value) ? atoi(value) : -1;
}

/* Returns whether Open MPI's mpirun has started this process, with others on this host. */
static bool find_place(struct place *p)
{
    *p = (struct place){.rank = integer_of("OMPI_COMM_WORLD_RANK"),
                        .size = integer_of("OMPI_COMM_WORLD_SIZE"),
                        .local = integer_of("OMPI_COMM_WORLD_LOCAL_SIZE"),
                        .job = getenv("PMIX_NAMESPACE")};
    return p->rank >= 0 && p->rank < p->size && p->local > 1 && p->job != NULL;
}

/* Returns mpirun's folder for temporary files, or that of all programs. */
static const char *shared_folder(void)
{
    const char *of_mpirun = getenv("PMIX_SERVER_TMPDIR"), *folder = getenv("TMPDIR");
    if (of_mpirun != NULL && access(of_mpirun, W_OK) == 0)
        return of_mpirun;
    return folder != NULL && *folder != '\0' ? folder : "/tmp";
}

/* Opens the file of this job, and locks it. Returns −1 on failure. */
static int open_shared(const struct place *p, char path[PATH_MAX])
{
    struct stat status;
    int length = snprintf(path, PATH_MAX, "%s/", shared_folder());
    if (length < 0 || length >= PATH_MAX)
        return -1;
    snprintf(path + length, PATH_MAX - (size_t)length, "startile-report-%ld-%s", (long)getuid(),
             p->job);
    for (char *c = path + length; *c != '\0'; c++)
        *c = isalnum((unsigned char)*c) || *c == '.' ? *c : '-';
    int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0 || (flock(file, LOCK_EX) == 0 && fstat(file, &status) == 0 &&
                     status.st_uid == getuid() && S_ISREG(status.st_mode)))
        return file;
    close(file);
    return -1;
}

/* Appends the rows of this process. Returns whether that succeeded. */
static bool append_rows(int file, int rank, const struct report_table *table)
{
    FILE *out = fdopen(dup(file), "a");
    if (out == NULL)
        return false;
    fprintf(out, "R\t%d\t%s\n", rank, program_invocation_short_name);
    for (int i = 0; i < table->count; i++) {
        const struct report_row *r = &table->rows[i];
        fprintf(out, "C\t%s\t%s\t%s\t%ld\t%.17g\t%.17g\t%.17g\t%.17g\n", r->name, r->place,
                r->reason, r->calls, r->smallest, r->largest, r->seconds, r->flops);
    }
    if (table->remark != NULL)
        fprintf(out, "M\t%s\n", table->remark);
    return fclose(out) == 0;
}

/* Returns the content of the file, to be freed by free(), or NULL. */
static char *read_all(int file)
{
    struct stat status;
    char *text = fstat(file, &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    ssize_t size = text != NULL ? pread(file, text, (size_t)status.st_size, 0) : -1;
    if (size >= 0) {
        text[size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

/* Returns the next line of the text that begins with the letter, from `line` on, or NULL. */
static const char *find_line(const char *line, char letter)
{
    while (line != NULL && *line != letter) {
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return line;
}

/* Returns whether the text has rows of this rank. */
static bool has_rows(const char *text, int rank)
{
    const char *r = find_line(text, 'R');
    while (r != NULL && atoi(r + 2) != rank)
        r = find_line(r + 1, 'R');
    return r != NULL;
}

/* Returns whether the file has rows of this rank, which has then run more than one program. */
static bool has_rank(int file, int rank)
{
    char *text = read_all(file);
    bool has = has_rows(text, rank);
    free(text);
    return has;
}

static int count_lines(const char *text, char letter)
{
    int n = 0;
    for (const char *l = find_line(text, letter); l != NULL; l = find_line(l + 1, letter))
        n++;
    return n;
}

/* Returns whether an announced process that has no rows yet is alive. */
static bool has_running_process(const char *text)
{
    for (const char *a = find_line(text, 'A'); a != NULL; a = find_line(a + 1, 'A')) {
        int rank = 0;
        long process = 0;
        if (sscanf(a, "A %d %ld", &rank, &process) == 2 && !has_rows(text, rank) &&
            (kill((pid_t)process, 0) == 0 || errno != ESRCH))
            return true;
    }
    return false;
}

/* Returns the rank whose rows are the last in the text, or −1. */
static int last_rank(const char *text)
{
    int rank = -1;
    for (const char *r = find_line(text, 'R'); r != NULL; r = find_line(r + 1, 'R'))
        rank = atoi(r + 2);
    return rank;
}

static bool is_removed(int file)
{
    struct stat status;
    return fstat(file, &status) != 0 || status.st_nlink == 0;
}

/* Returns the content of the file, to be freed by free(), if this process is the last one that adds
 * to it, else NULL. If processes of mpirun have not announced themselves, waits a second for them,
 * because they may have just started; unlocks the file meanwhile. */
static char *text_if_last(int file, const struct place *p)
{
    enum { WAITS = 10, MICROSECONDS = 100000 };
    for (int w = 0; w <= WAITS; w++) {
        if (w > 0) {
            flock(file, LOCK_UN);
            usleep(MICROSECONDS);
            flock(file, LOCK_EX);
        }
        char *text = read_all(file);
        bool is_complete = count_lines(text, 'R') >= p->local;
        bool may_be_last =
            !is_removed(file) && last_rank(text) == p->rank && !has_running_process(text);
        if (may_be_last && (is_complete || w == WAITS))
            return text;
        free(text);
        if (!may_be_last)
            return NULL;
    }
    return NULL;
}

/* -- the sum ----------------------------------------------------------------------------------- */

/* Table of several processes. rank_of[i]: the i-th process in the file; program: of the first one;
 * has_others: whether another process runs another program; made[r · most + i]: whether the i-th
 * process made calls of row r; most: number of processes on this host */
struct sum {
    struct report_table table;
    int *rank_of, processes;
    const char *program;
    bool has_others, *made;
    int most;
};

/* Adds the process in the fields. */
static void add_process(struct sum *s, char *fields)
{
    s->rank_of[s->processes++] = atoi(strsep(&fields, "\t"));
    if (s->program == NULL)
        s->program = fields;
    else if (fields != NULL)
        s->has_others |= strcmp(s->program, fields) != 0;
}

/* Adds the row in the fields to the table. */
static void add_row(struct sum *s, char *fields)
{
    struct report_row row = {.name = strsep(&fields, "\t")};
    row.place = strsep(&fields, "\t");
    row.reason = strsep(&fields, "\t");
    if (fields == NULL || sscanf(fields, "%ld %lf %lf %lf %lf", &row.calls, &row.smallest,
                                 &row.largest, &row.seconds, &row.flops) != 5)
        return;
    int i = 0;
    struct report_row *r = s->table.rows;
    while (i < s->table.count &&
           (strcmp(r[i].name, row.name) != 0 || strcmp(r[i].place, row.place) != 0 ||
            strcmp(r[i].reason, row.reason) != 0))
        i++;
    if (i == s->table.count) {
        r[s->table.count++] = row;
    } else {
        r[i].calls += row.calls;
        r[i].smallest = row.smallest < r[i].smallest ? row.smallest : r[i].smallest;
        r[i].largest = row.largest > r[i].largest ? row.largest : r[i].largest;
        r[i].seconds += row.seconds;
        r[i].flops += row.flops;
    }
    s->made[i * s->most + s->processes - 1] = true;
}

static int by_value(const void *x, const void *y)
{
    return *(const int *)x - *(const int *)y;
}

/* Returns a text such as "ranks 0-3, 7" of n ranks, which it sorts; to be freed by free(). */
static char *rank_list(int *ranks, int n)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    qsort(ranks, (size_t)n, sizeof *ranks, by_value);
    fprintf(out, n == 1 ? "rank" : "ranks");
    for (int i = 0, last; i < n; i = last + 1) {
        for (last = i; last + 1 < n && ranks[last + 1] == ranks[last] + 1;)
            last++;
        fprintf(out, "%s %d", i == 0 ? "" : ",", ranks[i]);
        if (last > i)
            fprintf(out, "-%d", ranks[last]);
    }
    fclose(out);
    return text;
}

/* Sets the texts of the ranks in those rows that not all processes have. ranks: workspace */
static void name_ranks(struct sum *s, int *ranks)
{
    for (int r = 0; r < s->table.count; r++) {
        int n = 0;
        for (int i = 0; i < s->processes; i++)
            if (s->made[r * s->most + i])
                ranks[n++] = s->rank_of[i];
        if (n < s->processes)
            s->table.rows[r].ranks = rank_list(ranks, n);
    }
}

/* Returns the text of the summed table, to be freed by free(), or NULL. */
static char *print_sum(struct sum *s, const struct place *p)
{
    char *text = NULL, *title = NULL, *all = rank_list(s->rank_of, s->processes);
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL &&
        asprintf(&title, "sum of %d of %d processes, %s, %s%s", s->processes, p->size,
                 all != NULL ? all : "", s->program != NULL ? s->program : "",
                 s->has_others ? " and others" : "") > 0)
        report_print(out, title, &s->table);
    free(title);
    free(all);
    if (out == NULL || fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Adds up the rows in `text`, the content of the file. Returns the text of the table, or NULL. */
static char *add_up(char *text, const struct place *p)
{
    struct sum s = {.most = p->local};
    int lines = count_lines(text, 'C') + 1;
    char *table = NULL;
    int *ranks = calloc((size_t)p->local, sizeof *ranks);
    s.table.rows = calloc((size_t)lines, sizeof *s.table.rows);
    s.rank_of = calloc((size_t)p->local, sizeof *s.rank_of);
    s.made = calloc((size_t)lines * (size_t)p->local, sizeof *s.made);
    if (ranks != NULL && s.table.rows != NULL && s.rank_of != NULL && s.made != NULL) {
        for (char *line; (line = strsep(&text, "\n")) != NULL;) {
            if (line[0] == 'R' && s.processes < p->local)
                add_process(&s, line + 2);
            else if (line[0] == 'C' && s.processes > 0)
                add_row(&s, line + 2);
            else if (line[0] == 'M')
                s.table.remark = line + 2;
        }
        name_ranks(&s, ranks);
        table = print_sum(&s, p);
    }
    for (int r = 0; r < s.table.count; r++)
        free(s.table.rows[r].ranks);
    free(s.table.rows);
    free(s.rank_of);
    free(s.made);
    free(ranks);
    return table;
}

void report_announce_rank(void)
{
    struct place p;
    char path[PATH_MAX];
    int file = find_place(&p) ? open_shared(&p, path) : -1;
    if (file < 0)
        return;
    dprintf(file, "A\t%d\t%ld\n", p.rank, (long)getpid());
    close(file);
}

bool report_add_rank(const struct report_table *table, char **sum)
{
    struct place p;
    char path[PATH_MAX];
    int file = find_place(&p) ? open_shared(&p, path) : -1;
    bool is_added = file >= 0 && !has_rank(file, p.rank) && append_rows(file, p.rank, table);
    char *text = is_added ? text_if_last(file, &p) : NULL;
    *sum = NULL;
    if (text != NULL) {
        unlink(path);
        *sum = add_up(text, &p);
        is_added = *sum != NULL;
    }
    if (file >= 0)
        close(file);
    free(text);
    return is_added;
}
