@ udp_echo.S - a boot image that sends each UDP datagram back to where it came from; the chip with Ethernet does it, the others sleep.
@ A payload that begins with 'T' goes to the port in its second and third byte instead, as an IPTag would send it.
@ With READS, it answers SCP requests: READ with 256 bytes, any other with code OK.
@ When it starts, it asks by ARP for 127.0.0.1.  It counts datagrams at 0xe5001000, and answers to its ARP requests in the word behind.
@
@ Bytes 384 to 511 of an image belong to the host, which writes system variables there.
#include "micro.inc"

#define SERIAL_ROM 0xf5007fe0 /* flags, then the MAC address */
#define ETHERNET 0xf4000000
#define RECEIVE_RAM 0x4000
#define DESCRIPTORS 0x8000
#define REGISTERS 0xc000
#define SOURCE_ETHERNET 20
#define CONTROL 0x45b /* bytes in order, broadcast, unicast, error filter, both directions */

    vectors
    .org 0x200

@ pair A B: two half-words of the frame at r5 change places in the frame that is sent
    .macro pair a, b
    ldrh r0, [r5, #\a]
    ldrh r1, [r5, #\b]
    strh r1, [r8, #\a]
    strh r0, [r8, #\b]
    .endm

@ send REGISTER: sends so many bytes
    .macro send bytes
    str \bytes, [r9, #0x08]
    str \bytes, [r9, #0x0c]
    .endm

    .text
    begin main
    ldr r10, =SERIAL_ROM
    ldrh r0, [r10]
    tst r0, #1
    beq sleep
    ldr r8, =ETHERNET
    add r9, r8, #REGISTERS
    ldr r11, =SYSTEM_RAM_WORD
    mov r6, #0 @ datagrams
    mov r7, #0 @ ARP answers
    ldrb r0, [r10, #2] @ MAC: bytes 0 and 1 high, 2 to 5 low
    ldrb r1, [r10, #3]
    orr r0, r1, r0, lsl #8
    str r0, [r9, #0x18]
    ldrb r0, [r10, #4]
    ldrb r1, [r10, #5]
    orr r0, r1, r0, lsl #8
    ldrb r1, [r10, #6]
    orr r0, r1, r0, lsl #8
    ldrb r1, [r10, #7]
    orr r0, r1, r0, lsl #8
    str r0, [r9, #0x14]
    ldr r0, =CONTROL
    str r0, [r9]
    ldr r0, =VIC
    mov r1, #1 << SOURCE_ETHERNET
    str r1, [r0, #0x10]
    bl ask
1:  mcr p15, 0, r0, c7, c0, 4 @ until a frame is there; interrupts stay masked
2:  ldr r0, [r9, #0x04]
    ands r0, r0, #0x7e @ frames that have not been read
    beq 3f
    bl take
    str r0, [r9, #0x10] @ the next frame
    b 2b
3:  mov r0, #0x10 @ the interrupt
    str r0, [r9, #0x20]
    b 1b
sleep:
    mcr p15, 0, r0, c7, c0, 4
    b sleep
    end main

@ Asks who has 127.0.0.1.  (Field by field: RFC 826.)
    begin ask
    mvn r0, #0
    str r0, [r8]
    strh r0, [r8, #4]
    ldrh r0, [r10, #2]
    strh r0, [r8, #6]
    strh r0, [r8, #22]
    ldrh r0, [r10, #4]
    strh r0, [r8, #8]
    strh r0, [r8, #24]
    ldrh r0, [r10, #6]
    strh r0, [r8, #10]
    strh r0, [r8, #26]
    ldr r0, =0x01000608
    str r0, [r8, #12]
    ldr r0, =0x04060008
    str r0, [r8, #16]
    mov r0, #0x0100
    strh r0, [r8, #20]
    ldr r0, [r10, #8] @ its own address
    strh r0, [r8, #28]
    mov r0, r0, lsr #16
    strh r0, [r8, #30]
    ldr r0, =0x007f
    strh r0, [r8, #38]
    mov r0, #0x0100
    strh r0, [r8, #40]
    mov r0, #60
    send r0
    bx lr
    end ask

@ Answers the frame that is first in the receive RAM, or counts it.
    begin take
    ldr r0, [r9, #0x24]
    mov r0, r0, lsl #20
    add r5, r8, #RECEIVE_RAM
    add r5, r5, r0, lsr #20 @ the frame; behind the RAM's end its begin is read again
    ldr r0, [r9, #0x2c]
    and r0, r0, #0x3f
    add r1, r8, #DESCRIPTORS
    ldr r4, [r1, r0, lsl #2] @ its length
    mov r4, r4, lsl #21
    mov r4, r4, lsr #21
    ldrh r0, [r5, #12]
    ldr r1, =0x0608
    cmp r0, r1
    bne 1f
    add r7, r7, #1
    str r7, [r11, #4]
    bx lr
1:  add r6, r6, #1
    str r6, [r11]
2:  ldr r0, [r9, #0x04] @ the transmitter is busy
    tst r0, #1
    bne 2b
    mov r2, #0
3:  ldr r0, [r5, r2]
    str r0, [r8, r2]
    add r2, r2, #4
    cmp r2, r4
    blo 3b
    pair 0, 6
    pair 2, 8
    pair 4, 10
    pair 26, 30
    pair 28, 32
    pair 34, 36
    ldrb r0, [r5, #42]
    cmp r0, #'T'
    bne 4f
    ldrb r0, [r5, #43] @ the port; without a checksum
    strb r0, [r8, #36]
    ldrb r0, [r5, #44]
    strb r0, [r8, #37]
    mov r0, #0
    strh r0, [r8, #40]
4:
#ifdef READS
    b answer
#endif
    send r4
    bx lr
    end take

#ifdef READS
@ Makes an SCP request that was sent back its answer: code OK, and 256 bytes behind it if it is a READ.
    begin answer
    mov r0, #0
    strh r0, [r8, #40] @ no UDP checksum
    ldrh r0, [r5, #52]
    mov r1, #0x80
    strh r1, [r8, #52]
    cmp r0, #2
    bne 1f
    ldr r0, =0x1601 @ 278 bytes of UDP, 298 of IP; big-endian
    strh r0, [r8, #38]
    ldr r0, =0x2a01
    strh r0, [r8, #16]
    ldrb r0, [r5, #24] @ IP's checksum is less by the 244 bytes more
    ldrb r1, [r5, #25]
    orr r0, r1, r0, lsl #8
    subs r0, r0, #244
    ldrmi r1, =0xffff
    addmi r0, r0, r1
    strb r0, [r8, #25]
    mov r0, r0, lsr #8
    strb r0, [r8, #24]
    ldr r4, =312
1:  send r4
    bx lr
    end answer
#endif
