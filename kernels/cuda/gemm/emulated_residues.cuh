/*
 * Arithmetic of emulated products in double precision: the integers of a scaled row, their residues
 * modulo small coprime numbers, and the integer that belongs to a product's residues (Chinese
 * remainder theorem; Ozaki, Uchino and Imamura, "Ozaki scheme II", arXiv 2504.08009).
 *
 *     x = integer, |x| < 2^56   --residue-->   x mod p_i, a signed byte, for each modulus p_i
 *     s = sum of products of residues, |s| <= 2^26   --fraction_byte-->   floor(256 (s mod p_i) /
 * p_i) 14 of these bytes   --fraction96-->   y / P modulo 1,   P = p_0 … p_13 > 2^109
 *
 * y is the sum of the products of the integers, if |y| < P / 2.
 */
#ifndef STARTILE_EMULATED_RESIDUES_CUH
#define STARTILE_EMULATED_RESIDUES_CUH

#include <stdint.h>
#include <type_traits>
#include <utility>

namespace startile_cuda
{

/* Number of moduli. With 14, the rounding of the integers is about as large as the rounding errors
 * of a product in double precision; 13 would lose 3.8 bits. */
constexpr int moduli = 14;

/* Returns modulus i. At most 251, so that fraction_byte determines the residue, or 256, whose
 * fraction is exact. The products of pairs fit into 16 bits. */
__host__ __device__ constexpr int modulus(int i)
{
    constexpr int p[moduli] = {256, 251, 249, 247, 245, 241, 239,
                               233, 229, 227, 223, 211, 199, 197};
    return p[i];
}

/* Largest number of terms for which the sums of products of residues are at most 2^26. Up to this
 * limit, a search over all residues shows that fraction_byte determines the residue. */
constexpr int emulated_max_k = 4096;

/* Returns v modulo p, at least −p / 2 and less than p / 2 rounded up. */
__host__ __device__ constexpr int centred(int64_t v, int p)
{
    const int r = static_cast<int>((v % p + p) % p);
    return r > (p - 1) / 2 ? r - p : r;
}

/* Returns the inverse of P / p_i modulo p_i. */
__host__ __device__ constexpr int cofactor(int i)
{
    const int p = modulus(i);
    int quotient = 1, inverse = 1;
    for (int j = 0; j < moduli; j++)
        quotient = j == i ? quotient : quotient * (modulus(j) % p) % p;
    while (inverse * quotient % p != 1)
        inverse++;
    return inverse;
}

/* Returns 256^j modulo p_i, centred. */
__host__ __device__ constexpr int byte_weight(int i, int j)
{
    int64_t power = 1;
    for (; j > 0; j--)
        power = power * 256 % modulus(i);
    return centred(power, modulus(i));
}

/* Returns byte_weight of the bytes 4 half … 4 half + 3, packed. */
__host__ __device__ constexpr uint32_t byte_weights(int i, int half)
{
    uint32_t packed = 0;
    for (int j = 0; j < 4; j++)
        packed |= uint32_t(byte_weight(i, 4 * half + j) & 0xff) << 8 * j;
    return packed;
}

/* Returns word `word` of floor(2^96 / divisor); word 0 is the lowest. */
__host__ __device__ constexpr uint32_t reciprocal_word(int divisor, int word)
{
    uint64_t rest = 1, quotient = 0;
    for (int i = 2; i >= word; i--) {
        quotient = (rest << 32) / divisor;
        rest = (rest << 32) % divisor;
    }
    return static_cast<uint32_t>(quotient);
}

/* P = range_mantissa · 2^range_exponent, 1 <= range_mantissa < 2 */
constexpr int range_exponent = 109;

/* Returns P / 2^range_exponent, rounded to double precision. */
__host__ __device__ constexpr double range_mantissa()
{
    uint64_t high = 0, low = 1; /* P = high · 2^64 + low */
    for (int i = 0; i < moduli; i++) {
        const uint64_t p = modulus(i), lower = (low & 0xffffffff) * p;
        const uint64_t upper = (low >> 32) * p + (lower >> 32);
        low = upper << 32 | (lower & 0xffffffff);
        high = high * p + (upper >> 32);
    }
    constexpr int shift = range_exponent - 63;
    return double(high << (64 - shift) | low >> shift) / double(uint64_t(1) << 63);
}

static_assert(range_mantissa() >= 1 && range_mantissa() < 2);

/* Calls work(i) for the compile-time constants i = 0 … count − 1. */
template <typename Work, int... i>
__device__ __forceinline__ void for_each_constant(std::integer_sequence<int, i...>, Work work)
{
    (work(std::integral_constant<int, i>()), ...);
}

template <int count, typename Work>
__device__ __forceinline__ void for_each_constant(Work work)
{
    for_each_constant(std::make_integer_sequence<int, count>(), work);
}

/* -- residues of integers -----------------------------------------------------------------------
 */

/* An integer x as the words of x + 2^56, which has bytes >= 0 only */
struct biased_integer {
    uint32_t low, high;

    __device__ explicit biased_integer(double x)
    {
        const uint64_t biased = uint64_t(__double2ll_rn(x)) + (uint64_t(1) << 56);
        low = static_cast<uint32_t>(biased);
        high = static_cast<uint32_t>(biased >> 32);
    }
};

/* Returns start + the sum of the four bytes of x, >= 0, times the four signed bytes of weights. */
__device__ inline int add_bytes(uint32_t x, uint32_t weights, int start)
{
    int sum;
    asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(x), "r"(weights), "r"(start));
    return sum;
}

