/*
 * [A; B] := (I − [I; V] op(T) [I; V]ᴴ) [A; B] in the steps W := op(T) (A + Vᴴ B), A := A − W, B :=
 * B − V W. A trapezoidal V is copied with zeros below its diagonal. The extra work on these zeros
 * is small compared with larfb, which applies the reflectors of geqrf. Error bound: as in larfb.c
 * (Higham 2002, section 19.5).
 */
#include "dtype.h"
#include "startile_types.h"

#include <stdlib.h>

/* Does the three steps for a full V. w is workspace of k × n elements. */
static void apply(char trans, int m, int n, int k, const element *v, int ldv, const element *t,
                  int ldt, element *a, int lda, element *b, int ldb, element *w)
{
    const startile_scalar one = {1, 0}, minus_one = {-1, 0};
    NAME(lacpy)(NULL, 'G', k, n, a, lda, w, k);
    NAME(gemm)(NULL, 'C', 'N', k, n, m, one, v, ldv, b, ldb, one, w, k);
    NAME(trmm)(NULL, 'L', 'U', trans, k, n, one, t, ldt, w, k);
    NAME(geadd)(NULL, k, n, minus_one, w, k, one, a, lda);
    NAME(gemm)(NULL, 'N', 'N', m, n, k, minus_one, v, ldv, w, k, one, b, ldb);
}

int NAME(tpmqrt)(startile_exec *x, char uplo, char trans, int m, int n, int k, const void *v,
                 int ldv, const void *t, int ldt, void *a, int lda, void *b, int ldb)
{
    (void)x;
    const startile_scalar zero = {0, 0};
    bool copied = uplo == 'U';
    int rows = copied && k < m ? k : m, ldc = rows > 0 ? rows : 1;
    size_t w_elements = (size_t)k * (size_t)n, v_elements = copied ? (size_t)ldc * (size_t)k : 0;
    if (k == 0 || n == 0)
        return 0;
    element *w = malloc((w_elements + v_elements) * sizeof *w), *copy = w + w_elements;
    if (w == NULL)
        return STARTILE_ERROR_MEMORY;
    if (copied) {
        NAME(laset)(NULL, 'L', rows, k, 0, zero, zero, copy, ldc);
        NAME(lacpy)(NULL, 'U', rows, k, v, ldv, copy, ldc);
    }
    apply(trans, rows, n, k, copied ? copy : v, copied ? ldc : ldv, t, ldt, a, lda, b, ldb, w);
    free(w);
    return 0;
}
