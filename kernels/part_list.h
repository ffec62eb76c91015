/*
 * The list of kernels of LU with row interchanges on the rows of one process of a grid: A is a tile
 * column of n columns with the rows that `rows` describes, all at or below row row0 of the matrix,
 * where the panel begins. KERNEL() as in kernel_list.h.
 */
/* The process' part of the factorization of a panel of n columns with partial pivoting by all
 * processes of `others`: P A = L U as getrf. A := its rows of L and U; U (n × n) := the pivot rows,
 * which are the factors of the diagonal block. All rows of the diagonal block belong to one
 * process. All processes get the same pivots and status->info. If `failure` of a process is not
 * STARTILE_NO_FAILURE, or its memory does not suffice, all do nothing and return the least
 * failure. */
KERNEL(getrf_part, (int pieces, const startile_piece *a, int n, startile_rows rows, int64_t row0,
                    startile_pivots_of_panel pivots, void *u, int ldu,
                    const startile_channel *others, int64_t failure, startile_tile_status *status))

/* W := the rows of A that the interchanges move to the k = pivots.k top rows of the panel from
 * below them; row i of W goes to top row i, and other rows of W do not change. If d is not NULL, A
 * begins with the top rows, and D := these. */
KERNEL(pack_rows, (int pieces, const startile_piece *a, int n, startile_rows rows, int64_t row0,
                   startile_pivots_of_panel pivots, void *w, int ldw, void *d, int ldd))

/* Interchanges the rows of a block column of n columns: the process' rows of A below the top rows
 * get rows of D. U := the top rows after the interchanges, from D and from w[r], the W of process
 * row r. D and w[r] are results of pack_rows. */
KERNEL(place_rows, (int pieces, const startile_piece *a, int n, startile_rows rows, int64_t row0,
                    startile_pivots_of_panel pivots, const startile_piece *w, const void *d,
                    int ldd, void *u, int ldu))

/* to[r] := the rows of A that the interchanges, or with `inverse` the inverse ones, move to process
 * row r, also the own one, in the order of the moves. */
KERNEL(gather_rows, (int pieces, const startile_piece *a, int n, startile_rows rows,
                     startile_pivots_of_panel pivots, int inverse, const startile_piece *to))

/* Rows of A := the rows in from[r], which process row r has gathered for this one. */
KERNEL(scatter_rows, (int pieces, const startile_piece *a, int n, startile_rows rows,
                      startile_pivots_of_panel pivots, int inverse, const startile_piece *from))
#undef KERNEL
