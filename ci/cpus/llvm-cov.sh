#!/bin/bash
# llvm-cov.sh: the folder with llvm-profdata and llvm-cov of LLVM 22, which rustc 1.95 compiles with: they read only what
# their own version has written. rustup's component with the two cannot be had from a package registry.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
suite=bookworm-security
unpack "$CROSS/llvm22" llvm-22/$suite libllvm22/$suite
tools() {
  local tool
  for tool in llvm-profdata llvm-cov; do
    [ ! -x "$CROSS/llvm22/bin/$tool" ] || continue
    mkdir -p "$CROSS/llvm22/bin"
    # Their library is not where the system looks.
    cat >"$CROSS/llvm22/bin/$tool.new" <<END
#!/bin/sh
LD_LIBRARY_PATH=$CROSS/llvm22/usr/lib/x86_64-linux-gnu exec $CROSS/llvm22/usr/lib/llvm-22/bin/$tool "\$@"
END
    chmod +x "$CROSS/llvm22/bin/$tool.new"
    mv "$CROSS/llvm22/bin/$tool.new" "$CROSS/llvm22/bin/$tool"
  done
}
locked tools
echo "$CROSS/llvm22/bin"
