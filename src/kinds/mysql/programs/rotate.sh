# Usage: rotate.sh SESSION VARIABLES PREPARE GRANTS UNLOGGED CHANGE, with the credentials on standard input. Logs in as
# $BERTH_ADMIN, which is Berth's own account, or root with its old or its new password. First come
# the preparations, which are safe to repeat. The last step is one statement that changes all passwords. After an
# interrupted attempt, root can already have its new password. The script reads standard input completely before the
# first statement, so incomplete input changes nothing.
credentials=$(cat)
case $credentials in
  *'-- complete') ;;
  *)
    echo 'The credentials on standard input are incomplete' >&2
    exit 1
    ;;
esac
random=$(od -An -v -N 32 -tx1 /dev/urandom | tr -d ' \n')
if [ "${#random}" -ne 64 ]; then
  echo 'Cannot create a random password: the image contains no od or no tr' >&2
  exit 1
fi
admin=$BERTH_ADMIN
as_admin() {
  log_in --user="$admin" "$@"
}
if ! refusal=$(as_admin -e 'do 1' 2>&1); then
  admin=root
  MYSQL_PWD=$BERTH_NEW_ROOT_PASSWORD
  as_admin -e 'do 1' 2> /dev/null || {
    printf '%s\n' "$refusal" >&2
    exit 1
  }
fi
session=$1
variables=$2
run() {
  printf '%s\n' "$session" "$credentials" "set @random = 'Aa1!$random';" "$variables" "$@" | as_admin
}
run "$3" || exit 1
grants=$(run "$4") || exit 1
run "$5" "$grants" || exit 1
run "$6"
