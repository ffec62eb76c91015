/* Tests of the benchmark's cusolverMg reference, with replacements for CUDA and cusolverMg that
 * keep GPU memory in main memory: distribution of matrix and pivots, and release of all objects,
 * whichever call fails. */
#define DISABLE_CUSOLVERMG_DEPRECATED
#include "../check/tests.h"
#include "peer/peer_cuda_state.h"
#include "scalar.h"

#include <cusolverMg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { GPUS = 3, BLOCKS = 4 * GPUS }; /* BLOCKS: most allocations on one GPU */

static struct fake {
    int current;        /* GPU of cudaSetDevice() */
    int calls, failing; /* failing: value of `calls` at which a call fails; 0: never */
    void *memory[GPUS][BLOCKS];
    int objects;     /* streams, handles, descriptors, peer connections */
    int connections; /* peer connections opened so far */
    int gpus;
    int64_t m, n, width; /* width of block columns */
    size_t size;         /* of an element */
} fake;

/* -- replacements --------------------------------------------------------------------------- */

/* Counts a call. Returns whether it is the one that must fail, so use it once in each call. */
static int call_must_fail(void)
{
    return ++fake.calls == fake.failing;
}

/* Sets the pointer at `object` to a fake object and returns 0, or fails and returns 1. */
static int make(void *object)
{
    static char something;
    if (call_must_fail())
        return 1;
    *(void **)object = &something;
    fake.objects++;
    return 0;
}

static int unmake(const void *object)
{
    assert_non_null(object);
    fake.objects--;
    return 0;
}

cudaError_t cudaSetDevice(int device)
{
    fake.current = device;
    return call_must_fail() ? cudaErrorInvalidDevice : cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    for (int i = 0; i < BLOCKS; i++)
        if (!fake.memory[fake.current][i]) {
            if (call_must_fail() || !(*memory = calloc(1, bytes)))
                return cudaErrorMemoryAllocation;
            fake.memory[fake.current][i] = *memory;
            return cudaSuccess;
        }
    return cudaErrorMemoryAllocation;
}

