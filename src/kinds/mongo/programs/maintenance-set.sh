# Usage: maintenance-set.sh VALUES PROGRAM...
# Runs the program, which starts the server of a replica set. Beside it, makes Berth's own account with the values of a
# file, as soon as the server is the primary. The set accepts its key as the login of a member.

values=$1
shift
(
  until sh {{shellPath}} 15 "$(cat {{programPath}})" <"$values" 2>/dev/null; do
    [ -e {{keyPath}} ] || exit 1
    sleep 1
  done
) &
exec "$@"
