/** Berth behind a real Caddy, with a certificate from the authority of the installation. */
import { join } from 'node:path'
import { ensureOwnCertificate, readOwnCertificate } from '../../src/authority/own-certificate.ts'
import { trustBundle } from '../../src/authority/issue.ts'
import { folderUnder } from '../fixtures/folder.ts'
import { startBerth } from '../fixtures/harness.ts'
import { startProxy } from './caddy.ts'

export const host = 'berth.example.org'

/**
 * Clients connect to 127.0.0.1 with the name `host`. `ca` is the certificate of the authority (PEM).
 * @param trusted the network of trusted proxies in front of Caddy; undefined: none
 */
export async function startBerthByHttps(trusted?: string) {
  await using opened = new AsyncDisposableStack()
  const socket = join(folderUnder(opened), 'berth.socket')
  const env = {
    BERTH_PUBLIC_URL: `https://${host}`,
    BERTH_PUBLIC_CERTIFICATE: 'internal',
    BERTH_TRUSTED_PROXIES: trusted ?? '',
  }
  const berth = opened.use(await startBerth({ env }))
  await berth.server.ready()
  await berth.server.ownProxy.listen(socket)
  await ensureOwnCertificate(berth.app, host)
  const pair = await readOwnCertificate(berth.app)
  const proxy = opened.use(
    await startProxy({
      front: (httpsPort) => ({
        berth: { host, httpsPort, socket, isStrict: false },
        trustedProxies: trusted === undefined ? [] : [trusted],
      }),
    }),
  )
  await proxy.loadKeys({ berth: { host, pair } })
  const all = opened.move()
  return {
    berth,
    httpPort: proxy.httpPort,
    httpsPort: proxy.httpsPort,
    ca: await trustBundle(berth.app.db, 'installation'),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
