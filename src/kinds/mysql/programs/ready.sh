# Logs in as the user and as root, and prints the version.
version=$(log_in --user="$BERTH_USER" --database="$BERTH_DATABASE" -e "select substring_index(version(), '.', 2)") ||
  exit 1
MYSQL_PWD=$BERTH_ROOT_PASSWORD
log_in --user=root -e 'do 1' || exit 1
printf '%s\n' "$version"
