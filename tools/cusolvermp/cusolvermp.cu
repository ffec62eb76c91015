/*
 * Times cuSOLVERMp's potrf, getrf and geqrf in double precision on the GPUs of one host, one
 * process a GPU. tools/bench-cusolvermp runs it and says how to compile it:
 *
 *   cusolvermp PxQ REPEATS ROUTINES N,... NB,...
 *
 * Matrices of order N are random, for potrf symmetric positive definite, in blocks of NB x NB on a
 * grid of P x Q processes. Prints a CSV line for each routine, N and NB: median, minimum and
 * maximum of the seconds of REPEATS runs, after a warm-up run, and the library's version. A run
 * begins when all processes are ready, and takes as long as the slowest one.
 */
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <cusolverMp.h>
#include <nccl.h>
#include <new>
#include <signal.h>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/* Ends the process with a message unless the call of CUDA, NCCL or cuSOLVERMp returns 0. */
#define CHECK(call)                                                                                \
    do {                                                                                           \
        int status_ = (int)(call);                                                                 \
        if (status_) {                                                                             \
            fprintf(stderr, "cusolvermp: %s: status %d\n", #call, status_);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

struct arguments {
    int p, q, repeats;
    std::vector<std::string> routines;
    std::vector<int64_t> n, nb;
};

/* What the processes share before they can communicate */
struct start {
    std::atomic<bool> has_id;
    ncclUniqueId id;
};

/* One process of the grid, and its part of a problem */
struct process {
    int p, q, rank, row, col;
    cudaStream_t stream;
    ncclComm_t comm;
    cusolverMpHandle_t handle;
    cusolverMpGrid_t grid;
    double *seconds; /* on the GPU */
    /* The problem */
    const struct routine *routine;
    int64_t n, nb, rows, cols; /* rows, cols: of this process */
    cusolverMpMatrixDescriptor_t matrix;
    double *a, *tau;
    int64_t *ipiv;
    int *info;
    void *work, *host_work;
    size_t work_bytes, host_work_bytes;
};

/* -- routines ------------------------------------------------------------------------------- */

struct routine {
    const char *name;
    cusolverStatus_t (*query)(struct process *x);
    cusolverStatus_t (*run)(struct process *x);
};

static const struct routine routines[] = {
    {"potrf",
     [](struct process *x) {
         return cusolverMpPotrf_bufferSize(x->handle, CUBLAS_FILL_MODE_LOWER, x->n, x->a, 1, 1,
                                           x->matrix, CUDA_R_64F, &x->work_bytes,
                                           &x->host_work_bytes);
     },
     [](struct process *x) {
         return cusolverMpPotrf(x->handle, CUBLAS_FILL_MODE_LOWER, x->n, x->a, 1, 1, x->matrix,
                                CUDA_R_64F, x->work, x->work_bytes, x->host_work,
                                x->host_work_bytes, x->info);
     }},
    {"getrf",
     [](struct process *x) {
         return cusolverMpGetrf_bufferSize(x->handle, x->n, x->n, x->a, 1, 1, x->matrix, x->ipiv,
                                           CUDA_R_64F, &x->work_bytes, &x->host_work_bytes);
     },
     [](struct process *x) {
         return cusolverMpGetrf(x->handle, x->n, x->n, x->a, 1, 1, x->matrix, x->ipiv, CUDA_R_64F,
                                x->work, x->work_bytes, x->host_work, x->host_work_bytes, x->info);
     }},
    {"geqrf",
     [](struct process *x) {
         return cusolverMpGeqrf_bufferSize(x->handle, x->n, x->n, x->a, 1, 1, x->matrix, CUDA_R_64F,
                                           &x->work_bytes, &x->host_work_bytes);
     },
     [](struct process *x) {
         return cusolverMpGeqrf(x->handle, x->n, x->n, x->a, 1, 1, x->matrix, x->tau, CUDA_R_64F,
                                x->work, x->work_bytes, x->host_work, x->host_work_bytes, x->info);
     }},
};

static const struct routine *find_routine(const std::string &name)
{
    for (const struct routine &r : routines)
        if (name == r.name)
            return &r;
    return NULL;
}

/* -- one process ---------------------------------------------------------------------------- */

/* Returns bits that depend on i and j (SplitMix64). */
static __device__ uint64_t mix(uint64_t i, uint64_t j)
{
    uint64_t x = (i << 32 | j) + 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Fills this process' blocks with random elements in -0.5 ... 0.5; for a definite matrix
 * symmetrically, with n added to the diagonal. */
static __global__ void fill(struct process x, bool definite)
{
    int64_t nb = x.nb, count = x.rows * x.cols, stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += stride) {
        int64_t row = k % x.rows, col = k / x.rows;
        int64_t i = (row / nb * x.p + x.row) * nb + row % nb;
        int64_t j = (col / nb * x.q + x.col) * nb + col % nb;
        bool swap = definite && i < j;
        x.a[k] = (double)mix(swap ? j : i, swap ? i : j) * 0x1p-64 - 0.5 +
                 (definite && i == j ? (double)x.n : 0);
    }
}

/* Returns the largest value of all processes. Waits for all. */
static double maximum(struct process *x, double value)
{
    CHECK(cudaMemcpyAsync(x->seconds, &value, sizeof value, cudaMemcpyHostToDevice, x->stream));
    CHECK(ncclAllReduce(x->seconds, x->seconds, 1, ncclDouble, ncclMax, x->comm, x->stream));
    CHECK(cudaMemcpyAsync(&value, x->seconds, sizeof value, cudaMemcpyDeviceToHost, x->stream));
    CHECK(cudaStreamSynchronize(x->stream));
    return value;
}

static void connect(struct process *x, struct start *start)
{
    CHECK(cudaSetDevice(x->rank));
    CHECK(cudaStreamCreate(&x->stream));
    CHECK(cudaMalloc(&x->seconds, sizeof *x->seconds));
    if (x->rank == 0) {
        CHECK(ncclGetUniqueId(&start->id));
        start->has_id = true;
    }
    while (!start->has_id)
        usleep(1000);
    CHECK(ncclCommInitRank(&x->comm, x->p * x->q, start->id, x->rank));
    CHECK(cusolverMpCreate(&x->handle, x->rank, x->stream));
    CHECK(cusolverMpCreateDeviceGrid(x->handle, &x->grid, x->comm, x->p, x->q,
                                     CUSOLVERMP_GRID_MAPPING_COL_MAJOR));
    x->row = x->rank % x->p;
    x->col = x->rank / x->p;
}

/* Allocates this process' blocks, and pivots and scalars for all rows and columns. */
static void allocate(struct process *x)
{
    int64_t n = x->n, nb = x->nb;
    x->rows = cusolverMpNUMROC(n, nb, x->row, 0, x->p);
    x->cols = cusolverMpNUMROC(n, nb, x->col, 0, x->q);
    CHECK(cudaMalloc(&x->a, (size_t)(x->rows * x->cols) * sizeof *x->a));
    CHECK(cudaMalloc(&x->ipiv, (size_t)(n + nb) * sizeof *x->ipiv));
    CHECK(cudaMalloc(&x->tau, (size_t)(n + nb) * sizeof *x->tau));
    CHECK(cudaMalloc(&x->info, sizeof *x->info));
    CHECK(cusolverMpCreateMatrixDesc(&x->matrix, x->grid, CUDA_R_64F, n, n, nb, nb, 0, 0, x->rows));
    CHECK(x->routine->query(x));
    CHECK(cudaMalloc(&x->work, x->work_bytes + 1));
    x->host_work = malloc(x->host_work_bytes + 1);
    CHECK(!x->host_work);
}

static void release(struct process *x)
{
    free(x->host_work);
    CHECK(cudaFree(x->work));
    CHECK(cusolverMpDestroyMatrixDesc(x->matrix));
    CHECK(cudaFree(x->info));
    CHECK(cudaFree(x->tau));
    CHECK(cudaFree(x->ipiv));
    CHECK(cudaFree(x->a));
}

/* Runs the routine on a fresh matrix. Returns the seconds of the slowest process. */
static double time_run(struct process *x)
{
    int info = 0;
    fill<<<1024, 256, 0, x->stream>>>(*x, !strcmp(x->routine->name, "potrf"));
    CHECK(cudaGetLastError());
    CHECK(cudaMemsetAsync(x->info, 0, sizeof *x->info, x->stream));
    maximum(x, 0); /* all are ready */
    auto begin = std::chrono::steady_clock::now();
    CHECK(x->routine->run(x));
    CHECK(cudaStreamSynchronize(x->stream));
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    CHECK(cudaMemcpy(&info, x->info, sizeof info, cudaMemcpyDeviceToHost));
    CHECK(info);
    return maximum(x, seconds.count());
}

/* Times the runs of a problem. The process of rank 0 prints. */
static void time_problem(struct process *x, int repeats)
{
    std::vector<double> times;
    allocate(x);
    time_run(x); /* warms up */
    for (int i = 0; i < repeats; i++)
        times.push_back(time_run(x));
    release(x);
    std::sort(times.begin(), times.end());
    double median = (times[(repeats - 1) / 2] + times[repeats / 2]) / 2;
    if (x->rank == 0)
        printf("%s,%lld,%dx%d,%lld,%d,%.9g,%.9g,%.9g,cuSOLVERMp %d.%d.%d\n", x->routine->name,
               (long long)x->n, x->p, x->q, (long long)x->nb, repeats, median, times.front(),
               times.back(), CUSOLVERMP_VER_MAJOR, CUSOLVERMP_VER_MINOR, CUSOLVERMP_VER_PATCH);
    fflush(stdout);
}

/* Times all problems in this process. */
static void run(const struct arguments *a, int rank, struct start *start)
{
    struct process x = {};
    x.p = a->p;
    x.q = a->q;
    x.rank = rank;
    connect(&x, start);
    for (const std::string &name : a->routines)
        for (int64_t n : a->n)
            for (int64_t nb : a->nb) {
                x.routine = find_routine(name);
                x.n = n;
                x.nb = nb;
                time_problem(&x, a->repeats);
            }
    maximum(&x, 0); /* no process ends while another one communicates */
}

/* -- the program ---------------------------------------------------------------------------- */

static std::vector<std::string> split(const char *list)
{
    std::vector<std::string> words;
    std::stringstream stream(list);
    for (std::string word; std::getline(stream, word, ',');)
        words.push_back(word);
    return words;
}

/* Parses a list of positive numbers. Returns whether it is one. */
static bool parse_sizes(const char *list, std::vector<int64_t> *sizes)
{
    for (const std::string &word : split(list))
        sizes->push_back(atoll(word.c_str()));
    return !sizes->empty() && *std::min_element(sizes->begin(), sizes->end()) > 0;
}

static bool parse(int argc, char **argv, struct arguments *a)
{
    if (argc != 6 || sscanf(argv[1], "%dx%d", &a->p, &a->q) != 2)
        return false;
    a->repeats = atoi(argv[2]);
    a->routines = split(argv[3]);
    return a->p > 0 && a->q > 0 && a->repeats > 0 && !a->routines.empty() &&
           parse_sizes(argv[4], &a->n) && parse_sizes(argv[5], &a->nb) &&
           std::all_of(a->routines.begin(), a->routines.end(), find_routine);
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    if (!parse(argc, argv, &arguments)) {
        fprintf(stderr, "usage: cusolvermp PxQ REPEATS ROUTINES N,... NB,...\n");
        return 2;
    }
    /* This process calls no CUDA, whose state a fork would not copy. */
    void *shared =
        mmap(NULL, sizeof(struct start), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared == MAP_FAILED);
    struct start *start = new (shared) struct start();
    std::vector<pid_t> children;
    for (int rank = 0; rank < arguments.p * arguments.q; rank++) {
        pid_t child = fork();
        CHECK(child < 0);
        if (child == 0) {
            run(&arguments, rank, start);
            _exit(0);
        }
        children.push_back(child);
    }
    /* A process that fails leaves the others waiting for it. */
    bool failed = false;
    int status;
    for (pid_t ended; (ended = wait(&status)) > 0; failed = failed || status) {
        children.erase(std::find(children.begin(), children.end(), ended));
        if (status && !failed)
            for (pid_t child : children)
                kill(child, SIGKILL);
    }
    return failed;
}
