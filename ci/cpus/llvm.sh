#!/bin/bash
# llvm.sh TOOL: the path of a tool of Debian's LLVM 22, the version that rustc 1.95 and 1.96 have.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
unpack "$CROSS/llvm22" llvm-22/bookworm-security "${LLVM[@]}"
tool=$CROSS/llvm22/$1
if [ ! -x "$tool" ]; then
  # Its libraries lie beside it.
  cat >"$tool.$$" <<END
#!/bin/sh
LD_LIBRARY_PATH=$CROSS/llvm22/usr/lib/x86_64-linux-gnu exec $CROSS/llvm22/usr/lib/llvm-22/bin/$1 "\$@"
END
  chmod +x "$tool.$$"
  mv "$tool.$$" "$tool"
fi
echo "$tool"
