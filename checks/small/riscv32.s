.section .start, "ax"
  la sp, stack_start
  la t0, 1f
  csrw mtvec, t0
  j start
.balign 4
1:
  j fault
