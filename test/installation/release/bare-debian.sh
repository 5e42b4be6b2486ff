#!/bin/sh
# bare-debian.sh: runs in a bare Debian without network, Node and npm, in which /release has the archive of a release. Only
# the socket of a Docker engine is there. Prints a line after each part.
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

# get PATH: succeeds if Berth answers with 200
get() {
  LD_LIBRARY_PATH=lib lib/node -e 'fetch(process.argv[1]).then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(2))' \
    "http://127.0.0.1:3000$1"
}

bin/berth up >/release/log 2>/release/greeting &
berth=$!
until get /readyz; do
  kill -0 $berth 2>/dev/null || { cat /release/greeting; exit 1; }
  sleep 0.1
done
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

groupadd --system docker
bin/berth install
berth --version
[ "$(stat -c '%U %a' /var/lib/berth)" = 'berth 700' ]
id -nG berth | grep -qw docker
berth install --dry-run
echo installed
