#!/bin/sh
# fetch.sh FOLDER: puts mongosh of version MONGOSH and the Node program `node` that runs it into FOLDER/mongosh.
# Without MONGOSH the folder stays empty: the image gets the old shell, from a package.
set -eu
mkdir -p "$1/mongosh"
[ -n "${MONGOSH:-}" ] || exit 0
cd "$1/mongosh"
npm install --prefix . --prefer-offline --no-package-lock --omit=optional --ignore-scripts --no-audit --no-fund \
  --loglevel=error "mongosh@$MONGOSH"
# Needed to develop with, not to run.
rm -rf node_modules/typescript node_modules/@types node_modules/.package-lock.json
find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.md' \) -delete
cp "${node:?}" node
cat >mongosh <<'END'
#!/bin/sh
exec /opt/mongosh/node --no-deprecation /opt/mongosh/node_modules/mongosh/bin/mongosh.js "$@"
END
chmod +x mongosh
