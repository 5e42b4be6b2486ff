# Sets the variable `tls` to options of the programs that connect. BERTH_TLS says what they verify. They compare the
# certificate with the host only. For an address, they verify the authority, but no name. Since 11.4 they cannot do this,
# and accept only the certificate in the container of the server. Without BERTH_TLS they use TLS if the server accepts it.
# They cannot verify then, because the server creates its own certificate since 11.4.
case $BERTH_TLS in
  name) tls='--ssl --ssl-ca={{ca}} --ssl-verify-server-cert' ;;
  address)
    tls='--ssl --ssl-ca={{ca}} --skip-ssl-verify-server-cert'
    if "$(command -v mariadb || command -v mysql)" --no-defaults --help 2>/dev/null | grep -q -e '--ssl-fp='; then
      body=$(sed -n '/BEGIN/,/END/p;/END/q' {{certificate}} | grep -v CERTIFICATE)
      fingerprint=$(printf '%s\n' "$body" | base64 -d | sha1sum | cut -c 1-40)
      tls="--ssl --ssl-fp=$fingerprint --skip-ssl-verify-server-cert"
    fi
    ;;
  *) tls='--ssl --skip-ssl-verify-server-cert' ;;
esac
