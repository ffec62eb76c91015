/* Batches: their chunks, and one insert function for each operation on a chunk. */
#ifndef STARTILE_INSERT_BATCH_H
#define STARTILE_INSERT_BATCH_H

#include "startile.h"
#include "startile_batch.h"

#include <stdbool.h>

int64_t batch_chunks(const startile_batch *b);
int64_t batch_matrices(const startile_batch *b);
/* Returns whether chunk q of a and chunk q of b hold the same matrices in the same order, for all
 * q. */
bool same_partition(const startile_batch *a, const startile_batch *b);
/* batch_rows() and batch_columns() return the size of matrix i in the order of the partition. All
 * sizes are equal unless batch_varies(). */
bool batch_varies(const startile_batch *b);
int64_t batch_rows(const startile_batch *b, int64_t i);
int64_t batch_columns(const startile_batch *b, int64_t i);
bool batch_has_elements(const startile_batch *b, startile_dtype dtype);
bool batch_has_integers(const startile_batch *b);
startile_dtype batch_dtype(const startile_batch *b);
/* Returns whether each matrix is one number, and the numbers of a chunk are contiguous or one
 * number stands for all. */
bool batch_has_numbers(const startile_batch *b);
/* Returns whether one matrix stands for all. */
bool batch_is_shared(const startile_batch *b);
/* Returns the 1-based index, in the caller's order, of the first matrix whose info is not 0; 0 if
 * there is none, or if the task that wrote info has found it (batch_note_failure()); or a
 * startile_error. Waits for the tasks that write info. */
int64_t batch_first_failure(startile_batch *info);

/* Submit a task on chunk q of every operand. info := LAPACK's info of each matrix. A matrix
 * with factor_info ≠ 0 is skipped; factor_info may be NULL. P NULL: without pivoting. The kernels'
 * batch.h defines the results. */
void insert_potrf_batch(startile_request *r, char uplo, const startile_batch *A,
                        const startile_batch *info, int64_t q);
void insert_potrs_batch(startile_request *r, char uplo, const startile_batch *A,
                        const startile_batch *B, const startile_batch *factor_info, int64_t q);
void insert_getrf_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *info, int64_t q);
void insert_getrs_batch(startile_request *r, char trans, const startile_batch *A,
                        const startile_batch *P, const startile_batch *B,
                        const startile_batch *factor_info, int64_t q);
void insert_getri_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *info, int64_t q);
void insert_det_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                      const startile_batch *sign, const startile_batch *logabsdet, int64_t q);
void insert_geqrf_batch(startile_request *r, const startile_batch *A, const startile_batch *tau,
                        int64_t q);
void insert_geqp3_batch(startile_request *r, const startile_batch *A, const startile_batch *P,
                        const startile_batch *tau, int64_t q);
void insert_gelsy_batch(startile_request *r, const startile_batch *A, const startile_batch *B,
                        double rcond, const startile_batch *rank, int64_t q);
void insert_ormqr_batch(startile_request *r, char side, char trans, const startile_batch *A,
                        const startile_batch *tau, const startile_batch *C, int64_t q);
void insert_gels_batch(startile_request *r, char trans, const startile_batch *A,
                       const startile_batch *B, const startile_batch *info, int64_t q);
void insert_gemm_batch(startile_request *r, char transa, char transb, startile_complex alpha,
                       const startile_batch *A, const startile_batch *B, startile_complex beta,
                       const startile_batch *C, int64_t q);
void insert_trsm_batch(startile_request *r, char side, char uplo, char trans, char diag,
                       startile_complex alpha, const startile_batch *A, const startile_batch *B,
                       int64_t q);
void insert_nrm2_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                       int64_t q);
void insert_asum_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                       int64_t q);
void insert_iamax_batch(startile_request *r, const startile_batch *X, const startile_batch *result,
                        int64_t q);
void insert_dot_batch(startile_request *r, bool conjugate, const startile_batch *X,
                      const startile_batch *Y, const startile_batch *result, int64_t q);
void insert_scal_batch(startile_request *r, const startile_batch *alpha, const startile_batch *X,
                       int64_t q);
void insert_axpy_batch(startile_request *r, const startile_batch *alpha, const startile_batch *X,
                       const startile_batch *Y, int64_t q);

#endif
