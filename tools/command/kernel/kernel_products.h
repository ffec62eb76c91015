/*
 * What products and groups of products share.
 */
#ifndef KERNEL_PRODUCTS_H
#define KERNEL_PRODUCTS_H

#include "kernel.h"

enum { A, B, C };

void describe_gemm(const struct shape *s, struct array *array);
double work_of_gemm(const struct trial *t);
/* Of element (i, j) of the product number q of a group, whose As and Cs lie beside each other */
double error_of_product(struct trial *t, int q, int64_t i, int64_t j);

#endif
