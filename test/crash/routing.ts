/** Rules about applications and certificates: in force with the answer, and after a crash those of the store alone. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { makeCertificate, type Made } from '../e2e/caddy.ts'
import { servedFingerprint } from '../e2e/tls-client.ts'
import type { Fields } from './client.ts'
import { counter, type Group, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { type Known, listing, recordsOf } from './records.ts'

/** An application that others deploy: the service, and the host that the proxy serves it by. */
export interface Application {
  name: string
  host: string
}

interface Redirect extends Fields {
  regex: string
  replacement: string
  permanent: boolean
}
type Reply = { status: number; location: string | undefined }

const most = 12

/** As a client that has looked the name up. */
function ask({ httpPort }: Runtime, host: string, path: string, auth?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port: httpPort,
        path,
        headers: { host },
        agent: false,
        ...(auth === undefined ? {} : { auth }),
      },
      (response) => {
        response.resume()
        response
          .on('error', reject)
          .on('end', () => resolve({ status: response.statusCode!, location: response.headers.location }))
      },
    )
    request.on('error', reject)
    request.end()
  })
}

export function redirectsOf(runtime: Runtime, { name: applicationId, host }: Application): Group {
  const { client } = runtime
  const next = counter()
  const toListed = listing('redirectId', 'regex', ['regex', 'replacement', 'permanent'])
  const records = recordsOf<Redirect>(client, 'redirect', async () =>
    (await client.read<Fields[]>('redirects.all'))!.map(toListed),
  )
  /** Paths of all that there ever were. */
  const paths: string[] = []
  return { name: 'redirects', calls, compare: records.compare, compareWorld }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const verb = random.pick(['create', 'update', 'delete'] as const)
    const it = present.length === 0 ? null : random.pick(present)
    if (it === null || (verb === 'create' && present.length < most)) return create(random)
    const makes = (before: Redirect) =>
      verb === 'delete' ? null : { ...before, replacement: `/to-${next()}`, permanent: random.chance(50) }
    const after = makes(it.may[0]!)
    const outcome = await records.change(it, {
      operation: `redirects.${after === null ? 'delete' : 'update'}`,
      input: { redirectId: it.id, ...after },
      makes: () => after,
    })
    if (outcome.is === 'done') await compareOne(it.may[0]!, it.name)
  }

  async function create(random: Random): Promise<void> {
    const path = `/from-${next()}`
    const fields = { regex: `${path}$`, replacement: `/to-${next()}`, permanent: random.chance(50) }
    paths.push(path)
    const outcome = await records.create<{ redirectId: string }>(
      'redirects.create',
      { ...fields, applicationId },
      fields.regex,
      fields,
      ({ redirectId }) => redirectId,
    )
    if (outcome.is === 'done') await compareOne(fields, fields.regex)
  }

  async function compareOne(it: Redirect | null, regex: string): Promise<void> {
    const { status, location } = await ask(runtime, host, regex.slice(0, -1))
    const wanted = it === null ? [200, undefined] : [it.permanent ? 301 : 302, it.replacement]
    assert.deepEqual([status, location], wanted, `asked for ${regex}`)
  }

  async function compareWorld(): Promise<void> {
    const present = records.present()
    for (const path of paths) {
      await compareOne(present.find(({ name }) => name === `${path}$`)?.may[0] ?? null, `${path}$`)
    }
  }
}

