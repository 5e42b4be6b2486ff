# UDP tells no client that its task is gone, and one that goes on sending would be held to that task. So nginx starts anew with all
# clients when an address goes, or the first one comes.
known=
while sleep 1; do
  now=$(getent hosts "$BERTH_TARGET" | cut -d' ' -f1)
  [ "$now" != "$known" ] || continue
  for address in ${known:-none}; do
    echo "$now" | grep -qxF "$address" || { kill -HUP 1; break; }
  done
  known=$now
done &
exec nginx -e stderr -c {{nginxPath}}
