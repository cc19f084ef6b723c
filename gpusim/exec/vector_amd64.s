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