cudaError_t cudaFree(void *memory)
{
    for (int i = 0; memory && i < BLOCKS; i++)
        if (fake.memory[fake.current][i] == memory) {
            fake.memory[fake.current][i] = NULL;
            free(memory);
            return cudaSuccess;
        }
    assert_null(memory);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    memset(memory, value, bytes);
    return call_must_fail() ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind;
    assert_non_null(stream);
    if (call_must_fail())
        return cudaErrorInvalidValue;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return make(stream) ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    return (cudaError_t)unmake(stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    assert_non_null(stream);
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int from, int to)
{
    *can = from != to;
    return cudaSuccess;
}

/* Opens a peer connection. That from the last GPU to the first one is already open and belongs to
 * another user. */
cudaError_t cudaDeviceEnablePeerAccess(int to, unsigned flags)
{
    (void)flags;
    if (fake.current == GPUS - 1 && to == 0)
        return cudaErrorPeerAccessAlreadyEnabled;
    fake.objects++;
    fake.connections++;
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int to)
{
    assert_false(fake.current == GPUS - 1 && to == 0);
    fake.objects--;
    return cudaSuccess;
}

/* Gives the version as 1.2.3, by major, minor and patch level. */
cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
    *value = (int)type + 1;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverMgCreate(cusolverMgHandle_t *handle)
{
    return (cusolverStatus_t)make(handle);
}

cusolverStatus_t cusolverMgDestroy(cusolverMgHandle_t handle)
{
    return (cusolverStatus_t)unmake(handle);
}

cusolverStatus_t cusolverMgDeviceSelect(cusolverMgHandle_t handle, int count, int device[])
{
    (void)handle;
    for (int g = 0; g < count; g++)
        assert_int_equal(device[g], g);
    fake.gpus = count;
    return (cusolverStatus_t)call_must_fail();
}

cusolverStatus_t cusolverMgCreateDeviceGrid(cudaLibMgGrid_t *grid, int32_t rows, int32_t columns,
                                            const int32_t device[], cusolverMgGridMapping_t mapping)
{
    (void)device;
    (void)mapping;
    assert_int_equal(rows, 1);
    assert_int_equal(columns, fake.gpus);
    return (cusolverStatus_t)make(grid);
}

cusolverStatus_t cusolverMgDestroyGrid(cudaLibMgGrid_t grid)
{
    return (cusolverStatus_t)unmake(grid);
}

cusolverStatus_t cusolverMgCreateMatrixDesc(cudaLibMgMatrixDesc_t *shape, int64_t m, int64_t n,
                                            int64_t rows, int64_t columns, cudaDataType type,
                                            const cudaLibMgGrid_t grid)
{
    assert_non_null(grid);
    assert_int_equal(rows, m); /* the blocks have all rows */
    fake.m = m;
    fake.n = n;
    fake.width = columns;
    fake.size = type == CUDA_R_64F ? sizeof(double) : 2 * sizeof(double);
    return (cusolverStatus_t)make(shape);
}

cusolverStatus_t cusolverMgDestroyMatrixDesc(cudaLibMgMatrixDesc_t shape)
{
    return (cusolverStatus_t)unmake(shape);
}

/* Returns a different value for each position. */
static double value_at(int64_t i, int64_t j)
{
    return (double)(j * fake.m + i + 1);
}

/* Returns a different pivot for each column. */
static int pivot_at(int64_t j)
{
    return (int)(3 * j + 1);
}

/* Requires the matrix to have value_at() everywhere, and negates it. Fills in the pivots. Both are
 * in cusolverMg's distribution, memory[g] on GPU g: block column c is on GPU c mod gpus, behind
 * that GPU's earlier block columns. */
static void factor(void *const memory[], int *const ipiv[])
{
    for (int64_t j = 0; j < fake.n; j++) {
        int64_t c = j / fake.width, g = c % fake.gpus;
        int64_t local = c / fake.gpus * fake.width + j % fake.width;
        for (int64_t i = 0; i < fake.m; i++) {
            char *element_address = (char *)memory[g] + (size_t)(local * fake.m + i) * fake.size;
            double value;
            memcpy(&value, element_address, sizeof value);
            assert_true(value == value_at(i, j));
            value = -value;
            memcpy(element_address, &value, sizeof value);
        }
        if (ipiv && j < fake.m)
            ipiv[g][local] = pivot_at(j);
    }
}

cusolverStatus_t cusolverMgPotrf_bufferSize(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n,
                                            void *a[], int ia, int ja, cudaLibMgMatrixDesc_t shape,
                                            cudaDataType type, int64_t *count)
{
    (void)handle, (void)n, (void)a, (void)ia, (void)ja, (void)shape, (void)type;
    assert_int_equal(uplo, CUBLAS_FILL_MODE_LOWER);
    *count = 10;
    return (cusolverStatus_t)call_must_fail();
}

cusolverStatus_t cusolverMgGetrf_bufferSize(cusolverMgHandle_t handle, int m, int n, void *a[],
                                            int ia, int ja, cudaLibMgMatrixDesc_t shape,
                                            int *ipiv[], cudaDataType type, int64_t *count)
{
    (void)handle, (void)m, (void)n, (void)a, (void)ia, (void)ja, (void)shape, (void)ipiv,
        (void)type;
    *count = 10;
    return (cusolverStatus_t)call_must_fail();
}

/* Requires a workspace of the 10 elements that the queries return, on every GPU. */
static void require_work(void *const work[], int64_t count)
{
    assert_int_equal(count, 10);
    for (int g = 0; g < fake.gpus; g++)
        assert_non_null(work[g]);
}

cusolverStatus_t cusolverMgPotrf(cusolverMgHandle_t handle, cublasFillMode_t uplo, int n, void *a[],
                                 int ia, int ja, cudaLibMgMatrixDesc_t shape, cudaDataType type,
                                 void *work[], int64_t count, int *info)
{
    (void)handle, (void)n, (void)shape, (void)type;
    assert_int_equal(uplo, CUBLAS_FILL_MODE_LOWER);
    assert_true(ia == 1 && ja == 1);
    require_work(work, count);
    factor(a, NULL);
    *info = 5; /* any value: test_distribution() expects it */
    return (cusolverStatus_t)call_must_fail();
}

cusolverStatus_t cusolverMgGetrf(cusolverMgHandle_t handle, int m, int n, void *a[], int ia, int ja,
                                 cudaLibMgMatrixDesc_t shape, int *ipiv[], cudaDataType type,
                                 void *work[], int64_t count, int *info)
{
    (void)handle, (void)shape, (void)type;
    assert_true(m == fake.m && n == fake.n && ia == 1 && ja == 1);
    require_work(work, count);
    factor(a, ipiv);
    *info = 0;
    return (cusolverStatus_t)call_must_fail();
}

int cuda_check(const char *call, cudaError_t status)
{
    (void)call;
    return status == cudaSuccess ? 0 : -1;
}

int library_check(const char *call, int status)
{
    (void)call;
    return status == 0 ? 0 : -1;
}

cudaDataType cuda_type(startile_dtype dtype)
{
    return dtype == STARTILE_D ? CUDA_R_64F : CUDA_C_64F;
}

/* -- tests ---------------------------------------------------------------------------------- */

static void require_all_released(void)
{
    assert_int_equal(fake.objects, 0);
    for (int g = 0; g < GPUS; g++)
        for (int i = 0; i < BLOCKS; i++)
            assert_null(fake.memory[g][i]);
}

struct problem {
    enum mg_routine routine;
    startile_dtype dtype;
    int gpus;
    int64_t m, n;
};

static double *element(void *a, const struct problem *p, int64_t i, int64_t j)
{
    return (double *)((char *)a + (size_t)(j * p->m + i) * dtype_size(p->dtype));
}

/* Copies a matrix to the GPUs, factors it and copies it back. Returns 1 if a call failed, else
 * 0. */
static int round_trip(const struct problem *p, void *a, int64_t *ipiv)
{
    int failed = cuda_mg_open(p->routine, p->gpus, p->dtype, p->m, p->n);
    for (int64_t j = 0; j < p->n && !failed; j++)
        for (int64_t i = 0; i < p->m; i++)
            *element(a, p, i, j) = value_at(i, j);
    return failed || cuda_mg_to_devices(a) || cuda_mg_factor() || cuda_mg_to_host(a, ipiv);
}

/* Tests that elements and pivots return to their positions, and that potrf's info is returned. */
static void test_distribution(void)
{
    const struct problem problems[] = {{MG_POTRF, STARTILE_D, 2, 1024, 1024},
                                       {MG_POTRF, STARTILE_Z, 3, 2100, 2100},
                                       {MG_GETRF, STARTILE_D, 2, 1500, 1500},
                                       {MG_GETRF, STARTILE_Z, 3, 1700, 1600},
                                       {MG_GETRF, STARTILE_D, 3, 700, 3100}};
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        const struct problem *p = &problems[k];
        int64_t pivots = p->m < p->n ? p->m : p->n;
        void *a = calloc((size_t)(p->m * p->n), dtype_size(p->dtype));
        int64_t *ipiv = calloc((size_t)pivots, sizeof *ipiv);
        assert_true(a && ipiv);
        fake = (struct fake){.failing = 0};
        assert_int_equal(round_trip(p, a, ipiv), 0);
        assert_int_equal(cuda_mg_info(), p->routine == MG_POTRF ? 5 : 0);
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++)
                assert_true(*element(a, p, i, j) == -value_at(i, j));
        for (int64_t j = 0; j < pivots; j++)
            assert_int_equal(ipiv[j], p->routine == MG_GETRF ? pivot_at(j) : 0);
        cuda_mg_close();
        require_all_released();
        free(a);
        free(ipiv);
    }
}

