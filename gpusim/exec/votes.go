package exec

import "gowarp/gpusim/ptx"

// vote decodes vote[.sync].{all,any,uni}.pred p, a[, membermask] and vote[.sync].ballot.b32 d, a[, membermask].
func (d *decoder) vote(o *op, i *ptx.Inst) error {
	args := i.Args
	if i.Has("sync") && len(args) == 3 {
		members, err := d.source(i, &args[2], u32)
		if err != nil {
			return err
		}
		o.vec = []slot{members}
		args = args[:2]
	}
	out := pred
	switch {
	case i.Has("all"):
		o.run = func(w *warp, o *op) { w.voted(o, w.preds[o.a.at]&w.mask == w.mask) }
	case i.Has("any"):
		o.run = func(w *warp, o *op) { w.voted(o, w.preds[o.a.at]&w.mask != 0) }
	case i.Has("uni"):
		o.run = func(w *warp, o *op) {
			in := w.preds[o.a.at] & w.mask
			w.voted(o, in == 0 || in == w.mask)
		}
	case i.Has("ballot"):
		out = u32
		o.run = func(w *warp, o *op) {
			d := w.out32(o)
			for lane := range d {
				d[lane] = w.preds[o.a.at] & w.mask
			}
			w.commit32(o, d)
			w.taintVote(o)
		}
	}
	if o.run == nil || len(args) != 2 || i.Has("sync") != (o.vec != nil) || len(i.Types) != 1 || (i.Type(0).Kind == ptx.Pred) != (out.Kind == ptx.Pred) ||
		out.Kind != ptx.Pred && i.Type(0).Bits != 32 || !only(i, "sync", "all", "any", "uni", "ballot") {
		return unsupported(i)
	}
	var err error
	if o.d, err = d.destOf(i, &args[0], out); err != nil {
		return err
	}
	o.a, err = d.source(i, &args[1], pred)
	return err
}

// voted gives all lanes the outcome.
func (w *warp) voted(o *op, yes bool) {
	p := &w.preds[o.d.at]
	if *p &^= w.mask; yes {
		*p |= w.mask
	}
	w.taintVote(o)
}

// taintVote notes that a vote is undefined, in all lanes, where one lane's is.
func (w *warp) taintVote(o *op) {
	var bad uint32
	if w.taints[o.a.taint]&w.mask != 0 {
		bad = w.mask
	}
	w.taint(o.d, bad)
}
