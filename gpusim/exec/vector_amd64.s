#include "textflag.h"

// Eight lanes at a time: 4 rounds make a register of a warp. Y15 holds eight canonical
// NaNs of the GPU (nan32), which replace every NaN that the CPU makes.

#define NAN32 \
	VPCMPEQD Y15, Y15, Y15 \
	VPSRLD   $1, Y15, Y15

#define CANONICAL(off) \
	VCMPPS    $3, Y0, Y0, Y1 \
	VBLENDVPS Y1, Y15, Y0, Y0 \
	VMOVUPS   Y0, off(DI)

#define FMA(off) \
	VMOVUPS     off(SI), Y0 \
	VMOVUPS     off(CX), Y1 \
	VFMADD132PS off(DX), Y1, Y0 \
	CANONICAL(off)

#define FLOAT(INSTRUCTION, off) \
	VMOVUPS     off(SI), Y0 \
	INSTRUCTION off(DX), Y0, Y0 \
	CANONICAL(off)

#define FLOATS(INSTRUCTION) \
	MOVQ d+0(FP), DI \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), DX \
	NAN32 \
	FLOAT(INSTRUCTION, 0) \
	FLOAT(INSTRUCTION, 32) \
	FLOAT(INSTRUCTION, 64) \
	FLOAT(INSTRUCTION, 96) \
	VZEROUPPER \
	RET

// One bit a lane: the result of eight comparisons at a time. Y2 is flipped in both operands.
#define COMPARE(INSTRUCTION, off) \
	VPXOR       off(SI), Y2, Y0 \
	VPXOR       off(DX), Y2, Y1 \
	INSTRUCTION Y1, Y0, Y0 \
	VMOVMSKPS   Y0, BX \
	SHLQ        $off/4, BX \
	ORQ         BX, AX

#define COMPARES(INSTRUCTION) \
	MOVQ a+0(FP), SI \
	MOVQ b+8(FP), DX \
	XORQ AX, AX \
	COMPARE(INSTRUCTION, 0) \
	COMPARE(INSTRUCTION, 32) \
	COMPARE(INSTRUCTION, 64) \
	COMPARE(INSTRUCTION, 96) \
	VZEROUPPER \
	MOVL AX, ret+16(FP) \
	RET

// func fmaLanes(d, a, b, c *lanes32)
TEXT ·fmaLanes(SB), NOSPLIT, $0-32
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), CX
	NAN32
	FMA(0)
	FMA(32)
	FMA(64)
	FMA(96)
	VZEROUPPER
	RET

// func addFLanes(d, a, b *lanes32)
TEXT ·addFLanes(SB), NOSPLIT, $0-24
	FLOATS(VADDPS)

// func subFLanes(d, a, b *lanes32)
TEXT ·subFLanes(SB), NOSPLIT, $0-24
	FLOATS(VSUBPS)

// func mulFLanes(d, a, b *lanes32)
TEXT ·mulFLanes(SB), NOSPLIT, $0-24
	FLOATS(VMULPS)

#define WORD(INSTRUCTION, off) \
	VMOVDQU     off(SI), Y0 \
	INSTRUCTION off(DX), Y0, Y0 \
	VMOVDQU     Y0, off(DI)

#define WORDS(INSTRUCTION) \
	MOVQ d+0(FP), DI \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), DX \
	WORD(INSTRUCTION, 0) \
	WORD(INSTRUCTION, 32) \
	WORD(INSTRUCTION, 64) \
	WORD(INSTRUCTION, 96) \
	VZEROUPPER \
	RET

// func addLanes(d, a, b *lanes32)
TEXT ·addLanes(SB), NOSPLIT, $0-24
	WORDS(VPADDD)

// func subLanes(d, a, b *lanes32)
TEXT ·subLanes(SB), NOSPLIT, $0-24
	WORDS(VPSUBD)

// func mulLanes(d, a, b *lanes32)
TEXT ·mulLanes(SB), NOSPLIT, $0-24
	WORDS(VPMULLD)

// func andLanes(d, a, b *lanes32)
TEXT ·andLanes(SB), NOSPLIT, $0-24
	WORDS(VPAND)

// func orLanes(d, a, b *lanes32)
TEXT ·orLanes(SB), NOSPLIT, $0-24
	WORDS(VPOR)

