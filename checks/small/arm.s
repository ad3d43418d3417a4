// The vectors: the stack, and where to begin.
.section .start, "a"
.word stack_start, start, fault, fault
