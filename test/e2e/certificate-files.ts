/** Makes certificates for tests with openssl. */
import { execFileSync } from 'node:child_process'
import { randomUUID, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CheckedPair, readPair } from '../../src/routing/caddy/certificate.ts'
import type { ServedPair } from '../../src/routing/caddy/served.ts'

/** A certificate chain and its private key, both in PEM. */
export interface CertificateFiles {
  chain: string
  key: string
}

export interface CertificateOptions {
  names: string[]
  /** Dates in openssl's format (`YYYYMMDDhhmmssZ`). The default is from yesterday until 30 days from now. */
  days?: [from: string, to: string]
  /** The authority that signs. The default is a self-signed certificate. */
  by?: CertificateFiles
  type?: 'rsa' | 'ec'
  ca?: boolean
}

export function makeCertificate({ names, days, by, type = 'ec', ca = false }: CertificateOptions): CertificateFiles {
  const folder = mkdtempSync(join(tmpdir(), 'berth-certificate-'))
  const at = (name: string) => join(folder, name)
  try {
    const algorithm = type === 'ec' ? ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['rsa:2048']
    const san = names.map((it) => (/^[\d.]+$|:/.test(it) ? `IP:${it}` : `DNS:${it}`)).join(',')
    writeFileSync(
      at('x'),
      `[req]\ndistinguished_name=dn\n[dn]\n[x]\nbasicConstraints=critical,CA:${ca}\n` +
        (san === '' ? '' : `subjectAltName=${san}\n`) +
        `[ca]\ndefault_ca=it\n[it]\ndatabase=${at('index')}\n` +
        `serial=${at('serial')}\nnew_certs_dir=${folder}\ndefault_md=sha256\npolicy=any\nunique_subject=no\n` +
        '[any]\ncommonName=optional\n',
    )
    writeFileSync(at('index'), '')
    writeFileSync(
      at('serial'),
      Math.floor(Math.random() * 2 ** 40)
        .toString(16)
        .padStart(12, '1'),
    )
    const openssl = (...argv: string[]) => execFileSync('openssl', argv, { stdio: ['ignore', 'pipe', 'pipe'] })
    openssl(
      'req',
      '-new',
      '-newkey',
      ...algorithm,
      '-nodes',
      '-keyout',
      at('key'),
      '-out',
      at('csr'),
      '-config',
      at('x'),
      '-subj',
      `/CN=${names[0] ?? 'nobody'}`,
    )
    if (by !== undefined) for (const file of ['chain', 'key'] as const) writeFileSync(at(`by-${file}`), by[file])
    const signer =
      by === undefined ? ['-selfsign', '-keyfile', at('key')] : ['-cert', at('by-chain'), '-keyfile', at('by-key')]
    const [from, to] = days ?? [dateIn(-1), dateIn(30)]
    openssl(
      'ca',
      '-batch',
      '-notext',
      '-config',
      at('x'),
      '-extensions',
      'x',
      '-startdate',
      from,
      '-enddate',
      to,
      '-in',
      at('csr'),
      '-out',
      at('crt'),
      ...signer,
    )
    return { chain: readFileSync(at('crt'), 'utf8'), key: readFileSync(at('key'), 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes a certificate and returns it in the form in which the store keeps it. */
export function pairOf(options: CertificateOptions): ServedPair & CheckedPair {
  const { chain, key } = makeCertificate(options)
  const pair = readPair(chain, key, new X509Certificate(chain).validFromDate)
  if ('message' in pair) throw new Error(pair.message)
  return { ...pair, id: randomUUID() }
}

/** Returns the time `days` from now in openssl's format. */
export const dateIn = (days: number): string =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`
