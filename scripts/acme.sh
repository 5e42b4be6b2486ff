# acme.sh: builds the ACME server of the tests and its name server from source, at a fixed version. Sourced by ./berth.
# shellcheck shell=sh disable=SC2154 # root is set by ./berth

acme_version=v2.10.1
acme_folder=$root/node_modules/.cache/berth-acme # test/e2e/acme.ts uses this path

ensure_acme() {
  [ ! -x "$acme_folder/pebble" ] || [ "$(cat "$acme_folder/version" 2>/dev/null)" != "$acme_version" ] || return 0
  ensure_program openssl openssl # for the certificates of the tests
  has go || PATH=$PATH:/usr/local/go/bin
  ensure_program go golang-go ca-certificates
  step "building the ACME server of the tests (pebble $acme_version)" build_acme
}

# The version file is written last, so that an interrupted build is repeated.
build_acme() {
  mkdir -p "$acme_folder"
  rm -f "$acme_folder/version"
  GOBIN=$acme_folder GOFLAGS=-buildvcs=false go install \
    "github.com/letsencrypt/pebble/v2/cmd/pebble@$acme_version" \
    "github.com/letsencrypt/pebble/v2/cmd/pebble-challtestsrv@$acme_version"
  echo "$acme_version" >"$acme_folder/version"
}
