# Runs the command on standard input, which sets the new password.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image has neither redis-cli nor valkey-cli' >&2
  exit 1
}

answer=$(timeout 10 "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" 2>&1)
[ "$answer" = OK ] || {
  printf '%s\n' "${answer:-It does not answer}" >&2
  exit 1
}
