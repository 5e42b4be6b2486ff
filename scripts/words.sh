# words.sh: functions that write texts for a shell and for sed. Sourced by ./berth and by bin/berth of a release.
# shellcheck shell=sh

# The text as one word of a shell, with quotes only if it needs them.
shell_word() {
  case $1 in
    '' | *[!A-Za-z0-9_./-]*) printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf %s "$1" ;;
  esac
}

# The text as the replacement in a command `s|...|...|` of sed.
replacement() { printf %s "$1" | sed 's/[&|\\]/\\&/g'; }
