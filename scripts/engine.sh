# engine.sh: ensures that a Docker engine answers: the engine at DOCKER_HOST, or else the machine's own engine, which is
# installed and started if needed. Sourced by ./berth. Berth itself creates the swarm.
# shellcheck shell=sh disable=SC2154 # node is set by dependencies.sh

engine_folder=/var/lib/berth-engine # without systemd: the pid of supervise-dockerd.sh and the log

engine_answers() { "$node" scripts/engine.js ping "${1:-0}"; }

ensure_engine() {
  case ${DOCKER_HOST:-unix://} in unix://* | tcp://*) ;; *) return 0 ;; esac
  [ -z "${DOCKER_TLS_VERIFY:-}" ] || return 0
  engine_code=0
  engine_answers || engine_code=$?
  [ $engine_code != 0 ] || return 0
  [ $engine_code != 3 ] ||
    fail "you ($(id -un)) may not use the Docker engine's socket: run as root, or: sudo usermod -aG docker $(id -un), and log in again"
  case ${DOCKER_HOST:-unix:///var/run/docker.sock} in
    unix:///var/run/docker.sock | unix:///run/docker.sock) ;;
    *) fail "no Docker engine answers at DOCKER_HOST=$DOCKER_HOST" ;;
  esac
  [ "$(id -u)" = 0 ] ||
    fail 'no Docker engine answers at /var/run/docker.sock. Start it (systemctl start docker), or run this as root, which installs one on Debian and Ubuntu, or set DOCKER_HOST'
  has dockerd || install_engine
  start_engine
}

install_engine() {
  can_install ||
    fail 'no Docker engine is installed, and this system has no apt-get to install one: install Docker 20.10 or newer, start it, and run this again'
  step 'installing a Docker engine (docker.io)' apt_install docker.io iptables iproute2 ca-certificates
  hash -r
}

start_engine() {
  if [ -d /run/systemd/system ]; then
    engine_log='journalctl -u docker -n 15'
    systemctl start docker || true
  else
    engine_log="tail -n 15 $engine_folder/log"
    mkdir -p "$engine_folder"
    supervisor_is_running || setsid sh scripts/supervise-dockerd.sh "$engine_folder" </dev/null >>"$engine_folder/log" 2>&1 &
  fi
  step "starting the Docker engine" wait_for_engine
}

wait_for_engine() { engine_answers 60 || { echo "The engine does not answer within 60 s. $engine_log:"; $engine_log; return 1; }; }

supervisor_is_running() {
  [ -s "$engine_folder/pid" ] && grep -q supervise-dockerd "/proc/$(cat "$engine_folder/pid")/cmdline" 2>/dev/null
}
