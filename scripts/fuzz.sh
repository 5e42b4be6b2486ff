# fuzz.sh: schemathesis, by which the tests ask all that openapi.json describes. Sourced by ./berth.
# shellcheck shell=sh disable=SC2154 # root is set by ./berth

fuzz_requirements=$root/test/fuzz/requirements.txt
fuzz_folder=$root/node_modules/.cache/berth-fuzz # test/fuzz/run.ts looks there

ensure_fuzz() {
  ensure_program ip iproute2 # for a network without a way out
  # The system's own python may have gone since.
  [ -x "$fuzz_folder/bin/python" ] && cmp -s "$fuzz_requirements" "$fuzz_folder/requirements.txt" && return
  # Debian's python3 comes without what makes an environment.
  python3 -c 'import ensurepip' 2>/dev/null || {
    can_install || fail "needed and not here: python3-venv. As root on Debian or Ubuntu: apt-get install python3-venv"
    step "installing python3-venv" apt_install python3-venv ca-certificates
  }
  step "installing schemathesis" build_fuzz
}

# The requirements are copied last: an interrupted installation leaves none.
build_fuzz() {
  rm -rf "$fuzz_folder"
  python3 -m venv "$fuzz_folder"
  "$fuzz_folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: \
    --requirement "$fuzz_requirements"
  cp "$fuzz_requirements" "$fuzz_folder/requirements.txt"
}
