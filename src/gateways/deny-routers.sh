# Starts a UDP gateway with a list. First denies the addresses of the container's routers, as which clients arrive whose own
# address the engine hides: a list with a network that contains such an address must not admit all of them. nginx reads
# these rules before those of the list. The kernel prints a router in hexadecimal, in the byte order of the machine.
set -eu
while read -r _ _ router _; do
  case $router in Gateway | 00000000) continue ;; esac
  low=${router%????} high=${router#????}
  printf 'deny %d.%d.%d.%d;\n' "0x${high#??}" "0x${high%??}" "0x${low#??}" "0x${low%??}"
done </proc/net/route >{{deniedPath}}
exec sh {{followPath}}
