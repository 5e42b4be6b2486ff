/**
 * Servers of the Redis kind in real containers of Redis and Valkey, and a real client from outside. The containers run
 * on Docker's bridge network, without the swarm and without Berth's loops.
 */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createClient } from 'redis'
import { redis } from '../../src/kinds/redis/redis.ts'
import { until } from '../engine/until.ts'
import { containersOf, inside, logOf, type Server } from './container.ts'
import { shouldTestAll } from './representative.ts'
import { docker } from './swarm.ts'

export type Settings = { databasePassword: string }

export const images = ['redis:8', 'redis:7', 'valkey/valkey:9']
export const first: Settings = { databasePassword: 'p\'a"s$s\\w`ord; --' }
export const wrong: Settings = { databasePassword: 'wrong' }

const products = Object.fromEntries(
  ['redis', 'valkey/valkey'].map((image) => [image, containersOf<Settings>(redis, image)]),
)
// The containers of both products have the same label.
const { label, removeAll } = products.redis!
export const { check, checkWithoutPauses, healthy, ready, rotate, save, serverOf } = products.redis!

/** The entry point of the images. */
export const entryPoint = 'docker-entrypoint.sh'

const folder = mkdtempSync(join(tmpdir(), 'berth-test-'))
let count = 0

/** Returns the options that mount files read-only and readable by all users, as the swarm mounts configurations. */
export function mounts(files: { path: string; content: string }[]): string[] {
  return files.flatMap(({ path, content }) => {
    const source = join(folder, String(++count), basename(path))
    mkdirSync(dirname(source))
    writeFileSync(source, content)
    // The server runs as another user, whom the umask could keep from reading the file.
    chmodSync(source, 0o444)
    return ['--volume', `${source}:${path}:ro`]
  })
}

/** Returns the options that mount a new volume as the data folder. */
export async function mountNewVolume(): Promise<string[]> {
  const [volume] = await docker('volume', 'create', '--label', label)
  return ['--volume', `${volume}:${redis.dataPath(null)}`]
}

/** Starts a container with options of `docker run`, `--`, and arguments of the entry point. Waits for nothing. */
export async function beginWith(image: string, ...argv: string[]): Promise<Server> {
  const [product, version] = image.split(':')
  return products[product!]!.begin(version!, first, ...argv)
}

/** Starts a server as Berth does, without waiting until the server is healthy. */
export async function begin(
  image: string,
  settings: Settings,
  command: string[] = [],
  options: string[] = [],
  memoryMiB: number | null = null,
): Promise<Server> {
  const { args, files, before } = redis.launch!(settings, command, memoryMiB)
  const [program, ...rest] = before!
  return beginWith(image, ...mounts(files), ...options, '--entrypoint', program!, '--', ...rest, entryPoint, ...args)
}

/** Starts a server as Berth does, and waits until the server is healthy. */
export async function startServer(...argv: Parameters<typeof begin>): Promise<Server> {
  const server = await begin(...argv)
  await healthy(server.id)
  return server
}

/** Opens a connection to the URL of the kind. */
export async function open({ address }: Server, settings: Settings) {
  const client = createClient({ url: redis.url(settings, address), RESP: 2, socket: { reconnectStrategy: false } })
  client.on('error', () => undefined)
  try {
    return await client.connect()
  } catch (error) {
    client.destroy()
    throw error
  }
}

/** Sends one command over a new connection. */
export async function send(server: Server, settings: Settings, ...command: string[]): Promise<unknown> {
  const client = await open(server, settings)
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

/**
 * Asserts that node-redis and redis-cli can log in with the new password, and that node-redis cannot log in with the old
 * one. Only with BERTH_TEST_ALL, the old one is also checked with redis-cli.
 */
export async function assertChanged(server: Server, from: Settings, to: Settings) {
  assert.equal(await send(server, to, 'PING'), 'PONG')
  assert.equal((await ready(server, to)).exitCode, 0)
  const client = `exec $(command -v valkey-cli || command -v redis-cli) -u "$url" PING`
  const byUrl = { argv: ['sh', '-c', client], env: { url: redis.url(to, server.address) } }
  assert.equal((await inside(server.id, byUrl)).stdout, 'PONG\n')
  await assert.rejects(send(server, from, 'PING'), /WRONGPASS/)
  if (!shouldTestAll) return
  const { exitCode, stdout, stderr } = await ready(server, from)
  assert.deepEqual([exitCode, stdout], [1, ''])
  assert.match(stderr, /^AUTH failed: WRONGPASS .*\n$/)
}

export async function assertExited({ id }: Server, logPattern: RegExp) {
  await until(
    'the container to exit',
    async () => (await docker('inspect', '--format', '{{.State.Status}}', id))[0] === 'exited',
  )
  assert.match(await logOf(id), logPattern)
}

/** Removes all containers, volumes and files. Call this at the end of a test file. */
export async function removeContainers() {
  await removeAll()
  rmSync(folder, { recursive: true, force: true })
}
