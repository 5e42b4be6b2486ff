/**
 * How MongoDB uses a certificate. Arguments name the file and the mode. The server needs a restart to get a new
 * certificate before version 5.0. Sources: mongodb.com/docs/manual/tutorial/configure-ssl, rotateCertificates.
 */
import { textFile } from '../../lib/text-file.ts'
import { compareVersions } from '../../lib/text/version.ts'
import { healthCheck } from '../health.ts'
import { type Address, type KindTls, type TlsMode, tlsPaths } from '../kind.ts'
import { encodedParameter } from '../url.ts'
import { type Login, loginOf, program, programText } from './programs.ts'

/** Whether the version is at least `minimum`. An unknown version is a new one. */
const isFrom = (version: string | null, minimum: string) => version === null || compareVersions(version, minimum) >= 0

/** Returns the arguments of the server. The names of the options changed with version 4.2. */
export function tlsArgs(mode: TlsMode, version: string | null): string[] {
  if (mode === 'off') return []
  const { combined, ca } = tlsPaths
  return isFrom(version, '4.2')
    ? ['--tlsMode', `${mode}TLS`, '--tlsCertificateKeyFile', combined, '--tlsCAFile', ca, `--${anonymous('tls')}`]
    : ['--sslMode', `${mode}SSL`, '--sslPEMKeyFile', combined, '--sslCAFile', ca, `--${anonymous('ssl')}`]
}

const anonymous = (prefix: string) => `${prefix}AllowConnectionsWithoutCertificates`

export const healthWithTls = healthCheck(textFile('kinds/mongo/programs/answers-tls.sh'))

const reloadProgram = programText(textFile('kinds/mongo/programs/reload.js'))

/** @param url returns the connection URL of the kind, which has a parameter already */
export const mongoTls = <S extends Login>(url: (settings: S, address: Address) => string): KindTls<S> => ({
  user: 'mongodb',
  port: () => 27_017,
  handshake: 'direct',
  canReload: (version) => isFrom(version, '5.0'),
  reload: (login, { host, port }) => program('28', reloadProgram, loginOf(login, { host, port }, 'any'), 'any'),
  verifiedUrl: (settings, address, caPath) =>
    `${url(settings, address)}&tls=true&tlsCAFile=${encodedParameter(caPath)}`,
})
