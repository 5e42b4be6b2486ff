# The server reads its certificate again. Since Redis 7, it ends with an error if it cannot use the certificate. The login
# does not leave the container, and the certificate to replace may have expired, so nothing is verified.

cli=$(command -v valkey-cli || command -v redis-cli) || {
  echo 'The image contains neither redis-cli nor valkey-cli' >&2
  exit 1
}
answer=$(timeout 10 "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" --tls --insecure CONFIG SET tls-cert-file {{certificate}} 2>&1)
[ "$answer" = OK ] || {
  printf '%s\n' "${answer:-The server does not answer}" >&2
  exit 1
}
