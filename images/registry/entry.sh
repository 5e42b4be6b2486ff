#!/bin/sh
# The entry point of the registry stand-in: a configuration file is served, the program's own words and options are its
# arguments, as in the official image; any other command runs as it is.
set -eu
case ${1:-} in
  *.yaml | *.yml) set -- registry serve "$@" ;;
  serve | garbage-collect | help | -*) set -- registry "$@" ;;
esac
exec "$@"
