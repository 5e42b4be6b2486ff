# Controls the HAProxy in whose container it runs, by the runtime API (source: HAProxy 3.0 management guide, "Unix Socket
# commands"). Arguments: the port of the API, the file with the allowed sources, and the action. `apply` stores the
# sources on standard input in the file and then replaces those of HAProxy at once, so that a crash between both leaves
# the newer list for the next start. Their last line is `end`: input without it was cut off, and changes nothing. `close`
# ends the connections whose ids are on standard input. Each action prints the state afterwards. It starts few programs,
# because a change has to be in force soon even on a busy node.
set -eu
port=$1 file=$2 action=$3

# Sends a command, and stores what HAProxy answers.
ask() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%s\n' "$1" >&3
  IFS= read -r -d '' answer <&3 || :
  exec 3>&-
}

# Sends commands that answer nothing if they succeed.
must() {
  ask "$1"
  [ -z "${answer//[[:space:]]/}" ] || fail
}

fail() {
  printf '%s\n' "$answer" >&2
  exit 1
}

case $action in
  apply)
    mapfile -t sources
    count=$((${#sources[@]} - 1))
    answer='The list of sources is incomplete'
    [ "$count" -ge 0 ] && [ "${sources[$count]}" = end ] || fail
    for ((at = 0; at < count; at++)); do printf '%s\n' "${sources[$at]}"; done >"$file.new"
    sync "$file.new"
    mv "$file.new" "$file"
    ask "prepare acl $file"
    version=${answer##*: }
    version=${version//[!0-9]/}
    [ -n "$version" ] || fail
    commands=
    while read -r source; do
      commands+="add acl @$version $file $source;"
      # HAProxy accepts 16 KiB at a time.
      [ "${#commands}" -lt 8000 ] || { must "$commands"; commands=; }
    done <"$file"
    [ -z "$commands" ] || must "$commands"
    must "commit acl @$version $file"
    ;;
  close)
    while read -r id; do ask "shutdown session $id"; done
    ;;
esac

# A gateway without a port for TLS answers to `show stat tls` that there is no such proxy. This line is dropped.
tables='show table refused;show table refusedPorts'
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf '%s\n' "show acl $file;show sess;show stat target 5 -1;$tables;show stat tls 5 -1" >&3
sed -n -E \
  -e 's/^0x[0-9a-f]+ ([0-9a-fA-F.:/]+)$/allowed \1/p' \
  -e 's/^(0x[0-9a-f]+): proto=[^ ]* src=([^ ]*) fe=target .*/session \1 \2/p' \
  -e 's/^# (pxname,.*)/statistics \1/p' \
  -e 's/^(target|tls),.*/statistics &/p' \
  -e 's/^0x[0-9a-f]+: key=([^ ]+) .*exp=([0-9]+) .*conn_cnt=([0-9]+).*/refused \1 \2 \3/p' \
  -e 's/^0x[0-9a-f]+: key=([0-9]+) .*exp=[^=]*$/port \1/p' <&3
while read -r _ _ router _; do printf 'router %s\n' "$router"; done </proc/net/route
