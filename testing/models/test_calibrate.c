/* Tests of a calibration's journal, its folder's machine, and the load by other processes. */
#include "../check/tests.h"
#include "calibrate.h"
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int reported; /* calls of report() in all tests so far */

/* Replaces the command's report(), which prints. Counts its calls. */
void report(const char *format, ...)
{
    (void)format;
    reported++;
}

static const struct phase phase = {.name = "cpu", .learns = true};

static char folder[64];

/* Returns a quick calibration of types d and c in the folder. */
static struct calibration new_calibration(void)
{
    struct calibration c = {.name = "pdp11",
                            .quick = true,
                            .precisions = {{STARTILE_D, STARTILE_C}, 2},
                            .machine = {.cpu = "KD11", .cores = 1}};
    snprintf(c.folder, sizeof c.folder, "%s", folder);
    return c;
}

/* Tests which series the journal has: those in which no case failed, that have all precisions of
 * the calibration, and that are not from --quick unless the calibration is. */
static void test_journal(void)
{
    struct calibration c = new_calibration();
    struct series b = {
        .phase = &phase, .name = "potrf", .cases = {{.n = 10}, {.n = 20}}, .count = 2};
    struct outcome outcomes[2] = {{.number = 0}, {.number = 1, .error = "no memory"}};
    assert_true(folder_open(&c) && journal_begin(&c));
    /* empty journal */
    assert_true(!journal_has(&c, &b));
    /* one case failed */
    assert_true(journal_add(&c, &b, outcomes));
    assert_true(!journal_has(&c, &b));
    /* no case failed */
    outcomes[1].error[0] = '\0';
    assert_true(journal_add(&c, &b, outcomes) && journal_has(&c, &b));
    /* results of --quick do not count for a full calibration */
    c.quick = false;
    assert_true(!journal_has(&c, &b));
    /* one of the two precisions in the journal */
    c.quick = true;
    c.precisions.dtype[0] = STARTILE_C;
    c.precisions.count = 1;
    assert_true(journal_has(&c, &b));
    /* more precisions than the journal has: all of its own, and another one */
    c.precisions.dtype[1] = STARTILE_D;
    c.precisions.dtype[2] = STARTILE_Z;
    c.precisions.count = 3;
    assert_true(!journal_has(&c, &b));
    /* a precision that the journal lacks */
    c.precisions.dtype[1] = STARTILE_Z;
    c.precisions.count = 2;
    assert_true(!journal_has(&c, &b));
    assert_true(reported == 0);
}

/* Tests that a folder belongs to one machine. */
static void test_machine(void)
{
    struct calibration c = new_calibration();
    assert_true(folder_open(&c) && strcmp(c.name, strrchr(folder, '/') + 1) == 0);
    assert_true(journal_begin(&c));
    strcpy(c.machine.cpu, "KA10");
    assert_true(!journal_begin(&c) && reported == 1);
}

/* Returns the CPU times that /proc/stat with this text would give. */
static struct cpu_times times_of(const char *text)
{
    FILE *f = fopen("stat", "w");
    assert_true(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
    struct cpu_times times = cpu_times_now("stat");
    remove("stat");
    return times;
}

/* Tests the load by other processes: in 10 s, 2 cores are busy for 4 s together, 1 s of it for this
 * process. */
static void test_noise(void)
{
    struct cpu_times begin = times_of("cpu 1000 0 500 9999 77 0 20 30 0 0\ncpu0 1 2 3\n"),
                     end = times_of("cpu 1150 50 600 10999 99 10 70 70 0 0\n"), none = {.busy = 0};
    /* user + nice + system + irq + softirq + steal, without idle and iowait */
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    assert_true(fabs(begin.busy - 1550 * tick) < 1e-9 && fabs(end.busy - 1950 * tick) < 1e-9);
    end.busy = begin.busy + 4;
    end.wall = begin.wall + 10;
    end.own = begin.own + 1;
    assert_true(fabs(load_of_others(&begin, &end, 2) - 0.15) < 1e-12);
    /* the result is limited to 0 … 1 */
    end.own = begin.own + 5;
    assert_true(load_of_others(&begin, &end, 2) == 0);
    end.busy = begin.busy + 1000;
    assert_true(load_of_others(&begin, &end, 2) == 1);
    /* no times */
    assert_true(times_of("cpu  no numbers\n").busy == 0);
    assert_true(cpu_times_now("/nowhere/at/all").busy == 0);
    assert_true(load_of_others(&none, &none, 2) == 0);
}

int main(void)
{
    char command[128];
    snprintf(folder, sizeof folder, "calibrate-%ld/pdp11", (long)getpid());
    snprintf(command, sizeof command, "rm -r calibrate-%ld", (long)getpid());
    int failed = run_group("calibrate", test_journal, test_machine, test_noise);
    return system(command) != 0 || failed != 0;
}
