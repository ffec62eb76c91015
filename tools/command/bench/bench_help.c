/*
 * Text of `startile bench --help` before and after the options.
 */
#include "bench_help.h"

#include "bench.h"

const char bench_doc[] =
    "Times a routine on random matrices, or on a batch of many small ones in one call. SIZES is a "
    "list such as 1024,2048 or START:STOP:STEP. 'bench kernel' has a --help of its own.";

static const char runs[] =
    "One row per precision, size and tile size: the median of the timed runs, each on a fresh "
    "matrix. Time goes from the first submission until all tasks have ended and, with --resident "
    "host, until the result is in the caller's storage. Allocation, page-locking, registration "
    "with StarPU and generation come before. With --resident host nothing of the matrix is on a "
    "GPU when the time starts, for the peer too.\n\n"
    "getrf_nopiv gets a diagonally dominant matrix. potrs, potri, sytri, hetri, getrs, getri, "
    "ormqr and orgqr start from factors, sygst (A x = lambda B x) from that of B. For complex "
    "types ormqr, orgqr and sygst are LAPACK's unmqr, ungqr and hegst, which are aliases. ormqr "
    "applies Q^H to C from the left. Operations of gels are those of the factorization, of the "
    "reflectors on the right-hand sides and of the triangular solve; those of sytrf, hetrf, sysv, "
    "hesv and sytri, and of Aasen's method (_aa), are Cholesky's.\n\n"
    "The peer is the threaded LAPACK of OpenBLAS or MKL with as many threads as there are CPU "
    "workers (--where cpu), or cuSOLVER and cuBLAS on one GPU, in this process, on the same "
    "matrix, warmed up, while StarPU is down. Where it has no such routine, the nearest stands in: "
    "getrf for getrf_tntpiv, and on CPUs for getrf_nopiv; geqrf for geqrf_tree; on a GPU getrs on "
    "the identity for getri, geqrf of A^H with both transpositions for gelqf, and geqrf, ormqr and "
    "trsm for gels. hetrf, hesv, sytri, hetri, Aasen's method, sygst, geqp3 and geqp3_random have "
    "no peer on GPUs. Where the library is given several GPUs, the peer of getrf, getrf_tntpiv and "
    "potrf of the lower triangle is cusolverMg on as many: block columns of 512 lie on the GPUs in "
    "turn, with --resident gpu before the time starts and when it ends. For other routines, for "
    "--uplo U, for less than 512 columns per GPU and in a build without cusolverMg it is cuSOLVER "
    "on one GPU; the peer's name says so. The peer takes the first GPUs, as CUDA_VISIBLE_DEVICES "
    "numbers them, without regard to STARPU_WORKERS_CUDAID.\n\n"
    "Fields of the CSV file:\n";

static const char batches[] =
    "\nThe packing of a batch's matrices by pointers for GPUs is not timed. With --resident gpu "
    "nothing of the batch is in the GPU's L2 cache when the time starts. The peer on CPUs is "
    "LAPACK or BLAS in a loop, one problem per thread on as many threads as there are CPU workers; "
    "on a GPU the batched routine of cuBLAS or cuSOLVER, which have none for ormqr, vectors, LU of "
    "matrices that are not square, gels of fewer rows than columns, and variable sizes. Variable "
    "sizes are spread evenly in 1 ... n, at random but every time the same; m, and nrhs where it "
    "defaults to n, are as much smaller as n is. dotc_batch is a name for dot_batch. Residuals of "
    "nrm2, asum and dot are the error by the sum of the absolute terms, n and eps, of scal and "
    "axpy the largest error of an element, of iamax 0 or infinite.\n";

static const char residuals[] =
    "\nA residual is a norm of the equation that the results fulfil, by the norms of its terms, "
    "the largest dimension and the unit roundoff: ||(P A - L U) V||_1 / (max(m, n) ||A V||_1 eps) "
    "for getrf, where V is a random vector and seven unit vectors, spread evenly, of 1-norm 1. "
    "That of QR and LQ is also the departure of Q from a unitary matrix, that of orgqr the same; "
    "for potri, sytri and hetri the equation is A X = I, for sytrf, hetrf, sytrf_aa and hetrf_aa "
    "the same with the solution X by the factors (LAPACK's factors of Aasen's method are not "
    "checked), for getri the smaller one of A X - I and X A - I counts, for gels the equation is "
    "A^H (B - A X) = 0 where m > n, and where m < n X is also in the span of A's rows.\n\n"
    "Exit code 1 when the status of any row is not ok.\n\n";

