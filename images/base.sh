#!/bin/sh
# base.sh SUITE TARBALL: a slim root file system of a Debian or Ubuntu suite, as a tar file for `docker import`.
# Needs mmdebstrap. Knows no mirror: it takes the host's own Debian mirrors, or else mmdebstrap's, as it does for Ubuntu.
# shellcheck disable=SC2016 # the dollars are for apt-get and for the hook
set -eu
suite=$1 tarball=$2 folder=$(dirname "$2")
debian_key=/usr/share/keyrings/debian-archive-keyring.gpg

mirror() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m1 "/$1/\$" || true; }
sources() {
  main=$(mirror debian) security=$(mirror debian-security)
  [ -n "$main" ] || return 0
  echo "deb [signed-by=$debian_key] $main $suite main"
  case $suite in forky | sid) return 0 ;; esac
  echo "deb [signed-by=$debian_key] $main $suite-updates main"
  [ -z "$security" ] || echo "deb [signed-by=$debian_key] $security $suite-security main"
}

# Debian has Ubuntu's key in a package from trixie on: a host without it reads it out of trixie's package.
ubuntu_key() {
  key=/usr/share/keyrings/ubuntu-archive-keyring.gpg
  [ ! -e "$key" ] || return 0
  main=$(mirror debian)
  [ -n "$main" ] || { echo "Ubuntu's archive key is not here: install the package ubuntu-keyring" >&2; exit 1; }
  key=$folder/ubuntu.gpg
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
  echo "deb [signed-by=$debian_key] $main trixie main" >"$folder/apt/sources.list"
  (
    cd "$folder/apt"
    apt() { apt-get -qq -o APT::Sandbox::User=root -o "Dir::State::Lists=$PWD/lists" -o "Dir::Cache=$PWD/cache" \
      -o "Dir::Etc::SourceList=$PWD/sources.list" -o Dir::Etc::SourceParts=- -o Acquire::Languages=none "$@"; }
    apt update
    apt download ubuntu-keyring
    dpkg-deb --extract ubuntu-keyring_*.deb package
  )
  mv "$folder/apt/package/usr/share/keyrings/ubuntu-archive-keyring.gpg" "$key"
  chmod a+rx "$folder" # apt checks signatures as a user of its own
}

list='' key=$debian_key components=main
case $suite in
  focal | jammy | noble | resolute) ubuntu_key; components=main,universe ;;
  *) sources >"$folder/debian.list"; [ ! -s "$folder/debian.list" ] || list=$folder/debian.list ;;
esac
# The lists of testing suites expire within a week, which an offline mirror outlives.
# Folders of manual pages stay: packages of older suites make links in them.
mmdebstrap --quiet --variant=apt --keyring="$key" --components="$components" --include=ca-certificates \
  --aptopt='Acquire::Check-Valid-Until "false"' --aptopt='Acquire::Check-Date "false"' \
  --aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"' \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='force-unsafe-io' \
  --customize-hook='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d"; chmod +x "$1/usr/sbin/policy-rc.d"' \
  "$suite" "$tarball" ${list:+"$list"}
