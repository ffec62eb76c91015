/*
 * What `startile bench --help` says beside the options.
 */
#ifndef BENCH_HELP_H
#define BENCH_HELP_H

#define BENCH_ROUTINES                                                                             \
    "potrf, potrs, posv, getrf, getrf_nopiv, getrf_tntpiv, getrs, gesv, getri, geqrf, "            \
    "geqrf_tree, "                                                                                 \
    "gelqf, gels, ormqr, orgqr, gemm, herk or trsm"

/* As argp takes it: '\v' parts what stands before the options from what follows them. */
extern const char bench_doc[];
/* Behind the options, too. Compilers need not take all of it as one string. */
extern const char bench_doc_peer[], bench_doc_looking[];

#endif
