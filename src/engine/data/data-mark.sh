# Usage: data-mark.sh FOLDER [MARK]
# Prints "is" and the mark of the data in FOLDER, or "none". If there is no mark and MARK is given, writes MARK first.
# dd syncs the mark to disk, because Berth then records the mark in its store. An interrupted write leaves an empty
# file, which counts as no mark. The script reads only a regular file, because reading a named pipe would block.

mark=$1/{{markFile}}
if [ -n "$2" ] && [ ! -s "$mark" ]; then
  umask 022
  printf '%s\n' "$2" | dd of="$mark" conv=fsync || exit 1
fi
if [ -f "$mark" ]; then
  text=$(head -c 200 "$mark") || exit 1
  printf 'is %s\n' "$text"
else
  echo none
fi
