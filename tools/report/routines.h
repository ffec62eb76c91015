/*
 * The routines of LAPACK and ScaLAPACK that startile does not have and that libstartile_report
 * counts: drivers, and those computational routines that programs call for themselves. A new
 * routine of a drop-in leaves the list. ALL(op): types s, d, c, z; REAL(op): s, d; COMPLEX(op):
 * c, z. The file is included with definitions of these macros.
 */
/* clang-format off */

#ifndef OF_SCALAPACK
/* eigenvalues and singular values */
ALL(gees) ALL(geesx) ALL(geev) ALL(geevx) ALL(gges) ALL(ggesx) ALL(ggev) ALL(ggevx) ALL(gges3)
ALL(ggev3) ALL(gesvd) ALL(gesdd) ALL(gesvdx) ALL(gesvdq) ALL(gesvj) ALL(gejsv) ALL(ggsvd3)
REAL(syev) REAL(syevd) REAL(syevr) REAL(syevx) REAL(sygv) REAL(sygvd) REAL(sygvx)
REAL(syev_2stage) REAL(syevd_2stage) REAL(syevr_2stage)
COMPLEX(heev) COMPLEX(heevd) COMPLEX(heevr) COMPLEX(heevx) COMPLEX(hegv) COMPLEX(hegvd)
COMPLEX(hegvx) COMPLEX(heev_2stage) COMPLEX(heevd_2stage) COMPLEX(heevr_2stage)
REAL(spev) REAL(spevd) REAL(spevx) REAL(sbev) REAL(sbevd) REAL(sbevx) REAL(spgv) REAL(spgvd)
COMPLEX(hpev) COMPLEX(hpevd) COMPLEX(hpevx) COMPLEX(hbev) COMPLEX(hbevd) COMPLEX(hbevx)
COMPLEX(hpgv) COMPLEX(hpgvd)
REAL(stev) REAL(stevd) REAL(stevr) REAL(stevx) REAL(sterf) REAL(stebz)
ALL(stedc) ALL(stein) ALL(stemr) ALL(steqr) REAL(bdsdc) ALL(bdsqr)
ALL(gebal) ALL(gebrd) ALL(gehrd) ALL(gghrd) ALL(hseqr) ALL(hgeqz) ALL(trevc) ALL(trevc3)
ALL(tgevc) ALL(trexc) ALL(trsen) ALL(tgsen) ALL(trsyl) ALL(tgsyl)
REAL(sytrd) REAL(orgtr) REAL(ormtr) REAL(orghr) REAL(ormhr) REAL(orgbr) REAL(ormbr)
REAL(orcsd)
COMPLEX(hetrd) COMPLEX(ungtr) COMPLEX(unmtr) COMPLEX(unghr) COMPLEX(unmhr)
COMPLEX(ungbr) COMPLEX(unmbr) COMPLEX(uncsd)
/* least squares, and other factorizations with orthogonal matrices */
ALL(gelsd) ALL(gelss) ALL(gglse) ALL(ggglm) ALL(getsls) ALL(geqlf) ALL(gerqf) ALL(geqrt) ALL(geqr)
ALL(gelq) ALL(geqrfp) ALL(tpqrt) ALL(gemqrt) ALL(gemqr) ALL(tzrzf) ALL(ggqrf)
REAL(orgql) REAL(orgrq) REAL(ormql) REAL(ormrq) REAL(ormrz)
COMPLEX(ungql) COMPLEX(ungrq) COMPLEX(unmql) COMPLEX(unmrq) COMPLEX(unmrz)
/* expert drivers, refinement, equilibration */
ALL(gesvx) ALL(posvx) ALL(gerfs) ALL(porfs) ALL(trrfs) ALL(trcon)
/* bands, tridiagonal and packed matrices */
ALL(gbsv) ALL(gbsvx) ALL(gbtrf) ALL(gbtrs) ALL(gbcon) ALL(pbsv) ALL(pbsvx) ALL(pbtrf) ALL(pbtrs)
ALL(pbcon) ALL(tbtrs) ALL(gtsv) ALL(gtsvx) ALL(gttrf) ALL(gttrs) ALL(ptsv) ALL(ptsvx) ALL(pttrf)
ALL(pttrs) ALL(ppsv) ALL(ppsvx) ALL(pptrf) ALL(pptrs) ALL(pptri) ALL(spsv) ALL(sptrf) ALL(sptrs)
ALL(tptrs) ALL(tptri) ALL(pftrf) ALL(pftrs) ALL(pftri) COMPLEX(hpsv) COMPLEX(hptrf) COMPLEX(hptrs)
#else
/* eigenvalues and singular values */
REAL(syev) REAL(syevd) REAL(syevr) REAL(syevx) REAL(sygvx) REAL(sytrd) REAL(syntrd)
REAL(stedc) REAL(stebz) REAL(ormtr) REAL(ormhr) REAL(ormbr)
COMPLEX(heev) COMPLEX(heevd) COMPLEX(heevr) COMPLEX(heevx) COMPLEX(hegvx) COMPLEX(hetrd)
COMPLEX(hentrd) COMPLEX(unmtr) COMPLEX(unmhr) COMPLEX(unmbr)
ALL(gesvd) ALL(gebrd) ALL(gehrd) ALL(stein) REAL(hseqr) REAL(trord) REAL(trsen) COMPLEX(trevc)
COMPLEX(geevx)
/* factorizations with orthogonal matrices */
ALL(geqlf) ALL(gerqf) ALL(tzrzf) ALL(ggqrf) REAL(orgql) REAL(orgrq) REAL(orglq)
REAL(ormql) REAL(ormrq) REAL(ormlq) REAL(ormrz) COMPLEX(ungql) COMPLEX(ungrq) COMPLEX(unglq)
COMPLEX(unmql) COMPLEX(unmrq) COMPLEX(unmlq) COMPLEX(unmrz)
/* systems of equations */
ALL(trcon) ALL(gesvx) ALL(posvx) ALL(gerfs) ALL(porfs) ALL(trrfs) ALL(gbsv) ALL(gbtrf)
ALL(gbtrs) ALL(dbsv) ALL(dbtrf) ALL(dbtrs) ALL(pbsv) ALL(pbtrf) ALL(pbtrs) ALL(dtsv) ALL(dttrf)
ALL(dttrs) ALL(ptsv) ALL(pttrf) ALL(pttrs)
#endif