/* Lets each call fail in turn. One call for each ordered pair of GPUs prepares peer access; its
 * failure is not an error. */
static void test_failures(void)
{
    static double a[600 * 1100];
    static int64_t ipiv[600];
    const struct problem p = {MG_GETRF, STARTILE_D, 3, 600, 1100};
    int failed_trips = 0, failing = 0;
    do {
        fake = (struct fake){.failing = ++failing};
        failed_trips += round_trip(&p, a, ipiv) != 0;
        int calls = fake.calls;
        fake.failing = 0;
        cuda_mg_close();
        require_all_released();
        if (calls < failing)
            break;
    } while (true);
    assert_int_equal(failed_trips, failing - 1 - p.gpus * (p.gpus - 1));
}

/* Tests that a peer connection that StarPU has opened is not closed. */
static void test_connections(void)
{
    fake = (struct fake){.failing = 0};
    assert_int_equal(cuda_mg_open(MG_POTRF, GPUS, STARTILE_D, 1600, 1600), 0);
    assert_int_equal(fake.connections, GPUS * (GPUS - 1) - 1);
    cuda_mg_close();
    require_all_released();
    assert_string_equal(cuda_mg_name(), "cusolverMg 1.2.3");
}

int main(void)
{
    return run_group("peer mg", test_distribution, test_failures, test_connections);
}
