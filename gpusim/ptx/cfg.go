package ptx

// Block is a basic block: Code[Start:End] of its function.
type Block struct {
	Start, End int
	// Next are the blocks that may follow. For a guarded branch the first is
	// where the branch goes and the second is where it falls through. Len(Blocks)
	// stands for the function's exit.
	Next []int
	// Join is the immediate post-dominator: the first block through which every
	// path from this one to the exit goes. Len(Blocks) if that is the exit itself.
	// A trap counts as what stands behind it: it ends a launch, not a path, and threads that
	// pass by one meet again where they would without it.
	Join int
}

// Ends reports whether an instruction ends a basic block.
func Ends(i *Inst) bool {
	switch i.Op {
	case "bra", "ret", "exit", "trap":
		return true
	}
	return false
}

// Pauses reports whether a warp may leave a function at an instruction and come
// back behind it: such an instruction is the last of its block.
func Pauses(i *Inst) bool {
	switch i.Op {
	case "call", "bar", "barrier":
		return true
	}
	return false
}

// Blocks cuts a function into basic blocks, in the order of its text, and finds
// where diverging threads meet again. It is empty for a function without code.
func (f *Function) Blocks() []Block {
	leader := make([]bool, len(f.Code)+1)
	leader[0] = true
	for k := range f.Code {
		i := &f.Code[k]
		if Ends(i) || Pauses(i) {
			leader[k+1] = true
		}
		for _, a := range i.Args {
			if a.Kind == ArgLabel {
				leader[a.Target] = true
			}
		}
	}
	at := make([]int, len(f.Code)+1)
	var blocks []Block
	for k := range f.Code {
		if leader[k] {
			blocks = append(blocks, Block{Start: k})
		}
		at[k] = len(blocks) - 1
		blocks[len(blocks)-1].End = k + 1
	}
	exit := len(blocks)
	at[len(f.Code)] = exit
	for b := range blocks {
		last := &f.Code[blocks[b].End-1]
		fall := at[blocks[b].End]
		if !Ends(last) {
			blocks[b].Next = []int{fall}
			continue
		}
		to := exit
		if last.Op == "trap" {
			to = fall
		}
		if last.Op == "bra" && len(last.Args) == 1 && last.Args[0].Kind == ArgLabel {
			to = at[last.Args[0].Target]
		}
		blocks[b].Next = []int{to}
		if last.Guard >= 0 {
			blocks[b].Next = append(blocks[b].Next, fall)
		}
	}
	postDominators(blocks)
	return blocks
}

// postDominators fills in the joins (Cooper, Harvey and Kennedy 2001, "A simple,
// fast dominance algorithm", on the reversed graph). Blocks from which no path leads
// to the exit, endless loops, join at the exit.
func postDominators(blocks []Block) {
	exit := len(blocks)
	before := make([][]int, exit+1)
	for b := range blocks {
		for _, n := range blocks[b].Next {
			before[n] = append(before[n], b)
		}
	}
	// Post-order of the reversed graph from the exit, without recursion: a long
	// chain of blocks would exhaust the stack.
	number := make([]int, exit+1) // post-order number + 1
	var order []int
	type frame struct{ node, edge int }
	seen := make([]bool, exit+1)
	seen[exit] = true
	for stack := []frame{{exit, 0}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.edge < len(before[top.node]) {
			n := before[top.node][top.edge]
			top.edge++
			if !seen[n] {
				seen[n] = true
				stack = append(stack, frame{n, 0})
			}
			continue
		}
		order = append(order, top.node)
		number[top.node] = len(order)
		stack = stack[:len(stack)-1]
	}
	join := make([]int, exit+1)
	for b := range join {
		join[b] = -1
	}
	join[exit] = exit
	for changed := true; changed; {
		changed = false
		for k := len(order) - 2; k >= 0; k-- { // the exit is last
			b := order[k]
			meet := -1
			for _, n := range blocks[b].Next {
				if join[n] < 0 {
					continue
				}
				if meet < 0 {
					meet = n
					continue
				}
				for other := n; meet != other; {
					for number[meet] < number[other] {
						meet = join[meet]
					}
					for number[other] < number[meet] {
						other = join[other]
					}
				}
			}
			if meet != join[b] {
				join[b], changed = meet, true
			}
		}
	}
	for b := range blocks {
		blocks[b].Join = join[b]
		if join[b] < 0 {
			blocks[b].Join = exit
		}
	}
}