// func xorLanes(d, a, b *lanes32)
TEXT ·xorLanes(SB), NOSPLIT, $0-24
	WORDS(VPXOR)

// func shlLanes(d, a, b *lanes32)
TEXT ·shlLanes(SB), NOSPLIT, $0-24
	WORDS(VPSLLVD)

// func shrULanes(d, a, b *lanes32)
TEXT ·shrULanes(SB), NOSPLIT, $0-24
	WORDS(VPSRLVD)

// func shrSLanes(d, a, b *lanes32)
TEXT ·shrSLanes(SB), NOSPLIT, $0-24
	WORDS(VPSRAVD)

// func minSLanes(d, a, b *lanes32)
TEXT ·minSLanes(SB), NOSPLIT, $0-24
	WORDS(VPMINSD)

// func maxSLanes(d, a, b *lanes32)
TEXT ·maxSLanes(SB), NOSPLIT, $0-24
	WORDS(VPMAXSD)

// func minULanes(d, a, b *lanes32)
TEXT ·minULanes(SB), NOSPLIT, $0-24
	WORDS(VPMINUD)

// func maxULanes(d, a, b *lanes32)
TEXT ·maxULanes(SB), NOSPLIT, $0-24
	WORDS(VPMAXUD)

#define MAD(off) \
	VMOVDQU off(SI), Y0 \
	VPMULLD off(DX), Y0, Y0 \
	VPADDD  off(CX), Y0, Y0 \
	VMOVDQU Y0, off(DI)

// func madLanes(d, a, b, c *lanes32)
TEXT ·madLanes(SB), NOSPLIT, $0-32
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	MOVQ c+24(FP), CX
	MAD(0)
	MAD(32)
	MAD(64)
	MAD(96)
	VZEROUPPER
	RET

