// Package workers does pieces of work side by side that do not depend on each other. What comes of them must not hang on how many workers there are: a piece
// writes to a place of its own, and what pieces share they find the same whoever was first.
package workers

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Each does n pieces of work, as many at a time as Go may use processors (GOMAXPROCS).
func Each(n int, do func(i int)) {
	Until(n, func(i int) bool {
		do(i)
		return true
	})
}

// InPieces is Each for work of which each piece by itself is less than what it takes to hand it out: a worker takes so many at a time.
func InPieces(n, piece int, do func(i int)) {
	Each((n+piece-1)/piece, func(p int) {
		for i := p * piece; i < min((p+1)*piece, n); i++ {
			do(i)
		}
	})
}

// Until is Each for work of which nothing is wanted behind the first piece that reports false: it returns how many pieces are wanted, that one included. Some
// behind it may have been done as well.
func Until(n int, do func(i int) (more bool)) (wanted int) {
	workers := min(n, runtime.GOMAXPROCS(0))
	if workers <= 1 {
		for i := range n {
			if !do(i) {
				return i + 1
			}
		}
		return n
	}
	var next, most atomic.Int64
	most.Store(int64(n))     // wanted, as far as is known
	panics := make([]any, n) // of a piece: the host process is not to die in a thread in which nobody recovers
	work := func() {
		for i := next.Add(1) - 1; i < most.Load(); i = next.Add(1) - 1 {
			if one(int(i), do, panics) {
				continue
			}
			for was := most.Load(); i+1 < was && !most.CompareAndSwap(was, i+1); was = most.Load() {
			}
		}
	}
	var others sync.WaitGroup
	for range workers - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	wanted = int(most.Load())
	for _, p := range panics[:wanted] {
		if p != nil {
			panic(p)
		}
	}
	return wanted
}

// one does a piece of work; a panic is kept, and nothing behind it is wanted.
func one(i int, do func(i int) bool, panics []any) (more bool) {
	defer func() {
		if p := recover(); p != nil {
			panics[i], more = fmt.Sprintf("%v\n%s", p, debug.Stack()), false
		}
	}()
	return do(i)
}
