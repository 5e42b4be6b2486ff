# Copies the data of a volume to the volume of a database, and then waits until the container is stopped.
# Arguments: where the volume to copy is mounted, the file that shows the end of the copy, the folder for the data, and the
# names of files of which such data has at least one.
# The exit codes are those of copy-volume.ts. Safe to repeat: an incomplete copy begins again, a complete one stays.
set -eu
source=$1 copied=$2 to=$3
shift 3
# This file exists while the copy is incomplete.
mark=$to/.berth-copying
trap 'exit 143' TERM

fail() {
  code=$1
  shift
  printf '%s\n' "$*" >&2
  exit "$code"
}

wait_for_end() {
  : >"$copied"
  echo 'The copy is complete'
  while :; do
    sleep 3600 &
    wait $!
  done
}

# Prints the folders at this depth that have one of the names.
folders_at() {
  depth=$1
  shift
  for name do
    find "$source" -mindepth "$depth" -maxdepth "$depth" -name "$name"
  done | sed 's|/[^/]*$||' | sort -u
}

# Prints a sum of the names, sizes and times of all files in a folder.
sum_of() {
  (cd "$1" && find . -type f ! -name .berth-copying -exec stat -c '%n %s %Y' {} + | sort | cksum)
}

kib_in() {
  du -sk "$1" | cut -f1
}

# The last line of `df` ends with: free KiB, percentage, folder.
free_kib_of() {
  df -Pk "$1" | tail -n 1 | sed 's/ *[0-9]*% .*//; s/.* //'
}

mkdir -p "$to"
if [ ! -e "$mark" ]; then
  for name do
    [ ! -e "$to/$name" ] || wait_for_end
  done
  : >"$mark"
fi
find "$to" -mindepth 1 ! -path "$mark" -delete

data=
for depth in 1 2 3; do
  data=$(folders_at "$depth" "$@")
  [ -z "$data" ] || break
done
[ -n "$data" ] || fail 3 "The volume has none of the files $*"
[ "$(printf '%s\n' "$data" | wc -l)" -eq 1 ] || fail 4 "The volume has data in several folders:" $data

needed=$(kib_in "$data")
free=$(free_kib_of "$to")
[ "$needed" -lt "$free" ] || fail 5 "The copy needs $needed KiB, and $free KiB are free"

before=$(sum_of "$data")
cp -a "$data/." "$to/" &
copy=$!
(
  while sleep 10; do
    echo "Copied $(kib_in "$to") of $needed KiB"
  done
) &
reporter=$!
wait "$copy" || fail 7 'The files could not be copied'
kill "$reporter"
[ "$(sum_of "$data")" = "$before" ] || fail 6 'The files changed while they were copied'
[ "$(sum_of "$to")" = "$before" ] || fail 7 'The copy differs from the original'
sync
rm "$mark"
sync
wait_for_end
