/*
 * Tests of matrices in the memory of a GPU, in managed and in page-locked memory, of the order with
 * CUDA streams, and of the allocator of the kernels' workspace. On the backend cpu the matrices are
 * in main memory, and a replacement of CUDA's driver (fake_cuda.c) declares some to be on a GPU.
 */
#include "check.h"
#include "generate.h"
#include "lu.h"
#include "objects.h"
#include "qr.h"
#include "reference.h"
#include "startile_batch.h"
#include "startile_lapack.h"

#include <dlfcn.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef STARTILE_HAVE_CUDA
#include <cuda_runtime.h>
#endif

enum memory { MAIN, ON_GPU, MANAGED, PAGE_LOCKED };
enum { MEMORIES = 4 };
static const char *const memory_names[MEMORIES] = {"main", "GPU", "managed", "page-locked"};

/* A copy of an array in another memory, borders included */
struct copy {
    struct array array; /* source of the elements, and destination of the results */
    enum memory memory;
    char *start; /* of the allocation */
    void *a;     /* element (0, 0) */
};

/* -- memories ------------------------------------------------------------------------------- */

#ifdef STARTILE_HAVE_CUDA

#define cuda(call) require((call) == cudaSuccess)

static bool has_memory(enum memory memory)
{
    return memory == MAIN || backend != CPU;
}

static void *allocate_in(enum memory memory, size_t bytes)
{
    void *p = NULL;
    switch (memory) {
    case MAIN:
        p = malloc(bytes);
        break;
    case ON_GPU:
        cuda(cudaMalloc(&p, bytes));
        break;
    case MANAGED:
        cuda(cudaMallocManaged(&p, bytes, cudaMemAttachGlobal));
        break;
    case PAGE_LOCKED:
        cuda(cudaMallocHost(&p, bytes));
        break;
    }
    require(p != NULL);
    return p;
}

static void free_in(enum memory memory, void *p)
{
    if (memory == MAIN)
        free(p);
    else if (memory == PAGE_LOCKED)
        cuda(cudaFreeHost(p));
    else
        cuda(cudaFree(p));
}

/* From memory that is not page-locked, cudaMemcpy() returns before the bytes have arrived, and the
 * library's streams do not wait for the default stream. */
static void copy_bytes(void *to, const void *from, size_t bytes, enum memory memory)
{
    if (memory == MAIN) {
        memcpy(to, from, bytes);
        return;
    }
    cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    cuda(cudaStreamSynchronize(NULL));
}

#else

static bool has_memory(enum memory memory)
{
    return memory == MAIN;
}

static void *allocate_in(enum memory memory, size_t bytes)
{
    (void)memory;
    return malloc(bytes);
}

static void free_in(enum memory memory, void *p)
{
    (void)memory;
    free(p);
}

static void copy_bytes(void *to, const void *from, size_t bytes, enum memory memory)
{
    (void)memory;
    memcpy(to, from, bytes);
}

#endif

/* Returns a copy of the array in the memory. Its elements are not aligned to 16 bytes if the
 * array's padding is odd. */
static struct copy copy_new(struct array array, enum memory memory)
{
    struct copy c = {.array = array, .memory = memory};
    c.start = allocate_in(memory, array_bytes(array));
    c.a = c.start + ((char *)array.a - (char *)array.memory);
    copy_bytes(c.start, array.memory, array_bytes(array), memory);
    return c;
}

/* Copies the elements back to the array. Requires intact borders. */
static void copy_fetch(struct copy c)
{
    copy_bytes(c.array.memory, c.start, array_bytes(c.array), c.memory);
    require(has_borders_intact(c.array));
}

/* Copies the elements back to the array and frees the copy. */
static void copy_finish(struct copy c)
{
    copy_fetch(c);
    free_in(c.memory, c.start);
}

/* -- typed entries -------------------------------------------------------------------------- */

static void solve_definite(enum memory memory, int64_t n)
{
    struct array A = generate(&well_conditioned, dtype, n, 1), B = array_new_random(dtype, n, 3, 2);
    struct array F = array_copy(A), X = array_copy(B), R = array_copy(A), Z = array_copy(B);
    lapack(R)->potrf('L', R);
    lapack(R)->potrs('L', R, Z);
    struct copy f = copy_new(F, memory), x = copy_new(X, memory);
    require_info(reference[dtype]->typed_posv('L', n, B.n, f.a, F.ld, x.a, X.ld), 0);
    copy_finish(f);
    copy_finish(x);
    check_factor('L', A, F, n);
    check_solution(A, X, Z, B);
    arrays_free(A, B, F, X, R, Z);
}

