! A Fortran program with its own XERBLA, linked to libstartile_lapack before LAPACK.
program dropin_fortran
  implicit none
  integer, parameter :: n = 60
  double precision :: a(n, n), b(n), work(1)
  integer :: i, info
  a = 1
  b = n + 1
  do i = 1, n
    a(i, i) = 2
  end do
  call dposv('lower', n, 1, a, n, b, n, info)
  if (info /= 0 .or. maxval(abs(b - 1)) > 1d-10) stop 1
  call dgeqrf(n, n, a, n, b, work, -1, info)
  if (info /= 0 .or. work(1) < n) stop 2
  call dpotrf('X', n, a, n, info)
  if (info /= -1) stop 3
  call check_null_vectors
  print *, 'fortran is right'
end program

! Calls LAPACK's xLATDF, which reads the approximate null vector that xGECON leaves in WORK(N+1:2N).
! The expected sums of squares are those of reference LAPACK 3.11.
subroutine check_null_vectors
  implicit none
  double precision :: rhs(2), sum, scale, z(2, 2)
  complex(kind(1d0)) :: zrhs(2), zz(2, 2)
  real :: srhs(2), ssum, sscale, sz(2, 2)
  complex :: crhs(2), cz(2, 2)
  integer :: ipiv(2), jpiv(2), info
  z = reshape([5d0, 1d0, 2d0, 7d0], [2, 2])
  rhs = 1
  sum = 1
  scale = 0
  call dgetc2(2, z, 2, ipiv, jpiv, info)
  call dlatdf(2, 2, z, 2, rhs, sum, scale, ipiv, jpiv)
  if (.not. abs(scale**2 * sum - 0.141022d0) < 1d-5) stop 5
  sz = reshape([5., 1., 2., 7.], [2, 2])
  srhs = 1
  ssum = 1
  sscale = 0
  call sgetc2(2, sz, 2, ipiv, jpiv, info)
  call slatdf(2, 2, sz, 2, srhs, ssum, sscale, ipiv, jpiv)
  if (.not. abs(sscale**2 * ssum - 0.141022) < 1e-5) stop 6
  zz = reshape([(5d0, 0d0), (1d0, 1d0), (2d0, 0d0), (7d0, -1d0)], [2, 2])
  zrhs = 1
  sum = 1
  scale = 0
  call zgetc2(2, zz, 2, ipiv, jpiv, info)
  call zlatdf(2, 2, zz, 2, zrhs, sum, scale, ipiv, jpiv)
  if (.not. abs(scale**2 * sum - 0.140809d0) < 1d-5) stop 7
  cz = reshape([(5., 0.), (1., 1.), (2., 0.), (7., -1.)], [2, 2])
  crhs = 1
  ssum = 1
  sscale = 0
  call cgetc2(2, cz, 2, ipiv, jpiv, info)
  call clatdf(2, 2, cz, 2, crhs, ssum, sscale, ipiv, jpiv)
  if (.not. abs(sscale**2 * ssum - 0.140809) < 1e-5) stop 8
end subroutine

subroutine xerbla(name, position)
  implicit none
  character(*) :: name
  integer :: position
  if (name /= 'DPOTRF' .or. position /= 1) stop 4
  print *, 'error reported'
end subroutine
