/*
 * QR factorization of a tall matrix by a reduction tree (TSQR): the tiles are factored in parallel,
 * and their triangles R are combined in pairs. The program multiplies Q by R to check the result.
 */
#include <math.h>
#include <startile.h>
#include <stdio.h>
#include <stdlib.h>

enum { m = 20000, n = 40, tile_rows = 2000 };

static double a[m * n], qr[m * n];

/* Ends the program with a message if the status is not 0. */
static void require(int64_t status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "tsqr: %s: %s\n", what, startile_strerror(status));
    exit(EXIT_FAILURE);
}

/* Returns element (i, j) of A. */
static double element(int i, int j)
{
    return cos(i * (j + 1)) + (i % n == j);
}

/* Returns the largest magnitude of an element of A − Q·R. */
static double largest_difference(void)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            largest = fmax(largest, fabs(element(i, j) - qr[i + (size_t)j * m]));
    return largest;
}

int main(void)
{
    startile_matrix *A, *QR;
    startile_tree *tree;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            a[i + (size_t)j * m] = element(i, j);

    require(startile_init(NULL), "init");
    require(startile_matrix_wrap(&A, STARTILE_D, m, n, a, m, tile_rows, n), "wrap");
    require(startile_matrix_wrap(&QR, STARTILE_D, m, n, qr, m, tile_rows, n), "wrap");
    require(startile_tree_create(&tree, A, STARTILE_TREE_BINARY), "tree");
    require(startile_geqrf_tree(A, tree), "geqrf_tree");

    require(startile_laset('G', 0, 0, QR), "laset");
    require(startile_lacpy('U', A, QR), "lacpy");                      /* R, zeros below it */
    require(startile_unmqr_tree('L', 'N', A, tree, QR), "unmqr_tree"); /* Q·R */
    require(startile_matrix_gather(QR), "gather");                     /* into the array qr */
    double difference = largest_difference();

    startile_tree_destroy(tree);
    startile_matrix_destroy(QR);
    startile_matrix_destroy(A);
    startile_finalize();
    printf("%d x %d in tiles of %d rows: largest element of A - Q*R %.1e\n", m, n, tile_rows,
           difference);
    return difference < 1e-12 ? 0 : 1;
}