/* A and B may be in different memories. */
static void solve_general(enum memory memory, enum memory memory_of_b, int64_t n)
{
    struct array A = generate_general(&random_general, dtype, n, n, 1),
                 B = array_new_random(dtype, n, 2, 0);
    struct array F = array_copy(A), X = array_copy(B), Z = array_copy(B);
    struct lu l = lapack_lu(A);
    lapack(A)->getrs('N', l.F, l.ipiv, Z);
    int64_t *ipiv = pivots_new(n);
    struct copy f = copy_new(F, memory), x = copy_new(X, memory_of_b);
    require_info(reference[dtype]->typed_gesv(n, B.n, f.a, F.ld, ipiv, x.a, X.ld), 0);
    copy_finish(f);
    copy_finish(x);
    check_ipiv(ipiv, n, n);
    check_solution(A, X, Z, B);
    pivots_free(ipiv, n);
    lu_free(l);
    arrays_free(A, B, F, X, Z);
}

static void solve_least_squares(enum memory memory, int64_t m, int64_t n)
{
    struct array A = generate_general(&random_general, dtype, m, n, 1),
                 B = array_new_random(dtype, m, 2, 1);
    struct array F = array_copy(A), X = array_copy(B), G = array_copy(A), Z = array_copy(B);
    require(lapack(G)->gels('N', G, Z) == 0);
    struct copy f = copy_new(F, memory), x = copy_new(X, memory);
    require_info(reference[dtype]->typed_gels('N', m, n, B.n, f.a, F.ld, x.a, X.ld), 0);
    copy_finish(f);
    copy_finish(x);
    struct array solution = array_part(X, 0, 0, n, B.n), expected = array_part(Z, 0, 0, n, B.n);
    check_near(solution, expected, 1e5 * (double)m);
    arrays_free(A, B, F, X, G, Z);
}

static void test_typed(void)
{
    random_seed(90);
    const int64_t orders[] = {1, 50, 333};
    for (int memory = 0; memory < MEMORIES; memory++)
        for (int o = 0; o < 3 && has_memory((enum memory)memory); o++) {
            in_case("n = %d, %s memory", (int)orders[o], memory_names[memory]);
            solve_definite((enum memory)memory, orders[o]);
            solve_general((enum memory)memory, (enum memory)memory, orders[o]);
            solve_general((enum memory)memory, MAIN, orders[o]);
            solve_least_squares((enum memory)memory, 2 * orders[o] + 1, orders[o]);
        }
}

/* -- descriptors ---------------------------------------------------------------------------- */

enum { ORDER = 150, TILE = 32 };

/* Returns whether the home node of A's tiles is that of the memory. */
static bool is_at_home(const startile_matrix *A, enum memory memory)
{
    int node = starpu_data_get_home_node(startile_matrix_handle(A, 0, 0));
    enum starpu_node_kind kind = starpu_node_get_kind((unsigned)node);
    return kind == (memory == ON_GPU ? STARPU_CUDA_RAM : STARPU_CPU_RAM);
}

/* Returns whether all tasks run on one GPU. */
static bool is_one_gpu(void)
{
    int gpus = 0;
    for (unsigned node = 0; node < starpu_memory_nodes_get_count(); node++)
        gpus += starpu_node_get_kind(node) == STARPU_CUDA_RAM;
    return backend == GPU && gpus == 1;
}

/* Returns whether main memory has a valid copy of A's first tile. */
static bool is_copied(const startile_matrix *A)
{
    int is_valid = 0;
    starpu_data_query_status2(startile_matrix_handle(A, 0, 0), STARPU_MAIN_RAM, NULL, &is_valid,
                              NULL, NULL);
    return is_valid != 0;
}

