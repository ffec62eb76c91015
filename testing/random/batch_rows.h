/* The batch entries: routine, shapes, arguments. typed_rows.h includes this file for each form. */
ENTRY(BATCH(TYPED(potrf)), "a+nn info+11", uplo, SIZE(n), MATRIX(a), NUMBERS(info), count)
ENTRY(BATCH(TYPED(potrs)), "a=nn b+nr", uplo, SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b), count)
ENTRY(BATCH(TYPED(posv)), "a+nn b+nr info+11", uplo, SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b),
      NUMBERS(info), count)
ENTRY(BATCH(TYPED(getrf)), "a+mn ipiv+s1 info+11", SIZE(m), SIZE(n), MATRIX(a), VECTOR(ipiv),
      NUMBERS(info), count)
ENTRY(BATCH(TYPED(getrf_nopiv)), "a+mn info+11", SIZE(m), SIZE(n), MATRIX(a), NUMBERS(info), count)
ENTRY(BATCH(TYPED(getrs)), "a=nn ipiv?n1 b+nr", trans, SIZE(n), SIZE(nrhs), MATRIX(a), VECTOR(ipiv),
      MATRIX(b), count)
ENTRY(BATCH(TYPED(gesv)), "a+nn ipiv+n1 b+nr info+11", SIZE(n), SIZE(nrhs), MATRIX(a), VECTOR(ipiv),
      MATRIX(b), NUMBERS(info), count)
ENTRY(BATCH(TYPED(getri)), "a+nn ipiv?n1 info+11", SIZE(n), MATRIX(a), VECTOR(ipiv), NUMBERS(info),
      count)
ENTRY(BATCH(TYPED(gedet)), "a=nn ipiv?n1 sign+11 logabsdet+11", SIZE(n), MATRIX(a), VECTOR(ipiv),
      NUMBERS(sign), NUMBERS(logabsdet), count)
ENTRY(BATCH(TYPED(podet)), "a=nn logabsdet+11", SIZE(n), MATRIX(a), NUMBERS(logabsdet), count)
ENTRY(BATCH(TYPED(geqrf)), "a+mn tau+s1", SIZE(m), SIZE(n), MATRIX(a), VECTOR(tau), count)
ENTRY(BATCH(TYPED(geqp3)), "a+mn ipiv+n1 tau+s1", SIZE(m), SIZE(n), MATRIX(a), VECTOR(ipiv),
      VECTOR(tau), count)
ENTRY(BATCH(UNITARY(mqr)), "a=qk tau=k1 c+mn k<q", side, adjoint, SIZE(m), SIZE(n), SIZE(k),
      MATRIX(a), VECTOR(tau), MATRIX(c), count)
ENTRY(BATCH(TYPED(gels)), "a+mn b+xr info+11", adjoint, SIZE(m), SIZE(n), SIZE(nrhs), MATRIX(a),
      MATRIX(b), NUMBERS(info), count)
ENTRY(BATCH(TYPED(gelsy)), "a+mn b+xr iter+11", SIZE(m), SIZE(n), SIZE(nrhs), MATRIX(a), MATRIX(b),
      -1, NUMBERS(iter), count)
ENTRY(BATCH(TYPED(gemm)), "a=Aa b=Bb c+mn", transa, transb, SIZE(m), SIZE(n), SIZE(k), alpha,
      MATRIX(a), MATRIX(b), beta, MATRIX(c), count)
ENTRY(BATCH(TYPED(trsm)), "a=qq b+mn", side, uplo, trans, diag, SIZE(m), SIZE(n), alpha, MATRIX(a),
      MATRIX(b), count)
ENTRY(BATCH(TYPED(nrm2)), "x=1n result+11", SIZE(n), MATRIX(x), NUMBERS(result), count)
ENTRY(BATCH(TYPED(asum)), "x=1n result+11", SIZE(n), MATRIX(x), NUMBERS(result), count)
ENTRY(BATCH(TYPED(iamax)), "x=1n result+11", SIZE(n), MATRIX(x), NUMBERS(result), count)
ENTRY(BATCH(TYPED(dot)), "x=1n y=1n result+11", SIZE(n), MATRIX(x), MATRIX(y), NUMBERS(result),
      count)
ENTRY(BATCH(TYPED(dotc)), "x=1n y=1n result+11", SIZE(n), MATRIX(x), MATRIX(y), NUMBERS(result),
      count)
ENTRY(BATCH(TYPED(scal)), "x+1n", SIZE(n), alpha, MATRIX(x), count)
ENTRY(BATCH(TYPED(axpy)), "x=1n y+1n", SIZE(n), alpha, MATRIX(x), MATRIX(y), count)
