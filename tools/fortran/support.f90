! The end of a call, and optional letters, for all types.
module startile_support
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: finish, given

  interface
    type(c_ptr) function c_strerror(code) bind(c, name='startile_strerror')
      import
      integer(c_int64_t), value :: code
    end function
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! Returns the code of the letter, or of the default if the letter is absent. It is not a character,
  ! because gfortran 12.2 passes a wrong one for a character function in the place of a VALUE argument.
  integer(c_signed_char) function given(letter, default)
    character, intent(in), optional :: letter
    character, intent(in) :: default
    given = int(iachar(default), c_signed_char)
    if (present(letter)) given = int(iachar(letter), c_signed_char)
  end function

  ! Returns the library's message.
  function message_of(code) result(message)
    integer(c_int64_t), intent(in) :: code
    character(:), allocatable :: message
    character(c_char), pointer :: text(:)
    type(c_ptr) :: address
    integer :: i
    address = c_strerror(code)
    call c_f_pointer(address, text, [c_strlen(address)])
    allocate (character(size(text)) :: message)
    do i = 1, size(text)
      message(i:i) = text(i)
    end do
  end function

  ! Ends a call. status: return value of the C function, whose argument i is part of argument
  ! position(i) of the Fortran procedure. Sets info; without it stops the program unless status is 0.
  subroutine finish(routine, status, position, info)
    character(*), intent(in) :: routine
    integer(c_int64_t), intent(in) :: status
    integer, intent(in) :: position(:)
    integer, intent(out), optional :: info
    integer(c_int64_t) :: code
    character(20) :: number
    code = status
    if (status < 0 .and. status >= -size(position)) code = -position(-status)
    if (present(info)) then
      info = int(code)
    else if (code /= 0) then
      write (number, '(i0)') code
      error stop 'startile_'//routine//': info '//trim(number)//': '//message_of(code)
    end if
  end subroutine

end module startile_support