static void test_wrap(void)
{
    random_seed(91);
    for (int k = 0; k < MEMORIES; k++) {
        enum memory memory = (enum memory)k;
        if (!has_memory(memory))
            continue;
        in_case("wrap, %s memory", memory_names[k]);
        struct array A = generate(&well_conditioned, dtype, ORDER, 3), F = array_copy(A);
        struct copy f = copy_new(F, memory);
        startile_matrix *M = matrix_wrapped(dtype, ORDER, ORDER, f.a, F.ld, TILE, TILE);
        require(is_at_home(M, memory));
        require_info(startile_potrf('L', M), 0);
        require(memory != ON_GPU || !is_one_gpu() || !is_copied(M));
        require_info(startile_matrix_gather(M), 0);
        copy_fetch(f);
        check_factor('L', A, F, ORDER);
        require_info(startile_laset('G', 2, 2, M), 0);
        startile_matrix_destroy(M);
        copy_finish(f);
        require(get(F, 0, 0) == 2 && get(F, ORDER - 1, 0) == 2 && get(F, 0, ORDER - 1) == 2);
        arrays_free(A, F);
    }
}

/* Tests that tiles changed by a view return to the memory of the matrix that is viewed. */
static void test_view(void)
{
    random_seed(93);
    for (int k = 0; k < MEMORIES; k++) {
        enum memory memory = (enum memory)k;
        if (!has_memory(memory))
            continue;
        in_case("view, %s memory", memory_names[k]);
        struct array A = generate(&well_conditioned, dtype, ORDER, 3), F = array_copy(A);
        struct copy f = copy_new(F, memory);
        startile_matrix *M = NULL, *V = NULL;
        M = matrix_wrapped(dtype, ORDER, ORDER, f.a, F.ld, TILE, TILE);
        require_info(startile_matrix_view(&V, M, 0, 0, 2 * TILE, 2 * TILE), 0);
        require_info(startile_potrf('L', V), 0);
        require_info(startile_matrix_gather(V), 0);
        copy_fetch(f);
        check_factor('L', array_part(A, 0, 0, 2 * TILE, 2 * TILE),
                     array_part(F, 0, 0, 2 * TILE, 2 * TILE), 2 * TILE);
        matrices_destroy(V, M);
        copy_finish(f);
        arrays_free(A, F);
    }
}

/* Tests copies between LAPACK storage in each memory and a matrix of the library. */
static void test_copies(void)
{
    random_seed(92);
    for (int k = 0; k < MEMORIES; k++) {
        enum memory memory = (enum memory)k;
        if (!has_memory(memory))
            continue;
        in_case("from and to LAPACK storage, %s memory", memory_names[k]);
        struct array A = array_new_random(dtype, 70, 45, 1), B = array_new(dtype, 70, 45, 2);
        struct copy a = copy_new(A, memory), b = copy_new(B, memory);
        startile_matrix *M = matrix_created(dtype, 70, 45, 16, 16);
        require_info(startile_matrix_from_lapack(M, a.a, A.ld), 0);
        require_info(startile_matrix_to_lapack(M, b.a, B.ld), 0);
        startile_matrix_destroy(M);
        copy_finish(a);
        copy_finish(b);
        for (int64_t j = 0; j < A.n; j++)
            for (int64_t i = 0; i < A.m; i++)
                require(get(A, i, j) == get(B, i, j));
        arrays_free(A, B);
    }
}

/* Wraps by startile_matrix_wrap_device() without a stream of its own. */
static void test_default_stream(void)
{
    random_seed(93);
    for (int k = 0; k < MEMORIES; k++) {
        enum memory memory = (enum memory)k;
        if (!has_memory(memory))
            continue;
        in_case("default stream, %s memory", memory_names[k]);
        struct array A = generate(&well_conditioned, dtype, ORDER, 1), F = array_copy(A);
        struct copy f = copy_new(F, memory);
        startile_matrix *M = NULL;
        require_info(startile_matrix_wrap_device(&M, dtype, ORDER, ORDER, f.a, F.ld, TILE, TILE,
                                                 memory == ON_GPU || memory == MANAGED ? 0 : -1,
                                                 NULL),
                     0);
        require(is_at_home(M, memory));
        require_info(startile_potrf('U', M), 0);
        require_info(startile_matrix_after_stream(M, NULL), 0);
        startile_matrix_destroy(M);
        copy_finish(f);
        check_factor('U', A, F, ORDER);
        arrays_free(A, F);
        require_info(startile_matrix_wrap_device(&M, dtype, 0, 5, NULL, 1, 4, 4, -1, NULL), 0);
        startile_matrix_destroy(M);
    }
}

