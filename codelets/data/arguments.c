/* Checks of arguments for the algorithms. */
#include "data/arguments.h"

#include "data/tiles.h"
#include "kernels.h"
#include "library/integers.h"

char capital(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

bool is_one_of(char c, const char *letters)
{
    while (*letters != '\0')
        if (*letters++ == c)
            return true;
    return false;
}

bool is_complex(const startile_matrix *A)
{
    return A->shape.dtype >= STARTILE_C;
}

bool same_tiles(int64_t n, int64_t nb1, int64_t nb2)
{
    return nb1 == nb2 || n <= min(nb1, nb2);
}

_Static_assert(MOST_TILES <= (int)STARTILE_MOST_PIECES, "as kernels have it");

bool has_whole_blocks(const startile_matrix *A, int64_t nb)
{
    const startile_shape *s = &A->shape;
    return (s->mb % nb == 0 || s->mb >= s->m) && s->mt <= MOST_TILES;
}

bool has_square_tiles(const startile_matrix *A)
{
    return A->shape.m == A->shape.n && same_tiles(A->shape.m, A->shape.mb, A->shape.nb);
}
