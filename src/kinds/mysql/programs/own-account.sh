# Usage: own-account.sh SQL, with statements on standard input that set the account as variables. Makes Berth's own account
# as root: over the network, or through the server's socket if BERTH_IS_INSIDE is set. The server says where its socket is.
account=$(cat)
case $account in
  *'-- complete') ;;
  *)
    echo 'The account on standard input is incomplete' >&2
    exit 1
    ;;
esac
if [ -n "$BERTH_IS_INSIDE" ]; then
  socket=$(log_in --user="$BERTH_USER" -e 'select @@socket') || exit 1
  set -- "$1" --protocol=SOCKET --host=localhost --socket="$socket"
fi
sql=$1
shift
MYSQL_PWD=$BERTH_ROOT_PASSWORD
printf '%s\n' "$account" "$sql" | log_in --user=root "$@"