/* -- streams -------------------------------------------------------------------------------- */

#ifdef STARTILE_HAVE_CUDA

static atomic_bool may_continue;

/* Host function in a stream: waits until the test allows it to continue, at most 20 s. */
static void wait_for_test(void *arg)
{
    (void)arg;
    for (int i = 0; i < 20000 && !atomic_load(&may_continue); i++)
        starpu_usleep(1000);
}

/* Fills the copy from page-locked memory in the stream, after a wait for the test. */
static void fill_later(cudaStream_t stream, struct copy c, const void *elements)
{
    atomic_store(&may_continue, false);
    cuda(cudaLaunchHostFunc(stream, wait_for_test, NULL));
    cuda(cudaMemcpyAsync(c.start, elements, array_bytes(c.array), cudaMemcpyDefault, stream));
    /* the call waits for the stream if the host can access the memory */
    atomic_store(&may_continue, c.memory != ON_GPU);
}

/* Factors a matrix whose elements arrive in the stream after the submission, twice. */
static void factor_in_order(enum memory memory, cudaStream_t stream)
{
    struct array A = generate(&well_conditioned, dtype, ORDER, 1), F = array_copy(A),
                 Z = array_copy(A);
    array_fill(F, 0);
    struct copy f = copy_new(F, memory), elements = copy_new(Z, PAGE_LOCKED),
                result = copy_new(F, PAGE_LOCKED);
    startile_matrix *M = NULL;
    startile_request *r = request_created();
    fill_later(stream, f, elements.start);
    require_info(
        startile_matrix_wrap_device(&M, dtype, ORDER, ORDER, f.a, F.ld, TILE, TILE, 0, stream), 0);
    for (int pass = 0; pass < 2; pass++) {
        require_info(startile_potrf_async('L', M, r), 0);
        require((cudaStreamQuery(stream) == cudaErrorNotReady) == (memory == ON_GPU));
        atomic_store(&may_continue, true);
        require_info(startile_request_wait(r), 0);
        require_info(startile_matrix_gather(M), 0);
        /* what is launched now sees the factor */
        cuda(cudaMemcpyAsync(result.start, f.start, array_bytes(F), cudaMemcpyDefault, stream));
        cuda(cudaStreamSynchronize(stream));
        copy_fetch(result);
        check_factor('L', A, F, ORDER);
        if (pass == 0) {
            fill_later(stream, f, elements.start);
            require_info(startile_matrix_after_stream(M, stream), 0);
        }
    }
    startile_request_destroy(r);
    startile_matrix_destroy(M);
    free_in(memory, f.start);
    copy_finish(elements);
    free_in(PAGE_LOCKED, result.start);
    arrays_free(A, F, Z);
}

static void test_order(void)
{
    random_seed(94);
    for (int k = ON_GPU; k < MEMORIES && backend != CPU; k++) {
        /* page-locked memory belongs to no GPU, so its device is −1: test_default_stream() */
        if (k == PAGE_LOCKED)
            continue;
        cudaStream_t stream;
        cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        in_case("order with a stream, %s memory", memory_names[k]);
        factor_in_order((enum memory)k, stream);
        cuda(cudaStreamDestroy(stream));
    }
}

/* Tests that a stream that is captured into a graph is refused, and that the capture continues. */
static void refuse_capture(struct copy a)
{
    cudaStream_t stream;
    cudaGraph_t graph = NULL;
    startile_matrix *M = NULL;
    cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    require_info(startile_matrix_wrap_device(&M, dtype, 4, 4, a.a, a.array.ld, 4, 4, 0, stream),
                 -10);
    cuda(cudaStreamEndCapture(stream, &graph));
    cuda(cudaGraphDestroy(graph));
    cuda(cudaStreamDestroy(stream));
    require(cudaGetLastError() == cudaSuccess && M == NULL);
}

