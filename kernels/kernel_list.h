/*
 * The list of kernels: KERNEL(name, parameters) for each operation on one tile. A file defines
 * KERNEL and includes this list to declare the functions or to fill in a table. kernels.h gives the
 * conventions.
 */
/* C := alpha op(A) op(B) + beta C; C is m × n */
KERNEL(gemm,
       (startile_exec * x, char transa, char transb, int m, int n, int k, startile_scalar alpha,
        const void *a, int lda, const void *b, int ldb, startile_scalar beta, void *c, int ldc))

/* C := alpha op(A) op(A)ᴴ + beta C on one triangle; alpha.im and beta.im are 0 */
KERNEL(herk, (startile_exec * x, char uplo, char trans, int n, int k, startile_scalar alpha,
              const void *a, int lda, startile_scalar beta, void *c, int ldc))

/* C := alpha op(A) op(A)ᵀ + beta C on one triangle */
KERNEL(syrk, (startile_exec * x, char uplo, char trans, int n, int k, startile_scalar alpha,
              const void *a, int lda, startile_scalar beta, void *c, int ldc))

/* B := alpha op(A)⁻¹ B (side L) or alpha B op(A)⁻¹ (side R); B is m × n */
KERNEL(trsm, (startile_exec * x, char side, char uplo, char trans, char diag, int m, int n,
              startile_scalar alpha, const void *a, int lda, void *b, int ldb))

/* B := alpha op(W) B (side L) or alpha B op(W) (side R); B is m × n. W is triangular, and its other
 * triangle is zero. With W = T⁻¹ from potrf, trmm replaces a trsm with T. */
KERNEL(trmm, (startile_exec * x, char side, char uplo, char trans, int m, int n,
              startile_scalar alpha, const void *w, int ldw, void *b, int ldb))

/* B := op(T)⁻¹ B for a triangle T of order m; B is m × n. The diagonal blocks of W of order
 * STARTILE_INVERTED_ORDER are the inverses of those of T, with zeros in their other triangles. CPUs
 * do not use them. */
KERNEL(trsm_by_inverses, (startile_exec * x, char uplo, char trans, char diag, int m, int n,
                          const void *t, int ldt, const void *w, int ldw, void *b, int ldb))

/* A := its Cholesky factor T, in the triangle uplo; status->info as in xPOTRF. If w is not NULL and
 * status->info is 0, W := T⁻¹ with zeros in the other triangle. status->use_inverse := 1 if W was
 * computed and ‖W‖₁ ‖T‖₁ ≤ n, else 0. Both norms are the largest column sums of the stored
 * triangles. */
KERNEL(potrf, (startile_exec * x, char uplo, int n, void *a, int lda, void *w, int ldw,
               startile_tile_status *status))

/* A := offdiag off the diagonal and diag on it, in the triangle uplo ('G': everywhere). The
 * diagonal is where row + shift = column. */
KERNEL(laset, (startile_exec * x, char uplo, int m, int n, int64_t shift, startile_scalar offdiag,
               startile_scalar diag, void *a, int lda))

/* B := A in the triangle uplo ('G': everywhere) */
KERNEL(lacpy,
       (startile_exec * x, char uplo, int m, int n, const void *a, int lda, void *b, int ldb))

/* B := the n × n Hermitian (hermitian ≠ 0) or symmetric matrix of which A has the triangle uplo.
 * A's other triangle and, with `hermitian`, the imaginary parts of its diagonal are not used. */
KERNEL(mirror, (startile_exec * x, char uplo, int hermitian, int n, const void *a, int lda, void *b,
                int ldb))

/* b_ij := a_ij, or −a_ij if the real part of d_ii is negative, in the triangle uplo ('G':
 * everywhere) of m × n matrices. B may be A, but B is not D. */
KERNEL(signed_rows, (startile_exec * x, char uplo, int m, int n, const void *d, int ldd,
                     const void *a, int lda, void *b, int ldb))

/* A := random elements of a matrix of symmetry `kind`. They depend only on seed and on the global
 * indices i0 + i and j0 + j (random.h). `bump` is added where the two indices are equal. */
