"""What the core needs from outside, fulfilled: installed plugins, code on disk, worker processes, store and signer."""
