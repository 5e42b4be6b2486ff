# Logs in as the user and as root, and prints the version. Then prints the paths that the variables name. A relative path is
# relative to the data folder. Links in the data folder can lead to databases, tables and files of InnoDB elsewhere.
version=$(log_in --user="$BERTH_USER" --database="$BERTH_DATABASE" -e "select substring_index(version(), '.', 2)") ||
  exit 1
MYSQL_PWD=$BERTH_ROOT_PASSWORD
variables=$(log_in --user=root -e "$1") || exit 1
tab=$(printf '\t')
folder=$(printf '%s\n' "$variables" | sed -n "s/^datadir$tab//p")
folder=${folder%/}
printf '%s\n' "$version" "$folder" "$folder/*/" "$folder/*/*" "$folder/*ib*" "$folder/undo*" "$folder/aria_log*"
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