KERNEL(random, (startile_exec * x, startile_symmetry kind, uint64_t seed, double bump, int64_t i0,
                int64_t j0, int m, int n, void *a, int lda))

/* Accumulates the norm of a tile: acc := the partial norm acc combined with that of the tile. acc
 * is a vector of doubles.
 * - 'M': acc[0] := max(acc[0], |a_ij|)
 * - '1': acc[j] += Σ_i |a_ij|, n sums
 * - 'I': acc[i] += Σ_j |a_ij|, m sums
 * - 'F': acc[0]² acc[1] += weight Σ |a_ij|², where acc[0] is a scale and acc[1] a scaled sum of
 *   squares, as in xLASSQ. weight is 1, or 2 to count a tile twice.
 *
 * NaN propagates into acc. */
KERNEL(lange, (startile_exec * x, char norm, int m, int n, double weight, const void *a, int lda,
               double *acc))

/* sums[i] += Σ_j |a_ij / s|² over the matrix, or with uplo 'U' over its upper trapezoid. s is the
 * power of two with s <= *largest < 2 s, or 1 if *largest is 0 or not finite: if no element is
 * larger, the squares neither overflow nor lose a sum to underflow. largest and sums are in the
 * memory of the device that runs the kernel. */
KERNEL(row_squares, (startile_exec * x, char uplo, int m, int n, const void *a, int lda,
                     const double *largest, double *sums))

/* Accumulates the norm of a diagonal tile, as lange. The tile is symmetric (hermitian = 0) or
 * Hermitian (hermitian ≠ 0); only its triangle uplo is read. Its norms '1' and 'I' are equal. */
KERNEL(lansy, (startile_exec * x, char norm, char uplo, int hermitian, int n, const void *a,
               int lda, double *acc))

/* A := its factors L and U with partial pivoting, as LAPACK's xGETRF: P A = L U with unit lower
 * triangular L and k = min(m, n) pivots. A is a tile column, m × n. The pivot is the element of its
 * column with the largest |re| + |im|; of equal elements the topmost. A begins at row row0 of the
 * whole matrix. status->info is the 1-based column of the first zero pivot, or 0; the factorization
 * continues after it. If w is not NULL, the diagonal blocks of W (k × k) of order
 * STARTILE_INVERTED_ORDER := the inverses of those of L11, with zeros in their other triangles; the
 * rest of W is undefined. status->use_inverse is that of a unit triangle (STARTILE_UNIT_CONDITION)
 * if there is one block. Otherwise, with T and W as the block diagonal matrices of these blocks and
 * n the order of a block, it is STARTILE_INVERSE_BLOCKS up to the second limit, else 0. It is 0
 * without w. */
KERNEL(getrf, (startile_exec * x, int pieces, const startile_piece *a, int n, int64_t row0,
               startile_pivots_of_panel pivots, void *w, int ldw, startile_tile_status *status))

/* A (n × n) := its factors L and U without pivoting. status->info is the 1-based column of the
 * first zero pivot, or 0; the factorization continues after it, with infinities or NaN. If wl and
 * wu are not NULL, WL := L⁻¹ and WU := U⁻¹, with zeros in the other triangles, and
 * status->use_inverse := 0 if ‖U‖₁ ‖U⁻¹‖₁ > n, else that of L as a unit triangle
 * (STARTILE_UNIT_CONDITION). If use_inverse = 0, WL and WU may be undefined. */
KERNEL(getrf_nopiv, (startile_exec * x, int n, void *a, int lda, void *wl, int ldwl, void *wu,
                     int ldwu, startile_tile_status *status))

/* Applies the interchanges of `panels` panels, first to last, to the rows of A. If inverse ≠ 0,
 * undoes these interchanges, last panel to first. A is a tile column of n columns that begins at
 * row row0 of the whole matrix. All interchanged rows are in A. */
KERNEL(laswp, (startile_exec * x, int pieces, const startile_piece *a, int n, int64_t row0,
               int panels, const startile_pivots_of_panel *p, int inverse))

