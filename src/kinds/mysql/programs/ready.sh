# Logs in as the user and prints the version. Then prints the paths that the variables name, which root asks for, because
# the user may not ask for keys. A relative path is relative to the data folder. Links in the data folder can lead to
# databases, tables and files of InnoDB elsewhere. If the server refuses root, the script says so. These numbers of errors
# mean this: no such account, wrong password, expired, locked, host or way of login not allowed. Source:
# dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html.
password=$MYSQL_PWD
version=$(log_in --user="$BERTH_USER" --database="$BERTH_DATABASE" -e "select substring_index(version(), '.', 2)") ||
  exit 1
root=
MYSQL_PWD=$BERTH_ROOT_PASSWORD
if ! variables=$(log_in --user=root -e "$1"); then
  refusal=$(log_in --user=root -e "$1" 2>&1 >/dev/null) && exit 1
  case $refusal in
    *'ERROR 1044 '* | *'ERROR 1045 '* | *'ERROR 1130 '* | *'ERROR 1142 '* | *'ERROR 1227 '*) ;;
    *'ERROR 1251 '* | *'ERROR 1275 '* | *'ERROR 1524 '* | *'ERROR 1698 '* | *'ERROR 1820 '*) ;;
    *'ERROR 1862 '* | *'ERROR 3118 '* | *'ERROR 3159 '* | *'ERROR 4151 '*) ;;
    *) exit 1 ;;
  esac
  root='root refused'
  # The first query asks for no keys, so the user may ask it.
  MYSQL_PWD=$password
  variables=$(log_in --user="$BERTH_USER" -e "${1%%;*}") || exit 1
fi
tab=$(printf '\t')
folder=$(printf '%s\n' "$variables" | sed -n "s/^datadir$tab//p")
folder=${folder%/}
printf '%s\n' "$version" ${root:+"$root"} "$folder" "$folder/*/" "$folder/*/*" "$folder/*ib*" "$folder/undo*" "$folder/aria_log*"
printf '%s\n' "$variables" | while IFS=$tab read -r name value; do
  printf '%s\n' "$value" | tr ';' '\n' | while IFS= read -r path; do
    # This variable lists files with their sizes. Those with a relative path are in a folder that another variable names.
    [ "$name" != innodb_data_file_path ] || path=${path%%:*}
    case $name,$path in
      *,/*) printf '%s\n' "$path" ;;
      *, | innodb_data_file_path,*) ;;
      *) printf '%s\n' "$folder/$path" ;;
    esac
  done
done
