# Usage: session.sh LOGIN_JS ARGUMENT... Runs MongoDB's shell, logged in by LOGIN_JS. The other arguments are those of the
# caller. If they have programs (--eval), these run after LOGIN_JS, and the shell ends. Otherwise it reads its input. The
# old shell is preferred, because mongosh may refuse an old server.

umask 077
login=$1
shift
shell=mongo
if ! command -v mongo >/dev/null; then
  shell=mongosh
  tls=
  mkdir -p "$HOME/.mongodb/mongosh" || exit 1
  echo '{"enableTelemetry":false,"disableLogging":true,"disableGreetingMessage":true,"updateURL":""}' >"$HOME/.mongodb/mongosh/config"
fi
newline='
'
program=
count=$#
is_value=
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  count=$((count - 1))
  if [ -n "$is_value" ]; then
    program="$program$newline$argument"
    is_value=
    continue
  fi
  case $argument in
    --eval) is_value=1 ;;
    --eval=*) program="$program$newline${argument#--eval=}" ;;
    *) set -- "$@" "$argument" ;;
  esac
done
if [ -n "$program" ]; then
  exec "$shell" --nodb --norc --quiet $tls "$@" --eval "$login$program"
fi
exec "$shell" --nodb --norc $tls "$@" --shell --eval "$login"
