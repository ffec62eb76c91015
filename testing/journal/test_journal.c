/*
 * Tests of journals in one process: arguments, refused journals, and factorizations that end with
 * info > 0. test_journal_kill.c kills processes.
 */
#include "check.h"
#include "disk_files.h"
#include "objects.h"
#include "startile_disk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 200, WIDTH = 20 };

static char journal[PATH_LENGTH];

/* -- files ------------------------------------------------------------------------------------ */

struct bytes {
    size_t size;
    char *p;
};

static struct bytes read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    require(f != NULL && fseek(f, 0, SEEK_END) == 0);
    struct bytes b = {(size_t)ftell(f), malloc((size_t)ftell(f) + 1)};
    rewind(f);
    require(b.p != NULL && fread(b.p, 1, b.size, f) == b.size && fclose(f) == 0);
    return b;
}

static void write_all(const char *path, struct bytes b)
{
    FILE *f = fopen(path, "wb");
    require(f != NULL && fwrite(b.p, 1, b.size, f) == b.size && fclose(f) == 0);
}

static void require_same(const char *path, struct bytes wanted)
{
    struct bytes b = read_all(path);
    require(b.size == wanted.size && memcmp(b.p, wanted.p, b.size) == 0);
    free(b.p);
}

static int wrap(startile_matrix **A, int64_t m, int64_t n, int64_t mb)
{
    return startile_matrix_wrap_file(A, dtype, m, n, file, 0, m, mb, WIDTH);
}

/* Writes a random array to the file, on whose diagonal `bad` elements before the last one are
 * negative if `positive`. */
static struct array new_file(int64_t m, int64_t n, bool positive, int64_t bad)
{
    struct array a = random_array(dtype, m, n, positive);
    unlink(journal);
    if (positive && bad > 0)
        set(a, n - bad, n - bad, -1);
    write_file(a, 0);
    return a;
}

/* Wraps the file and factors it with the journal and this level of verify; also where that is
 * refused, as by a program that does not look at the code. Returns the outcome. */
static int64_t verified_cholesky(char uplo, int level)
{
    startile_matrix *A;
    require_info(wrap(&A, N, N, WIDTH), 0);
    int64_t refusal = startile_matrix_journal(A, journal);
    startile_request *r = request_created();
    require_info(startile_request_set_verify(r, level), 0);
    require_info(startile_potrf_async(uplo, A, r), 0);
    int64_t code = startile_request_wait(r);
    startile_request_destroy(r);
    require(refusal == 0 || code == refusal);
    startile_matrix_destroy(A);
    return code;
}

static int64_t cholesky(char uplo)
{
    return verified_cholesky(uplo, 0);
}

static int64_t lu(int64_t m, int64_t n, int64_t *ipiv)
{
    startile_matrix *A;
    require_info(wrap(&A, m, n, m), 0);
    startile_pivots *P = pivots_created(A);
    int64_t refusal = startile_matrix_journal(A, journal), code = startile_getrf(A, P);
    require(refusal == 0 || code == refusal);
    require_info(startile_pivots_to_lapack(P, ipiv), 0);
    startile_pivots_destroy(P);
    startile_matrix_destroy(A);
    return code;
}

/* Leaves a file and a journal in which a part of the block columns is factored: the factorization
 * has ended with info > 0. */
static void interrupt(void)
{
    struct array a = new_file(N, N, true, 70);
    require_info(cholesky('L'), N - 70 + 1);
    array_free(a);
}

/* -- tests ------------------------------------------------------------------------------------ */

