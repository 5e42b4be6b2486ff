#!/bin/sh
# base.sh SUITE TARBALL: a slim root file system of a Debian suite, as a tar file for `docker import`.
# Needs mmdebstrap. Knows no mirror: it takes the host's own Debian mirrors, or else mmdebstrap's.
# shellcheck disable=SC2016 # the dollars are for apt-get and for the hook
set -eu
suite=$1 tarball=$2
key=/usr/share/keyrings/debian-archive-keyring.gpg

mirror() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m1 "/$1/\$" || true; }
sources() {
  main=$(mirror debian) security=$(mirror debian-security)
  [ -n "$main" ] || return 0
  echo "deb [signed-by=$key] $main $suite main"
  case $suite in forky | sid) return 0 ;; esac
  echo "deb [signed-by=$key] $main $suite-updates main"
  [ -z "$security" ] || echo "deb [signed-by=$key] $security $suite-security main"
}

list=$(dirname "$tarball")/debian.list
sources >"$list"
[ -s "$list" ] || list=''
# The lists of testing suites expire within a week, which an offline mirror outlives.
mmdebstrap --quiet --variant=apt --keyring="$key" --include=ca-certificates \
  --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Check-Date "false"' \
  --aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='force-unsafe-io' \
  --customize-hook='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d"; chmod +x "$1/usr/sbin/policy-rc.d"' \
  "$suite" "$tarball" ${list:+"$list"}
