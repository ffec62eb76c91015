/* Tests of the typed entries for batches. */
#include "batch_typed.h"
#include "check.h"

extern const struct batch_typed batch_typed_s, batch_typed_d, batch_typed_c, batch_typed_z;

const struct batch_typed *const batch_typed[4] = {&batch_typed_s, &batch_typed_d, &batch_typed_c,
                                                  &batch_typed_z};

static void test_cholesky(void **state)
{
    (void)state;
    batch_typed[dtype]->cholesky();
}

static void test_lu(void **state)
{
    (void)state;
    batch_typed[dtype]->lu();
}

static void test_qr(void **state)
{
    (void)state;
    batch_typed[dtype]->qr();
}

static void test_products(void **state)
{
    (void)state;
    batch_typed[dtype]->products();
}

static void test_vectors(void **state)
{
    (void)state;
    batch_typed[dtype]->vectors();
}

static void test_wrong(void **state)
{
    (void)state;
    batch_typed[dtype]->wrong();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cholesky), cmocka_unit_test(test_lu),
        cmocka_unit_test(test_qr),       cmocka_unit_test(test_products),
        cmocka_unit_test(test_vectors),  cmocka_unit_test(test_wrong),
    };
    check_start(argc, argv);
    return check_finish(cmocka_run_group_tests_name("batch_typed", tests, NULL, NULL));
}
