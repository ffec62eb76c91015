/**
 * @file startile_disk.h
 * @brief Matrices in files: larger than the memory, and continued after a kill.
 */
#ifndef STARTILE_DISK_H
#define STARTILE_DISK_H

#include "startile_core.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#pragma GCC visibility push(default)
#endif

/**
 * @defgroup disk Matrices in files
 *
 *  **Threads.** Several threads may call these functions at once, each on its own matrices, files
 *  and journals.
 *  @{
 */

/**
 * @brief Creates a matrix whose tiles are in a temporary file: for matrices larger than the memory.
 *
 * If tasks run on CPU workers only, StarPU keeps tiles in main memory up to its limit, writes tiles
 * back to the file and reads them again as tasks need them. The limit is the value of the
 * environment variable STARPU_LIMIT_CPU_MEM, in MiB, when StarPU starts; without it nine tenths of
 * the machine's memory. After a failed transfer every request with a task on the matrix that begins
 * later fails with #STARTILE_ERROR_DISK, and so does startile_matrix_gather(); the library stays
 * usable.
 *
 * If tasks run on GPUs, or with startile_options::map_files, the file is mapped
 * instead, and the system decides which parts are in main memory. The reason is that StarPU 1.4 can
 * wait for ever in a transfer between a disk and a GPU when main memory is scarce.
 * STARPU_LIMIT_CPU_MEM is then only the capacity for which tasks are ordered. A failed read of the
 * disk, or a truncation of the file by another process, ends the program with SIGBUS, as for every
 * mapped file.
 *
 * Matrices of startile_matrix_create() are never written to disks. The file has no name, and its
 * whole size is allocated by this call. If the file is to be mapped and its file system does not
 * support fallocate(2), the call returns #STARTILE_ERROR_DISK. Elements are 0 until they are
 * written.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param mb rows of a tile, ≥ 1
 * @param nb columns of a tile, ≥ 1
 * @param folder folder of the file
 * @return 0, −1 … −7, #STARTILE_ERROR_DISK, #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_matrix_create_on_disk(startile_matrix **A, startile_dtype dtype, int64_t m,
                                       int64_t n, int64_t mb, int64_t nb, const char *folder);

/**
 * @brief Wraps a file that holds a matrix in LAPACK's column-major layout.
 *
 * Transfers and failures are as for startile_matrix_create_on_disk(). Between this call and
 * startile_matrix_destroy() or startile_matrix_gather() nobody else may access the file;
 * startile_matrix_gather() waits for the disk and returns failures. A tile with mb = m is read in
 * one transfer if lda = m; other tiles are read column by column.
 *
 * The elements of two matrices are undefined if both wrap overlapping parts of one file at the same
 * time.
 * @param[out] A the new descriptor
 * @param dtype element type
 * @param m rows, ≥ 0
 * @param n columns, ≥ 0
 * @param file name of the file; it is opened with O_RDWR, so it must be writable even if the matrix
 *         is only read
 * @param first bytes before the first element; for a mapped file a multiple of the size of its real
 *         numbers, 4 or 8 bytes
 * @param lda leading dimension, max(1, m) … 2³¹ − 1
 * @param mb rows of a tile, ≥ 1
 * @param nb columns of a tile, ≥ 1
 * @return 0, −1 … −9, #STARTILE_ERROR_DISK also if the file is shorter than the matrix,
 *         #STARTILE_ERROR_MEMORY, #STARTILE_ERROR_STARPU
 */
int64_t startile_matrix_wrap_file(startile_matrix **A, startile_dtype dtype, int64_t m, int64_t n,
                                  const char *file, int64_t first, int64_t lda, int64_t mb,
                                  int64_t nb);

/**
 * @brief Keeps a journal of the factorization of a matrix in a file, so that it can be continued
 * after the process has ended at any moment.
 *
 * The journal is a second file. startile_potrf(), startile_getrf(), startile_getrf_tntpiv(),
 * startile_getrf_nopiv() and startile_geqrf() create it, and record in it which block columns of
 * the factors are on the disk. After a kill or a power failure, wrap the file again with the same
 * arguments, call this function with the same journal, and call the routine again with the same
 * arguments: it reads P or T of the finished panels from the journal, continues, and gives the bits
 * of an uninterrupted run; on GPUs only with the option reproducible (docs/reproducibility.md), for
 * LU of a run with a journal. After the last block column it returns at once, with the outcome. The
 * library does not remove the journal.
 *
 * **Work lost.** The block columns that were in work, at most 2·g: g = max(2, w/8) for potrf and
 * max(2, w) for the others, with w workers that run the library's tasks; fewer if the memory holds
 * fewer. A block column of potrf with uplo 'U' is a row of tiles.
 *
 * **Cost.** One more write and read of the matrix, and two to five waits for the disk per block
 * column, while tasks run; for LU with interchanges as much again after the last panel. The journal
 * takes 2·g block columns of disk space, and for geqrf T. A matrix that exceeds the memory is read
 * once per g block columns.
 *
 * **Safety.** A routine refuses a journal that is damaged, of another version or of another
 * factorization, and a file whose elements differ from the journal's samples of them, up to 64 × 64
 * of each block column that is not in work; it has written nothing then. Block columns in work are
 * restored from their copies. The last record may be missing, as after a power failure. A journal
 * is locked for the process that has it. After this function has failed with a startile_error, the
 * routines that would keep the journal fail with it too and write nothing, until a further call of
 * this function succeeds.
 *
 * The asynchronous forms of these routines wait for the tasks that were submitted on A before, and
 * return when the factorization has ended. startile_posv() and startile_gesv() without refinement
 * keep the journal of their factorization; B is not restored. startile_gels() returns −2 and
 * startile_gesv() with refinement −4. startile_posv_mixed() and startile_gesv_mixed() end with
 * #STARTILE_ERROR_JOURNAL if they refine first, and then factor A. Other routines that write A do
 * not use the journal: it is void after them.
 * @param A a new matrix of startile_matrix_wrap_file(); a temporary file ends with its process
 * @param file name of the journal; created by the routine if it does not exist
 * @return 0; −1 also for a view, a matrix in no file of the caller (all distributed matrices), or
 * one with a journal; −2; #STARTILE_ERROR_JOURNAL, #STARTILE_ERROR_JOURNAL_VERSION,
 * #STARTILE_ERROR_JOURNAL_MATRIX, #STARTILE_ERROR_JOURNAL_IN_USE, #STARTILE_ERROR_DISK,
 * #STARTILE_ERROR_MEMORY. The routines return these, too.
 */
int64_t startile_matrix_journal(startile_matrix *A, const char *file);

/**
 * @brief Returns the bytes that were read from and written to a matrix' file since the matrix was
 * created. For a mapped file the counts are those of getrusage(2) for the whole process: bytes read
 * from disks, and changed pages that the system will write. Thread-safe.
 * @param A a matrix on a disk
 * @param[out] read bytes that were read
 * @param[out] written bytes that were written
 * @return 0, −1 for NULL or a matrix that is not on a disk, −2, −3
 */
int64_t startile_matrix_disk_bytes(const startile_matrix *A, int64_t *read, int64_t *written);

/** @} */

#if defined __GNUC__
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
