# Saves the users in their file. Before this, runs the command on standard input, if there is one. It changes a password,
# so that a new connection would need the new one. The users are saved before it, too: a full disk then changes nothing.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image contains neither redis-cli nor valkey-cli' >&2
  exit 1
}

# Runs the commands on standard input over one connection. All of them have to answer OK.
run() {
  answer=$(timeout 10 "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" 2>&1)
  [ "$answer" = "$1" ] || {
    printf '%s\n' "${answer:-The server does not answer}" >&2
    exit 1
  }
}
change=$(cat)
echo 'ACL SAVE' | run OK || exit 1
[ -z "$change" ] || printf '%s\nACL SAVE\n' "$change" | run "$(printf 'OK\nOK')" || exit 1
# Servers before version 7 do not sync the file.
sync {{usersPath}} {{ownFolder}} 2>/dev/null || sync
