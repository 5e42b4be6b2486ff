# images.sh: provides container images by name. A missing image is pulled, or built from the distribution's packages
# with a recipe in images/. Sourced by ./berth.
# An image that this script built is rebuilt after a change of its recipe. Other images are never replaced.
# shellcheck shell=sh disable=SC2154 # node is set by dependencies.sh

unreached='' # registries that did not answer in this run

ensure_images() { # [quietly] NAME...
  quiet=''
  [ "${1:-}" != quietly ] || { quiet=1; shift; }
  export DOCKER_HOST="${DOCKER_HOST:-unix:///var/run/docker.sock}"
  ensure_docker_client
  # shellcheck disable=SC2046 # image names have no spaces
  [ $# -gt 0 ] || set -- $(recipes | cut -d' ' -f1)
  for image; do ensure_image "$image"; done
}

ensure_image() { # NAME
  recipe=$(recipes | grep "^$1 " || true)
  if ! built=$(docker image inspect --format '{{index .Config.Labels "berth.recipe"}}' "$1" 2>/dev/null); then
    pull "$1" || build "$1"
  elif [ -n "$built" ] && [ -n "$recipe" ] && [ "$built" != "$(digest "$recipe")" ]; then
    build "$1"
  elif [ -z "$quiet" ]; then
    say "$1 is available${built:+, built from packages}"
  fi
}

recipes() { sed -n '/^[^#]/s/  */ /gp' images/table; }

digest() { # LINE
  # shellcheck disable=SC2086 # the words of the line
  set -- $1
  # Some shells sort the names of files by the locale.
  { LC_ALL=C; echo "$*"; cat images/base.sh "images/$2"/*; } | sha256sum | cut -c1-16
}

pull() { # NAME
  registry=docker.io
  case ${1%%/*} in "$1") ;; *.* | *:* | localhost) registry=${1%%/*} ;; esac
  case " $unreached " in *" $registry "*) return 1 ;; esac
  pull_code=0
  "$node" scripts/engine.js registry "$1" || pull_code=$?
  [ $pull_code != 5 ] || unreached="$unreached $registry"
  [ $pull_code = 0 ] && step "pulling $1" docker pull -q "$1"
}

build() { # NAME
  [ -n "$recipe" ] ||
    fail "$1 is missing and cannot be pulled. Images that can be built without a registry: $(recipes | cut -d' ' -f1 | tr '\n' ' ')"
  # shellcheck disable=SC2086 # the words of the line
  set -- $recipe
  old=$(docker image inspect --format '{{.Id}}' "$1" 2>/dev/null || true)
  ensure_base "$3"
  step "building $1 from $3's packages (a replacement, not the official image)" build_image "$@"
  [ -z "$old" ] || docker image rm "$old" >/dev/null 2>&1 || true
}

# The image gets its name last, so that an interrupted build leaves no incomplete image.
build_image() { # NAME RECIPE SUITE ARGUMENT...
  name=$1 recipe_folder=images/$2 suite=$3 draft=berth/draft:$$ context=$(mktemp -d)
  shift 3
  trap 'rm -rf "$context"; docker image rm "$draft" || true' EXIT
  trap 'exit 130' INT TERM
  umask 022
  cp -R "$recipe_folder/." "$context"
  # Files without a package are fetched on the host, because the host has the npm settings.
  [ ! -e "$context/fetch.sh" ] || env node="$node" "$@" "$context/fetch.sh" "$context"
  # The files keep their modes in the image. A checkout with a strict umask has files that the image's user cannot read.
  chmod -R u=rwX,go=rX "$context"
  for argument; do
    set -- "$@" --build-arg "$argument"
    shift
  done
  docker build --network host --force-rm --build-arg "BASE=berth/base:$suite" "$@" -t "$draft" "$context"
  environment=$(docker run --rm --network none --entrypoint cat "$draft" /etc/berth-image-env)
  docker build --force-rm -t "$name" --label "berth.recipe=$(digest "$recipe")" \
    --label "berth.built-from-packages=$suite" \
    --label "org.opencontainers.image.description=Built by Berth from $suite's packages where no registry could be reached; not the official image" \
    - <<EOF
FROM $draft
ENV $environment
EOF
}

ensure_base() { # SUITE
  base_digest=$(sha256sum images/base.sh | cut -c1-16)
  existing=$(docker image inspect --format '{{index .Config.Labels "berth.recipe"}}' "berth/base:$1" 2>/dev/null || true)
  [ "$existing" != "$base_digest" ] || return 0
  ensure_program mmdebstrap mmdebstrap debian-archive-keyring distro-info-data
  step "building a base image from $1's packages" build_base "$1"
}

build_base() { # SUITE
  umask 022 # of the files in the image
  # apt reads keys and lists as a user of its own, who cannot reach a temporary folder below a folder of root.
  [ -z "${TMPDIR:-}" ] || setpriv --reuid=65534 --clear-groups test -x "$TMPDIR/." 2>/dev/null || export TMPDIR=/var/tmp
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 130' INT TERM
  images/base.sh "$1" "$folder/base.tar"
  docker import -c 'CMD ["/bin/bash"]' -c 'ENV DEBIAN_FRONTEND=noninteractive' -c 'ENV LANG=C.UTF-8' \
    -c "LABEL berth.recipe=$base_digest" "$folder/base.tar" "berth/base:$1"
}

ensure_docker_client() {
  ! has docker || return 0
  client=docker.io
  ! apt-cache show docker-cli >/dev/null 2>&1 || client=docker-cli
  ensure_program docker "$client"
}
