/*
 * All entries with LAPACK's arguments: ENTRY(routine, shapes, arguments). typed_calls.c includes
 * this file twice: to define functions that make the calls, and, with TEXT defined, for the table
 * of the arguments' names. Only the form decides what an operand is: address and leading dimension,
 * also a stride, or arrays of these.
 */
#define FORM SINGLE
#ifdef TEXT
#define SIZE(v) v
#define MATRIX(v) v, ld##v
#define VECTOR(v) v
#define NUMBERS(v) v
#else
#define SIZE(v) v[0]
#define MATRIX(v) op_##v.memory, op_##v.ld[0]
#define VECTOR(v) op_##v.memory
#define NUMBERS(v) op_##v.memory
#endif
ENTRY(TYPED(gemm), "a=Aa b=Bb c+mn", transa, transb, SIZE(m), SIZE(n), SIZE(k), alpha, MATRIX(a),
      MATRIX(b), beta, MATRIX(c))
ENTRY(TYPED(trsm), "a=qq b+mn", side, uplo, trans, diag, SIZE(m), SIZE(n), alpha, MATRIX(a),
      MATRIX(b))
ENTRY(TYPED(trtrs), "! a=nn b+nr", uplo, trans, diag, SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b))
ENTRY(TYPED(potrf), "! a+nn", uplo, SIZE(n), MATRIX(a))
ENTRY(TYPED(pstrf), "! a+nn ipiv+n1 iter+11", uplo, SIZE(n), MATRIX(a), VECTOR(ipiv), NUMBERS(iter),
      -1)
ENTRY(TYPED(sytrf), "! a+nn ipiv+n1", uplo, SIZE(n), MATRIX(a), VECTOR(ipiv))
ENTRY(TYPED(sytrs), "a=nn ipiv=n1 b+nr", uplo, SIZE(n), SIZE(nrhs), MATRIX(a), VECTOR(ipiv),
      MATRIX(b))
ENTRY(TYPED(sysv), "! a+nn ipiv+n1 b+nr", uplo, SIZE(n), SIZE(nrhs), MATRIX(a), VECTOR(ipiv),
      MATRIX(b))
ENTRY(TYPED(sycon), "a=nn ipiv=n1 rcond+11", uplo, SIZE(n), MATRIX(a), VECTOR(ipiv), anorm,
      NUMBERS(rcond))
ENTRY(TYPED(sytri), "! a+nn ipiv=n1", uplo, SIZE(n), MATRIX(a), VECTOR(ipiv))
ENTRY(TYPED(sydet), "a=nn ipiv=n1 sign+11 logabsdet+11", uplo, SIZE(n), MATRIX(a), VECTOR(ipiv),
      NUMBERS(sign), NUMBERS(logabsdet))
ENTRY(TYPED(sytrf_aa), "! a+nn tb+t1 ipiv+n1 ipiv2+n1", uplo, SIZE(n), MATRIX(a), VECTOR(tb), ltb,
      VECTOR(ipiv), VECTOR(ipiv2))
ENTRY(TYPED(sytrs_aa), "a=nn tb=t1 ipiv=n1 ipiv2=n1 b+nr", uplo, SIZE(n), SIZE(nrhs), MATRIX(a),
      VECTOR(tb), ltb, VECTOR(ipiv), VECTOR(ipiv2), MATRIX(b))
ENTRY(TYPED(sysv_aa), "! a+nn tb+t1 ipiv+n1 ipiv2+n1 b+nr", uplo, SIZE(n), SIZE(nrhs), MATRIX(a),
      VECTOR(tb), ltb, VECTOR(ipiv), VECTOR(ipiv2), MATRIX(b))
ENTRY(TYPED(potrs), "a=nn b+nr", uplo, SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b))
ENTRY(TYPED(posv), "! a+nn b+nr", uplo, SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b))
ENTRY(TYPED(trtri), "! a+nn", uplo, diag, SIZE(n), MATRIX(a))
ENTRY(TYPED(lauum), "a+nn", uplo, SIZE(n), MATRIX(a))
ENTRY(HERMITIAN(gst), "a+nn b=nn", itype, uplo, SIZE(n), MATRIX(a), MATRIX(b))
ENTRY(TYPED(potri), "! a+nn", uplo, SIZE(n), MATRIX(a))
ENTRY(TYPED(pocon), "a=nn rcond+11", uplo, SIZE(n), MATRIX(a), anorm, NUMBERS(rcond))
ENTRY(TYPED(pocon_vector), "a=nn rcond+11 x+n1", uplo, SIZE(n), MATRIX(a), anorm, NUMBERS(rcond),
      VECTOR(x))
ENTRY(TYPED(podet), "a=nn logabsdet+11", SIZE(n), MATRIX(a), NUMBERS(logabsdet))
ENTRY(TYPED(getrf), "! a+mn ipiv+s1", SIZE(m), SIZE(n), MATRIX(a), VECTOR(ipiv))
ENTRY(TYPED(getrs), "a=nn ipiv=n1 b+nr", trans, SIZE(n), SIZE(nrhs), MATRIX(a), VECTOR(ipiv),
      MATRIX(b))