/* Returns x modulo p_i in the lowest byte, between −128 and 127. */
template <int i>
__device__ inline int residue(biased_integer x)
{
    constexpr int p = modulus(i);
    constexpr uint32_t low = byte_weights(i, 0), high = byte_weights(i, 1);
    constexpr int bias = centred(-int64_t(byte_weight(i, 7)), p);
    constexpr int64_t reciprocal = ((int64_t(1) << 32) + p / 2) / p;
    const int sum = add_bytes(x.low, low, add_bytes(x.high, high, bias));
    if (p == 256)
        return sum;
    const int quotient = static_cast<int>((sum * reciprocal + (int64_t(1) << 31)) >> 32);
    return sum - quotient * p;
}

/* -- fractions of sums --------------------------------------------------------------------------
 */

/* Returns 2^40 / p − 2^32, rounded. */
__host__ __device__ constexpr int fraction_factor(int p)
{
    return static_cast<int>(((int64_t(1) << 40) + p / 2) / p - (int64_t(1) << 32));
}

/* Returns floor(256 (s mod p) / p) in the lowest byte, or one less modulo 256 where s mod p is zero
 * or 256 (s mod p) / p nearly an integer. factor: fraction_factor(p) */
__device__ inline uint32_t fraction_byte(int s, int factor)
{
    uint32_t byte;
    asm("mad.hi.s32 %0, %1, %2, %1;" : "=r"(byte) : "r"(s), "r"(factor));
    return byte;
}

/* The residues of four elements modulo p_i: of elements 0 and 2 in bytes 1 and 3 of `even`, of
 * elements 1 and 3 in these bytes of `odd` */
struct four_residues {
    uint32_t even, odd;
};

/* Returns the residues that belong to the four bytes of fraction_byte. */
template <int i>
__device__ inline four_residues residues_of_fractions(uint32_t bytes)
{
    constexpr uint32_t p = modulus(i), halves = (p / 2 + 128) * 0x10001u;
    if (p == 256)
        return {bytes << 8, bytes};
    return {(bytes & 0x00ff00ff) * p + halves, (bytes >> 8 & 0x00ff00ff) * p + halves};
}

/* Returns the sum of two bytes of x, 0 and 1 or (high) 2 and 3, times the two halves of weights. */
template <bool high>
__device__ inline uint32_t add_pair(uint32_t weights, uint32_t x)
{
    uint32_t sum;
    if (high)
        asm("dp2a.hi.u32.u32 %0, %1, %2, 0;" : "=r"(sum) : "r"(weights), "r"(x));
    else
        asm("dp2a.lo.u32.u32 %0, %1, %2, 0;" : "=r"(sum) : "r"(weights), "r"(x));
    return sum;
}

/* y / P modulo 1, in units of 2^-96. Its error is below 2^27 units: an error of y below 2^41. */
struct fraction96 {
    uint64_t low = 0, middle = 0; /* sums of products with word 0 and word 1 */
    uint32_t high = 0;

    /* Adds `numerator` / (p_i p_(i + 1)). */
    template <int i>
    __device__ void add(uint32_t numerator)
    {
        constexpr int divisor = modulus(i) * modulus(i + 1);
        constexpr uint32_t word0 = reciprocal_word(divisor, 0);
        constexpr uint32_t word1 = reciprocal_word(divisor, 1);
        constexpr uint32_t word2 = reciprocal_word(divisor, 2);
        low += uint64_t(numerator) * word0;
        middle += uint64_t(numerator) * word1;
        high += numerator * word2;
    }

    /* Returns y / range_mantissa · 2^exponent, rounded; 0 if |y| < 2^-64 P. Uses integers only,
     * because the tensor cores delay instructions in double precision by hundreds of cycles. */
    __device__ double value(int exponent) const
    {
        const uint64_t carried = middle + (low >> 32);
        uint32_t f0 = uint32_t(low), f1 = uint32_t(carried), f2 = high + uint32_t(carried >> 32);
        const uint32_t sign = f2 >> 31, flip = 0 - sign;
        f0 ^= flip, f1 ^= flip, f2 ^= flip;
        exponent += 1021 + range_exponent;
        if (f2 == 0)
            f2 = f1, f1 = f0, f0 = 0, exponent -= 32;
        const int zeros = __clz(f2);
        const uint32_t leading = __funnelshift_l(f1, f2, zeros);
        const uint32_t next = __funnelshift_l(f0, f1, zeros);
        const uint64_t bits = (uint64_t(uint32_t(exponent - zeros) << 20) << 32) +
                              (uint64_t(leading) << 21 | next >> 11) + (next >> 10 & 1);
        const uint32_t keep = f2 == 0 ? 0 : ~0u;
        return __hiloint2double(static_cast<int>((uint32_t(bits >> 32) | sign << 31) & keep),
                                static_cast<int>(uint32_t(bits) & keep));
    }
};

/* Adds the residues modulo p_i and p_(i + 1) of four elements to their fractions. */
template <int i>
__device__ __forceinline__ void add_residues(fraction96 (&y)[4], four_residues a, four_residues b)
{
    constexpr uint32_t weights =
        uint32_t(cofactor(i) * modulus(i + 1)) | uint32_t(cofactor(i + 1) * modulus(i)) << 16;
    constexpr unsigned int bytes_1_and_3_of_both = 0x7351;
    const uint32_t even = __byte_perm(a.even, b.even, bytes_1_and_3_of_both);
    const uint32_t odd = __byte_perm(a.odd, b.odd, bytes_1_and_3_of_both);
    y[0].add<i>(add_pair<false>(weights, even));
    y[1].add<i>(add_pair<false>(weights, odd));
    y[2].add<i>(add_pair<true>(weights, even));
    y[3].add<i>(add_pair<true>(weights, odd));
}

} // namespace startile_cuda

#endif
