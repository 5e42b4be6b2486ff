#!/bin/sh
# fetch.sh FOLDER: copies the Node on which Berth runs, which came from the npm package `node`, into FOLDER.
set -eu
cp "$(readlink -f "$node")" "$1/node"
