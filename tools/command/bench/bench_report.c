/*
 * Fields of the reports of `startile bench`.
 */
#include "bench.h"

#define AT(member) offsetof(struct row, member)
#define NUMBER(name, member, ...)                                                                  \
    {                                                                                              \
        name, REPORT_NUMBER, AT(member), __VA_ARGS__                                               \
    }

/* clang-format off */
const struct report_field bench_fields[] = {
    {"routine", REPORT_CHARS, AT(name), "as given", 0, -17, NULL, ""},
    {"precision", REPORT_LETTER, AT(precision), "s, d, c or z", 0, 4, "prec", NULL},
    {"uplo", REPORT_LETTER, AT(problem.uplo), "triangle", BATCHES, 0, NULL, NULL},
    {"m", REPORT_SIZE, AT(problem.m), "rows; n but for LU, QR and gemm", 0, 7, NULL, NULL},
    {"n", REPORT_SIZE, AT(problem.n), "columns; of a batch the largest", 0, 7, NULL, NULL},
    NUMBER("mean_n", mean_n, "mean of all problems", BATCHES, 7, "mean n", "%.6g"),
    {"nrhs", REPORT_SIZE, AT(problem.k), "right-hand sides, or as --nrhs says", 0, 7, NULL, NULL},
    {"batch", REPORT_SIZE, AT(problem.count), "problems", BATCHES, 8, NULL, NULL},
    {"layout", REPORT_TEXT, AT(layout), "as given", BATCHES, 0, NULL, NULL},
    {"per_task", REPORT_SIZE, AT(problem.per_task), "problems of a task, as given", BATCHES, 0,
     NULL, NULL},
    {"mb", REPORT_SIZE, AT(problem.mb), "rows of a tile", TILES, 0, NULL, NULL},
    {"nb", REPORT_SIZE, AT(problem.nb), "columns of a tile", TILES, 6, NULL, NULL},
    {"where", REPORT_TEXT, AT(where_name), "as given", 0, -6, NULL, NULL},
    {"workers", REPORT_COUNT, AT(workers), "StarPU workers of all kinds", 0, 0, NULL, NULL},
    {"gpus", REPORT_COUNT, AT(gpus), "GPUs that compute", TILES, 0, NULL, NULL},
    NUMBER("tasks", tasks, "tasks that StarPU executed in one run", TILES, 7, NULL, "%.0f"),
    NUMBER("submit_seconds", submit_seconds, "median time until the last submission", TILES, 0,
           NULL, NULL),
    NUMBER("seconds", seconds.median, "median time of a run", 0, 10, NULL, "%.4g"),
    NUMBER("seconds_min", seconds.min, "fastest run", 0, 0, NULL, NULL),
    NUMBER("seconds_max", seconds.max, "slowest run", 0, 0, NULL, NULL),
    {"repeat", REPORT_COUNT, AT(repeats), "timed runs of the library and of the peer", 0, 0, NULL,
     NULL},
    NUMBER("gflop_s", gflop_s, "10^9 operations (LAPACK Working Note 41) by seconds", 0, 10,
           "GFlop/s", "%.4g"),
    NUMBER("gbyte_s", gbyte_s, "10^9 bytes that are to be read and written, by seconds", BATCHES,
           9, "GB/s", "%.4g"),
    NUMBER("bytes_sent_most", sent_most, "by the process that sent most in a run (--grid)", RANKS,
           10, "sent most", "%.3g"),
    NUMBER("bytes_sent", sent_mean, "mean of the processes", RANKS, 10, "B sent", "%.3g"),
    NUMBER("bytes_sent_bound", sent_bound, "by formula, see below", RANKS, 10, "by formula",
           "%.3g"),
    NUMBER("bytes_sent_ratio", sent_ratio, "bytes_sent / bytes_sent_bound", RANKS, 6, "ratio",
           "%.3g"),
    NUMBER("bytes_sent_2d", sent_2d, "by formula on a nearly square grid, beside\n"
           "                            a symmetric one", SYMMETRIC_GRID, 10, "by 2D", "%.3g"),
    {"peer_name", REPORT_CHARS, AT(peer_name), "the peer's name and version", 0, 0, NULL, NULL},
    NUMBER(NULL, peer_seconds.median, NULL, BATCHES, 10, "peer's s", "%.4g"),
    NUMBER("peer_seconds", peer_seconds.median, "the peer's median time", 0, 0, NULL, NULL),
    NUMBER("peer_seconds_min", peer_seconds.min, "its fastest run", 0, 0, NULL, NULL),
    NUMBER("peer_seconds_max", peer_seconds.max, "its slowest run", 0, 0, NULL, NULL),
    NUMBER("peer_gflop_s", peer_gflop_s, "operations by the peer's median time", TILES, 10, "peer",
           "%.4g"),
    NUMBER("ratio", ratio, "the peer's time by the library's", 0, 6, NULL, "%.3f"),
    NUMBER("gemm_gflop_s", gemm_gflop_s,
           "the peer's gemm: order 2048 on CPUs, or less where\n"
           "                            that takes long; 8192 on a GPU,\n"
           "                            times the library's GPUs", TILES, 0, NULL, NULL),
    NUMBER("fraction_of_gemm", fraction_of_gemm, "gflop_s / gemm_gflop_s", TILES, 6, "gemm",
           "%.3f"),
    NUMBER("scaled_residual", scaled_residual, "of the last run, see below; of a batch the largest",
           0, 9, "residual", "%.2e"),
    NUMBER("lapack_residual", lapack_residual,
           "of the peer's result; without batches up to\n"
           "                            n = 8192 on CPUs and 32768 on GPUs (gelqf: 8192)", 0, 9,
           "LAPACK's", "%.2e"),
    NUMBER(NULL, joules.cpu, NULL, ENERGY, 9, "J of CPUs", "%.4g"),
    NUMBER(NULL, joules.gpu, NULL, ENERGY, 9, "J of GPUs", "%.4g"),
    NUMBER(NULL, gflops_per_watt, NULL, ENERGY, 8, "GFlops/W", "%.4g"),
    NUMBER(NULL, gflops_per_watt_of_gpus, NULL, ENERGY, 8, "of GPUs", "%.4g"),
    {"status", REPORT_CHARS, AT(status),
     "ok, or simulated; FAIL: and a residual of 30 or\n"
     "                            more, or info; error: and the reason", 0, -1, " status", "  "},
    {"tree", REPORT_TEXT, AT(tree), "of geqrf_tree, as given", TILES, 0, NULL, NULL},
/* Fields of the CSV file only */
#define FURTHER(name, member, meaning) NUMBER(name, member, meaning, TILES, 0, NULL, NULL)
    FURTHER("cpu_joules", joules.cpu, "of one run (--energy)"),
    FURTHER("gpu_joules", joules.gpu, "of one run"),
    FURTHER("energy_seconds", energy_seconds, "mean time of the measured runs"),
    FURTHER("placement_seconds", placement.seconds, "of the tasks (--placement)"),
    FURTHER("critical_path", placement.measured.critical_path, "in seconds"),
    FURTHER("area_bound", placement.measured.area, "in seconds"),
    FURTHER("mixed_bound", placement.measured.mixed, "in seconds"),
    FURTHER("placement_run_seconds", placement.run_seconds, "of that run"),
    FURTHER("model_critical_path", placement.modelled.critical_path, "by the models' times"),
    FURTHER("model_area_bound", placement.modelled.area, "by the models' times"),
    FURTHER("model_mixed_bound", placement.modelled.mixed, "by the models' times"),
    FURTHER("bytes_to_gpus", placement.to_gpus, "from main memory"),
    FURTHER("bytes_from_gpus", placement.from_gpus, "to main memory"),
    FURTHER("bytes_between_gpus", placement.between_gpus, "directly"),
    FURTHER("bytes_from_disk", placement.from_disk, "with GPUs: of the whole process"),
    FURTHER("bytes_to_disk", placement.to_disk, "with GPUs: of the whole process"),
    FURTHER("bytes_by_formula", placement.volume, "of potrf, getrf, geqrf, see below"),
    FURTHER("bytes_ratio", placement.volume_ratio, "bytes moved / bytes_by_formula"),
    FURTHER("bytes_between_by_formula", placement.volume_between, "see below"),
    FURTHER("bytes_between_ratio", placement.between_ratio,
            "bytes_between_gpus / bytes_between_by_formula"),
    {.name = NULL},
};
/* clang-format on */
