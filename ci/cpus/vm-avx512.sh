#!/bin/bash
# vm-avx512.sh BINARY [ARGS...]: runs a Linux x86-64 binary, or a shell script, as the only program of a small
# Linux under Bochs, an emulated CPU with AVX-512 (F BW DQ VL CD IFMA VBMI VBMI2 VNNI BITALG), VAES,
# VPCLMULQDQ, GFNI, SHA-NI.
#
# Standard output and error come from the serial port to standard output; the exit status is the binary's own
# (124: ran past TIMEOUT seconds; 125: the emulator or the kernel stopped before the binary ended).
#   CPU=corei7_icelake_u   Bochs model: also tigerlake, arrow_lake (no AVX-512), corei7_skylake_x (no VAES),
#                          corei7_haswell_4770, ryzen, core2_penryn_t9600 (SSE4.1 only)
#   FILES="a b"            more static binaries, to be found in /files; a blank ends a path, so none holds one
#   TIMEOUT=600  MEM=256 (MiB)  ENVS="A=1 B=2"  KEEP=folder (keeps the logs)
#
# Clocks inside mean nothing. Boot 6.5 s; 420 M scalar and 10 M 512-bit instructions a second.
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"
CPU=${CPU:-corei7_icelake_u} TIMEOUT=${TIMEOUT:-600} MEM=${MEM:-256} KEEP=${KEEP:-}
bin=$1
shift

# Once: emulator, firmware, boot loader, kernel.
"$HERE/fetch.sh" bochs >/dev/null
unpack "$CROSS/vm" isolinux/bookworm syslinux-common/bookworm xorriso/bookworm libisoburn1/bookworm \
  libisofs6/bookworm libburn4/bookworm libjte2/bookworm bochsbios/trixie vgabios/trixie \
  busybox-static/bookworm cpio/bookworm
kernel() {
  [ ! -s "$CROSS/vm/vmlinuz" ] || return 0
  local name tmp=$CROSS/vm.kernel
  apt_update # the package's name has the kernel's version in it
  name=$(_apt apt-cache depends linux-image-cloud-amd64/bookworm-security |
    sed -n 's/.*Depends: //p' | head -1)
  rm -rf "$tmp"
  unpack "$tmp" "$name/bookworm-security"
  mv "$tmp"/boot/vmlinuz-* "$CROSS/vm/vmlinuz"
  rm -rf "$tmp"
}
locked kernel
VM=$CROSS/vm

# This run: initramfs and boot CD.
w=$(mktemp -d "${TMPDIR:-/tmp}/vm.XXXXXX") pid=
finish() {
  [ -z "$pid" ] || kill "$pid" 2>/dev/null || :
  [ -z "$KEEP" ] || { mkdir -p "$KEEP" && cp "$w"/{serial.log,bochs.log,bochsrc} "$KEEP"; } 2>/dev/null || :
  rm -rf "$w"
}
trap finish EXIT
mkdir -p "$w"/root/{bin,proc,dev,sys,tmp,files} "$w/cd"
cp "$VM/bin/busybox" "$w/root/bin/"
ln -s busybox "$w/root/bin/sh"
for f in ${FILES:-}; do strip -o "$w/root/files/$(basename "$f")" "$f"; done
strip -o "$w/root/prog" "$bin" 2>/dev/null || cp "$bin" "$w/root/prog"
chmod +x "$w/root/prog"
# A dynamic binary's loader and libraries come along at their own paths.
for so in $(ldd "$bin" 2>/dev/null | grep -o '/[^ ]*'); do
  mkdir -p "$w/root$(dirname "$so")"
  cp -L "$so" "$w/root$so"
