# Usage: clear.sh FOLDER [MARK], after data-mark.sh, which writes and prints the mark.
# Writes the clearance that the health check waits for (kinds/health.sh). The file is replaced as a whole and synced, so
# that a full disk leaves the earlier clearance. Prints "cleared".

file=$1/{{clearanceFile}}
clearance=$(sed -n 2p {{answeringFile}}) || exit 1
case $clearance in
  '' | *[!0-9a-f]*) exit 1 ;;
esac
if [ "$(cat "$file" 2>/dev/null)" != "$clearance" ]; then
  umask 022
  rm -f "$file.new" || exit 1
  printf '%s\n' "$clearance" | dd of="$file.new" conv=fsync || exit 1
  mv -f "$file.new" "$file" || exit 1
fi
echo cleared
