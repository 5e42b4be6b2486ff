# Usage: write-files.sh FOLDER OWNERS STAGING NAME...
# Replaces all files in FOLDER, the root of a volume, by the files NAME... in STAGING. OWNERS: names of users, separated
# by spaces; the first that the image has owns the files.
# FOLDER/NAME is a link to .current/NAME, and .current is a link to a folder with one complete set of files. The set is
# replaced by one rename, so that a program that starts at any time finds files that belong together, also after a crash.
# The container has no capability but CHOWN: files of another owner can be removed, but not be overwritten.

set -e
folder=$1
staging=$3
owner=
for user in $2; do
  if id -u "$user" >/dev/null 2>&1; then
    owner=$user
    break
  fi
done
if [ -z "$owner" ]; then
  echo "The image has no user named $2" >&2
  exit 1
fi
shift 3

umask 022
chmod 755 "$folder"
set=$(mktemp -d "$folder/.set.XXXXXX")
chmod 755 "$set"
for name; do
  cp "$staging/$name" "$set/$name"
  chown "$owner" "$set/$name"
done
sync

rm -f "$folder/.next"
ln -s "${set##*/}" "$folder/.next"
# Old versions of BusyBox have no mv -T.
mv -T "$folder/.next" "$folder/.current" 2>/dev/null || ln -sfn "${set##*/}" "$folder/.current"
for name; do
  [ "$(readlink "$folder/$name")" = ".current/$name" ] || ln -sf ".current/$name" "$folder/$name"
done
for link in "$folder"/*; do
  [ -e "$link" ] || rm -f "$link"
done
for old in "$folder"/.set.*; do
  [ "$old" = "$set" ] || rm -rf "$old"
done
rm -f "$folder/.next"
sync
