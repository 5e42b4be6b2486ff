#!/bin/sh
# berth: the entry point of all commands of a release. It needs nothing but the files of the release.
set -eu

self=$(readlink -f "$0")
root=${self%/bin/berth}
. "$root/lib/words.sh"
# The library that Node needs and that a minimal Debian does not have.
export LD_LIBRARY_PATH="$root/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# What the person typed, for messages that name the next command.
BERTH_COMMAND=$(shell_word "$0")
export BERTH_COMMAND
[ "$(command -v berth)" != "$0" ] || BERTH_COMMAND=berth

run() { # ENTRY ARGUMENT...
  entry=$1
  shift
  # shellcheck disable=SC2086 # a list of words, which scripts/release/stage.ts inserts
  exec "$root/lib/node" @node_flags@ ${settings:+"$settings"} "$root/dist/$entry.mjs" "$@"
}

# The settings of an installed release are in one file. systemd reads the file for `up`, which may not read it itself.
settings=''
system=${root%/opt/berth/*}
if [ "$system" != "$root" ] && [ -r "$system/etc/berth.env" ]; then settings=--env-file=$system/etc/berth.env; fi

help() { # [COMMAND...]
  case ${1:-} in
    '') sed "s|@berth@|$(replacement "$BERTH_COMMAND")|g" "$root/help/berth.txt" "$root/help/release.txt" ;;
    up) cat "$root/help/up.txt" ;;
    key | admin | install | upgrade) run machine "$1" help ;;
    *) run cli "$@" --help ;;
  esac
}

command=${1:-help}
case $command in
  up)
    if [ "${2:-}" = --take-over ]; then
      export BERTH_TAKE_OVER=1
      shift
    fi
    [ $# = 1 ] || { help up; [ "${2:-}" = --help ] || exit 2; exit 0; }
    settings=''
    run berth
    ;;
  key | admin | install | upgrade) run machine "$@" ;;
  test | bench | images | client | release)
    echo "berth: $command is only in the source tree" >&2
    exit 1
    ;;
  state)
    case ${2:-} in
      backup | restore | code | help) run machine "$@" ;;
      *) run cli "$@" ;;
    esac
    ;;
  help | -h | --help) [ $# = 0 ] || shift; help "$@" ;;
  --version) cat "$root/VERSION" ;;
  *) run cli "$@" ;;
esac
