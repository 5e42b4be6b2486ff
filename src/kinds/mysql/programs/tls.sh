# Sets the variable `tls` to options of the programs that connect. BERTH_TLS says what they verify. They compare the
# certificate with the host only, so for an address they verify the authority, but no name.
case $BERTH_TLS in
  name) tls='--ssl-mode=VERIFY_IDENTITY --ssl-ca={{ca}}' ;;
  address) tls='--ssl-mode=VERIFY_CA --ssl-ca={{ca}}' ;;
  *) tls= ;;
esac
