module keylane/peer

go 1.19