/* Packs the rows of A that a panel's interchanges move up to the panel's top rows, rows row0 … row0
 * + pivots.k − 1 of the matrix. Row i of W := the row that moves to top row i, if it is in A and
 * below the top rows; other rows of W do not change. A is a tile column of n columns with those
 * rows of the matrix that `rows` describes, all at or below row row0. If d is not NULL, A begins
 * with the top rows, and D := the top rows. */
KERNEL(pack_rows,
       (startile_exec * x, int pieces, const startile_piece *a, int n, startile_rows rows,
        int64_t row0, startile_pivots_of_panel pivots, void *w, int ldw, void *d, int ldd))

/* Copies to W those rows of `other` that come from process rows first … first + count − 1, modulo
 * rows.processes. W and `other` are results of pack_rows for n columns. */
KERNEL(merge_rows,
       (startile_exec * x, int n, startile_rows rows, int64_t row0, startile_pivots_of_panel pivots,
        int first, int count, const void *other, int ldo, void *w, int ldw))

/* Completes the interchanges after pack_rows: D has the former top rows. Rows of A below the top
 * rows := the rows of D that move there. If u is not NULL, W has the rows that move up, from all
 * process rows, and U := the top rows after the interchanges. The top rows of A do not change. */
KERNEL(place_rows, (startile_exec * x, int pieces, const startile_piece *a, int n,
                    startile_rows rows, int64_t row0, startile_pivots_of_panel pivots,
                    const void *d, int ldd, const void *w, int ldw, void *u, int ldu))

/* to[r] := the rows of A that the interchanges move to process row r, in the order of the moves,
 * for all r, this process row included. If inverse ≠ 0, the inverse interchanges move them. A is as
 * for pack_rows. */
KERNEL(gather_rows,
       (startile_exec * x, int pieces, const startile_piece *a, int n, startile_rows rows,
        startile_pivots_of_panel pivots, int inverse, const startile_piece *to))

/* Rows of A := the rows in from[r], which process row r has gathered for this process row, for all
 * r. The other arguments are as for gather_rows. */
KERNEL(scatter_rows,
       (startile_exec * x, int pieces, const startile_piece *a, int n, startile_rows rows,
        startile_pivots_of_panel pivots, int inverse, const startile_piece *from))

/* A := A Pᵀ for the permutation matrix P of a panel's interchanges: column to[i] gets the elements
 * of column from[i]. With `inverse` A := A P, by which xGETRI undoes the interchanges. A is a row
 * of `blocks` blocks of a->m rows and nb columns (the last one may be narrower). A begins at column
 * column0 of the whole matrix. All interchanged columns are in A.
 * Block 0 is the panel. Other blocks may be elsewhere; their p is NULL then, and they do not
 * change. `arrived` has the columns that move from there to the panel, each at its new place. It is
 * not read if no block is elsewhere, which is necessary for `inverse`. */
KERNEL(lapmt, (startile_exec * x, int blocks, const startile_piece *a, startile_piece arrived,
               int nb, int64_t column0, startile_pivots_of_panel pivots, int inverse))

/* The part of lapmt for the blocks that are elsewhere. `arrived` := the columns that the
 * interchanges move from these blocks to the panel, each at its new place; its other columns do not
 * change. Then these blocks := the columns of the panel that move there. Blocks are numbered as for
 * lapmt; those with p NULL are not changed, and a[0].p is NULL. `panel` has the panel's columns
 * before the interchanges, which are those of a selection (order_rows): only columns of the panel
 * move to other blocks. */
KERNEL(exchange_columns,
       (startile_exec * x, int blocks, const startile_piece *a, startile_piece panel,
        startile_piece arrived, int nb, int64_t column0, startile_pivots_of_panel pivots))

/* order[i] := o, where row o − 1 of the matrix is at row i after the interchanges of a panel and of
 * those before it; 0 for a row that has not moved. The first panel begins with zeros. */
KERNEL(compose_moves, (startile_exec * x, startile_pivots_of_panel pivots, int64_t *order))

