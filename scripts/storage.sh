# storage.sh: builds the S3 server of the tests from source, at a fixed version. Sourced by ./berth.
# shellcheck shell=sh disable=SC2154 # root is set by ./berth

storage_version=v1.8.0
storage_folder=$root/node_modules/.cache/berth-s3 # test/e2e/storage.ts uses this path

ensure_storage() {
  [ ! -x "$storage_folder/versitygw" ] || [ "$(cat "$storage_folder/version" 2>/dev/null)" != "$storage_version" ] || return 0
  ensure_program openssl openssl # for the certificates of the tests
  has go || PATH=$PATH:/usr/local/go/bin
  ensure_program go golang-go ca-certificates
  step "building the S3 server of the tests (versitygw $storage_version)" build_storage
}

# The version file is written last, so that an interrupted build is repeated.
build_storage() {
  mkdir -p "$storage_folder"
  rm -f "$storage_folder/version"
  GOBIN=$storage_folder GOFLAGS=-buildvcs=false go install "github.com/versity/versitygw/cmd/versitygw@$storage_version"
  echo "$storage_version" >"$storage_folder/version"
}
