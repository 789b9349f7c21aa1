! SPDX-License-Identifier: Apache-2.0
! From Fortran, by ISO_C_BINDING. Fortran's arrays are column-major.
!
!     gfortran fortran.f90 $(pkg-config --libs clgemm) && ./a.out
module clgemm
  use, intrinsic :: iso_c_binding
  implicit none

  ! Every enumerator of the library fits an int.
  integer(c_int), parameter :: col_major = 102, no_trans = 111, trans = 112, success = 0

  interface
    function clgemm_sgemm(layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) &
        bind(c) result(status)
      import :: c_int, c_int64_t, c_float
      integer(c_int), value :: layout, ta, tb
      integer(c_int64_t), value :: m, n, k, lda, ldb, ldc
      real(c_float), value :: alpha, beta
      real(c_float), intent(in) :: a(lda, *), b(ldb, *)
      real(c_float), intent(inout) :: c(ldc, *)
      integer(c_int) :: status
    end function

    function clgemm_status_name(status) bind(c) result(name)
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: name
    end function

    function strlen(text) bind(c) result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
  end interface

contains

  ! The status as a name.
  function name_of(status) result(name)
    integer(c_int), intent(in) :: status
    character(:), allocatable :: name
    type(c_ptr) :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    text = clgemm_status_name(status)
    call c_f_pointer(text, letters, [strlen(text)])
    allocate (character(size(letters)) :: name)
    do i = 1, size(letters)
      name(i:i) = letters(i)
    end do
  end function
end module

program example
  use clgemm
  implicit none
  integer(c_int64_t), parameter :: m = 40, n = 50, k = 60
  real(c_float) :: a(m, k), b(n, k), c(m, n)
  integer(c_int) :: status
  integer :: i, right

  a = reshape([(real(mod(i, 13) - 6, c_float), i = 1, size(a))], shape(a))
  b = reshape([(real(mod(i, 7) - 3, c_float), i = 1, size(b))], shape(b))
  c = 1

  ! C = 2 A B^T - C
  status = clgemm_sgemm(col_major, no_trans, trans, m, n, k, 2.0_c_float, a, m, b, n, -1.0_c_float, c, m)
  if (status /= success) then
    print '(2a)', 'fortran: ', name_of(status)
    stop 1
  end if

  ! Sums of small whole numbers are exact, so every element must be equal.
  right = count(abs(c - (2 * matmul(a, transpose(b)) - 1)) <= 0)
  print '(a, i0, a, i0, a)', 'fortran: ', right, ' of ', size(c), ' elements are right'
  if (right /= size(c)) stop 1
end program
