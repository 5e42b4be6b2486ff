# Usage: rotate.sh SESSION VARIABLES PREPARE GRANTS UNLOGGED CHANGE, with the credentials on standard input. All
# preparations come first and can be repeated. The last step is one statement that changes all passwords. After an
# interrupted attempt, root can have its new password already. Reads standard input completely first, so that incomplete
# input changes nothing.
wanted=$(cat)
case $wanted in
  *'-- whole') ;;
  *)
    echo 'The new credentials did not arrive whole' >&2
    exit 1
    ;;
esac
random=$(od -An -v -N 32 -tx1 /dev/urandom | tr -d ' \n')
if [ "${#random}" -ne 64 ]; then
  echo 'The image has no od and tr to make a random password with' >&2
  exit 1
fi
as_root() {
  log_in --user=root "$@"
}
if ! refusal=$(as_root -e 'do 1' 2>&1); then
  MYSQL_PWD=$BERTH_NEW_ROOT_PASSWORD
  as_root -e 'do 1' 2> /dev/null || {
    printf '%s\n' "$refusal" >&2
    exit 1
  }
fi
session=$1
variables=$2
run() {
  printf '%s\n' "$session" "$wanted" "set @random = 'Aa1!$random';" "$variables" "$@" | as_root
}
run "$3" || exit 1
grants=$(run "$4") || exit 1
run "$5" "$grants" || exit 1
run "$6"
