# Sourced by the other scripts: Debian packages, fetched and unpacked into a cache.
#
# Nothing here touches the system's dpkg database, its apt lists or the rustup toolchains: packages come
# through a private apt state and are unpacked with `dpkg-deb -x` into folders of $CROSS.
#
# CROSS is the cache; default ${XDG_CACHE_HOME:-$HOME/.cache}/keylane-cpus, outside of any checkout.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export CROSS=${CROSS:-${XDG_CACHE_HOME:-$HOME/.cache}/keylane-cpus}
mkdir -p "$CROSS"/apt/{lists,cache/archives}/partial

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
  local status=$?
  exec {lock}>&-
  return $status
}

# The address under which this system's own apt has a suite.
_mirror() {
  env -u APT_CONFIG apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Release: $1" |
    sort -u
}

# Has apt read the lists of packages into a state of its own, at most once a day. Foreign architectures are
# named only where they are used: where a mirror lacks one list, apt takes none of its suite.
apt_update() {
  local keyring=signed-by=/usr/share/keyrings/debian-archive-keyring.gpg all=amd64,arm64,armhf,i386,s390x
  local debian security
  export APT_CONFIG=$CROSS/apt/apt.conf
  [ -z "$(find "$CROSS/apt/stamp" -mmin -1440 2>/dev/null)" ] || return 0
  debian=$(_mirror bookworm) security=$(_mirror bookworm-security)
  [ -n "$debian" ] && [ -n "$security" ] ||
    { echo "packages.sh: apt has read no list of bookworm and bookworm-security" >&2; return 1; }
  cat >"$CROSS/apt/sources.list" <<END
deb [$keyring arch=$all] $debian bookworm main
deb [$keyring arch=$all] $debian trixie main
deb [$keyring arch=amd64,arm64] $security bookworm-security main
END
  : >"$CROSS/apt/status"
  cat >"$APT_CONFIG" <<END
APT::Architectures { "amd64"; "arm64"; "armhf"; "i386"; "s390x"; };
Dir::Etc::sourcelist "$CROSS/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::State::Lists "$CROSS/apt/lists";
Dir::State::status "$CROSS/apt/status";
Dir::Cache "$CROSS/apt/cache";
Acquire::Languages "none";
Acquire::GzipIndexes "true";
Acquire::Retries "3";
APT::Sandbox::User "root";
END
  # Where one list of trixie is older than its release, apt takes none: then only that of this architecture.
  apt-get -q --error-on=any update >"$CROSS/apt/update.log" 2>&1 || {
    grep -E '^(E|Err)' "$CROSS/apt/update.log" >&2
    sed -i '/trixie/s/arch=[^ ]*\]/arch=amd64]/' "$CROSS/apt/sources.list"
    apt-get -q update >"$CROSS/apt/update.log" 2>&1 || grep -E '^(E|Err)' "$CROSS/apt/update.log" >&2 || :
  }
  touch "$CROSS/apt/stamp"
}

# unpack FOLDER PACKAGE...: PACKAGE is what apt-get download takes: name, name:arch, name/suite,
# name:arch/suite. Each is fetched and unpacked once (a marker remembers it); all that are missing come in one
# download.
_mark() { printf '%s/.unpacked.%s' "$1" "$(printf %s "$2" | tr '/:=~+' '_____')"; }
_unpack() {
  local folder=$1 package downloads todo=()
  shift
  for package in "$@"; do [ -e "$(_mark "$folder" "$package")" ] || todo+=("$package"); done
  [ ${#todo[@]} -gt 0 ] || return 0
  apt_update
  downloads=$(mktemp -d "$CROSS/apt/download.XXXXXX")
  (cd "$downloads" && apt-get -qq download "${todo[@]}" >&2) ||
    { rm -rf "$CROSS/apt/stamp" "$downloads" && return 1; }
  mkdir -p "$folder"
  for package in "$downloads"/*.deb; do dpkg-deb -x "$package" "$folder"; done
  for package in "${todo[@]}"; do : >"$(_mark "$folder" "$package")"; done
  rm -rf "$downloads"
}
unpack() { locked _unpack "$@"; }

# LLVM as rustc has it, and those of its libraries that a small system lacks.
LLVM=(libllvm22/bookworm-security)
for _library in libbsd0 libedit2 libffi8 libicu72 libmd0 libxml2 libz3-4; do
  LLVM+=("$_library/bookworm")
done
