/* blas.c -- the only user of OpenBLAS. */
#include <cblas.h>
#include "core.h"

void tgs_i_blas_single(void)
{
    if (openblas_get_num_threads() != 1)
        openblas_set_num_threads(1); /* process-wide: a worker is one thread */
}

void tgs_i_blas_sgemm(bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, float alpha,
                      const float *a, const float *b, float beta, float *c)
{
    /* OpenBLAS refuses leading dims of 0; an empty product is beta c */
    const int64_t lda = trans_a ? m : k, ldb = trans_b ? k : n;

    if (m == 0 || n == 0)
        return;
    cblas_sgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans,
                trans_b ? CblasTrans : CblasNoTrans, (blasint)m, (blasint)n, (blasint)k, alpha, a,
                (blasint)(lda ? lda : 1), b, (blasint)(ldb ? ldb : 1), beta, c, (blasint)n);
}