/* C_ij := a(order_i, order_j) for rows row0 + i and columns column0 + j of P A Pᵀ, where P is the
 * result of compose_moves. A is a row of `blocks` blocks of a->m rows and nb columns (the last one
 * may be narrower), and begins at column first of the whole matrix; columns of C with an order_j
 * outside of A, or in a block with p = NULL, do not change. */
KERNEL(gather_block,
       (startile_exec * x, int blocks, const startile_piece *a, int nb, int64_t first,
        const int64_t *order, int64_t row0, int64_t column0, int m, int n, void *c, int ldc))

/* Selects the k = min(m, n) pivot rows of A by partial pivoting, in the order of the pivots (one
 * match of tournament pivoting). A is a tile column, m × n, and is only read. B (k × n) := the
 * selected rows of A, unchanged. rows_out := their row numbers in the whole matrix. rows_in[q] has
 * the row numbers of piece q. If rows_in[q] is NULL, `rows` gives the row numbers of piece q; it
 * counts rows from the top of A, not of the piece. B may be a piece of A, and rows_out the row
 * numbers of that piece. */
KERNEL(select_rows,
       (startile_exec * x, int pieces, const startile_piece *a, int n, startile_rows rows,
        const int64_t *const *rows_in, void *b, int ldb, int64_t *rows_out))

/* pivots := the interchanges that move rows rows[0 … k−1] of the whole matrix to rows row0, row0 +
 * 1, … in this order, where k = pivots.k. The elements of `rows` are different and ≥ row0, but
 * after a cancellation on a grid some may be 0. Row row0 + j takes the place of an element
 * rows[j] < row0: such interchanges mean nothing, but stay within the matrix. */
KERNEL(order_rows,
       (startile_exec * x, int64_t row0, const int64_t *rows, startile_pivots_of_panel pivots))

/* B := alpha A + beta B */
KERNEL(geadd, (startile_exec * x, int m, int n, startile_scalar alpha, const void *a, int lda,
               startile_scalar beta, void *b, int ldb))

/* W := T⁻¹ for the triangle uplo of T, with zeros in the other triangle of W. If T is singular, W
 * may be undefined. */
KERNEL(trtri,
       (startile_exec * x, char uplo, char diag, int n, const void *t, int ldt, void *w, int ldw))

/* One step of Higham's 1-norm estimator (LAPACK xLACN2) for the matrix s·M, on the contiguous
 * vector v with elements v_0 … v_{n−1}. s is a power of two. The state (STARTILE_LACN2_STATE) is in
 * the memory of the device that runs the kernel; `estimate` is its first number.
 * - STARTILE_LACN2_START: estimate := 0, v := s (1/n, …, 1/n)
 * - STARTILE_LACN2_SIGN: estimate := max(estimate, ‖v‖₁), v_i := s v_i/|v_i|, or s if v_i = 0
 * - STARTILE_LACN2_UNIT: v := s times the unit vector at the first largest |v_i|
 * - STARTILE_LACN2_ALTERNATING: estimate := max(estimate, ‖v‖₁), v_i := s (−1)^i (1 + i/(n−1))
 * - STARTILE_LACN2_END: estimate := max(estimate, 2 ‖v‖₁ / (3 n))
 *
 * Once STARTILE_LACN2_UNIT repeats a vector, all steps before STARTILE_LACN2_ALTERNATING would
 * repeat earlier results: they do nothing, and STARTILE_LACN2_ALTERNATING ignores ‖v‖₁.
 *
 * A step that raises the estimate sets the vector `best` to the v before the step. `best` may be
 * NULL. NaN in v makes the estimate NaN for all later steps. */
KERNEL(lacn2, (startile_exec * x, startile_lacn2 step, int n, double s, void *v, void *best,
               double *state))

/* status->info := before + the 1-based index of the first zero on the diagonal of the n × n matrix
 * A. status->info does not change if it is not 0, if no diagonal element is 0, or if *largest is 0.
 * *largest is in the memory of the device that runs the kernel. `largest` may be NULL. */
