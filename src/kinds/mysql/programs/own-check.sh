# Logs in with Berth's own account. Fails if it cannot read the accounts of the server, as all its programs have to.
log_in --user="$BERTH_USER" -e 'select count(*) from mysql.user' >/dev/null
