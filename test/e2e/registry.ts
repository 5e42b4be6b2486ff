/** A real registry in a container, on a loopback port: open, with htpasswd or a token server, with TLS or without. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bcryptOf } from '../../src/lib/crypto/bcrypt.ts'
import { type Options, openRegistry } from '../../src/lib/registry-client/registry.ts'
import { until } from '../engine/until.ts'
import { type Certificate, certify } from './storage.ts'
import { docker, dockerHost, freePort } from './swarm.ts'

const run = promisify(execFile)
const image = 'registry:2'

/** Names and their passwords. */
export type Users = Record<string, string>

/** Where a registry sends those that want in, and what it believes. */
export interface Tokens {
  realm: string
  service: string
  issuer: string
  rootPath: string
}

export interface RegistryOptions {
  users?: Users
  tokens?: Tokens
  certificate?: Certificate
}

export type RealRegistry = Awaited<ReturnType<typeof startRegistry>>

export async function startRegistry({ users, tokens, certificate }: RegistryOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-registry-'))
  const port = await freePort()
  const host = `127.0.0.1:${port}`
  const tls = certificate === undefined ? null : await certify(folder, certificate)
  if (users !== undefined) await changeUsers(users)
  const env = {
    REGISTRY_STORAGE_DELETE_ENABLED: 'true',
    REGISTRY_HTTP_SECRET: 'of this test',
    ...(users && {
      REGISTRY_AUTH: 'htpasswd',
      REGISTRY_AUTH_HTPASSWD_REALM: 'it',
      REGISTRY_AUTH_HTPASSWD_PATH: join(folder, 'htpasswd'),
    }),
    ...(tokens && {
      REGISTRY_AUTH: 'token',
      REGISTRY_AUTH_TOKEN_REALM: tokens.realm,
      REGISTRY_AUTH_TOKEN_SERVICE: tokens.service,
      REGISTRY_AUTH_TOKEN_ISSUER: tokens.issuer,
      REGISTRY_AUTH_TOKEN_ROOTCERTBUNDLE: '/root.pem',
    }),
    ...(tls && { REGISTRY_HTTP_TLS_CERTIFICATE: tls.certPath, REGISTRY_HTTP_TLS_KEY: tls.keyPath }),
  }
  const [id = ''] = await docker(
    'run',
    '--detach',
    '--label',
    `berth-test-registry=${process.pid}`,
    '--publish',
    `${host}:5000`,
    '--volume',
    `${folder}:${folder}:ro`,
    ...(tokens ? ['--volume', `${tokens.rootPath}:/root.pem:ro`] : []),
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    image,
  )
  await until('the registry to listen', async () =>
    isUp(`${tls === null ? 'http' : 'https'}://${host}`, tls?.ca),
  ).catch((error: unknown) =>
    remove().finally(() => {
      throw error
    }),
  )
  return { id, host, port, ca: tls?.ca, changeUsers, push, [Symbol.asyncDispose]: remove }

  async function remove() {
    await docker('rm', '--force', '--volumes', id)
    rmSync(folder, { recursive: true, force: true })
  }

  /** The server reads the file again once it is newer. */
  async function changeUsers(all: Users) {
    const lines = await Promise.all(
      Object.entries(all).map(async ([name, word]) => `${name}:${await bcryptOf(word)}\n`),
    )
    writeFileSync(join(folder, 'htpasswd'), lines.join(''))
  }

  /** Pushes an image by this name. */
  async function push(name: string, username: string, password: string, source: string): Promise<string> {
    const reference = `${host}/${name}`
    await docker('tag', source, reference)
    await pushAs(reference, host, username, password)
    await docker('image', 'rm', reference)
    return reference
  }
}

/** As this user of the registry, whoever the machine's own client is. `engine`: whose image it is. */
export const pushAs = (reference: string, host: string, username: string, password: string, engine = dockerHost) =>
  clientAs('push', reference, host, username, password, engine)

/** The same the other way. */
export const pullAs = (reference: string, host: string, username: string, password: string) =>
  clientAs('pull', reference, host, username, password, dockerHost)

async function clientAs(
  verb: 'push' | 'pull',
  reference: string,
  host: string,
  username: string,
  password: string,
  engine: string,
): Promise<void> {
  const config = mkdtempSync(join(tmpdir(), 'berth-client-'))
  try {
    const auth = Buffer.from(`${username}:${password}`).toString('base64')
    writeFileSync(join(config, 'config.json'), JSON.stringify({ auths: { [host]: { auth } } }))
    await run('docker', ['--host', engine, '--config', config, verb, '--quiet', reference])
  } finally {
    rmSync(config, { recursive: true, force: true })
  }
}

async function isUp(registryUrl: string, ca: string | undefined): Promise<boolean> {
  const options: Options = { insecure: true, ...(ca === undefined ? {} : { ca }) }
  using registry = openRegistry({ registryUrl, username: 'nobody', password: 'at all' }, options)
  const never = new AbortController().signal
  return await registry.signIn(never).then(
    () => true,
    ({ kind }: { kind: string }) => !/^(?:refused|broken)$/.test(kind),
  )
}
