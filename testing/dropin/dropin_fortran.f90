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
  print *, 'fortran is right'
end program

subroutine xerbla(name, position)
  implicit none
  character(*) :: name
  integer :: position
  if (name /= 'DPOTRF' .or. position /= 1) stop 4
  print *, 'error reported'
end subroutine
