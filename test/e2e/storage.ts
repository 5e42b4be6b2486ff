/**
 * A real S3 server (versitygw) on a folder of its own, with buckets, accounts that may only some things, and
 * certificates that are good, expired or for another name. `./berth test` puts the program where it is looked for.
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
import { freePort } from './swarm.ts'

const program = new URL('../../node_modules/.cache/berth-s3/versitygw', import.meta.url).pathname
const run = promisify(execFile)
const root = { accessKey: 'root-access-key', secretAccessKey: 'a-secret-of-the-storage-root' }

export type Certificate = 'good' | 'expired' | 'other name'

export interface StorageOptions {
  /** With TLS. */
  certificate?: Certificate
  region?: string
  /** In place of a free one. */
  port?: number
}

export type Storage = Awaited<ReturnType<typeof startStorage>>

export async function startStorage({ certificate, region = 'us-east-1', port: wanted }: StorageOptions = {}) {
  if (!existsSync(program)) throw new Error(`${program} is not there: ./berth test e2e makes it`)
  const folder = mkdtempSync(join(tmpdir(), 'berth-storage-'))
  const [data, iam] = [join(folder, 'data'), join(folder, 'iam')]
  for (const it of [data, iam]) mkdirSync(it)
  const tls = certificate === undefined ? null : await certify(folder, certificate)
  const port = wanted ?? (await freePort())
  const endpoint = `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}`
  let child: ChildProcess | null = null
  await start()
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
    child = spawn(
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
    await until('the storage to listen', () => isListening(port))
  }

  async function stop() {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  /** Those of the root account, for a bucket. */
  function settings(bucket: string, more: Partial<Settings> = {}): Settings {
    return { endpoint, region, bucket, ...root, ...more }
  }

  /** A key that may do these actions (`s3:GetObject`) in the bucket and nothing else. */
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
  const answer = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return answer
}

/** An authority of this test's own, and what it signed. */
export async function certify(folder: string, kind: Certificate) {
  const at = (name: string) => join(folder, name)
  const openssl = (...argv: string[]) => run('openssl', argv)
  const name = kind === 'other name' ? 'DNS:storage.example.org' : 'DNS:localhost,IP:127.0.0.1'
  const dates = kind === 'expired' ? ['-startdate', '20200101000000Z', '-enddate', '20200201000000Z'] : ['-days', '2']
  writeFileSync(at('index'), '')
  writeFileSync(at('serial'), '01')
  writeFileSync(
    at('config'),
    `[ca]\ndefault_ca=it\n[it]\ndatabase=${at('index')}\nserial=${at('serial')}\n` +
      `new_certs_dir=${folder}\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=optional\n` +
      `[server]\nsubjectAltName=${name}\n`,
  )
  const key = (path: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', path]
  await openssl('req', '-x509', ...key(at('ca.key')), '-out', at('ca.pem'), '-subj', '/CN=an authority', '-days', '2')
  await openssl('req', ...key(at('key.pem')), '-out', at('request.pem'), '-subj', '/CN=storage')
  await openssl(
    'ca',
    '-batch',
    '-notext',
    '-config',
    at('config'),
    '-extensions',
    'server',
    ...dates,
    '-cert',
    at('ca.pem'),
    '-keyfile',
    at('ca.key'),
    '-in',
    at('request.pem'),
    '-out',
    at('cert.pem'),
  )
  const ca = readFileSync(at('ca.pem'), 'utf8')
  return { ca, caPath: at('ca.pem'), certPath: at('cert.pem'), keyPath: at('key.pem') }
}