static void test_arguments(void)
{
    startile_matrix *B;
    struct array a = new_file(N, N, true, 0);
    require_info(startile_matrix_journal(NULL, journal), -1);
    startile_matrix *A = matrix_wrapped(dtype, N, N, a.a, a.ld, WIDTH, WIDTH);
    require_info(startile_matrix_journal(A, journal), -1);
    startile_matrix_destroy(A);
    require_info(startile_matrix_create_on_disk(&A, dtype, N, N, WIDTH, WIDTH, folder), 0);
    require_info(startile_matrix_journal(A, journal), -1);
    startile_matrix_destroy(A);
    require_info(wrap(&A, N, N, N), 0);
    require_info(startile_matrix_view(&B, A, 0, 0, N, WIDTH), 0);
    require_info(startile_matrix_journal(B, journal), -1);
    startile_matrix_destroy(B);
    require_info(startile_matrix_journal(A, NULL), -2);
    require_message(startile_matrix_journal(A, folder), STARTILE_ERROR_DISK, "Is a directory");
    require_info(startile_matrix_journal(A, journal), 0);
    require_info(startile_matrix_journal(A, journal), -1);
    require(access(journal, F_OK) != 0);
    /* routines that cannot keep a journal */
    startile_pivots *P = pivots_created(A);
    B = matrix_created(dtype, N, 3, N, WIDTH);
    require_info(startile_gels('N', A, B), -2);
    require_info(startile_gesv(A, P, B, 1), -4);
    require_info(startile_gesv(A, P, B, 0), 0);
    require(access(journal, F_OK) == 0);
    startile_pivots_destroy(P);
    matrices_destroy(B, A);
    array_free(a);
}

/* Tests a journal in a folder that does not exist: an error, and nothing is written. */
static void test_no_folder(void)
{
    startile_matrix *A;
    struct array a = new_file(N, N, true, 0);
    require_info(wrap(&A, N, N, WIDTH), 0);
    require_info(startile_matrix_journal(A, "/nonexistent/journal"), 0);
    require_message(startile_potrf('L', A), STARTILE_ERROR_DISK,
                    "/nonexistent/journal.new: No such");
    startile_matrix_destroy(A);
    check_file_is(a, bytes_of(a));
    array_free(a);
}

/* Tests that only the owner of the journal may continue. */
static void test_lock(void)
{
    startile_matrix *A, *B;
    interrupt();
    require_info(wrap(&A, N, N, WIDTH), 0);
    require_info(startile_matrix_journal(A, journal), 0);
    require_info(wrap(&B, N, N, WIDTH), 0);
    require_message(startile_matrix_journal(B, journal), STARTILE_ERROR_JOURNAL_IN_USE, journal);
    require_message(startile_potrf('L', B), STARTILE_ERROR_JOURNAL_IN_USE, journal);
    startile_matrix_destroy(A);
    require_info(startile_matrix_journal(B, journal), 0);
    startile_matrix_destroy(B);
}

/* Tests that a continued factorization has the same info, and that the finished block columns, here
 * the first four, have the bits of a factorization without a journal. The columns left of the wrong
 * element do not depend on it. */
static void test_info(void)
{
    interrupt();
    require_info(cholesky('L'), N - 70 + 1);
    struct bytes factors = read_all(file);
    struct array a = random_array(dtype, N, N, true);
    startile_matrix *A = matrix_wrapped(dtype, N, N, a.a, a.ld, WIDTH, WIDTH);
    require_info(startile_potrf('L', A), 0);
    startile_matrix_destroy(A);
    require(memcmp(factors.p, a.a, factors.size / N * 4 * WIDTH) == 0);
    free(factors.p);
    array_free(a);
}

/* Tests a singular matrix: LU ends with LAPACK's info, and so does its continuation after the end.
 */
static void test_zero_pivot(void)
{
    enum { M = N + 30 };
    int64_t ipiv[N], again[N];
    struct array a = new_file(M, N, false, 0);
    for (int64_t i = 0; i < M; i++)
        set(a, i, 57, 0);
    write_file(a, 0);
    require_info(lu(M, N, ipiv), 58);
    struct bytes factors = read_all(file);
    require_info(lu(M, N, again), 58);
    require_same(file, factors);
    require(memcmp(ipiv, again, sizeof ipiv) == 0);
    free(factors.p);
    array_free(a);
}

/* Tests a second factorization after an asynchronous one in one request, and a cancelled request.
 */
