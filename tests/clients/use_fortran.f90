! SPDX-License-Identifier: Apache-2.0
! gfortran as a client: with -fexternal-blas, matmul of large matrices calls sgemm_.
program use_fortran
  use iso_c_binding
  implicit none
  interface
    subroutine fill(values, count, seed) bind(c)
      import :: c_float, c_long, c_int
      real(c_float), intent(out) :: values(*)
      integer(c_long), value :: count
      integer(c_int), value :: seed
    end subroutine
    integer(c_int) function judge_columns(m, n, k, a, b, c) bind(c)
      import :: c_float, c_long, c_int
      integer(c_long), value :: m, n, k
      real(c_float), intent(in) :: a(*), b(*), c(*)
    end function
  end interface
  integer(c_long), parameter :: m = 131, n = 127, k = 119
  real(c_float) :: a(m, k), b(k, n), a_t(k, m), c(m, n), d(m, n)
  integer :: wrong

  call fill(a, m * k, 1)
  call fill(b, k * n, 2)
  a_t = transpose(a)
  c = matmul(a, b)
  d = matmul(transpose(a_t), b)
  wrong = judge_columns(m, n, k, a, b, c) + judge_columns(m, n, k, a, b, d)
  if (wrong /= 0) stop 1
end program
