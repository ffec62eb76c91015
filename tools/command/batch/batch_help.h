/*
 * What `startile bench ROUTINE_batch --help` says beside the options.
 */
#ifndef BATCH_HELP_H
#define BATCH_HELP_H

#define BATCH_ROUTINES                                                                             \
    "potrf_batch, potrs_batch, posv_batch, getrf_batch, getrf_nopiv_batch, getrs_batch, "          \
    "gesv_batch, getri_batch, geqrf_batch, ormqr_batch, gels_batch, gemm_batch, trsm_batch, "      \
    "nrm2_batch, asum_batch, dot_batch, iamax_batch, scal_batch or axpy_batch"

/* As argp takes it: '\v' parts what stands before the options from what follows them. */
extern const char batch_doc[];

#endif
