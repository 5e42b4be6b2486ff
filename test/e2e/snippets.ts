/** Runs the programs that the console shows for a database with TLS, as a person does who has copied one. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { caFile } from '../../console/screens/database/connect/programs/address.ts'
import { addressOf, snippetsFor } from '../../console/screens/database/connect/snippets.ts'
import { job } from './container.ts'
import { newAuthority } from './tls-files.ts'
import type { VerifiedTarget } from './verified-clients.ts'

/** A program ends the moment it is refused, except that of MongoDB, which tries again for this time and longer. */
const maxRunMs = 20_000

interface Snippet extends VerifiedTarget {
  /** The image of the server, which also contains the client. */
  image: string
  /** The Docker network of the server. */
  network: string
}

/**
 * Runs the program for a terminal and that for Node, where this machine has the client. Asserts that they connect, and
 * not to a server with another name or with a certificate of another authority.
 * @param otherName a name that is not in the certificate
 */
export async function assertSnippetsVerify(target: Snippet, otherName: string): Promise<void> {
  const other = { ...target, ca: (await newAuthority()).certificatePem }
  const named = { ...target, serverName: otherName }
  const name = target.kind.name
  // The image of MongoDB 3.6 has no mongosh.
  if (name !== 'mongo') {
    await runInTerminal(target)
    await assert.rejects(runInTerminal(other))
    // redis-cli does not compare names.
    if (name !== 'redis') await assert.rejects(runInTerminal(named))
  }
  // The packages do not include the module mariadb.
  if (name === 'mariadb') return
  await runInNode(target)
  if (name === 'mongo') return
  await assert.rejects(runInNode(other), /certificate|issuer/i)
  await assert.rejects(runInNode(named), /altnames/i)
}

const textOf = ({ kind, settings, serverName, port }: Snippet, number: number) => {
  const url = kind.url(settings, { host: serverName, port, tls: { serverName } })
  return snippetsFor(kind.name as 'postgres', addressOf(url, true))[number]!.text
}

const passwordOf = ({ kind, settings, host, port }: Snippet) =>
  decodeURIComponent(new URL(kind.url(settings, { host, port })).password)

/** The password is typed first, and then what the client answers if it has connected. */
const typed: Record<string, [input: string, answer: RegExp]> = {
  postgres: ['select 6 * 7', /42/],
  redis: ['PING', /PONG/],
}

async function runInTerminal(target: Snippet): Promise<void> {
  const { image, network, host, serverName, ca, kind } = target
  const [input, answer] = typed[kind.name] ?? ['', /^/]
  const file = { path: `/work/${caFile}`, content: ca, mode: 0o644 }
  const program = { argv: ['bash', '-c', textOf(target, 0)], env: {}, files: [file] }
  const options = ['--workdir', '/work', '--network', network, '--add-host', `${serverName}:${host}`]
  const { exitCode, stdout, stderr } = await job(
    image,
    program as never,
    Buffer.from(`${passwordOf(target)}\n${input}\n`),
    options,
  )
  assert.equal(exitCode, 0, stderr)
  assert.match(stdout.toString(), answer, stderr)
}

/** Runs in a folder with the certificate. Names resolve to the address of the server. */
async function runInNode(target: Snippet): Promise<void> {
  const { serverName, host, ca } = target
  const folder = mkdtempSync(join(tmpdir(), 'berth-snippet-'))
  try {
    symlinkSync(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, caFile), ca)
    writeFileSync(join(folder, 'program.mjs'), textOf(target, 1))
    const resolving = `import dns from 'node:dns'
const addressOf = (name) => (name === '${serverName}' ? '${host}' : name)
for (const api of [dns, dns.promises]) {
  const { lookup } = api
  api.lookup = (name, ...rest) => lookup(addressOf(name), ...rest)
}`
    await promisify(execFile)(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(resolving)}`, 'program.mjs'],
      { cwd: folder, env: { DATABASE_PASSWORD: passwordOf(target) }, timeout: maxRunMs },
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
