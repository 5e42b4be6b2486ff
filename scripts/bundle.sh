# bundle.sh NODE [FOLDER...]: builds dist/ if dist/ is missing or if a source has changed since the last build. FOLDER:
# the sources to check, all by default. Run it in Berth's folder.
# -cnewer compares the change time, which neither git nor a copy can set back. Removing a file changes the time of
# its folder.
# shellcheck shell=sh
node=$1
shift
[ $# -gt 0 ] || set -- src client cli console shared
if [ ! -e dist/.built ] ||
  [ -n "$(find "$@" package.json package-lock.json scripts/bundle.js scripts/bundler.ts scripts/console-bundler.ts -cnewer dist/.built | head -n 1)" ]; then
  exec "$node" scripts/bundle.js
fi
