# Runs the statements of export.sh on standard input. The last line of output shows whether they were complete.
MYSQL_PWD=$(cat {{secretPath}}) || exit 1
export MYSQL_PWD
last=$(log_in --user="$BERTH_ADMIN" --init-command="$BERTH_SESSION" --database=mysql --max-allowed-packet=1G | tail -n 1)
if [ "$last" != 'Berth: complete' ]; then
  echo 'The accounts were not copied completely' >&2
  exit 1
fi