KERNEL(first_zero, (startile_exec * x, int n, const void *a, int lda, int64_t before,
                    const double *largest, startile_tile_status *status))

/* B (n × m) := Aᴴ; A is m × n */
KERNEL(transpose, (startile_exec * x, int m, int n, const void *a, int lda, void *b, int ldb))

/* A := R and V in the form of LAPACK's xGEQRF: A = Q R, Q = H₁ … H_k = I − V T Vᴴ, k = min(m, n). A
 * is a tile column, m × n. T (k × k) := the upper triangle of the block reflector, with zeros below
 * the diagonal; the diagonal of T is tau. If m ≥ 2 n and A is large, the CUDA kernel waits once for
 * its stream. */
KERNEL(geqrf, (startile_exec * x, int pieces, const startile_piece *a, int n, void *t, int ldt))

/* QR factorization with column pivoting of a panel of k columns, A P = Q R in LAPACK's form, with
 * the updates of all columns to its right. A is a row of `blocks` blocks of a->m rows and nb
 * columns (the last one may be narrower), n columns together, which begin at column row0 of the
 * whole matrix of N = row0 + n columns. Their rows above row0 hold R and are only interchanged. The
 * diagonal of T := tau. order has 2 N elements: order[c] is the 1-based number of the column of the
 * original matrix that is at column c; order[N + c], for c < chosen, is the 1-based column that is
 * interchanged with column c, in this order, before the factorization. Those `chosen` columns are
 * not pivots, and come first. norms has 2 N elements. The panel with row0 = 0 sets order[0 … N−1],
 * and the one with column `chosen` sets norms. On CPUs `team` shares the
 * work; NULL: none. */
KERNEL(geqp3, (startile_exec * x, startile_team *team, int blocks, const startile_piece *a, int nb,
               int64_t row0, int64_t n, int k, int64_t chosen, int64_t *order, double *norms,
               void *t, int ldt))

/* Cholesky factorization with diagonal pivoting Pᵀ A P = L Lᴴ (uplo 'L') or Uᴴ U ('U') of block
 * column k (or block row k) of an n × n matrix, with the update of the trailing triangle and the
 * interchanges of the earlier columns. A has tiles of nb × nb elements, the last ones fewer.
 * `tiles` are those of block rows k, k + 1, … of the lower triangle, row by row: tiles (i,0) …
 * (i,i). With uplo 'U' these are tiles (0,i) … (i,i) of A. order[c] is the 1-based number of the
 * row of the original matrix that is row c. *stop is the limit for pivots: tol, or with tol < 0 or
 * NaN, n times the unit roundoff times the largest diagonal element. Block column 0 sets order and
 * *stop; its first pivot need only be positive. status->info := 0, or the 1-based column of the
 * panel whose pivot is at most *stop; then that column is not computed, and the trailing triangle
 * has the interchanges, but not all updates. On CPUs `team` shares the work; NULL: none. */
KERNEL(pstrf, (startile_exec * x, startile_team *team, char uplo, const startile_piece *tiles,
               int nb, int64_t k, int64_t n, double tol, int64_t *order, double *stop,
               startile_tile_status *status))

/* Bunch–Kaufman factorization A = L D Lᵀ, or with `hermitian` L D Lᴴ, of block column k of an n × n
 * matrix, with the update of the block columns right of it; with uplo 'U' A = U D Uᵀ, with the
 * update of the block columns left of it. `tiles` are those of the triangle: with 'L' those of
 * block rows k, k + 1, …, row by row: tiles (i,k) … (i,i); with 'U' those of block columns 0 … k,
 * column by column: tiles (0,j) … (j,j). Tiles are nb × nb, the last ones smaller. ipiv has n
 * elements, as LAPACK's xSYTRF; the panel reads those of the panels before it, and writes its own.
 * A pivot of order 2 that begins in the panel's last column also takes the first column of the next
 * panel. status->info := 0, or the 1-based column of the panel whose pivot is the first zero one.
 * On CPUs `team` shares the work; NULL: none. */
