# promtool.sh: takes promtool, which checks rules for Prometheus, out of the package of the distribution. Installing the
# package would start a server. Sourced by ./berth.
# shellcheck shell=sh disable=SC2154 # root is set by ./berth

promtool_folder=$root/node_modules/.cache/berth-promtool # test/e2e/monitoring.test.ts uses this path

ensure_promtool() {
  [ ! -x "$promtool_folder/promtool" ] || return 0
  can_install || fail 'missing: promtool. As root on Debian or Ubuntu, run this again, or copy promtool into node_modules/.cache/berth-promtool'
  step 'taking promtool out of the package prometheus' take_promtool
}

take_promtool() {
  rm -rf "$promtool_folder"
  mkdir -p "$promtool_folder"
  cd "$promtool_folder"
  apt-get update -qq
  apt-get download prometheus
  dpkg-deb --extract prometheus_*.deb package
  mv package/usr/bin/promtool .
  rm -rf package prometheus_*.deb
}
