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

#define ADD(off) \
	VMOVUPS off(SI), Y0 \
	VADDPS  off(DX), Y0, Y0 \
	CANONICAL(off)

#define SUB(off) \
	VMOVUPS off(SI), Y0 \
	VSUBPS  off(DX), Y0, Y0 \
	CANONICAL(off)

#define MUL(off) \
	VMOVUPS off(SI), Y0 \
	VMULPS  off(DX), Y0, Y0 \
	CANONICAL(off)

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

// func addLanes(d, a, b *lanes32)
TEXT ·addLanes(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	NAN32
	ADD(0)
	ADD(32)
	ADD(64)
	ADD(96)
	VZEROUPPER
	RET

// func subLanes(d, a, b *lanes32)
TEXT ·subLanes(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	NAN32
	SUB(0)
	SUB(32)
	SUB(64)
	SUB(96)
	VZEROUPPER
	RET

// func mulLanes(d, a, b *lanes32)
TEXT ·mulLanes(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), DX
	NAN32
	MUL(0)
	MUL(32)
	MUL(64)
	MUL(96)
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
	MOVQ         AX, X0
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
	MOVQ         AX, X0
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
