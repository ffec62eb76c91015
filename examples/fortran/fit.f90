! Solves a positive definite system, and fits a polynomial to samples of a function, by the module
! startile. The library starts StarPU at the first call.
program fit
  use startile
  implicit none
  integer, parameter :: double = kind(1d0), n = 500, samples = 2000, terms = 6
  real(double), allocatable :: a(:, :), factor(:, :), x(:), t(:), y(:)
  real(double) :: residual
  integer :: i, j, info

  ! Element (i, j) of A is 0.9**|i − j|; the right-hand side has ones.
  a = reshape([((0.9_double**abs(i - j), i=1, n), j=1, n)], [n, n])
  factor = a
  allocate (x(n), source=1._double)
  call startile_posv(factor, x)
  residual = maxval(abs(matmul(a, x) - 1))
  print '(a, es8.1)', 'posv: largest residual', residual
  if (residual > 1e-12_double) error stop 'posv is wrong'

  ! Column j of A has the powers t**(j − 1) of the sample points t.
  t = [(real(i, double)/(samples - 1), i=0, samples - 1)]
  a = reshape([(t**j, j=0, terms - 1)], [samples, terms])
  y = exp(t)
  call startile_gels(a, y)
  residual = maxval(abs([(sum(y(:terms)*t(i)**[(j, j=0, terms - 1)]) - exp(t(i)), i=1, samples)]))
  print '(a, es8.1)', 'gels: largest difference from exp(t)', residual
  if (residual > 1e-5_double) error stop 'gels is wrong'

  ! With info a failure does not stop the program: this matrix is singular.
  a = reshape([1, 2, 2, 4], [2, 2])
  x = [1, 1]
  call startile_gesv(a, x, info=info)
  print '(a, i0)', 'gesv: info = ', info
  if (info /= 2) error stop 'gesv accepts a singular matrix'
end program fit
