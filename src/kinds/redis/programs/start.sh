# Usage: start.sh PROGRAM ARGUMENT...
# Prepares the data folder and runs the program, which starts the server.
#
# The users: the server needs a file with its users, and opens itself to everybody without a user `default` in it. This
# adds the users of the first start that the file does not have. A user `default` without a password counts as missing.
# A file that contains something else than users is damaged, and is set aside.
#
# The data: if the folder has a snapshot (an RDB file) and no append-only file, the server would start empty and later
# replace the snapshot. So this gives the server the snapshot as its append-only file, which may begin with one. It is a
# copy: before version 7 the server appends to this file, which must not change the snapshot. The copy appears in one step
# and the snapshot stays, so a crash leaves both or only the latter. The snapshot has the name that the arguments or a
# configuration file set. Otherwise it must be the only one.

folder={{dataPath}}
own_folder={{ownFolder}}
users={{usersPath}}
first_users={{firstUsersPath}}
fail() {
  printf 'Berth: %s\n' "$1" >&2
  exit 1
}
line_of() {
  grep -E "^[[:space:]]*user[[:space:]]+$1([[:space:]]|\$)" "$2" 2>/dev/null | tail -n 1
}
hash_of() {
  line_of "$1" "$2" | sed -n 's/.*#\([0-9a-f]*\).*/\1/p'
}
has_password() {
  case " $1 " in
    *' nopass '*) return 1 ;;
    *' on #'* | *' on '*' #'* | *' #'*' on '*) return 0 ;;
  esac
  return 1
}
prepare_users() {
  rm -f "$users".tmp-*
  if [ -f "$users" ] && grep -Eqv '^[[:space:]]*(user[[:space:]].*)?$' "$users"; then
    mv -- "$users" "$users.damaged" || return 1
    printf 'Berth: %s was damaged. It is now %s.damaged, and the server begins with its first users\n' "$users" "$users"
  fi
  default=$(line_of default "$users")
  if has_password "$default"; then
    [ "$(hash_of berth-health "$users")" != "$(hash_of berth-health "$first_users")" ] || return 0
  else
    default=$(line_of default "$first_users")
  fi
  others=$(grep -Ev '^[[:space:]]*(user[[:space:]]+(default|berth-health)([[:space:]].*)?)?$' "$users" 2>/dev/null)
  mkdir -p "$own_folder" || return 1
  printf '%s\n' "$default" "$(line_of berth-health "$first_users")" ${others:+"$others"} >"$users.new" || return 1
  # The server can run as another user, to whom the folder of the data belongs.
  chown "$(stat -c %u:%g "$folder")" "$own_folder" "$users.new" 2>/dev/null
  # Only this file: other programs can have much to write.
  sync "$users.new" 2>/dev/null || sync
  mv -- "$users.new" "$users"
}
(umask 077 && prepare_users) || fail "cannot write the users of the server to $users"
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