static void test_cancelled(void)
{
    struct array a = new_file(N, N, true, 0), factors = array_copy(a);
    startile_matrix *A = matrix_wrapped(dtype, N, N, factors.a, factors.ld, WIDTH, WIDTH);
    require_info(startile_potrf('U', A), 0);
    startile_matrix_destroy(A);
    require_info(wrap(&A, N, N, WIDTH), 0);
    require_info(startile_matrix_journal(A, journal), 0);
    startile_request *r = request_created();
    require_info(startile_request_cancel(r), 0);
    require_info(startile_potrf_async('U', A, r), 0);
    require_info(startile_request_wait(r), STARTILE_ERROR_CANCELLED);
    require_info(startile_request_reset(r), 0);
    require_info(startile_potrf_async('U', A, r), 0);
    require_info(startile_request_wait(r), 0);
    startile_request_destroy(r);
    startile_matrix_destroy(A);
    check_file_is(factors, bytes_of(factors));
    arrays_free(a, factors);
}

/* Requires that the journal is refused with `code` and `words`, and that neither file is changed.
 * Puts back the journal `good`. */
static void require_refused(int64_t code, const char *words, struct bytes good)
{
    struct bytes before = read_all(file), refused = read_all(journal);
    require_message(cholesky('L'), code, words);
    require_same(file, before);
    require_same(journal, refused);
    write_all(journal, good);
    free(before.p);
    free(refused.p);
}

/* Changes a byte of a copy of the journal. */
static void damage(struct bytes good, size_t at)
{
    struct bytes b = {good.size, malloc(good.size)};
    require(b.p != NULL && at < b.size);
    memcpy(b.p, good.p, b.size);
    b.p[at] ^= 1;
    write_all(journal, b);
    free(b.p);
}

/* Offsets of parts of a journal: the version, the records, and the copies of block columns. The
 * file is documented in codelets/journal/journal_file.h. */
enum { VERSION = 8, ROWS = 48, RECORDS = 512, RECORD = 64 };

static void test_damaged(void)
{
    interrupt();
    struct bytes good = read_all(journal);
    const int64_t damaged = STARTILE_ERROR_JOURNAL;
    for (size_t at = 0; at < 8; at++) { /* no journal */
        damage(good, at);
        require_refused(damaged, "the file is no journal", good);
    }
    damage(good, VERSION);
    require_refused(STARTILE_ERROR_JOURNAL_VERSION, "has version", good);
    damage(good, ROWS); /* the checksum of the header */
    require_refused(damaged, "header of the journal is damaged", good);
    for (size_t at = RECORDS; at < RECORDS + 3 * RECORD; at += 7) { /* torn records */
        damage(good, at);
        require_refused(damaged, "a record of the journal", good);
    }
    damage(good, RECORDS + 30 * RECORD); /* a record behind the last one */
    require_refused(damaged, "a record of the journal", good);
    write_all(journal, (struct bytes){good.size - 1, good.p});
    require_refused(damaged, "", good);
    write_all(journal, (struct bytes){0, good.p});
    require_refused(damaged, "", good);
    /* the copy of a block column in work */
    damage(good, good.size - 512);
    int64_t code = cholesky('L');
    require(code == damaged || code == N - 70 + 1); /* that slot may be unused */
    free(good.p);
}

/* Tests a journal whose checksums of the matrix are damaged: a run that would use them is refused,
 * and has changed nothing. */
static void test_damaged_sums(void)
{
    enum { SAMPLES = RECORDS + 5 * 512, SUMS = SAMPLES + 512 };
    struct array a = new_file(N, N, true, 70);
    require_info(verified_cholesky('L', 1), N - 70 + 1);
    struct bytes good = read_all(journal), before = read_all(file);
    damage(good, SUMS + 20);
    struct bytes damaged = read_all(journal);
    require_message(verified_cholesky('L', 1), STARTILE_ERROR_JOURNAL, "the checksums are damaged");
    require_same(file, before);
    require_same(journal, damaged);
    require_info(verified_cholesky('L', 0), N - 70 + 1); /* they are not used */
    free(good.p);
    free(damaged.p);
    free(before.p);
    array_free(a);
}

