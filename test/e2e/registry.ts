/** A real registry in a container on a loopback port: without login, with htpasswd or tokens; optionally with TLS. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bcryptOf } from '../../src/lib/crypto/bcrypt.ts'
import { type Options, openRegistry } from '../../src/lib/registry-client/registry.ts'
import { until } from '../engine/until.ts'
import { type Certificate, certify } from './storage.ts'
import { freePort } from '../fixtures/free-port.ts'
import { docker, dockerHost } from './swarm.ts'

const run = promisify(execFile)
const image = 'registry:2'

/** The passwords by user name. */
export type Users = Record<string, string>

/** The token server of a registry, and the tokens that the registry accepts. */
export interface Tokens {
  /** The URL of the token server. */
  realm: string
  service: string
  issuer: string
  /** The PEM file of the authority that signed the token server's certificate. */
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

  /** Replaces the users. The registry reads the file again because the file is newer. */
  async function changeUsers(all: Users) {
    const lines = await Promise.all(
      Object.entries(all).map(async ([name, password]) => `${name}:${await bcryptOf(password)}\n`),
    )
    writeFileSync(join(folder, 'htpasswd'), lines.join(''))
  }

  /** Pushes an image of the machine's engine. Returns the reference of the pushed image. */
  async function push(name: string, username: string, password: string, source: string): Promise<string> {
    const reference = `${host}/${name}`
    await docker('tag', source, reference)
    await pushAs(reference, host, username, password)
    await docker('image', 'rm', reference)
    return reference
  }
}

/**
 * Pushes an image as this user of the registry, whatever the machine's own Docker configuration is.
 * @param engine the engine that has the image
 */
export const pushAs = (reference: string, host: string, username: string, password: string, engine = dockerHost) =>
  clientAs('push', reference, host, username, password, engine)

/** Pulls an image into the machine's engine as this user of the registry. */
export const pullAs = (reference: string, host: string, username: string, password: string) =>
  clientAs('pull', reference, host, username, password, dockerHost)

/** Calls Docker's client with a configuration that has only these credentials. */
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

/** Whether the registry responds, even if it refuses these credentials. */
async function isUp(registryUrl: string, ca: string | undefined): Promise<boolean> {
  const options: Options = { insecure: true, ...(ca === undefined ? {} : { ca }) }
  using registry = openRegistry({ registryUrl, username: 'nobody', password: 'at all' }, options)
  const never = new AbortController().signal
  return await registry.signIn(never).then(
    () => true,
    ({ kind }: { kind: string }) => !/^(?:refused|broken)$/.test(kind),
  )
}
