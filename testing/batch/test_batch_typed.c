/* Tests of the typed entries for batches. */
#include "batch_typed.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

extern const struct batch_typed batch_typed_s, batch_typed_d, batch_typed_c, batch_typed_z;

const struct batch_typed *const batch_typed[4] = {&batch_typed_s, &batch_typed_d, &batch_typed_c,
                                                  &batch_typed_z};

extern const struct batch_typed batch_typed_d_large;

/* Tests two large matrices, which the four CPU workers share one after the other. */
static void test_large(void)
{
    if (dtype != STARTILE_D)
        return;
    batch_typed_d_large.cholesky();
    batch_typed_d_large.lu();
    batch_typed_d_large.qr();
    batch_typed_d_large.pivoted_qr();
}

static void test_cholesky(void)
{
    batch_typed[dtype]->cholesky();
}

static void test_lu(void)
{
    batch_typed[dtype]->lu();
}

static void test_qr(void)
{
    batch_typed[dtype]->qr();
}

static void test_pivoted_qr(void)
{
    batch_typed[dtype]->pivoted_qr();
}

static void test_products(void)
{
    batch_typed[dtype]->products();
}

static void test_vectors(void)
{
    batch_typed[dtype]->vectors();
}

static void test_limits(void)
{
    batch_typed[dtype]->limits();
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "cpu") == 0) {
        setenv("STARPU_NCPU", "4", 0);
        setenv("STARPU_WORKERS_NOBIND", "1", 0);
    }
    return check_main(argc, argv, "batch_typed", test_cholesky, test_lu, test_qr, test_pivoted_qr,
                      test_products, test_vectors, test_large, test_limits);
}
