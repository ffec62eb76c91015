/* Views of matrices, transposed or not. */
#include "data/view.h"

#include "data/tiles.h"

view view_of(const startile_matrix *A, char op)
{
    const startile_shape *s = &A->shape;
    if (op == 'N')
        return (view){A, 'N', s->mt, s->nt};
    /* for real matrices 'T' and 'C' are one op, which compose() relies on */
    return (view){A, is_complex(A) ? op : 'T', s->nt, s->mt};
}

char compose(char op, char inner)
{
    return op == 'N' ? inner : inner == 'N' ? op : 'N';
}
