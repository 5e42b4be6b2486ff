# bundle.sh NODE: builds dist/ if dist/ is missing or if a source has changed since the last build. Run it in Berth's
# folder.
# -cnewer compares the change time, which neither git nor a copy can set back. Removing a file changes the time of
# its folder.
# shellcheck shell=sh
if [ ! -e dist/.built ] ||
  [ -n "$(find src client cli package.json package-lock.json scripts/bundle.js -cnewer dist/.built | head -n 1)" ]; then
  exec "$1" scripts/bundle.js
fi
