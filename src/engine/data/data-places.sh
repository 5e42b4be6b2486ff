# Usage: data-places.sh PATH...
# Prints each path and the path to which its symbolic links lead, each followed by a NUL. Then prints the mounts of the
# container. Of a path with *, only the matching symbolic links are printed, and the paths in matching files *.isl, which
# InnoDB writes for data files in other folders. A path that does not exist leads to the place where it would be created.

IFS=
resolve() {
  found=$1
  missing=
  until [ -e "$found" ] || [ -L "$found" ] || [ -z "$found" ]; do
    missing=/${found##*/}$missing
    found=${found%/*}
  done
  target=$(readlink -f -- "${found:-/}" 2>/dev/null || readlink -- "$found") || exit 1
  printf '%s\0%s\0' "$1" "$target$missing"
}
for path in "$@"; do
  case $path in
    *'*'*)
      for match in $path; do
        if [ -L "${match%/}" ]; then
          resolve "${match%/}"
        elif [ "${match%.isl}" != "$match" ] && [ -f "$match" ]; then
          target=$(head -n 1 "$match") || exit 1
          case $target in /*) resolve "$target" ;; esac
        fi
      done
      ;;
    *) resolve "$path" ;;
  esac
done
cat /proc/self/mountinfo
