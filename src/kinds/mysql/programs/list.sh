# Usage: list.sh SQL. Runs the queries. The variable @user has the name of the user of the settings as bytes, and @own the
# name of Berth's own account, which is empty if there is none.
MYSQL_PWD=$(cat {{secretPath}}) || exit 1
export MYSQL_PWD
hex() {
  printf %s "$1" | od -An -v -tx1 | tr -d ' \n'
}
printf "set @user = x'%s', @own = x'%s';\n%s\n" "$(hex "$BERTH_USER")" "$(hex "$BERTH_OWN")" "$1" |
  log_in --user="$BERTH_ADMIN"