export function securitiesOf(runtime: Runtime, { name: applicationId, host }: Application): Group {
  const { client } = runtime
  const next = counter()
  const toListed = listing('securityId', 'username', ['username'])
  const records = recordsOf<{ username: string; password: string }>(client, 'security', async () =>
    (await client.read<Fields[]>('security.all'))!.map(toListed),
  )
  /** All that each ever had, the newest last. */
  const given = new Map<string, string[]>()
  return { name: 'securities', calls, compare: records.compare, compareWorld }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const verb = random.pick(['create', 'update', 'delete'] as const)
    const it = present.length === 0 ? null : random.pick(present)
    const password = `secret-of-a-user-${next()}`
    if (it === null || (verb === 'create' && present.length < 4)) return create(`user-${next()}`, password)
    if (verb === 'update') given.get(it.name)!.push(password)
    const outcome = await (verb === 'delete'
      ? records.change(it, { operation: 'security.delete', input: { securityId: it.id }, makes: () => null })
      : records.change(it, {
          operation: 'security.update',
          makes: (before) => ({ ...before, password }),
          input: { securityId: it.id, username: it.name, password },
        }))
    if (outcome.is === 'done') await compareOne(it.name, it.may)
  }

  async function create(username: string, password: string): Promise<void> {
    given.set(username, [password])
    const fields = { username, password }
    const outcome = await records.create<{ securityId: string }>(
      'security.create',
      { ...fields, applicationId },
      username,
      fields,
      ({ securityId }) => securityId,
    )
    if (outcome.is === 'done') await compareOne(username, [fields])
  }

  /** Who may come in does with one of these passwords, and with none before; null: nobody of that name. */
  async function compareOne(username: string, may: Known<{ username: string; password: string }>['may']) {
    const passwords = may.flatMap((it) => (it === null ? [] : [it.password]))
    const statuses = await statusesOf(username, passwords)
    if (passwords.length > 0) assert.ok(statuses.includes(200), `${username} is not let in: ${statuses}`)
    if (records.present().length === 0) return
    const former = given
      .get(username)!
      .filter((password) => !passwords.includes(password))
      .slice(-2)
    assert.deepEqual(new Set(await statusesOf(username, ['wrong', ...former])), new Set([401]), username)
  }

  function statusesOf(username: string, passwords: string[]): Promise<number[]> {
    return Promise.all(
      passwords.map(async (password) => (await ask(runtime, host, '/', `${username}:${password}`)).status),
    )
  }

  async function compareWorld(): Promise<void> {
    const present = records.present()
    assert.equal((await ask(runtime, host, '/')).status, present.length > 0 ? 401 : 200)
    for (const name of given.keys()) await compareOne(name, present.find((it) => it.name === name)?.may ?? [])
  }
}

export function certificatesOf(runtime: Runtime): Group {
  const { client, httpsPort } = runtime
  const next = counter()
  const toListed = listing('certificateId', 'name', ['name'])
  const records = recordsOf<{ name: string }>(client, 'certificate', async () =>
    (await client.read<Fields[]>('certificates.all'))!.map(toListed),
  )
  /** Made beforehand: that takes a while. Each is uploaded anew under its name. */
  const pool: CertificateFiles[] = Array.from({ length: 6 }, (_, at) => makeCertificate({ names: [hostOf(at)] }))
  return { name: 'certificates', calls, compare: records.compare, compareWorld }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const at = random.below(pool.length)
    const name = `${hostOf(at)} ${next()}`
    const taken = records.all().find((it) => it.name.startsWith(`${hostOf(at)} `))
    if (taken === undefined) {
      const { chain: certificateData, key: privateKey } = pool[at]!
      const outcome = await records.create<{ certificateId: string }>(
        'certificates.create',
        { name, certificateData, privateKey },
        name,
        { name },
        ({ certificateId }) => certificateId,
      )
      if (outcome.is === 'done') await compareOne(at, true)
      return
    }
    const it = present.find((other) => other === taken)
    if (it === undefined) return
    const outcome = await records.change(it, {
      operation: 'certificates.remove',
      input: { certificateId: it.id },
      makes: () => null,
    })
    if (outcome.is === 'done') await compareOne(at, false)
  }

  async function compareOne(at: number, isServed: boolean): Promise<void> {
    assert.equal((await servedFingerprint(httpsPort, hostOf(at))) !== '', isServed, `a certificate for ${hostOf(at)}`)
  }

  async function compareWorld(): Promise<void> {
    const present = records.present()
    for (const at of pool.keys()) {
      await compareOne(
        at,
        present.some(({ name }) => name.startsWith(`${hostOf(at)} `)),
      )
    }
  }
}

const hostOf = (at: number): string => `certificate-${at}.crash.example`
