/* The switch between two stacks (base/fiber.c): what a function must preserve is pushed on one and popped from the other.
 *
 * The floating-point control words are not switched: nothing in this program changes them. */
#if defined(__x86_64__)

	.text
	/* void ag_fiber_switch(void **ret_from, void *to) */
	.globl ag_fiber_switch
	.hidden ag_fiber_switch
	.type ag_fiber_switch, @function
ag_fiber_switch:
	.cfi_startproc
	endbr64
	push %rbp
	push %rbx
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rsp, (%rdi)
	mov %rsi, %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbx
	pop %rbp
	ret
	.cfi_endproc
	.size ag_fiber_switch, . - ag_fiber_switch

	/* Where a new stack begins: calls r12 with rbx. */
	.globl ag_fiber_begin
	.hidden ag_fiber_begin
	.type ag_fiber_begin, @function
ag_fiber_begin:
	.cfi_startproc
	.cfi_undefined rip
	endbr64
	mov %rbx, %rdi
	call *%r12
	ud2
	.cfi_endproc
	.size ag_fiber_begin, . - ag_fiber_begin

	/* Indirect branches are marked (IBT). Shadow stacks are not supported: a return leads to another stack. */
	.section .note.gnu.property, "a"
	.align 8
	.long 4, 16, 5
	.asciz "GNU"
	.long 0xc0000002, 4, 1, 0

#elif defined(__aarch64__)

	.text
	/* void ag_fiber_switch(void **ret_from, void *to) */
	.globl ag_fiber_switch
	.hidden ag_fiber_switch
	.type ag_fiber_switch, %function
ag_fiber_switch:
	.cfi_startproc
	hint #34 /* bti c */
	sub sp, sp, #160
	stp x19, x20, [sp]
	stp x21, x22, [sp, #16]
	stp x23, x24, [sp, #32]
	stp x25, x26, [sp, #48]
	stp x27, x28, [sp, #64]
	stp x29, x30, [sp, #80]
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	mov x9, sp
	str x9, [x0]
	mov sp, x1
	ldp x19, x20, [sp]
	ldp x21, x22, [sp, #16]
	ldp x23, x24, [sp, #32]
	ldp x25, x26, [sp, #48]
	ldp x27, x28, [sp, #64]
	ldp x29, x30, [sp, #80]
	ldp d8, d9, [sp, #96]
	ldp d10, d11, [sp, #112]
	ldp d12, d13, [sp, #128]
	ldp d14, d15, [sp, #144]
	add sp, sp, #160
	ret
	.cfi_endproc
	.size ag_fiber_switch, . - ag_fiber_switch

	/* Where a new stack begins: calls x20 with x19. */
	.globl ag_fiber_begin
	.hidden ag_fiber_begin
	.type ag_fiber_begin, %function
ag_fiber_begin:
	.cfi_startproc
	.cfi_undefined x30
	mov x0, x19
	blr x20
	brk #1
	.cfi_endproc
	.size ag_fiber_begin, . - ag_fiber_begin

#endif

	.section .note.GNU-stack, "", %progbits
