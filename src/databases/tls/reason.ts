/** Why a server does not present the certificate that it should: a closed union, as stored. */
export type CertificateReason =
  /** The server refused the new certificate, or presented another one afterwards. It has the former one again. */
  | { reason: 'CertificateRefused'; detail: string }
  /** Berth could not write the files, or not make the server read them. */
  | { reason: 'CertificateNotReplaced'; detail: string }
  /** Berth could not find out which certificate the server presents. */
  | { reason: 'CertificateUnknown'; detail: string }
