# Usage: list.sh SQL. Runs the queries as root. The variable @own has the name of Berth's user, as bytes.
MYSQL_PWD=$(cat {{secretPath}}) || exit 1
export MYSQL_PWD
own=$(printf %s "$BERTH_USER" | od -An -v -tx1 | tr -d ' \n')
printf "set @own = x'%s';\n%s\n" "$own" "$1" | log_in --user=root
