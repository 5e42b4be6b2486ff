// The server reads its certificate again. The command fails if the server cannot use the certificate. Servers before 5.0 do
// not know it.

function main() {
  runOrThrow(login(), { rotateCertificates: 1 });
}