/* Tests arguments in the memory of a GPU that must not be there, or are not aligned. */
static void test_refused_on_gpu(void)
{
    if (backend == CPU)
        return;
    in_case("refused arguments on a GPU");
    const struct reference *typed = reference[dtype];
    struct array A = array_new_random(dtype, 8, 8, 0);
    struct copy a = copy_new(A, ON_GPU);
    startile_matrix *M = NULL;
    char *odd = (char *)a.a + 1;
    void *numbers = allocate_in(ON_GPU, 1024);
    require_info(startile_matrix_wrap(&M, dtype, 4, 4, odd, A.ld, 4, 4), -5);
    require_info(startile_matrix_wrap_device(&M, dtype, 4, 4, odd, A.ld, 4, 4, 0, NULL), -5);
    require_info(startile_matrix_wrap_device(&M, dtype, 4, 4, a.a, A.ld, 4, 4, 1000, NULL), -9);
    require_info(typed->typed_getrf(8, 8, a.a, A.ld, numbers), -5);
    require_info(typed->typed_gesv(8, 8, a.a, A.ld, numbers, a.a, A.ld), -5);
    require_info(typed->typed_geqrf(8, 8, a.a, A.ld, numbers), -5);
    refuse_capture(a);
    free_in(ON_GPU, numbers);
    copy_finish(a);
    array_free(A);
}

#else

static void test_order(void)
{
}

static void test_refused_on_gpu(void)
{
}

#endif

static void test_refused(void)
{
    in_case("refused arguments");
    struct array A = array_new_random(dtype, 8, 8, 0);
    startile_matrix *M = NULL, *created = NULL;
    const int64_t large = (int64_t)1 << 40;
    require_info(startile_matrix_wrap_device(NULL, dtype, 8, 8, A.a, A.ld, 4, 4, -1, NULL), -1);
    require_info(
        startile_matrix_wrap_device(&M, (startile_dtype)9, 8, 8, A.a, A.ld, 4, 4, -1, NULL), -2);
    require_info(startile_matrix_wrap_device(&M, dtype, -1, 8, A.a, A.ld, 4, 4, -1, NULL), -3);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, -1, A.a, A.ld, 4, 4, -1, NULL), -4);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, NULL, A.ld, 4, 4, -1, NULL), -5);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, 7, 4, 4, -1, NULL), -6);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, large, 4, 4, -1, NULL), -6);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, A.ld, 0, 4, -1, NULL), -7);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, A.ld, 4, 0, -1, NULL), -8);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, A.ld, 4, 4, -2, NULL), -9);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, A.ld, 4, 4, 0, NULL), -9);
    require(M == NULL);
    created = matrix_created(dtype, 8, 8, 4, 4);
    require_info(startile_matrix_after_stream(created, NULL), -1);
    require_info(startile_matrix_after_stream(NULL, NULL), -1);
    startile_matrix_destroy(created);
    if (backend == CPU) { /* no tasks on GPUs wait for a stream */
        int stream;
        require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, A.ld, 4, 4, -1, &stream),
                     STARTILE_ERROR_NO_WORKER);
        M = matrix_wrapped(dtype, 8, 8, A.a, A.ld, 4, 4);
        require_info(startile_matrix_after_stream(M, &stream), STARTILE_ERROR_NO_WORKER);
        startile_matrix_destroy(M);
    }
    array_free(A);
}

/* -- batches ------------------------------------------------------------------------------- */

/* Tests a blocking call on a batch whose pivots and infos are in the same memory as its matrices,
 * in chunks of per_task matrices: the call reads the infos. */
static void check_batch(struct array A, int64_t order, int64_t first_failure, enum memory memory,
                        int64_t per_task)
{
    in_case("a batch in %s memory, %d matrices in a task", memory_names[memory], (int)per_task);
    struct copy a = copy_new(A, memory);
    int64_t count = A.n / order, *numbers, *read = malloc((size_t)count * sizeof *read);
    require(read != NULL);
    numbers = allocate_in(memory, (size_t)(count * (order + 1)) * sizeof *numbers);
    startile_batch *batch, *pivots, *info;
    require_info(startile_batch_wrap(&batch, dtype, count, order, order, a.a, A.ld, order * A.ld,
                                     per_task, NULL),
                 0);
    require_info(startile_batch_wrap_integers(&pivots, count, order, numbers, order, 0, batch), 0);
    require_info(
        startile_batch_wrap_integers(&info, count, 1, numbers + count * order, 1, 0, batch), 0);
    require_info(startile_getrf_batch(batch, pivots, info), first_failure);
    require_info(startile_batch_to_lapack(info, read, 1, 1), 0);
    for (int64_t q = 0; q + 1 < first_failure; q++)
        require(read[q] == 0);
    require(first_failure == 0 || read[first_failure - 1] == 1);
    startile_batch_destroy(info);
    startile_batch_destroy(pivots);
    startile_batch_destroy(batch);
    free_in(memory, numbers);
    free_in(memory, a.start);
    free(read);
}

