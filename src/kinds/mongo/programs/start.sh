# Usage: start.sh PROGRAM ARGUMENT...
# Runs the program, which starts the server. The members of a replica set prove with a key that they belong together. The
# set has one member, so the key can be a random one: this makes it if it is missing or incomplete. The server refuses a
# key that others can read. It runs as the owner of the data folder, if the image does not change owners itself.

key={{keyPath}}
folder=${key%/*}
fail() {
  printf 'Berth: %s\n' "$1" >&2
  exit 1
}
if [ ! -s "$key" ]; then
  umask 077
  mkdir -p "$folder" && od -An -v -tx1 -N 32 /dev/urandom | tr -d ' \n' >"$key.new" && chmod 400 "$key.new" &&
    mv -f "$key.new" "$key" || fail "cannot write the key of the replica set to $key"
  for file in "$folder" "$key"; do chown --reference="${folder%/*}" "$file" 2>/dev/null; done
fi
exec "$@"
