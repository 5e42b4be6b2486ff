# dependencies.sh: installs the npm packages of the lock file, which include Node 26. Sourced by ./berth.
# After an installation, a copy of the lock file is written into node_modules. A later run compares the copy.
# shellcheck shell=sh disable=SC2154 # root is set by ./berth

node=$root/node_modules/node/bin/node

ensure_dependencies() { # production | all
  ! has_dependencies "$1" || return 0
  ensure_program flock util-linux
  # The lock file of npm is also the lock. The lock ends with this process at the latest.
  exec 9<package-lock.json
  flock -n 9 || { say 'waiting for another berth that installs packages'; flock 9; }
  # Development packages that are there, perhaps by npm ci, stay there.
  if [ -e node_modules/typescript ]; then set -- all; fi
  has_dependencies "$1" || install_dependencies "$1"
  exec 9<&-
}

has_dependencies() { # production | all
  cmp -s package-lock.json node_modules/.berth-all ||
    { [ "$1" = production ] && cmp -s package-lock.json node_modules/.berth-production; }
}

install_dependencies() { # production | all
  ensure_npm "$1"
  omit=''
  [ "$1" = all ] || omit=--omit=dev
  # npm ci first removes node_modules with the copy in it.
  # shellcheck disable=SC2086 # one word or none
  step 'installing the npm packages' npm ci $omit --no-audit --no-fund --loglevel=error
  "$node" --version >/dev/null 2>&1 ||
    fail "npm did not install Node 26 at $node: package 'node' needs its install script (npm config get ignore-scripts)"
  cp package-lock.json "node_modules/.berth-$1"
}

# Node 26 needs libatomic, which a minimal Debian does not include.
ensure_npm() {
  wanted=''
  has node && has npm || wanted='nodejs npm ca-certificates'
  ldconfig -p | grep -q 'libatomic\.so\.1 ' || wanted="${wanted:+$wanted }libatomic1"
  [ -n "$wanted" ] || return 0
  also='' # the message names the engine's packages too; engine.sh checks for a running engine
  if [ "$1" = production ] && [ ! -S /var/run/docker.sock ] && [ -z "${DOCKER_HOST:-}" ]; then also=' docker.io iptables'; fi
  can_install ||
    fail "some programs are missing (any version will do). As root on Debian or Ubuntu: apt-get install $wanted$also"
  # shellcheck disable=SC2086 # a list of words
  step "installing $wanted from the distribution" apt_install $wanted
}
