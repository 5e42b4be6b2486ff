#!/bin/sh
# bare-debian.sh: runs in a bare Debian without network, Node and npm, in which /release and /newer have the archives of
# two releases. Only the socket of a Docker engine is there. Prints a line after each part.
set -eu
export HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin BERTH_PROXY=off
export BERTH_PASSWORD='long enough'
for program in node npm gcc curl; do
  ! command -v $program >/dev/null || { echo "this Debian has $program"; exit 1; }
done

cd /release
sha256sum --check --quiet ./*.sha256
tar xzf ./*.tar.gz
cd berth-*/
sha256sum --check --quiet SHA256SUMS
echo verified

# Waits until Berth answers, and the expression on the text of its answer is true.
wait_for() { # PID PATH EXPRESSION
  until LD_LIBRARY_PATH=lib lib/node -e "fetch('http://127.0.0.1:3000$2')
    .then(async (it) => [it.ok, await it.text()])
    .then(([isOk, text]) => process.exit(isOk && ($3) ? 0 : 1), () => process.exit(1))"; do
    kill -0 "$1" 2>/dev/null || { cat /release/greeting; exit 1; }
    sleep 0.1
  done
}

bin/berth up >/release/log 2>/release/greeting &
berth=$!
wait_for $berth /readyz true
echo ready

login=$(sed -n 's/^ *\(.* login http.*\)/\1/p' /release/greeting)
$login --email ada@example.org
bin/berth api project.create --name shop >/dev/null
bin/berth api project.all | grep -q '"name": "shop"'
bin/berth ls
echo "signed in"
kill $berth
wait $berth
echo stopped

# The user berth may use the socket by the group that it has on the machine of the engine.
groupadd --system --gid "$(stat -c %g /run/docker.sock)" docker
bin/berth install
[ "$(stat -c '%U %a' /var/lib/berth)" = 'berth 700' ]
[ "$(berth install --dry-run)" = 'Everything is installed.' ]
echo installed

# start VERSION: starts the installed program as the unit does, and waits until it is ready
start() {
  BERTH_DATA=/var/lib/berth setpriv --reuid=berth --regid=berth --init-groups \
    /opt/berth/current/bin/berth up >/release/log 2>/release/greeting &
  berth=$!
  wait_for $berth /readyz true
  wait_for $berth /openapi.json "JSON.parse(text).info.version === '$1'"
}
older=$(berth --version)
start "$older"
berth upgrade /newer/*.tar.gz
kill $berth
wait $berth
start "$(berth --version)"
[ "$(berth --version)" != "$older" ]
echo upgraded
kill $berth
wait $berth
berth upgrade --back
start "$older"
kill $berth
wait $berth
echo "gone back"
