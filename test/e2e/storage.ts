/**
 * A real S3 server (versitygw) with its own folder. Tests can create buckets and accounts with limited rights, and
 * choose a valid certificate, an expired one or one for another name. `./berth test` builds the program.
 */
import { execFile, type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3'
import type { Settings } from '../../src/lib/s3/s3.ts'
import { until } from '../engine/until.ts'
import { freePort } from '../fixtures/free-port.ts'

const program = join(import.meta.dirname, '../../node_modules/.cache/berth-s3/versitygw')
const run = promisify(execFile)
const root = { accessKey: 'root-access-key', secretAccessKey: 'a-secret-of-the-storage-root' }

/** How many free ports to try. */
const maxAttempts = 3

export type Certificate = 'good' | 'expired' | 'other name'

export interface StorageOptions {
  /** Without a certificate, the server uses no TLS. */
  certificate?: Certificate
  region?: string
  /** The default is a free port. */
  port?: number
}

export type Storage = Awaited<ReturnType<typeof startStorage>>

export async function startStorage({ certificate, region = 'us-east-1', port: wanted }: StorageOptions = {}) {
  if (!existsSync(program)) throw new Error(`${program} is missing. Run ./berth test e2e, which builds it`)
  const folder = mkdtempSync(join(tmpdir(), 'berth-storage-'))
  const [data, iam] = [join(folder, 'data'), join(folder, 'iam')]
  for (const path of [data, iam]) mkdirSync(path)
  const tls = certificate === undefined ? null : await certify(folder, certificate)
  let port = wanted ?? (await freePort())
  let child: ChildProcess | null = null
  // Another program may take the free port before the server listens on it.
  for (let attempt = 1; !(await listens()); attempt++) {
    if (wanted !== undefined || attempt === maxAttempts) throw new Error(`The storage cannot listen on port ${port}`)
    port = await freePort()
  }
  const endpoint = `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}`
  return {
    port,
    endpoint,
    ca: tls?.ca,
    caPath: tls?.caPath,
    settings,
    account,
    start,
    stop,
    filesOf: (bucket: string) => join(data, bucket),
    makeBucket: (bucket: string) => mkdirSync(join(data, bucket)),
    async [Symbol.asyncDispose]() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }

  async function start() {
    if (!(await listens())) throw new Error(`The storage cannot listen on port ${port}`)
  }

  /** Starts the server. Returns false if it ends instead of listening. */
  async function listens(): Promise<boolean> {
    const started = spawn(
      program,
      [
        '--port',
        `127.0.0.1:${port}`,
        '--access',
        root.accessKey,
        '--secret',
        root.secretAccessKey,
        '--region',
        region,
        '--iam-dir',
        iam,
        '--iam-cache-disable',
        '--quiet',
        '--keep-alive',
        ...(tls === null ? [] : ['--cert', tls.certPath, '--key', tls.keyPath]),
        'posix',
        data,
      ],
      { stdio: 'ignore' },
    )
    child = started
    const hasEnded = () => started.exitCode !== null || started.signalCode !== null
    await until('the storage to listen', async () => hasEnded() || isListening(port))
    return !hasEnded()
  }

  async function stop() {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }

  /** Returns the settings of a bucket with the root account. */
  function settings(bucket: string, overrides: Partial<Settings> = {}): Settings {
    return { endpoint, region, bucket, ...root, ...overrides }
  }

  /**
   * Creates an account with rights for these actions in the bucket only. Returns its settings.
   * @param actions for example `s3:GetObject`
   */
  async function account(bucket: string, accessKey: string, actions: string[]): Promise<Settings> {
    const secretAccessKey = `the-secret-of-${accessKey}`
    await run(program, [
      'admin',
      '--access',
      root.accessKey,
      '--secret',
      root.secretAccessKey,
      '--region',
      region,
      '--endpoint-url',
      endpoint,
      'create-user',
      '--access',
      accessKey,
      '--secret',
      secretAccessKey,
      '--role',
      'user',
    ])
    const client = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId: root.accessKey, secretAccessKey: root.secretAccessKey },
    })
    const resources = ['', '/*'].map((rest) => `arn:aws:s3:::${bucket}${rest}`)
    const statements = actions.map((Action) => ({
      Effect: 'Allow',
      Principal: accessKey,
      Action,
      Resource: resources[/ListBucket/.test(Action) ? 0 : 1],
    }))
    await client.send(
      new PutBucketPolicyCommand({
        Bucket: bucket,
        Policy: JSON.stringify({ Version: '2012-10-17', Statement: statements }),
      }),
    )
    client.destroy()
    return settings(bucket, { accessKey, secretAccessKey })
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isConnected
}

/** Creates a certificate authority and a certificate that it signed. Returns the files and the authority's PEM. */
export async function certify(folder: string, kind: Certificate) {
  const pathOf = (name: string) => join(folder, name)
  const openssl = (...argv: string[]) => run('openssl', argv)
  const name = kind === 'other name' ? 'DNS:storage.example.org' : 'DNS:localhost,IP:127.0.0.1'
  const dates = kind === 'expired' ? ['-startdate', '20200101000000Z', '-enddate', '20200201000000Z'] : ['-days', '2']
  writeFileSync(pathOf('index'), '')
  writeFileSync(pathOf('serial'), '01')
  writeFileSync(
    pathOf('config'),
    `[ca]\ndefault_ca=it\n[it]\ndatabase=${pathOf('index')}\nserial=${pathOf('serial')}\n` +
      `new_certs_dir=${folder}\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=optional\n` +
      `[server]\nsubjectAltName=${name}\n`,
  )
  const key = (path: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', path]
  await openssl(
    'req',
    '-x509',
    ...key(pathOf('ca.key')),
    '-out',
    pathOf('ca.pem'),
    '-subj',
    '/CN=an authority',
    '-days',
    '2',
  )
  await openssl('req', ...key(pathOf('key.pem')), '-out', pathOf('request.pem'), '-subj', '/CN=storage')
  await openssl(
    'ca',
    '-batch',
    '-notext',
    '-config',
    pathOf('config'),
    '-extensions',
    'server',
    ...dates,
    '-cert',
    pathOf('ca.pem'),
    '-keyfile',
    pathOf('ca.key'),
    '-in',
    pathOf('request.pem'),
    '-out',
    pathOf('cert.pem'),
  )
  const ca = readFileSync(pathOf('ca.pem'), 'utf8')
  return { ca, caPath: pathOf('ca.pem'), certPath: pathOf('cert.pem'), keyPath: pathOf('key.pem') }
}
