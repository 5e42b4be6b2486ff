# Defines functions that find what a dump cannot contain or a restore could miss, and that write it into the dump as
# comments. A comment has a reason, the type and the name of an object, and parameters, in hexadecimal digits. The reader
# of the dump knows this form.

tab=$(printf '\t')
hex() {
  printf %s "$1" | od -An -v -tx1 | tr -d ' \n'
}

# Usage: hex_quoted HEX. Doubles each backquote in a name in hexadecimal digits. The digits become small letters.
hex_quoted() {
  printf %s "$1" | tr A-F a-f | sed 's/../& /g; s/60 /60 60 /g; s/ //g'
}

# Usage: suspect_views CHECK_VIEWS_SQL. Prints the names of the views that the server reports as broken.
suspect_views() {
  checks=$(printf '%s\n' "$1" | as_admin) || return 1
  results=$(printf 'set session lock_wait_timeout = %s;\n%s\n' "$BERTH_LOCK_SECONDS" "$checks" | as_admin) || return 1
  printf '%s\n' "$results" | while IFS= read -r line; do
    case $line in
      *"$tab"check"$tab"Error"$tab"*) printf '%s\n' "$view" ;;
      *[!0-9A-F]*) ;;
      *) view=$line ;;
    esac
  done | uniq
}

# Usage: tables_with_own_file OWN_FILES_SQL. Prints the names of the tables of the engine CONNECT whose rows are in a file that
# belongs to the table: the server has made the file, and removes it with the table. The dump program writes them without
# rows, unless it is told to.
tables_with_own_file() {
  statements=$(printf '%s\n' "$1" | as_admin) || return 1
  definitions=$(printf '%s\n' "$statements" | as_admin) || return 1
  printf '%s\n' "$definitions" | while IFS= read -r line; do
    case $line in
      ') ENGINE=CONNECT '*)
        printf '%s\n' "$line" | grep -Eiqe '`(file_name|http|uri|zipped)`=' && continue
        printf '%s\n' "$line" | grep -Eiqe "\`table_type\`='?(dos|fix|bin|csv|fmt|xml|json|ini|dbf|vec)'?" || continue
        printf '%s\n' "$table"
        ;;
      *[!0-9A-F]* | '') ;;
      *) table=$line ;;
    esac
  done
}

# Usage: about_view HEX_NAME SQL. Runs the statements for one view.
about_view() {
  printf "set session lock_wait_timeout = %s; set @view = x'%s';\n%s\n" "$BERTH_LOCK_SECONDS" "$1" "$2" | as_admin
}

# Usage: try_view HEX_NAME TRY_VIEW_SQL SHOW_FIELDS_SQL. Prints the refusal of the server if the view cannot be read or a
# restore could not create it.
try_view() {
  show_fields=$(about_view "$1" "$3") || return 1
  about_view "$1" "$2
$show_fields" 2>&1 >/dev/null
}

# Usage: write_broken_view HEX_NAME REFUSAL DEFINE_VIEW_SQL. Writes the reason and the definition. Fails if the refusal says
# that the server or the connection failed: then nothing is known of the view. Sources of the codes: the error references
# of MySQL and MariaDB (locks, time limits, shutdown, memory, disk, connections). The clients have codes from 2000.
write_broken_view() {
  code=$(printf '%s\n' "$2" | sed -n 's/^ERROR \([0-9]*\) .*/\1/p' | head -n 1)
  case $code in
    '' | 2??? | 1021 | 1037 | 1038 | 1040 | 1041 | 1053 | 1135 | 1152 | 1158 | 1159 | 1160 | 1161 | 1203 | 1205 | 1213 | \
      1226 | 1317 | 1927 | 1969 | 3024)
      printf '%s\n' "$2" >&2
      return 1
      ;;
  esac
  detail=$(printf '%s\n' "$2" | sed -n '/^ERROR /{s/^ERROR [0-9]* ([^)]*)[^:]*: //p;q;}' | cut -c 1-300)
  printf -- '-- Berth: ViewBroken VIEW %s %s %s\n' "$1" "$(hex "$code")" "$(hex "$detail")"
  definition=$(about_view "$1" "$3") || return 1
  printf '%s\n' "$definition" | sed 's/^/--   /'
}