/* Tests that the last record may be missing, as after a power failure: that of the last block
 * column, which may then have any elements in the file. */
static void test_missing_record(void)
{
    static const char zeros[RECORD];
    array_free(new_file(N, N, true, 0));
    require_info(cholesky('L'), 0);
    struct bytes factors = read_all(file), good = read_all(journal), spoiled = read_all(file);
    size_t last = RECORDS, column = factors.size / N;
    while (memcmp(good.p + last + RECORD, zeros, RECORD) != 0)
        last += RECORD;
    memset(good.p + last, 0, RECORD);
    for (size_t j = N - WIDTH; j < N; j++)
        memset(spoiled.p + j * column + column * (N - WIDTH) / N, 0xff, column * WIDTH / N);
    write_all(journal, good);
    write_all(file, spoiled);
    require_info(cholesky('L'), 0);
    require_same(file, factors);
    free(factors.p);
    free(good.p);
    free(spoiled.p);
}

/* Tests a journal of another routine, triangle, shape, tile size or matrix. */
static void test_other_matrix(void)
{
    const int64_t other = STARTILE_ERROR_JOURNAL_MATRIX;
    startile_matrix *A;
    int64_t ipiv[N];
    interrupt();
    struct bytes factors = read_all(file), good = read_all(journal);
    require_info(cholesky('U'), other);
    require_message(lu(N, N, ipiv), other, "another type, shape or tile size");
    require_info(lu(N, N - WIDTH, ipiv), other);
    require_info(wrap(&A, N, N, WIDTH), 0);
    require_info(startile_matrix_journal(A, journal), 0);
    require_message(startile_getrf_nopiv(A), other, "of another factorization: of potrf");
    startile_matrix_destroy(A);
    require_info(startile_matrix_wrap_file(&A, dtype, N, N, file, 0, N, WIDTH / 2, WIDTH / 2), 0);
    require_info(startile_matrix_journal(A, journal), other);
    startile_matrix_destroy(A);
    require_same(file, factors);
    require_same(journal, good);
    /* another matrix in the file: its factored, then its other block columns differ */
    factors.p[0] ^= 1;
    write_all(file, factors);
    require_refused(other, "is not the one that the journal knows", good);
    free(factors.p);
    free(good.p);
    /* the failure in block column 2 leaves the last ones untouched */
    struct array a = new_file(N, N, true, 150);
    require_info(cholesky('L'), N - 150 + 1);
    array_free(a);
    factors = read_all(file);
    good = read_all(journal);
    size_t last_diagonal = (factors.size / N) * (N - 1) + (factors.size / N / N) * (N - 1);
    factors.p[last_diagonal] ^= 1;
    write_all(file, factors);
    require_refused(other, "", good);
    free(factors.p);
    free(good.p);
}

/* Tests matrices without block columns, and with one. */
static void test_small(void)
{
    startile_matrix *A;
    for (int64_t n = 0; n <= 3; n++) {
        struct array a = new_file(max(1, n), max(1, n), true, 0);
        require_info(startile_matrix_wrap_file(&A, dtype, n, n, file, 0, max(1, n), 2, 2), 0);
        require_info(startile_matrix_journal(A, journal), 0);
        require_info(startile_potrf('L', A), 0);
        require_info(startile_potrf('L', A), 0); /* is finished */
        startile_matrix_destroy(A);
        array_free(a);
    }
}

int main(int argc, char **argv)
{
    check_arguments(argc, argv);
    /* on GPUs only this option gives a matrix in memory the bits of one in a file */
    if (backend != CPU)
        setenv("STARTILE_REPRODUCIBLE", "1", 1);
    disk_start(argc, argv);
    snprintf(journal, sizeof journal, "%s/journal", folder);
    int failed = run_group("journal", test_arguments, test_no_folder, test_lock, test_info,
                           test_zero_pivot, test_cancelled, test_damaged, test_damaged_sums,
                           test_missing_record, test_other_matrix, test_small);
    unlink(journal);
    return disk_finish(failed);
}
