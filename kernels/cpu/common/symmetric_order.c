/* The interchanges of Bunch–Kaufman factors in the order of xGETRF. Compiled once, not per type. */
#include "symmetric.h"

#include <stdlib.h>

/* Applies the interchanges to the numbers of the rows. */
static void apply_interchanges(char uplo, int64_t n, const int64_t *ipiv, int64_t *rows)
{
    int step = uplo == 'L' ? 1 : -1;
    for (int64_t k = uplo == 'L' ? 0 : n - 1; k >= 0 && k < n; k += step) {
        int64_t other = ipiv[k] - 1;
        if (ipiv[k] < 0) { /* the second row of a pivot of order 2 has its interchange */
            other = -ipiv[k] - 1;
            k += step;
        }
        int64_t held = rows[k];
        rows[k] = rows[other];
        rows[other] = held;
    }
}

int startile_symmetric_order(char uplo, int64_t n, const int64_t *ipiv, int64_t *interchanges)
{
    /* wanted[i]: row that comes to row i; row_at[i], place[r]: row at row i, and the place of row
     * r, after the interchanges of the rows above i */
    int64_t *wanted = malloc(3 * (size_t)n * sizeof *wanted), *row_at = wanted + n,
            *place = row_at + n;
    if (wanted == NULL)
        return STARTILE_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        wanted[i] = row_at[i] = place[i] = i;
    apply_interchanges(uplo, n, ipiv, wanted);
    for (int64_t i = 0; i < n; i++) {
        int64_t from = place[wanted[i]], displaced = row_at[i];
        interchanges[i] = from + 1;
        row_at[from] = displaced;
        place[displaced] = from;
    }
    free(wanted);
    return 0;
}
