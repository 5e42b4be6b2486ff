#!/bin/sh
# supervise-dockerd.sh DIRECTORY: keeps dockerd running where no systemd does; started by engine.sh, detached.
# Writes its process id to DIRECTORY/pid; to stop the engine: kill "$(cat DIRECTORY/pid)".
set -u
home=$1
cd /
echo $$ >"$home/pid"
engine=''
trap '[ -z "$engine" ] || kill "$engine"; wait; rm -f "$home/pid"; exit 0' TERM INT

is_running() { # PIDFILE NAME
  [ -s "$1" ] && [ "$(cat "/proc/$(cat "$1")/comm" 2>/dev/null)" = "$2" ]
}

while :; do
  # An engine that somebody else started goes first.
  while is_running /var/run/docker.pid dockerd; do sleep 1; done
  # After a restart of the machine a process id may belong to another program, for which dockerd would wait.
  is_running /var/run/docker/containerd/containerd.pid containerd || rm -f /var/run/docker/containerd/containerd.pid
  rm -f /var/run/docker.pid
  dockerd --log-level=warn &
  engine=$!
  wait "$engine"
  echo "$(date '+%F %T') dockerd ended with code $?; it is started again in 2 s"
  engine=''
  sleep 2
done
