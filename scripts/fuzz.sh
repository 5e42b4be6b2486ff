# fuzz.sh: installs schemathesis, which tests all operations in openapi.json with random input. Sourced by ./berth.
# shellcheck shell=sh disable=SC2154 # root is set by ./berth

fuzz_requirements=$root/test/fuzz/requirements.txt
fuzz_folder=$root/node_modules/.cache/berth-fuzz # test/fuzz/run.ts uses this path

ensure_fuzz() {
  ensure_program ip iproute2 # for a network without internet access
  # The environment does not work if the system's python was removed.
  [ -x "$fuzz_folder/bin/python" ] && cmp -s "$fuzz_requirements" "$fuzz_folder/requirements.txt" && return
  # Debian's python3 cannot create environments without python3-venv.
  python3 -c 'import ensurepip' 2>/dev/null || {
    can_install || fail "python3-venv is missing. As root on Debian or Ubuntu: apt-get install python3-venv"
    step "installing python3-venv" apt_install python3-venv ca-certificates
  }
  step "installing schemathesis" build_fuzz
}

# The requirements are copied last, so that an interrupted installation is repeated.
build_fuzz() {
  rm -rf "$fuzz_folder"
  python3 -m venv "$fuzz_folder"
  "$fuzz_folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
    --requirement "$fuzz_requirements"
  cp "$fuzz_requirements" "$fuzz_folder/requirements.txt"
}