// func addDoubles(d, a, b *lanes64)
TEXT ·addDoubles(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	WORD(VPADDQ, 0)
	WORD(VPADDQ, 32)
	WORD(VPADDQ, 64)
	WORD(VPADDQ, 96)
	WORD(VPADDQ, 128)
	WORD(VPADDQ, 160)
	WORD(VPADDQ, 192)
	WORD(VPADDQ, 224)
	VZEROUPPER
	RET

#define WIDE(EXTEND, MULTIPLY, off) \
	EXTEND   off(SI), Y0 \
	EXTEND   off(DX), Y1 \
	MULTIPLY Y1, Y0, Y0 \
	VMOVDQU  Y0, 2*off(DI)

#define WIDES(EXTEND, MULTIPLY) \
	MOVQ d+0(FP), DI \
	MOVQ a+8(FP), SI \
	MOVQ b+16(FP), DX \
	WIDE(EXTEND, MULTIPLY, 0) \
	WIDE(EXTEND, MULTIPLY, 16) \
	WIDE(EXTEND, MULTIPLY, 32) \
	WIDE(EXTEND, MULTIPLY, 48) \
	WIDE(EXTEND, MULTIPLY, 64) \
	WIDE(EXTEND, MULTIPLY, 80) \
	WIDE(EXTEND, MULTIPLY, 96) \
	WIDE(EXTEND, MULTIPLY, 112) \
	VZEROUPPER \
	RET

// func wideSLanes(d *lanes64, a, b *lanes32)
TEXT ·wideSLanes(SB), NOSPLIT, $0-24
	WIDES(VPMOVSXDQ, VPMULDQ)

// func wideULanes(d *lanes64, a, b *lanes32)
TEXT ·wideULanes(SB), NOSPLIT, $0-24
	WIDES(VPMOVZXDQ, VPMULUDQ)

// func equalLanes(a, b *lanes32) uint32
TEXT ·equalLanes(SB), NOSPLIT, $0-20
	VPXOR Y2, Y2, Y2
	COMPARES(VPCMPEQD)

// func greaterSLanes(a, b *lanes32) uint32
TEXT ·greaterSLanes(SB), NOSPLIT, $0-20
	VPXOR Y2, Y2, Y2
	COMPARES(VPCMPGTD)

// func greaterULanes(a, b *lanes32) uint32
TEXT ·greaterULanes(SB), NOSPLIT, $0-20
	VPCMPEQD Y2, Y2, Y2
	VPSLLD   $31, Y2, Y2
	COMPARES(VPCMPGTD)

#define ADDRESS(off) \
	VMOVDQU off(SI), Y0 \
	VPXOR   Y3, Y0, Y1 \
	VPOR    Y1, Y6, Y6 \
	VPADDQ  Y4, Y0, Y0 \
	VMOVDQU Y0, off(DI) \
	VPADDQ  Y5, Y3, Y3

// func addressLanes(d, a *lanes64, offset uint64) bool
TEXT ·addressLanes(SB), NOSPLIT, $0-25
	MOVQ         d+0(FP), DI
	MOVQ         a+8(FP), SI
	VPBROADCASTQ offset+16(FP), Y4

	// Y3 is what the next four lanes hold if all distances are that of the first two.
	MOVQ         (SI), AX
	MOVQ         8(SI), BX
	SUBQ         AX, BX
	VMOVQ        AX, X3
	ADDQ         BX, AX
	VPINSRQ      $1, AX, X3, X3
	ADDQ         BX, AX
	VMOVQ        AX, X1
	ADDQ         BX, AX
	VPINSRQ      $1, AX, X1, X1
	VINSERTI128  $1, X1, Y3, Y3
	SHLQ         $2, BX
	VMOVQ        BX, X5
	VPBROADCASTQ X5, Y5
	VPXOR        Y6, Y6, Y6
	ADDRESS(0)
	ADDRESS(32)
	ADDRESS(64)
	ADDRESS(96)
	ADDRESS(128)
	ADDRESS(160)
	ADDRESS(192)
	ADDRESS(224)
	VPTEST       Y6, Y6
	SETEQ        ret+24(FP)
	VZEROUPPER
	RET

// Shifts that bring the bit of a lane to the top, of eight words and of four doubles.
DATA ·top32+0(SB)/4, $31
DATA ·top32+4(SB)/4, $30
DATA ·top32+8(SB)/4, $29
DATA ·top32+12(SB)/4, $28
DATA ·top32+16(SB)/4, $27
DATA ·top32+20(SB)/4, $26
DATA ·top32+24(SB)/4, $25
DATA ·top32+28(SB)/4, $24
GLOBL ·top32(SB), RODATA|NOPTR, $32

DATA ·top64+0(SB)/8, $63
DATA ·top64+8(SB)/8, $62
DATA ·top64+16(SB)/8, $61
DATA ·top64+24(SB)/8, $60
GLOBL ·top64(SB), RODATA|NOPTR, $32

#define MERGE32(off) \
	VPSLLVD    Y4, Y0, Y1 \
	VMOVDQU    off(SI), Y2 \
	VPMASKMOVD Y2, Y1, off(DI) \
	VPSRLD     $8, Y0, Y0

#define MERGE64(off) \
	VPSLLVQ    Y4, Y0, Y1 \
	VMOVDQU    off(SI), Y2 \
	VPMASKMOVQ Y2, Y1, off(DI) \
	VPSRLQ     $4, Y0, Y0

// func mergeLanes32(r, d *lanes32, mask uint32)
TEXT ·mergeLanes32(SB), NOSPLIT, $0-20
	MOVQ         r+0(FP), DI
	MOVQ         d+8(FP), SI
	MOVL         mask+16(FP), AX
	VMOVQ        AX, X0
	VPBROADCASTD X0, Y0
	VMOVDQU      ·top32(SB), Y4
	MERGE32(0)
	MERGE32(32)
	MERGE32(64)
	MERGE32(96)
	VZEROUPPER
	RET

// func mergeLanes64(r, d *lanes64, mask uint32)
TEXT ·mergeLanes64(SB), NOSPLIT, $0-20
	MOVQ         r+0(FP), DI
	MOVQ         d+8(FP), SI
	MOVL         mask+16(FP), AX
	VMOVQ        AX, X0
	VPBROADCASTQ X0, Y0
	VMOVDQU      ·top64(SB), Y4
	MERGE64(0)
	MERGE64(32)
	MERGE64(64)
	MERGE64(96)
	MERGE64(128)
	MERGE64(160)
	MERGE64(192)
	MERGE64(224)
	VZEROUPPER
	RET
