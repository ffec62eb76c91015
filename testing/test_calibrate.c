/* The journal of a calibration: what is done, and what is not. */
#include "calibrate.h"
#include "command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int reported;

/* The command's own writes to stderr. */
void report(const char *format, ...)
{
    (void)format;
    reported++;
}

static const struct phase phase = {.name = "cpu", .learns = true};

static struct calibration make(const char *folder)
{
    struct calibration c = {.name = "pdp11",
                            .quick = true,
                            .words = "startile calibrate",
                            .kept = "gpu_hold: 0.5\n",
                            .dtypes = {STARTILE_D, STARTILE_C},
                            .dtype_count = 2,
                            .machine = {.cpu = "KD11"},
                            .cores = 1};
    snprintf(c.folder, sizeof c.folder, "%s", folder);
    return c;
}

static void test_done(void **state)
{
    struct calibration c = make(*state);
    struct problem cases[2] = {{.n = 10}, {.n = 20}};
    struct outcome outcomes[2] = {{.number = 0}, {.number = 1, .error = "no memory"}};
    struct batch b = {.phase = &phase, .name = "potrf", .cases = cases, .count = 2};
    assert_true(folder_open(&c) && state_fits(&c) && journal_begin(&c));
    /* nothing is done */
    assert_true(!journal_has(&c, &b));
    /* a case has failed */
    assert_true(journal_add(&c, &b, outcomes));
    assert_true(!journal_has(&c, &b) && journal_types(&c, &b, true) == 0);
    /* none has */
    outcomes[1].error[0] = '\0';
    assert_true(journal_add(&c, &b, outcomes) && journal_has(&c, &b));
    assert_true(journal_types(&c, &b, true) == (1u << STARTILE_D | 1u << STARTILE_C));
    /* quickly is not in full */
    c.quick = false;
    assert_true(!journal_has(&c, &b));
    /* a part of it, in another order */
    c.quick = true;
    c.dtypes[0] = STARTILE_C;
    c.dtype_count = 1;
    assert_true(journal_has(&c, &b));
    /* more than it */
    c.dtypes[1] = STARTILE_Z;
    c.dtype_count = 2;
    assert_true(!journal_has(&c, &b));
    assert_true(reported == 0);
}

/* Before there is a manifest. */
static void test_state(void **state)
{
    struct calibration c = make(*state);
    assert_true(folder_open(&c) && state_fits(&c) && !state_is_elsewheres(&c));
    /* what was told is kept where a calibration was interrupted */
    c.kept[0] = '\0';
    state_keep(&c);
    assert_true(strcmp(c.kept, "gpu_hold: 0.5\n") == 0);
    /* another processor */
    strcpy(c.machine.cpu, "KA10");
    assert_true(!state_fits(&c) && reported == 1 && state_is_elsewheres(&c));
    /* another processor, anew */
    assert_true(folder_clear(&c) && state_fits(&c) && !state_is_elsewheres(&c));
}

int main(void)
{
    char folder[64], command[128];
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(test_done, folder),
                                       cmocka_unit_test_prestate(test_state, folder)};
    snprintf(folder, sizeof folder, "calibrate.%ld", (long)getpid());
    snprintf(command, sizeof command, "rm -r %s", folder);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return system(command) != 0 || failed != 0;
}
