# Sourced by kube-build, kube-up and kube-down: where things lie, and how they are told apart.
set -euo pipefail
kube_home=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=${KUBE_CACHE:-${UPF_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/upf-dataplane}/kube}
api_port=${KUBE_PORT:-26443}
etcd_port=${KUBE_ETCD_PORT:-33790}

refuse() { echo "${0##*/}: $*" >&2; exit 1; }

# The programs in the cache were made from these very files.
fingerprint() { cat "$kube_home/go.mod" "$kube_home/go.sum" | sha256sum | cut -d' ' -f1; }
is_built() { [[ -x $programs/etcd && -x $programs/kube-apiserver && -x $programs/kubectl && $(cat "$programs/made-from" 2>/dev/null) == "$(fingerprint)" ]]; }

state_directory() {
  [[ -n ${KUBE_DIR:-} ]] || refuse "set KUBE_DIR to a folder for this control plane's files"
  mkdir -p "$KUBE_DIR"
  state=$(cd "$KUBE_DIR" && pwd)
}

# Whether the process of that name is the one that this folder's kube-up started, and not a later one with its id.
is_ours() { # NAME
  local id
  id=$(cat "$state/$1.pid" 2>/dev/null) || return 1
  [[ -r /proc/$id/environ ]] && tr '\0' '\n' <"/proc/$id/environ" | grep -qxF "UPF_KUBE_STATE=$state"
}

api_answers() { "$programs/kubectl" --kubeconfig "$state/admin.kubeconfig" get --raw /readyz --request-timeout=3s >/dev/null 2>&1; }
