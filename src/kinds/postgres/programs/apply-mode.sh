# Usage: apply-mode.sh require|allow END_PLAIN_SQL. Adds two lines at the top of pg_hba.conf, or removes them, and keeps
# all other lines. The first line that matches a connection decides, so these lines refuse all connections without TLS
# over the network. The server's arguments can name another file. A file with the suffix `-reload` shows that the server
# may not have read the change yet. `require` needs a login. `allow` needs none, because it has to work without TLS.

unset PGSERVICE PGCLIENTENCODING
pid=$(head -n 1 "$PGDATA/postmaster.pid") || exit 1
file=$(tr '\000\n' '\n\000' <"/proc/$pid/cmdline" | tail -n +2 | tr '\n\000' '\000\n' | xargs -0 postgres -C hba_file) ||
  exit 1
file=$(readlink -f "$file") || exit 1
lines='hostnossl all all all reject # Berth: tls is require
hostnossl replication all all reject # Berth: tls is require'
new=$file.berth
pending=$file.berth-reload

# The folder of a file that Berth never changed may be read-only.
[ "$1" = require ] || [ -e "$pending" ] || grep -qxF "$lines" "$file" || [ "$?" != 1 ] || exit 0
cp -p "$file" "$new" && : >"$new" || exit 1
[ "$1" != require ] || printf '%s\n' "$lines" >>"$new" || exit 1
grep -vxF "$lines" "$file" >>"$new" || [ "$?" = 1 ] || exit 1
dd if=/dev/null of="$new" conv=notrunc,fsync 2>/dev/null || exit 1
if cmp -s "$file" "$new"; then
  rm "$new" || exit 1
else
  : >"$pending" && mv "$new" "$file" || exit 1
fi
if [ -e "$pending" ]; then
  kill -HUP "$pid" && rm "$pending" || exit 1
fi
[ "$1" = require ] || exit 0

attempts=30
while PGSSLMODE=disable psql -X -q -A -t -w -c 'SELECT' >/dev/null 2>&1; do
  attempts=$((attempts - 1))
  if [ "$attempts" = 0 ]; then
    echo "The server still accepts connections without TLS. It may not be able to read $file" >&2
    exit 1
  fi
  sleep 0.1
done
psql -X -q -A -t -w -c "$2" >/dev/null