KERNEL(sytrf, (startile_exec * x, startile_team *team, char uplo, int hermitian,
               const startile_piece *tiles, int nb, int64_t k, int64_t n, int64_t *ipiv,
               startile_tile_status *status))

/* T := the k × k upper triangle of the block reflector I − V T Vᴴ, with zeros below the diagonal.
 * On entry the diagonal of T is tau. V is a tile column of k columns from geqrf. (LAPACK xLARFT,
 * forward, columnwise) */
KERNEL(larft, (startile_exec * x, int pieces, const startile_piece *v, int k, void *t, int ldt))

/* C := (I − V op(T) Vᴴ) C, op 'N' or 'C', for a tile column C of n columns. V (k columns) and T are
 * results of geqrf: the elements on and above V's diagonal are not used, and T is zero below its
 * diagonal. V and C have the same number of rows, but may be cut into different pieces. The first k
 * rows of V and of C are in their first pieces. (LAPACK xLARFB) */
KERNEL(larfb, (startile_exec * x, char trans, int v_pieces, const startile_piece *v, int k,
               const void *t, int ldt, int c_pieces, const startile_piece *c, int n))

/* The same for C = [C_0 C_1 …] of n columns, whose blocks of nb columns, the last one perhaps less,
 * are one piece each, as is V. */
KERNEL(larfb_row, (startile_exec * x, char trans, startile_piece v, int k, const void *t, int ldt,
                   int blocks, const startile_piece *c, int nb, int n))

/* QR factorization of the upper triangle R (n × n, argument a) on top of B (m × n): R := the new R,
 * B := V, T (n × n) := the upper triangle of the block reflector I − [I; V] T [I; V]ᴴ, with zeros
 * below the diagonal. uplo 'G': B is full. uplo 'U': B is upper trapezoidal. The elements below the
 * diagonals of R and of a trapezoidal B are not accessed. (LAPACK xTPQRT) */
KERNEL(tpqrt, (startile_exec * x, char uplo, int m, int n, void *a, int lda, void *b, int ldb,
               void *t, int ldt))

/* [A; B] := (I − [I; V] op(T) [I; V]ᴴ) [A; B], op 'N' or 'C'. A is k × n, B is m × n. V (m × k) and
 * T are results of tpqrt, called with the same uplo. (LAPACK xTPMQRT) */
KERNEL(tpmqrt, (startile_exec * x, char uplo, char trans, int m, int n, int k, const void *v,
                int ldv, const void *t, int ldt, void *a, int lda, void *b, int ldb))

/* Householder reconstruction. Q (n × n) is the top of a matrix with orthonormal columns. The kernel
 * factors Q − S = V1 U by LU without pivoting, where S is diagonal with s_j = −sign(real part of
 * pivot j before s_j is subtracted). Q := V1, unit lower triangular with zeros above the diagonal.
 * U := the factor U, with zeros below the diagonal. T (n × n) := the triangle −U S V1⁻ᴴ of the
 * block reflector, with zeros below the diagonal. R := S R, in the upper triangle only. (LAPACK
 * xUNHR_COL) */
KERNEL(reconstruct, (startile_exec * x, int n, void *q, int ldq, void *u, int ldu, void *t, int ldt,
                     void *r, int ldr))

/* A := 2^(e(*up) − e(*down)) A. Let s be the smallest normal number of the type divided by its
 * machine epsilon. 2^e(x) scales an x with 0 < x < s to [1, 2) and a finite x > 1/s to [1/(2s),
 * 1/s); e(x) = 0 for other x. *up and *down are in the memory of the device that runs the kernel; a
 * NULL pointer means e = 0. As in LAPACK, A := 0 if *up is 0; A is multiplied by 0 before the
 * scaling if *up is ∞, and by ∞ after the scaling if *down is ∞. (LAPACK xLASCL, as used by
 * xGELS) */
KERNEL(lascl,
       (startile_exec * x, int m, int n, const double *up, const double *down, void *a, int lda))

