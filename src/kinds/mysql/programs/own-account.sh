# Usage: own-account.sh SESSION SQL, with statements on standard input that set the account as variables. The statements of
# SESSION run first, and turn logs off. Makes Berth's own account
# as root: over the network, or through the server's socket if BERTH_IS_INSIDE is set. The server says where its socket is.
account=$(cat)
case $account in
  *'-- complete') ;;
  *)
    echo 'The account on standard input is incomplete' >&2
    exit 1
    ;;
esac
session=$1
sql=$2
shift 2
if [ -n "$BERTH_IS_INSIDE" ]; then
  socket=$(log_in --user="$BERTH_USER" -e 'select @@socket') || exit 1
  set -- --protocol=SOCKET --host=localhost --socket="$socket"
fi
MYSQL_PWD=$BERTH_ROOT_PASSWORD
printf '%s\n' "$session" "$account" "$sql" | log_in --user=root "$@"
