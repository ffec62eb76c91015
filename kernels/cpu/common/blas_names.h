/* Names of BLAS libraries, for the copy in the library and for the one that the command measures as
 * a reference */
#ifndef STARTILE_BLAS_NAMES_H
#define STARTILE_BLAS_NAMES_H

/* Write name and version into text, `size` bytes: "OpenBLAS 0.3.21", "MKL 2026.2". They take the
 * result of openblas_get_config(), and the string of MKL_Get_Version_String(). */
void startile_name_openblas(const char *config, char *text, int size);
void startile_name_mkl(const char *description, char *text, int size);

#endif