/* C_q := alpha op(A_q) op(B_q) + beta C_q for a group of at most STARTILE_MOST_PRODUCTS products,
 * all with the same k. uplo 'G': all products are general. uplo 'L' or 'U': the first product is a
 * rank-k update as in herk, of the triangle uplo of C_0 only; then B_0 = A_0, transa and transb are
 * 'N', 'C' or 'C', 'N', and alpha and beta are real. */
KERNEL(gemm_group, (startile_exec * x, char transa, char transb, int k, startile_scalar alpha,
                    int count, const startile_product *products, startile_scalar beta, char uplo))

/* B_q := alpha op(W) B_q (side L; B_q is k × b[q].m) or alpha B_q op(W) (side R; B_q is b[q].m × k)
 * for a group of at most STARTILE_MOST_PRODUCTS pieces. W is k × k and triangular as in trmm. */
KERNEL(trmm_group,
       (startile_exec * x, char side, char uplo, char trans, int k, startile_scalar alpha,
        const void *w, int ldw, int count, const startile_piece *b))

/* B := A in the other precision of its type (s and d, c and z), scaled before the rounding: b_ij :=
 * f(r_i) a_ij f(c_j), or f(r_i) a_ij / f(c_j) if divide ≠ 0. If add ≠ 0, adds this to b_ij
 * before the rounding. For a finite x > 0, f(x) = 2^−e with 2^e ≤ x < 2^(e+1); f(x) = 1 for other
 * x. r and c are in the memory of the device that runs the kernel; a NULL pointer means f = 1.
 * Elements beyond the range of B become infinite. (LAPACK xLAG2y) */
KERNEL(lag2, (startile_exec * x, int m, int n, const void *a, int lda, const double *r,
              const double *c, int divide, int add, void *b, int ldb))

/* acc[j] := max(acc[j], max_i f(r_i) (|re a_ij| + |im a_ij|)), with f as in lag2. acc[j] ≥ 0, or
 * NaN. NaN propagates into acc. r and acc are in the memory of the device that runs the kernel; a
 * NULL pointer r means f = 1. */
KERNEL(column_maxima,
       (startile_exec * x, int m, int n, const void *a, int lda, const double *r, double *acc))

/* acc[j] := max(acc[j], max_i |a_ij| / (|b_ij| + w_ij)), where 0/0 counts as 0 and |z| is |re| +
 * |im|. w_ij ≥ 0. acc[j] ≥ 0, or NaN. NaN propagates into acc. W and acc are in the memory of the
 * device that runs the kernel. */
KERNEL(ratio_maxima, (startile_exec * x, int m, int n, const void *a, int lda, const void *b,
                      int ldb, const double *w, int ldw, double *acc))

/* A := f(r_i) a_ij, with f as in lag2. r is in the memory of the device that runs the kernel.
 * (LAPACK xLASCL2) */
KERNEL(lascl2, (startile_exec * x, int m, int n, const double *r, void *a, int lda))

/* acc[2j] + i acc[2j+1] += Σ_i conj(a_ij) b_ij, summed in double precision. acc is in the memory of
 * the device that runs the kernel. */
KERNEL(column_dots, (startile_exec * x, int m, int n, const void *a, int lda, const void *b,
                     int ldb, double *acc))

/* b_ij += sign (num[2j] + i num[2j+1]) / den[2j] a_ij, where num and den are results of column_dots
 * in the memory of the device that runs the kernel, and sign is 1 or −1. Columns with den[2j] = 0
 * do not change. num and den NULL: b_ij += sign a_ij */
KERNEL(column_axpys, (startile_exec * x, int m, int n, int sign, const double *num,
                      const double *den, const void *a, int lda, void *b, int ldb))

/* d[i] := √|re a_ii| for the n × n matrix A. d is in the memory of the device that runs the
 * kernel. */
KERNEL(diagonal_roots, (startile_exec * x, int n, const void *a, int lda, double *d))

/* (product[0] + i product[1]) 2^product[2] := Π a_ii for the n × n matrix A, with the sign changed
 * for each row that `pivots` interchanges; row0 is the panel's first row. pivots.k is n, or 0
 * without interchanges. `product` is in the memory of the device that runs the kernel. wide.h has
 * the range of the three numbers and their error. */