static const char placements[] =
    "--placement makes a further run, in which the library records its tasks and StarPU its "
    "transfers. For each codelet it prints how many tasks ran on CPU workers and on GPUs, their "
    "time and rate; then the time that devices were busy and idle, the idle time in which StarPU's "
    "workers waited for data, and the bytes moved. A GPU is one device, though several workers "
    "feed it: time in which k tasks run on it counts 1/k for each. Tasks take the time from the "
    "first submission to the last task's end; the run ends when the result is where it belongs. "
    "Three bounds follow, and how far above them the tasks and the run are:\n"
    "  critical path      the longest chain of tasks that wait for each other, each\n"
    "                     with its time, or the mean time of its codelet and\n"
    "                     shape on the other kind of device if that is less\n"
    "  area bound         the least T for which the tasks, cut into pieces at\n"
    "                     will and waiting for nothing, fit in: for both kinds\n"
    "                     of devices the sum over shapes of (tasks there) (mean\n"
    "                     time there) is at most (devices) T. The GPUs take\n"
    "                     first what gains most there.\n"
    "  mixed bound        the larger of the two\n"
    "While k tasks run on a GPU, each gets 1/k of the time. Where no task of a shape ran on one of "
    "the kinds, its time there is StarPU's performance model's, or the shape stays where it was. "
    "Where the library uses calibrated models, the bounds follow by the models' times, too, each "
    "task of the critical path on the device that is best for it. These are times of a task alone. "
    "In the area a task counts with the share of a GPU that it uses; the models' file `simulation' "
    "says how much of the rest other tasks can use (gpu_hold).\n\n"
    "bytes_by_formula is that of Yamazaki, Tomov and Dongarra for matrices larger than a GPU's "
    "memory, with as many columns at a time as fit there; where no GPU takes part, with a disk and "
    "main memory in the places of main memory and a GPU. Matrices that are on GPUs before and "
    "after have none. bytes_between_by_formula follows from their account of several GPUs, where "
    "these hold the matrix: every panel goes to each GPU but its owner.\n\n";

static const char energies[] =
    "--energy makes further runs for some seconds and prints the joules of one: of the CPU "
    "packages (RAPL, in /sys/class/powercap, which Linux mostly lets root alone read) and of the "
    "GPUs (NVML's energy counter), of all in the machine whether they take part or not; then 10^9 "
    "operations by the joules of both, which is GFlop/s per watt, and with --where gpu the same "
    "for the GPUs alone. The energy of making the matrices is measured by itself and subtracted. A "
    "counter that is missing is named, and its columns hold dashes. '--energy --where all' "
    "compares CPUs only, both, and GPUs only. From the power of busy and idle devices follow the "
    "watts of startile_options.cpu_watts and cuda_watts, with which StarPU's policy dmdas weighs "
    "joules against time.\n\n"
    "--trace makes a further run in a StarPU that traces, and draws a picture of it.\n\n";

static const char grids[] =
    "Under mpirun all processes share each matrix (--grid), and the first one prints. A run begins "
    "with a barrier and takes as long as the slowest process. Matrices are the library's own. LU "
    "and QR take tiles of all rows on one process row, square tiles on several, which send much "
    "more. bytes_sent_bound is (R (1 - 1/Q) / P + C (1 - 1/P) / Q) elements for panels of R "
    "elements, each of which goes to the other processes of its row of the grid, and block rows of "
    "C elements, which go along columns: what the mean process sends where the owner of an element "
    "computes it and tiles are small. On a symmetric grid of order R each element goes to R - 2 "
    "others, or R - 1 with R*R/2 processes. The peer is the machine's ScaLAPACK "
    "(libscalapack-openmpi) on the same grid and data, in blocks of 32, 64 and 128, with as many "
    "BLAS threads as there are workers; the fastest one counts. getri, sygst, sysv_aa, ormqr and "
    "orgqr have no peer; getrf stands in for getrf_nopiv and getrf_tntpiv, geqrf for geqrf_tree.";

char *bench_epilogue(void)
{
    char *text = NULL;
    size_t size;
    const struct report all = {bench_fields, TILES | BATCHES, false, NULL, NULL};
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fprintf(f, "ROUTINE is %s; for batches %s.\n\n%s", routine_names(false), routine_names(true),
            runs);
    report_describe(&all, f);
    fprintf(f, "%s%s%s%s%s", batches, residuals, placements, energies, grids);
    return fclose(f) ? NULL : text;
}
