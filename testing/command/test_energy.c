/* Tests of energy counters: RAPL in a folder that the test writes, NVML in a replacement library.
 */
#include "../check/tests.h"
#include "energy.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "powercap.XXXXXX";

/* Writes a file of a zone, in a folder that is made if it does not exist. */
static void write_file(const char *zone, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, zone);
    assert_true(mkdir(path, 0777) == 0 || access(path, W_OK) == 0);
    snprintf(path, sizeof path, "%s/%s/%s", folder, zone, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Writes the files of a zone: its name, a range of 10 J, and its counter `energy` in µJ. */
static void make_package(int zone, const char *name, const char *energy)
{
    char path[32];
    snprintf(path, sizeof path, "intel-rapl:%d", zone);
    write_file(path, "name", name);
    write_file(path, "max_energy_range_uj", "10000000\n");
    write_file(path, "energy_uj", energy);
}

static void test_packages(void)
{
    struct rapl r;
    char why[WHY_SIZE];
    assert_false(rapl_open(&r, folder, why));
    assert_true(isnan(rapl_read(&r)));
    make_package(0, "package-0\n", "9000000\n");
    make_package(1, "psys\n", "1\n"); /* psys covers the whole machine, including the packages */
    make_package(2, "package-1\n", "2000000\n");
    assert_true(rapl_open(&r, folder, why));
    assert_int_equal(r.packages, 2);
    assert_true(rapl_read(&r) == 0);
    make_package(2, "package-1\n", "2500000\n");
    assert_true(fabs(rapl_read(&r) - 0.5) < 1e-9);
    make_package(0, "package-0\n", "1000000\n"); /* the counter wraps around from 10 J to 0 */
    assert_true(fabs(rapl_read(&r) - 2.5) < 1e-9);
    assert_true(fabs(rapl_read(&r) - 2.5) < 1e-9);
}

/* Tests a counter that does not exist, in the folder that test_packages() has filled. */
static void test_unreadable(void)
{
    struct rapl r;
    char why[WHY_SIZE], path[64];
    make_package(0, "package-0\n", "9000000\n");
    snprintf(path, sizeof path, "%s/intel-rapl:2/energy_uj", folder);
    assert_int_equal(unlink(path), 0);
    assert_false(rapl_open(&r, folder, why));
    assert_non_null(strstr(why, "intel-rapl:2/energy_uj: No such file"));
    assert_true(isnan(rapl_read(&r)));
}

static void test_gpus(void)
{
    char why[WHY_SIZE], ids[2][32] = {"1", "x"};
    assert_true(nvml_open(NULL, 0, why));
    double before = nvml_read();
    assert_true(fabs(nvml_read() - before - 11) < 1e-9); /* 1 J and 10 J, see fake_nvml.c */
    nvml_close();
    assert_true(nvml_open(ids, 1, why));
    before = nvml_read();
    assert_true(fabs(nvml_read() - before - 10) < 1e-9);
    nvml_close();
    assert_false(nvml_open(ids, 2, why));
    assert_string_equal(why, "Not Found");
}

int main(void)
{
    char command[64];
    if (mkdtemp(folder) == NULL)
        return 1;
    int failed = run_group("energy", test_packages, test_unreadable, test_gpus);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0 || failed != 0;
}
