module keylane-benches/go

go 1.24
