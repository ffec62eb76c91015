/* Tests of the division of a host's GPUs among its processes, and of the launchers' variables from
 * which a process finds its rank on the host. */
#include "../check/tests.h"
#include "library/local_gpus.h"

#include <stdint.h>
#include <stdlib.h>

static void expect_share(int gpus, int rank, int processes, struct gpu_share expected)
{
    struct gpu_share s = share_gpus(gpus, rank, processes);
    assert_int_equal(s.first, expected.first);
    assert_int_equal(s.count, expected.count);
    assert_int_equal(s.users, expected.users);
}

/* Tests shares { first, count, users } of (gpus, rank, processes). */
static void test_shares(void)
{
    expect_share(4, 0, 1, (struct gpu_share){0, 4, 1});
    expect_share(4, 3, 4, (struct gpu_share){3, 1, 1});
    expect_share(8, 1, 4, (struct gpu_share){2, 2, 1});
    expect_share(8, 1, 3, (struct gpu_share){2, 3, 1}); /* GPUs 0–1, 2–4, 5–7 */
    expect_share(2, 4, 5, (struct gpu_share){0, 1, 3});
    expect_share(2, 3, 5, (struct gpu_share){1, 1, 2});
    expect_share(1, 3, 4, (struct gpu_share){0, 1, 4});
}

/* Tests that each process has a GPU, that each GPU has one process, or at least one if there are
 * more processes than GPUs, and that `users` is the number of processes of the first GPU. */
static void test_all_are_used(void)
{
    for (int gpus = 1; gpus <= 9; gpus++)
        for (int processes = 1; processes <= 20; processes++) {
            int used[9] = {0};
            for (int rank = 0; rank < processes; rank++) {
                struct gpu_share s = share_gpus(gpus, rank, processes);
                assert_true(s.first >= 0 && s.count >= 1 && s.first + s.count <= gpus);
                for (int g = s.first; g < s.first + s.count; g++)
                    used[g]++;
            }
            for (int rank = 0; rank < processes; rank++) {
                struct gpu_share s = share_gpus(gpus, rank, processes);
                assert_int_equal(used[s.first], s.users);
            }
            for (int g = 0; g < gpus; g++)
                assert_true(processes > gpus ? used[g] >= 1 : used[g] == 1);
        }
}

/* Tests valid and malformed lists; the latter, and nodes that they lack, have 0 tasks. */
static void test_slurm_list(void)
{
    assert_int_equal(slurm_tasks_on_node("4", 0), 4);
    assert_int_equal(slurm_tasks_on_node("4", 1), 0);
    assert_int_equal(slurm_tasks_on_node("2(x3),1", 2), 2);
    assert_int_equal(slurm_tasks_on_node("2(x3),1", 3), 1);
    assert_int_equal(slurm_tasks_on_node("2(x3),1", 4), 0);
    assert_int_equal(slurm_tasks_on_node("1,3(x2),5", 3), 5);
    assert_int_equal(slurm_tasks_on_node("", 0), 0);
    assert_int_equal(slurm_tasks_on_node("2(x", 0), 0);
    assert_int_equal(slurm_tasks_on_node("2(x0),1", 0), 0);
    assert_int_equal(slurm_tasks_on_node("2;1", 1), 0);
    assert_int_equal(slurm_tasks_on_node("-2", 0), 0);
}

static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK",
                                        "OMPI_COMM_WORLD_LOCAL_SIZE",
                                        "MPI_LOCALRANKID",
                                        "MPI_LOCALNRANKS",
                                        "SLURM_LOCALID",
                                        "SLURM_STEP_TASKS_PER_NODE",
                                        "SLURM_NODEID"};

/* Removes the variables of all launchers from the environment. */
static int forget_launchers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
    return 0;
}

/* Requires find_local_rank() to find this rank and number of processes on the host. */
static void expect_rank(int rank, int processes)
{
    int found_rank, found_processes;
    assert_true(find_local_rank(&found_rank, &found_processes));
    assert_int_equal(found_rank, rank);
    assert_int_equal(found_processes, processes);
}

/* Tests the variables of each launcher. Those of Intel MPI precede Slurm's, and Open MPI's both. */
static void test_launchers(void)
{
    int rank, processes;
    assert_false(find_local_rank(&rank, &processes));
    setenv("SLURM_LOCALID", "0", 1);
    assert_false(find_local_rank(&rank, &processes)); /* as in a batch script */
    setenv("SLURM_NODEID", "3", 1);
    setenv("SLURM_STEP_TASKS_PER_NODE", "2(x3),1", 1);
    expect_rank(0, 1);
    setenv("MPI_LOCALRANKID", "5", 1);
    setenv("MPI_LOCALNRANKS", "8", 1);
    expect_rank(5, 8);
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    expect_rank(1, 2);
}

/* Tests that a rank is ignored if the number of processes is malformed, or not larger than the
 * rank.
 */
static void test_malformed(void)
{
    static const char *const sizes[] = {"", "1", "two", "2x", "-2", "99999999999"};
    int rank, processes;
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        setenv("OMPI_COMM_WORLD_LOCAL_SIZE", sizes[i], 1);
        assert_false(find_local_rank(&rank, &processes));
    }
}

int main(void)
{
    return run_group_between(forget_launchers, NULL, "local GPUs", test_shares, test_all_are_used,
                             test_slurm_list, test_launchers, test_malformed);
}
