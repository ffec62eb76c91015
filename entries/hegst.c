/* Typed entries xSYGST and xHEGST. */
#include "typed.h"

#if defined STARTILE_TYPE_S || defined STARTILE_TYPE_D
#define REDUCTION ENTRY(sygst)
#else
#define REDUCTION ENTRY(hegst)
#endif

int64_t REDUCTION(int itype, char uplo, int64_t n, element *a, int64_t lda, const element *b,
                  int64_t ldb)
{
    struct problem p;
    int64_t status = itype < 1 || itype > 3     ? -1
                     : !is_letter(uplo, "LlUu") ? -2
                     : n < 0                    ? -3
                                                : check_matrix(n, n, a, lda, 4);
    if (status == 0)
        status = check_matrix(n, n, b, ldb, 6);
    if (status != 0 || n == 0)
        return status;
    /* the cast drops const: B is only read */
    status = begin_square_entry(&p, DTYPE, n, a, lda, n, (void *)b, ldb);
    lapack_page_lock(p.A);
    return end_entry(&p, status != 0 ? status : startile_hegst(itype, uplo, p.A, p.B));
}
