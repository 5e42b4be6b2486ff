#!/bin/sh
# supervise-dockerd.sh DIRECTORY: keeps dockerd running without systemd. engine.sh starts this script detached and appends
# its output to DIRECTORY/log, which this script trims. DIRECTORY/pid has the process id of this script. SIGTERM stops the
# script and the engine.
set -u
folder=$1
cd /
echo $$ >"$folder/pid"
engine='' trimmer=''
trap 'kill "$trimmer" $engine 2>/dev/null; wait; rm -f "$folder/pid"; exit 0' TERM INT

is_running() { # PIDFILE NAME
  [ -s "$1" ] && [ "$(cat "/proc/$(cat "$1")/comm" 2>/dev/null)" = "$2" ]
}

trim_log() {
  while sleep 600; do
    [ "$(wc -c <"$folder/log")" -lt 50000000 ] || { tail -c 1000000 "$folder/log" >"$folder/log.old"; : >"$folder/log"; }
  done
}
trim_log &
trimmer=$!

while :; do
  # Wait while another dockerd runs.
  while is_running /var/run/docker.pid dockerd; do sleep 1; done
  # After a reboot the process id in the file may belong to another program, and dockerd would wait for it.
  is_running /var/run/docker/containerd/containerd.pid containerd || rm -f /var/run/docker/containerd/containerd.pid
  rm -f /var/run/docker.pid
  dockerd --log-level=warn &
  engine=$!
  wait "$engine"
  echo "$(date '+%F %T') dockerd ended with code $?; restarting in 2 s"
  engine=''
  sleep 2
done
