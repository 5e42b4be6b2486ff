#!/bin/sh
# supervise-dockerd.sh DIRECTORY: keeps dockerd running where no systemd does; started by engine.sh, detached.
# Writes its process id to DIRECTORY/pid; to stop the engine: kill "$(cat DIRECTORY/pid)".
set -u
home=$1
cd /
echo $$ >"$home/pid"
engine=''
trap 'kill $engine 2>/dev/null; wait; rm -f "$home/pid"; exit 0' TERM INT

# After a restart of the machine a process id may belong to another program, and dockerd would wait for it.
drop_stale() { # PIDFILE NAME
  [ -s "$1" ] || return 0
  [ "$(cat "/proc/$(cat "$1")/comm" 2>/dev/null)" = "$2" ] || rm -f "$1"
}

while :; do
  drop_stale /var/run/docker.pid dockerd
  drop_stale /var/run/docker/containerd/containerd.pid containerd
  dockerd --log-level=warn &
  engine=$!
  wait "$engine"
  echo "$(date '+%F %T') dockerd ended with code $?; it is started again in 2 s"
  sleep 2 &
  wait $!
done
