.section .start, "ax"
.global reset
reset:
  clr r1
  ldi r28, lo8(stack_start)
  ldi r29, hi8(stack_start)
  out 0x3d, r28
  out 0x3e, r29
; Constants come from flash, whose addresses have 17 bits.
  ldi r26, lo8(data)
  ldi r27, hi8(data)
  ldi r30, lo8(data_from)
  ldi r31, hi8(data_from)
  ldi r16, hlo8(data_from)
  out 0x3b, r16
  ldi r17, hi8(data_end)
1:
  cpi r26, lo8(data_end)
  cpc r27, r17
  breq 2f
  elpm r0, Z+
  st X+, r0
  rjmp 1b
2:
  jmp start
