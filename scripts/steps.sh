# steps.sh: progress messages, failure messages and the installation of distribution packages. Sourced by ./berth.
# A slow step prints one line to stderr with its description and duration.
# shellcheck shell=sh

say() { printf 'berth: %s\n' "$*" >&2; }
fail() { say "$@"; exit 1; }

step_log=''
trap 'rm -f "$step_log"' EXIT
trap 'echo >&2; exit 130' INT

# step DESCRIPTION COMMAND...: runs the command silently. If it fails, shows its last lines and ends the script.
# Use it in `if`, `&&` or `||` only with a program: `set -e` has no effect in a shell function there.
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
  dpkg --configure -a # completes an interrupted installation
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

ensure_program() { # COMMAND PACKAGE...
  ! has "$1" || return 0
  shift
  can_install || fail "missing: $*. As root on Debian or Ubuntu: apt-get install $*"
  step "installing $*" apt_install "$@"
}