KERNEL(diagonal_product, (startile_exec * x, int n, const void *a, int lda, int64_t row0,
                          startile_pivots_of_panel pivots, double *product))

/* C := alpha A B + beta C; C is m × n. A is m × m and Hermitian (real types: symmetric). Only its
 * triangle uplo is read, without the imaginary parts of the diagonal. */
KERNEL(hemm, (startile_exec * x, char uplo, int m, int n, startile_scalar alpha, const void *a,
              int lda, const void *b, int ldb, startile_scalar beta, void *c, int ldc))

/* W := |op(A)| |B| + W, where |z| is |re| + |im|. B is k × n, W is an m × n matrix of doubles in
 * the memory of the device that runs the kernel. uplo 'G': A is general. uplo 'L' or 'U': A is
 * Hermitian (real types: symmetric), m = k and trans = 'N'; only the triangle uplo is read, without
 * the imaginary parts of the diagonal. */
KERNEL(abs_gemm, (startile_exec * x, char trans, char uplo, int m, int n, int k, const void *a,
                  int lda, const void *b, int ldb, double *w, int ldw))

/* w_ij := (|r_ij| + rounding (w_ij + |b_ij|)) / largest[j], without the division where largest[j]
 * is 0. |z| is |re| + |im|. W and largest are in the memory of the device that runs the kernel. */
KERNEL(error_weights, (startile_exec * x, int m, int n, const void *r, int ldr, const void *b,
                       int ldb, double rounding, const double *largest, double *w, int ldw))

/* v_i := w_i v_i for a contiguous vector v of m elements. w is in the memory of the device that
 * runs the kernel. */
KERNEL(weight_rows, (startile_exec * x, int m, const double *w, void *v))

/* E (m × 2) := the weights in weights.h of rows first … first + m − 1 of `rows` */
KERNEL(weights, (startile_exec * x, int64_t first, int64_t rows, int m, void *e, int lde))

/* Checksums are matrices of doubles in the memory of the device that runs the kernel: for real
 * types the columns s1, s2, v, for complex types re s1, im s1, re s2, im s2, v. */

/* Checksum W (m rows) := s1 and s2 from the columns of E, v = 1 */
KERNEL(spread_weights, (startile_exec * x, int m, const void *e, int lde, double *w, int ldw))

/* sums := sums + alpha op(A) W for the columns s1 and s2 of checksums, and v := v + |alpha|²
 * |op(A)|² v for the columns v, where |A|² has the elements |a_ij|². op is 'N', 'T', 'C', or 'J':
 * conj(A) without transposition. A is m × n. uplo 'G': A is general. uplo 'L' or 'U': A is
 * triangular, m = n, and diag is its diagonal: 'N' that of A, 'R' its real part, 'U' ones, 'Z'
 * zeros. */
KERNEL(checksum,
       (startile_exec * x, char op, char uplo, char diag, int m, int n, startile_scalar alpha,
        const void *a, int lda, const double *w, int ldw, double *sums, int lds))

/* Compares two checksums of n rows. Row j differs if |c_j − d_j| > bound √v for s1 or s2, where v
 * is the sum of both, or if one of these numbers is not finite. A row does not differ if c has a v
 * above the largest number of the type, or NaN: results may overflow then. If found[0] is 0,
 * found[0] := before + the 1-based index of the first row that differs, found[1] and found[2] :=
 * |c_j − d_j| for s1 and s2. found[3] := the largest finite |c_j − d_j| / (bound √v), found[3]
 * included. found[4] := 1 if a v of c is out of range. */
KERNEL(compare_checksums, (startile_exec * x, int n, const double *c, int ldc, const double *d,
                           int ldd, double bound, int64_t before, double *found))

/* Inverts bit `bit`, counted from the lowest bit of the first byte of a */
KERNEL(flip_bit, (startile_exec * x, void *a, int64_t bit))

#undef KERNEL