static void test_batch(void)
{
    enum { ORDER = 4, COUNT = 5000 };
    struct array A = array_new_random(dtype, ORDER, ORDER * COUNT, 0);
    int64_t failures[] = {0, COUNT, 4201, 3101, 1};
    for (size_t f = 0; f < sizeof failures / sizeof *failures; f++) {
        for (int64_t e = 0; e < ORDER * ORDER && failures[f] > 0; e++)
            set(A, e % ORDER, (failures[f] - 1) * ORDER + e / ORDER, 0);
        for (int memory = MAIN; memory < MEMORIES; memory++)
            for (int64_t per_task = 0; per_task <= 1500 && has_memory((enum memory)memory);
                 per_task += 1500)
                check_batch(A, ORDER, failures[f], (enum memory)memory, per_task);
    }
    array_free(A);
}

/* -- a GPU that the library does not use ---------------------------------------------------- */

/* fake_cuda_place() of the replacement of CUDA's driver, or NULL */
static void (*fake_place)(const void *start, size_t bytes, int device, int managed);

/* Loads the replacement, unless the program has the real driver. */
static void load_fake_driver(void)
{
    if (backend != CPU || dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) != NULL)
        return;
    void *driver = dlopen(FAKE_CUDA, RTLD_NOW);
    if (driver == NULL) { /* the program was copied to another machine */
        printf("no %s\n", FAKE_CUDA);
        return;
    }
    *(void **)&fake_place = dlsym(driver, "fake_cuda_place");
    require(fake_place != NULL);
}

static void test_unused_gpu(void)
{
    if (fake_place == NULL)
        return;
    in_case("memory of a GPU that the library does not use");
    const struct reference *typed = reference[dtype];
    struct array A = generate(&well_conditioned, dtype, 8, 0), B = array_copy(A);
    int64_t ipiv[8] = {0};
    startile_matrix *M = NULL;
    startile_batch *batch = NULL;
    fake_place(A.memory, array_bytes(A), 3, 0);
    require_info(startile_matrix_wrap(&M, dtype, 8, 8, A.a, A.ld, 4, 4), STARTILE_ERROR_NO_WORKER);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, A.ld, 4, 4, -1, NULL),
                 STARTILE_ERROR_NO_WORKER);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, A.ld, 4, 4, 3, NULL),
                 STARTILE_ERROR_NO_WORKER);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, A.ld, 4, 4, 2, NULL), -9);
    require_info(typed->typed_potrf('L', 8, A.a, A.ld), STARTILE_ERROR_NO_WORKER);
    require_info(typed->typed_posv('L', 8, 8, B.a, B.ld, A.a, A.ld), STARTILE_ERROR_NO_WORKER);
    require_info(typed->typed_getrf(8, 8, A.a, A.ld, ipiv), STARTILE_ERROR_NO_WORKER);
    require_info(typed->typed_gels('N', 8, 8, 8, A.a, A.ld, B.a, B.ld), STARTILE_ERROR_NO_WORKER);
    require_info(startile_batch_wrap(&batch, dtype, 1, 8, 8, A.a, A.ld, 0, 0, NULL),
                 STARTILE_ERROR_NO_WORKER);
    require(M == NULL && is_same(A, B));
    fake_place(ipiv, sizeof ipiv, 0, 0);
    require_info(typed->typed_getrf(8, 8, B.a, B.ld, ipiv), -5);
    require_info(typed->typed_geqrf(8, 8, B.a, B.ld, ipiv), -5);
    double sign, logabsdet;
    require_info(startile_dgedet(8, B.a, B.ld, ipiv, &sign, &logabsdet), -4);
    require(is_same(A, B));
    in_case("managed memory");
    fake_place(A.memory, array_bytes(A), 0, 1);
    require_info(startile_matrix_wrap_device(&M, dtype, 8, 8, A.a, A.ld, 4, 4, 0, NULL), 0);
    require_info(startile_potrf('L', M), 0);
    startile_matrix_destroy(M);
    check_factor('L', B, A, 8);
    fake_place(NULL, 0, -1, 0);
    require_info(typed->typed_potrf('L', 8, B.a, B.ld), 0);
    arrays_free(A, B);
}

