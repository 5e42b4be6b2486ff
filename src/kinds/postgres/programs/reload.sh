# The server reads its configuration and its certificate again. If it cannot use the certificate, it keeps the old one and
# only logs the reason. The signal needs no login, so this also works when the old certificate has expired.

pid=$(head -n 1 "$PGDATA/postmaster.pid") || exit 1
kill -HUP "$pid"
