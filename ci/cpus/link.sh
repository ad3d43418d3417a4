#!/bin/bash
# The linker for a foreign Linux target: rustup's rust-lld, $XLD, with the start files, libc and libgcc of
# Debian's packages in $CROSS/xsys/ARCH. rustc calls it as it calls gcc, for static programs.
set -euo pipefail
arch= pie= args=()
# gcc's words into ld's: -Wl,a,b becomes a b, and the driver's own switches go.
for a in "$@"; do
  case $a in
    --link-arch=*) arch=${a#*=} ;;
    -static) args+=(-static) ;;
    -static-pie) pie=1 args+=(-static -pie --no-dynamic-linker -z text) ;;
    -pie | -nodefaultlibs | -nostartfiles | -no-pie | -m32 | -m64 | -rdynamic | -fuse-ld=*) ;;
    -Wl,*) IFS=, read -ra w <<<"${a#-Wl,}" && args+=("${w[@]}") ;;
    *) args+=("$a") ;;
  esac
done
case $arch in
  arm64) m=aarch64-linux-gnu g=$m ;;
  armhf) m=arm-linux-gnueabihf g=$m ;;
  i386) m=i386-linux-gnu g=i686-linux-gnu ;;
  s390x) m=s390x-linux-gnu g=$m ;;
  *) echo "link.sh: unknown architecture $arch" >&2; exit 2 ;;
esac
R=$CROSS/xsys/$arch L=$R/usr/lib/$m G=$R/usr/lib/gcc/$g/12
libs="--start-group -lgcc -lgcc_eh -lc --end-group"
if [ $pie ]; then
  pre="$L/rcrt1.o $L/crti.o $G/crtbeginS.o" post="$G/crtendS.o $L/crtn.o"
else
  pre="$L/crt1.o $L/crti.o $G/crtbeginT.o" post="$G/crtend.o $L/crtn.o"
fi
exec "$XLD" -flavor gnu --sysroot="$R" $pre "${args[@]}" -L"$G" -L"$L" -L"$R/lib/$m" $libs $post
