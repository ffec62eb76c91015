! Asks for MPI_THREAD_FUNNELED. libstartile_scalapack, which is preloaded, must raise the level.
! MODULE: mpi or mpi_f08
program thread_level
  use MODULE
  implicit none
  integer :: provided, level, error
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, error)
  call MPI_Query_thread(level, error)
  if (provided /= MPI_THREAD_MULTIPLE .or. level /= MPI_THREAD_MULTIPLE) error stop "the level is not raised"
  call MPI_Finalize(error)
  print '(a)', 'fortran is right'
end program thread_level
