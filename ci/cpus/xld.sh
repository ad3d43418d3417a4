#!/bin/bash
# The linker for a foreign Linux target: rustup's own rust-lld, with the start files, libc and libgcc of Debian's
# packages in $CROSS/xsys/ARCH. rustc calls it the way it calls gcc. CROSS and the argument --xld-arch=ARCH come from
# cross-test.sh.
set -euo pipefail
arch=
for a in "$@"; do
  case $a in --xld-arch=*) arch=${a#*=} ;; esac
done
case $arch in
  arm64) m=aarch64-linux-gnu g=$m dl=/lib/ld-linux-aarch64.so.1 ;;
  armhf) m=arm-linux-gnueabihf g=$m dl=/lib/ld-linux-armhf.so.3 ;;
  i386) m=i386-linux-gnu g=i686-linux-gnu dl=/lib/ld-linux.so.2 ;;
  s390x) m=s390x-linux-gnu g=$m dl=/lib/ld64.so.1 ;;
  *) echo "xld: unknown architecture $arch" >&2; exit 2 ;;
esac
R=$CROSS/xsys/$arch L=$R/usr/lib/$m G=$R/usr/lib/gcc/$g/12
lld=$(rustc --print sysroot)/lib/rustlib/x86_64-unknown-linux-gnu/bin/rust-lld
# gcc's words into ld's: -Wl,a,b becomes a b, and the driver's own switches go.
static= pie= shared= args=()
for a in "$@"; do
  case $a in
    -static) static=1; args+=(-static) ;;
    -pie) pie=1; args+=(-pie) ;;
    -static-pie) static=1 pie=1; args+=(-static -pie --no-dynamic-linker -z text) ;;
    -shared) shared=1; args+=(-shared) ;;
    --xld-arch=* | -nodefaultlibs | -nostartfiles | -no-pie | -m32 | -m64 | -rdynamic | -fuse-ld=*) ;;
    -Wl,*) IFS=, read -ra w <<<"${a#-Wl,}"; args+=("${w[@]}") ;;
    *) args+=("$a") ;;
  esac
done
if [ $shared ]; then
  pre="$L/crti.o $G/crtbeginS.o" post="$G/crtendS.o $L/crtn.o"
elif [ "$static$pie" = 11 ]; then
  pre="$L/rcrt1.o $L/crti.o $G/crtbeginS.o" post="$G/crtendS.o $L/crtn.o"
elif [ $static ]; then
  pre="$L/crt1.o $L/crti.o $G/crtbeginT.o" post="$G/crtend.o $L/crtn.o"
elif [ $pie ]; then
  pre="$L/Scrt1.o $L/crti.o $G/crtbeginS.o" post="$G/crtendS.o $L/crtn.o"
else
  pre="$L/crt1.o $L/crti.o $G/crtbegin.o" post="$G/crtend.o $L/crtn.o"
fi
if [ $static ]; then
  libs="--start-group -lgcc -lgcc_eh -lc --end-group" dyn=
else
  libs="-lgcc --as-needed -lgcc_s --no-as-needed -lc -lgcc" dyn="-dynamic-linker $dl"
fi
exec "$lld" -flavor gnu --sysroot="$R" $dyn $pre "${args[@]}" -L"$G" -L"$L" -L"$R/lib/$m" $libs $post