done
{
  printf '#!/bin/sh\n/bin/busybox mount -t proc p /proc; /bin/busybox mount -t devtmpfs d /dev\n'
  printf '/bin/busybox mount -t tmpfs t /tmp; /bin/busybox --install -s /bin\n'
  printf 'cd /tmp; export HOME=/tmp PATH=/bin TERM=dumb %s\n' "${ENVS:-}"
  # A raw tty leaves \n as it is. The emulator is stopped from outside when the last line has come through: a
  # power-off in here would cut the serial port's queue.
  printf '/bin/busybox stty -F /dev/ttyS0 -opost 2>/dev/null\nexec >/dev/ttyS0 2>&1 </dev/null\n'
  printf 'echo "@@BEGIN@@"\n/prog'
  [ $# -eq 0 ] || printf ' %q' "$@"
  printf '\necho "@@EXIT@@ $? @@"\nwhile :; do /bin/busybox sleep 60; done\n'
} >"$w/root/init"
chmod +x "$w/root/init"
[ -x "$VM/bin/cpio" ] && cpio=$VM/bin/cpio || cpio=$VM/usr/bin/cpio
(cd "$w/root" && find . | "$cpio" -o -H newc --quiet) >"$w/cd/initrd"
cp "$VM/vmlinuz" "$VM/usr/lib/ISOLINUX/isolinux.bin" "$VM/usr/lib/syslinux/modules/bios/ldlinux.c32" "$w/cd/"
# clearcpuid=580: the model has FSRM without ERMS, on which Linux 6.1's memmove loops for ever.
cat >"$w/cd/isolinux.cfg" <<END
DEFAULT l
PROMPT 0
TIMEOUT 0
LABEL l
  KERNEL vmlinuz
  APPEND initrd=initrd console=ttyS0,115200 quiet loglevel=3 rdinit=/init panic=1 nokaslr mitigations=off random.trust_cpu=on nowatchdog clearcpuid=580
END
LD_LIBRARY_PATH=$VM/usr/lib/x86_64-linux-gnu "$VM/usr/bin/xorriso" -as mkisofs -quiet -o "$w/boot.iso" \
  -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table "$w/cd" >"$w/iso.log" 2>&1 ||
  { cat "$w/iso.log" >&2; exit 125; }
cat >"$w/bochsrc" <<END
display_library: nogui
romimage: file=$VM/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=$VM/usr/share/vgabios/vgabios.stdvga.bin
cpu: model=$CPU, count=1, ips=200000000, reset_on_triple_fault=0, ignore_bad_msrs=1
memory: guest=$MEM, host=$MEM
ata0: enabled=1
ata0-master: type=cdrom, path=$w/boot.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$w/serial.log
clock: sync=none, time0=1700000000
log: $w/bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
debug: action=ignore
END
: >"$w/serial.log"
BXSHARE=$VM/usr/share/bochs setsid $NICE "$CROSS/bochs/bin/bochs" -q -f "$w/bochsrc" \
  >"$w/out.log" 2>&1 </dev/null &
pid=$!
# Prints what the program says as it comes, and watches for its end.
t0=$SECONDS n=0
emit() { # the new whole lines between the two markers
  local m
  m=$(sed -n '/^@@BEGIN@@/,$p' "$w/serial.log" | sed 1d | grep -a -v '^@@EXIT@@') || :
  [ ${#m} -gt $n ] || return 0
  [ -n "$1" ] || m=${m%$'\n'*}
  printf %s "${m:$n}"
  n=${#m}
}
while :; do
  if grep -a -q '@@EXIT@@ [0-9]* @@' "$w/serial.log"; then
    emit all
    [ $n -eq 0 ] || echo
    break
  fi
  emit ""
  if ! kill -0 $pid 2>/dev/null || grep -a -q 'Kernel panic' "$w/serial.log"; then
    { echo "vm-avx512: the machine stopped:"; grep -a -A3 PANIC "$w/out.log" "$w/bochs.log" || :
      tail -25 "$w/serial.log"; } >&2
    exit 125
  fi
  if [ $((SECONDS - t0)) -ge "$TIMEOUT" ]; then
    { echo "vm-avx512: past $TIMEOUT s:"; tail -5 "$w/serial.log"; } >&2
    exit 124
  fi
  sleep 0.3
done
echo "vm-avx512: $((SECONDS - t0)) s under Bochs, $CPU" >&2
exit "$(sed -n 's/.*@@EXIT@@ \([0-9]*\) @@.*/\1/p' "$w/serial.log" | head -1)"