ENTRY(TYPED(gesv), "! a+nn ipiv+n1 b+nr", SIZE(n), SIZE(nrhs), MATRIX(a), VECTOR(ipiv), MATRIX(b))
ENTRY(TYPED(getri), "! a+nn ipiv=n1", SIZE(n), MATRIX(a), VECTOR(ipiv))
ENTRY(TYPED(gecon), "a=nn rcond+11", norm, SIZE(n), MATRIX(a), anorm, NUMBERS(rcond))
ENTRY(TYPED(gecon_vector), "a=nn rcond+11 x+n1", norm, SIZE(n), MATRIX(a), anorm, NUMBERS(rcond),
      VECTOR(x))
ENTRY(TYPED(gedet), "a=nn ipiv=n1 sign+11 logabsdet+11", SIZE(n), MATRIX(a), VECTOR(ipiv),
      NUMBERS(sign), NUMBERS(logabsdet))
#ifdef MIXED
ENTRY(MIXED(sposv, cposv), "! a+nn b=nr x+nr iter+11", uplo, SIZE(n), SIZE(nrhs), MATRIX(a),
      MATRIX(b), MATRIX(x), NUMBERS(iter))
ENTRY(MIXED(sgesv, cgesv), "! a+nn ipiv+n1 b=nr x+nr iter+11", SIZE(n), SIZE(nrhs), MATRIX(a),
      VECTOR(ipiv), MATRIX(b), MATRIX(x), NUMBERS(iter))
#endif
ENTRY(TYPED(geqrf), "a+mn tau+s1", SIZE(m), SIZE(n), MATRIX(a), VECTOR(tau))
ENTRY(TYPED(geqp3), "a+mn ipiv+n1 tau+s1", SIZE(m), SIZE(n), MATRIX(a), VECTOR(ipiv), VECTOR(tau))
ENTRY(TYPED(geqp3_random), "a+mn ipiv+n1 tau+s1", SIZE(m), SIZE(n), MATRIX(a), VECTOR(ipiv),
      VECTOR(tau), 1)
ENTRY(TYPED(geqp3_rank), "a+mn ipiv+n1 tau+s1 iter+11", SIZE(m), SIZE(n), MATRIX(a), VECTOR(ipiv),
      VECTOR(tau), 0, SIZE(k), NUMBERS(iter))
ENTRY(TYPED(gelqf), "a+mn tau+s1", SIZE(m), SIZE(n), MATRIX(a), VECTOR(tau))
ENTRY(UNITARY(mqr), "a=qk tau=k1 c+mn k<q", side, adjoint, SIZE(m), SIZE(n), SIZE(k), MATRIX(a),
      VECTOR(tau), MATRIX(c))
ENTRY(UNITARY(mlq), "a=kq tau=k1 c+mn k<q", side, adjoint, SIZE(m), SIZE(n), SIZE(k), MATRIX(a),
      VECTOR(tau), MATRIX(c))
ENTRY(UNITARY(gqr), "a+mn tau=k1 n<m k<n", SIZE(m), SIZE(n), SIZE(k), MATRIX(a), VECTOR(tau))
ENTRY(UNITARY(glq), "a+mn tau=k1 n>m k<m", SIZE(m), SIZE(n), SIZE(k), MATRIX(a), VECTOR(tau))
ENTRY(TYPED(gels), "! a+mn b+xr", adjoint, SIZE(m), SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b))
ENTRY(TYPED(gelsy), "a+mn b+xr ipiv+n1 iter+11", SIZE(m), SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b),
      VECTOR(ipiv), 0, NUMBERS(iter))
#undef FORM
#undef MATRIX
#undef VECTOR

#define FORM STRIDED
#define BATCH_(routine) routine##_batch_strided
#define BATCH(routine) BATCH_(routine)
#ifdef TEXT
#define MATRIX(v) v, ld##v, stride##v
#define VECTOR(v) v, stride##v
#else
#define MATRIX(v) op_##v.memory, op_##v.ld[0], op_##v.stride
#define VECTOR(v) op_##v.memory, op_##v.stride
#endif
#include "batch_rows.h"
#undef FORM
#undef BATCH_
#undef MATRIX
#undef VECTOR

#define FORM POINTERS
#define BATCH_(routine) routine##_batch
#ifdef TEXT
#define MATRIX(v) v, ld##v
#define VECTOR(v) v
#else
#define MATRIX(v) op_##v.each_argument, op_##v.ld[0]
#define VECTOR(v) op_##v.each_argument
#endif
#include "batch_rows.h"
#undef FORM
#undef BATCH_

#define FORM SIZES
#define BATCH_(routine) routine##_vbatch
#ifndef TEXT
#undef SIZE
#undef MATRIX
#define SIZE(v) v
#define MATRIX(v) op_##v.each_argument, op_##v.ld
#endif
#include "batch_rows.h"
#undef FORM
#undef BATCH_
#undef BATCH
#undef SIZE
#undef MATRIX
#undef VECTOR
#undef NUMBERS
