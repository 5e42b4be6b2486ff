# Lists the only database of the inventory, which stands for the whole server, and the users that Berth does not make.

password=$(cat {{secretPath}}) || exit 1
cli=$(command -v valkey-cli || command -v redis-cli) || exit 1
users=$(REDISCLI_AUTH=$password VALKEYCLI_AUTH=$password timeout 30 \
  "$cli" -h "$BERTH_HOST" -p "$BERTH_PORT" ACL LIST 2>&1 </dev/null) || exit 1
case $users in
  'user '*) ;;
  *)
    printf '%s\n' "$users" >&2
    exit 1
    ;;
esac
printf 'database\t616c6c\n'
printf '%s\n' "$users" | tr -d '\r' | sed -n '/^user default /d; /^user berth-/d; s/^user \([^ ]*\) \(.*\)/users\t\1\t\2/p'