/* -- the allocator -------------------------------------------------------------------------- */

/* A counting allocator; `remaining`: allocations that still succeed. */
struct counter {
    atomic_long bytes, calls, remaining;
};

static void *counted_allocate(size_t bytes, int device, void *stream, void *context)
{
    struct counter *c = context;
    void *p = NULL;
    (void)device, (void)stream;
    if (bytes == 0 || atomic_fetch_sub(&c->remaining, 1) <= 0)
        return NULL;
#ifdef STARTILE_HAVE_CUDA
    if (cudaMalloc(&p, bytes) != cudaSuccess)
        return NULL;
#endif
    atomic_fetch_add(&c->bytes, (long)bytes);
    atomic_fetch_add(&c->calls, 1);
    return p;
}

static void counted_release(void *memory, size_t bytes, int device, void *stream, void *context)
{
    struct counter *c = context;
    (void)device, (void)stream, (void)memory;
#ifdef STARTILE_HAVE_CUDA
    cuda(cudaFree(memory));
#endif
    atomic_fetch_sub(&c->bytes, (long)bytes);
}

static void test_allocator(void)
{
    in_case("allocator of the workspace");
    struct counter c;
    atomic_init(&c.bytes, 0);
    atomic_init(&c.calls, 0);
    atomic_init(&c.remaining, 1000000);
    startile_options o = check_options();
    o.allocate = counted_allocate;
    require_info(startile_init(&o), -1);
    o.release = counted_release;
    o.allocator = &c;
    require_info(startile_init(&o), 0);
    require((atomic_load(&c.calls) > 0) == (backend != CPU));
    solve_general(MAIN, MAIN, 100);
    startile_finalize();
    require(atomic_load(&c.bytes) == 0);
    if (backend == CPU)
        return;
    in_case("allocator without memory");
    for (int allowed = 0; allowed < 3; allowed++) {
        atomic_store(&c.remaining, allowed);
        require_info(startile_init(&o), STARTILE_ERROR_MEMORY);
        require(atomic_load(&c.bytes) == 0);
    }
}

/* Checks that the first start on a machine, which measures transfers, leaves the program's GPU
 * memory as it is (StarPU quirk 48). */
static void test_measuring_start(void)
{
    if (backend == CPU)
        return;
    in_case("start that measures transfers");
    struct array A = array_new_random(dtype, 20, 10, 1), expected = array_copy(A);
    struct copy a = copy_new(A, ON_GPU);
    setenv("STARPU_BUS_CALIBRATE", "1", 1);
    startile_options o = check_options();
    require_info(startile_init(&o), 0);
    startile_finalize();
    unsetenv("STARPU_BUS_CALIBRATE");
    copy_finish(a);
    require(is_same(A, expected));
    arrays_free(A, expected);
}

/* Tests batches after further starts of the library. The program starts StarPU itself once and
 * shuts it down before the library. */
static void test_batch_again(void)
{
    enum { ORDER = 4, COUNT = 20 };
    struct array A = array_new_random(dtype, ORDER, ORDER * COUNT, 0);
    enum memory memory = has_memory(ON_GPU) ? ON_GPU : MAIN;
    for (int round = 0; round < 3; round++) {
        startile_options o = check_options();
        bool is_own = round == 1;
        require(!is_own || starpu_init(NULL) == 0);
        require_info(startile_init(&o), 0);
        check_batch(A, ORDER, 0, memory, 0);
        if (is_own)
            starpu_shutdown();
        startile_finalize();
    }
    array_free(A);
}

int main(int argc, char **argv)
{
    check_start(argc, argv);
    load_fake_driver();
    int failed = run_group("device memory", test_typed, test_wrap, test_view, test_copies,
                           test_default_stream, test_order, test_refused, test_refused_on_gpu,
                           test_batch, test_unused_gpu);
    int result = check_finish(failed);
    return run_group("start", test_allocator, test_measuring_start, test_batch_again) != 0 ? 1
                                                                                           : result;
}
