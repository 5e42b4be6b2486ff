# Sets the variable `tls` to options of the old shell and of the MongoDB tools. BERTH_TLS says what they verify. mongosh
# gets its options in the URL.
case $BERTH_TLS in
  name) tls='--ssl --sslCAFile={{ca}}' ;;
  authority) tls='--ssl --sslCAFile={{ca}} --sslAllowInvalidHostnames' ;;
  any) tls='--ssl --sslAllowInvalidCertificates' ;;
  *) tls= ;;
esac
