# Runs nginx. Reloads nginx when the address of a task disappears or the first address appears. A UDP client does not
# notice that its task has ended: without a reload, nginx would forward to that task as long as the client sends.
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
