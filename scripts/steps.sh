# steps.sh: telling what is being done, stopping with a reason, and packages of the distribution.
# Sourced by ./berth. What takes time is one line on stderr: what, and how long it took.
# shellcheck shell=sh

say() { printf 'berth: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

step_log=''
trap 'rm -f "$step_log"' EXIT
trap 'echo >&2; exit 130' INT

# step WORDS COMMAND...: runs the command silently; shows its last lines when it fails, which ends the script.
# Not for an `if`, `&&` or `||` unless the command is a program: `set -e` is without effect in there.
step() {
  printf 'berth: %s ... ' "$1" >&2
  shift
  step_log=$(mktemp) step_began=$(date +%s)
  set +e
  (set -e; "$@") >"$step_log" 2>&1 </dev/null
  step_code=$?
  set -e
  if [ $step_code = 0 ]; then
    echo "$(($(date +%s) - step_began)) s" >&2
  else
    echo "failed" >&2
    tail -n 20 "$step_log" | sed 's/^/    /' >&2
  fi
  rm -f "$step_log"
  step_log=''
  return $step_code
}

has() { command -v "$1" >/dev/null 2>&1; }
can_install() { [ "$(id -u)" = 0 ] && has apt-get; }

apt_install() {
  dpkg --configure -a # what an interrupted run left half-way
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

ensure_program() { # COMMAND PACKAGE...
  ! has "$1" || return 0
  shift
  can_install || fail "needed and not here: $*. As root on Debian or Ubuntu: apt-get install $*"
  step "installing $*" apt_install "$@"
}
