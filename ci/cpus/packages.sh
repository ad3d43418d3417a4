# Sourced by the other scripts: Debian packages, fetched and unpacked into a cache.
#
# Nothing here touches the system's dpkg database, its apt lists or the rustup toolchains: packages come
# through a private apt state and are unpacked with `dpkg-deb -x` into folders of $CROSS.
#
#   CROSS   the cache; default ${XDG_CACHE_HOME:-$HOME/.cache}/keylane-cpus, outside of any checkout
#   NICE    what long commands run under; default nice -n 19
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CROSS=${CROSS:-${XDG_CACHE_HOME:-$HOME/.cache}/keylane-cpus}
NICE=${NICE-nice -n 19}
mkdir -p "$CROSS"/apt/{lists/partial,cache/archives/partial,etc,debs}

# Cargo's tools call rustup by themselves to fetch what they miss: no script may change a toolchain.
export RUSTUP_DIST_SERVER=http://127.0.0.1:9 RUSTUP_UPDATE_ROOT=http://127.0.0.1:9

# locked COMMAND...: one process at a time. Two scripts that find the cache empty would otherwise fill it
# twice, and the second would unpack over files that the first is already running.
locked() {
  # A script started by a locked one must not wait for its own parent.
  if [ -n "${CROSS_LOCKED:-}" ]; then "$@"; return; fi
  local lock
  exec {lock}>"$CROSS/lock"
  flock "$lock"
  # No `|| status=$?` here: it would switch off `set -e` in all that COMMAND does.
  CROSS_LOCKED=1 "$@"
  exec {lock}>&-
}

# The address under which this system's own apt has SUITE.
_mirror() {
  { cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || :; } | awk -v want="$1" '
    /^Types:|^$/ { uri = ""; next }
    /^URIs:/     { uri = $2 }
    /^Suites:/   { for (i = 2; i <= NF; i++) if ($i == want) found = uri }
    /^deb /      { u = $2; s = $3; if ($2 ~ /^\[/) { u = $3; s = $4 } if (s == want) found = u }
    END          { print found }'
}

_source() { # TYPE URI SUITE ARCHITECTURES
  printf 'Types: %s\nURIs: %s\nSuites: %s\nComponents: main\n' "$1" "$2" "$3"
  [ -z "$4" ] || printf 'Architectures: %s\n' "$4"
  printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n'
}

# Foreign architectures are named only for the suites that are used for them: fewer lists, a faster update.
_apt_sources() {
  local debian security
  debian=$(_mirror bookworm) security=$(_mirror bookworm-security)
  if [ -z "$debian" ] || [ -z "$security" ]; then
    echo "packages.sh: this system's apt does not name bookworm and bookworm-security" >&2
    return 1
  fi
  _source deb "$debian" bookworm "amd64 arm64 armhf i386 s390x"
  _source deb "$security" bookworm-security "amd64 arm64"
  _source deb "$debian" trixie "amd64 arm64 armhf i386 s390x"
}

_apt_settings() {
  cat <<END
APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; "armhf"; "i386"; "s390x"; };
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$CROSS/apt/etc";
Dir::State::Lists "$CROSS/apt/lists";
Dir::Cache "$CROSS/apt/cache";
Dir::State::status "$CROSS/apt/status";
Dir::Cache::pkgcache "$CROSS/apt/cache/pkgcache.bin";
Dir::Cache::srcpkgcache "$CROSS/apt/cache/srcpkgcache.bin";
Dir::Etc::parts "/dev/null";
Acquire::Languages "none";
Acquire::GzipIndexes "true";
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
APT::Sandbox::User "root";
END
}

# Writes both where they are not what is written here: a cache may be older than this script. Then the lists
# are, too.
_apt_conf() {
  local sources settings
  sources=$(_apt_sources) && settings=$(_apt_settings) || return 1
  [ "$sources" != "$(cat "$CROSS/apt/etc/debian.sources" 2>/dev/null)" ] ||
    [ "$settings" != "$(cat "$CROSS/apt/apt.conf" 2>/dev/null)" ] || return 0
  rm -f "$CROSS/apt/stamp"
  : >"$CROSS/apt/status"
  echo "$sources" >"$CROSS/apt/etc/debian.sources"
  echo "$settings" >"$CROSS/apt/apt.conf.$$"
  mv "$CROSS/apt/apt.conf.$$" "$CROSS/apt/apt.conf"
}
_apt() { _apt_conf && APT_CONFIG="$CROSS/apt/apt.conf" "$@"; }

# Refreshes the private lists, at most once a day.
apt_update() {
  _apt_conf
  if [ -z "$(find "$CROSS/apt/stamp" -mmin -1440 2>/dev/null)" ]; then
    # A mirror may serve one stale index for a while: go on with the rest. A package that is missing then
    # fails by its own name in unpack, and the next run asks for the lists again.
    _apt apt-get -q update >"$CROSS/apt/update.log" 2>&1 ||
      { echo "apt update was not clean:"; grep -E '^(E|Err)' "$CROSS/apt/update.log" | head -5; } >&2
    touch "$CROSS/apt/stamp"
  fi
}

# unpack FOLDER PACKAGE...: PACKAGE is what apt-get download takes: name, name:arch, name/suite,
# name:arch/suite. Each is fetched and unpacked once (a marker remembers it); all that are missing come in one
# download.
_mark() { printf '%s/.unpacked.%s' "$1" "$(printf %s "$2" | tr '/:=~+' '_____')"; }
_unpack() {
  local dest=$1 s d deb todo=()
  shift
  mkdir -p "$dest"
  for s in "$@"; do [ -e "$(_mark "$dest" "$s")" ] || todo+=("$s"); done
  [ ${#todo[@]} -eq 0 ] && return 0
  apt_update
  d=$(mktemp -d "$CROSS/apt/debs/dl.XXXXXX")
  (cd "$d" && _apt $NICE apt-get -q download "${todo[@]}" >log 2>&1) ||
    {
      rm -f "$CROSS/apt/stamp"
      echo "unpack: cannot fetch ${todo[*]}"
      grep -E '^(E|Err)' "$d/log" || :
      rm -rf "$d"
      return 1
    } >&2
  for deb in "$d"/*.deb; do $NICE dpkg-deb -x "$deb" "$dest"; done
  for s in "${todo[@]}"; do : >"$(_mark "$dest" "$s")"; done
  rm -rf "$d"
}
unpack() { locked _unpack "$@"; }

# LLVM as rustc has it, and those of its libraries that a small system lacks.
LLVM=(libllvm22/bookworm-security)
for _library in libbsd0 libedit2 libffi8 libicu72 libmd0 libxml2 libz3-4; do
  LLVM+=("$_library/bookworm")
done
