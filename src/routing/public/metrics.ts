/** The certificate of Berth's public URL as a Prometheus metric. */
import type { Family } from '../../lib/prometheus.ts'
import type { PublicCertificate } from './certificate.ts'

/** Without a public URL (null), the metric has no value. The value 0 means that there is no certificate. */
export function publicCertificateFamilies(certificate: PublicCertificate | null): Family[] {
  return [
    {
      name: 'berth_public_certificate_expiry_timestamp_seconds',
      help: "When the certificate of Berth's public URL expires, in seconds since 1970. 0 if there is none.",
      samples: certificate === null ? [] : [sampleOf(certificate)],
    },
  ]
}

const sampleOf = ({ host, source, notAfter }: PublicCertificate) =>
  [{ host, source }, Math.floor(Number(notAfter ?? 0) / 1000)] as const
