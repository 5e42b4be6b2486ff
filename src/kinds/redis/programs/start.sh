# Usage: start.sh PROGRAM ARGUMENT...
# Runs the program, which starts the server. If the data folder has a snapshot (an RDB file) and no append-only file, the
# server would start empty and later replace the snapshot. So this gives the server the snapshot as its append-only file,
# which may begin with one. It is a copy: before version 7 the server appends to this file, which must not change the
# snapshot. The copy appears in one step and the snapshot stays, so a crash leaves both or only the latter.
# The snapshot has the name that the arguments or a configuration file set. Otherwise it must be the only one.

folder={{dataPath}}
fail() {
  printf 'Berth: %s\n' "$1" >&2
  exit 1
}
name_in() {
  word='[Dd][Bb][Ff][Ii][Ll][Ee][Nn][Aa][Mm][Ee]'
  sed -n "s/^[[:space:]]*$word[[:space:]]\{1,\}[\"']\{0,1\}\([^\"'[:space:]]*\).*/\1/p" "$1" | tail -n 1
}
name=
previous=
for argument in "$@"; do
  found=
  case $previous in
    --[Dd][Bb][Ff][Ii][Ll][Ee][Nn][Aa][Mm][Ee]) found=$argument ;;
    *) case $argument in *.conf) [ ! -f "$argument" ] || found=$(name_in "$argument") ;; esac ;;
  esac
  name=${found:-$name}
  previous=$argument
done

for file in "$folder/appendonly.aof" "$folder"/appendonlydir/*; do
  [ ! -e "$file" ] || exec "$@"
done
snapshot=
if [ -n "$name" ] && [ -f "$folder/$name" ]; then
  snapshot=$folder/$name
else
  for file in "$folder"/*.rdb; do
    # The server leaves temporary files behind if it ends while it writes a snapshot.
    case $file in "$folder"/temp-*) continue ;; esac
    [ -f "$file" ] || continue
    [ -z "$snapshot" ] || fail "$folder has no append-only file, but several snapshots: $snapshot, $file. Keep only one"
    snapshot=$file
  done
fi
[ -n "$snapshot" ] || exec "$@"

copy=$folder/temp-berth.aof
cp -p -- "$snapshot" "$copy" && sync && mv -- "$copy" "$folder/appendonly.aof" ||
  fail "cannot make the append-only file from $snapshot"
sync
printf 'Berth: the server loads %s as its append-only file\n' "$snapshot"
exec "$@"
