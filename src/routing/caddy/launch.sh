# Runs the three processes of the proxy. `front` is process 1 of the container. If another process exits, this script
# kills `front`, so that Docker restarts the container with all three processes.
rm -f "$BERTH_PROXY"/*.sock
as() { export CADDY_ADMIN="unix/$1|0600" XDG_CONFIG_HOME="$2" XDG_DATA_HOME="$2"; }
(as "$BERTH_RULES_ADMIN" "$BERTH_PROXY/rules"; caddy run --resume; kill 1) &
outgoing() {
  [ -f "$BERTH_PROXY/outgoing" ] || return 0
  { IFS= read -r HTTP_PROXY; IFS= read -r HTTPS_PROXY; IFS= read -r NO_PROXY; } <"$BERTH_PROXY/outgoing"
  export HTTP_PROXY HTTPS_PROXY NO_PROXY
}
(as "$BERTH_KEYS_ADMIN" "$BERTH_PROXY/keys"; outgoing; caddy run --resume; kill 1) &
as "$BERTH_FRONT_ADMIN" "$BERTH_PROXY/front"
exec caddy run --resume
