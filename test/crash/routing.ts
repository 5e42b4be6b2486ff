/** Rules and certificates take effect when their call returns. After a crash the proxy has those of the store only. */
import assert from 'node:assert/strict'
import http from 'node:http'
import { makeCertificate, type CertificateFiles } from '../e2e/certificate-files.ts'
import { servedFingerprint } from '../e2e/tls-client.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Fields } from './client.ts'
import { counter, type Group, type Runtime } from './group.ts'
import type { Random } from './random.ts'
import { type Known, listing, recordsOf } from './records.ts'

/** An application that Berth did not deploy: the name of its service, and its host name at the proxy. */
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

const maxRedirects = 12

/** Sends a request to the proxy, as a client does whose DNS resolves `host` to the proxy. */
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
  /** The paths of all redirects that ever existed. */
  const paths: string[] = []
  return { name: 'redirects', calls, compare: records.compare, compareExternal }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const verb = random.pick(['create', 'update', 'delete'] as const)
    const record = present.length === 0 ? null : random.pick(present)
    if (record === null || (verb === 'create' && present.length < maxRedirects)) return create(random)
    const apply = (before: Redirect) =>
      verb === 'delete' ? null : { ...before, replacement: `/to-${next()}`, permanent: random.chance(50) }
    const after = apply(record.possible[0]!)
    const outcome = await records.change(record, {
      operation: `redirects.${after === null ? 'delete' : 'update'}`,
      input: { redirectId: record.id, ...after },
      apply: () => after,
    })
    if (outcome.result === 'done') await compareOne(record.possible[0]!, record.name)
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
    if (outcome.result === 'done') await compareOne(fields, fields.regex)
  }

  async function compareOne(record: Redirect | null, regex: string): Promise<void> {
    const { status, location } = await ask(runtime, host, regex.slice(0, -1))
    const wanted = record === null ? [200, undefined] : [record.permanent ? 301 : 302, record.replacement]
    await compareData(`a request for ${regex}`, () => assert.deepEqual([status, location], wanted))
  }

  async function compareExternal(): Promise<void> {
    const present = records.present()
    for (const path of paths) {
      const record = present.find(({ name }) => name === `${path}$`)?.possible[0] ?? null
      await compareOne(record, `${path}$`)
      const trial = (await client.read('redirects.test', { url: `http://${host}${path}` }))!
      const expected = record === null ? ['none', null] : ['redirect', record.replacement]
      assert.deepEqual([trial.result, trial.location], expected, `the test of the redirects for ${path}`)
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
  /** All passwords that each user ever had, the newest last. */
  const passwordHistory = new Map<string, string[]>()
  return { name: 'securities', calls, compare: records.compare, compareExternal }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const verb = random.pick(['create', 'update', 'delete'] as const)
    const record = present.length === 0 ? null : random.pick(present)
    const password = `secret-of-a-user-${next()}`
    if (record === null || (verb === 'create' && present.length < 4)) return create(`user-${next()}`, password)
    if (verb === 'update') passwordHistory.get(record.name)!.push(password)
    const outcome = await (verb === 'delete'
      ? records.change(record, { operation: 'security.delete', input: { securityId: record.id }, apply: () => null })
      : records.change(record, {
          operation: 'security.update',
          apply: (before) => ({ ...before, password }),
          input: { securityId: record.id, username: record.name, password },
        }))
    if (outcome.result === 'done') await compareOne(record.name, record.possible)
  }

  async function create(username: string, password: string): Promise<void> {
    passwordHistory.set(username, [password])
    const fields = { username, password }
    const outcome = await records.create<{ securityId: string }>(
      'security.create',
      { ...fields, applicationId },
      username,
      fields,
      ({ securityId }) => securityId,
    )
    if (outcome.result === 'done') await compareOne(username, [fields])
  }

  /**
   * Asserts that the user can log in with one of the possible passwords, but with no former one.
   * @param possible null stands for no such user
   */
  async function compareOne(username: string, possible: Known<{ username: string; password: string }>['possible']) {
    const passwords = possible.flatMap((state) => (state === null ? [] : [state.password]))
    const statuses = await statusesOf(username, passwords)
    if (passwords.length > 0)
      await compareData(`${username} is not let in`, () => assert.ok(statuses.includes(200), `${statuses}`))
    if (records.present().length === 0) return
    const former = passwordHistory
      .get(username)!
      .filter((password) => !passwords.includes(password))
      .slice(-2)
    const refused = new Set(await statusesOf(username, ['wrong', ...former]))
    await compareData(`wrong passwords of ${username}`, () => assert.deepEqual(refused, new Set([401])))
  }

  function statusesOf(username: string, passwords: string[]): Promise<number[]> {
    return Promise.all(
      passwords.map(async (password) => (await ask(runtime, host, '/', `${username}:${password}`)).status),
    )
  }

  async function compareExternal(): Promise<void> {
    const present = records.present()
    assert.equal((await ask(runtime, host, '/')).status, present.length > 0 ? 401 : 200)
    for (const name of passwordHistory.keys())
      await compareOne(name, present.find((record) => record.name === name)?.possible ?? [])
  }
}

export function certificatesOf(runtime: Runtime): Group {
  const { client, httpsPort } = runtime
  const next = counter()
  const toListed = listing('certificateId', 'name', ['name'])
  const records = recordsOf<{ name: string }>(client, 'certificate', async () =>
    (await client.read<Fields[]>('certificates.all'))!.map(toListed),
  )
  /** The certificates are created once, because this takes some time. Each is uploaded several times. */
  const pool: CertificateFiles[] = Array.from({ length: 6 }, (_, at) => makeCertificate({ names: [hostOf(at)] }))
  return { name: 'certificates', calls, compare: records.compare, compareExternal }

  async function calls(random: Random): Promise<void> {
    const present = records.present()
    const at = random.below(pool.length)
    const name = `${hostOf(at)} ${next()}`
    const taken = records.all().find((record) => record.name.startsWith(`${hostOf(at)} `))
    if (taken === undefined) {
      const { chain: certificateData, key: privateKey } = pool[at]!
      const outcome = await records.create<{ certificateId: string }>(
        'certificates.create',
        { name, certificateData, privateKey },
        name,
        { name },
        ({ certificateId }) => certificateId,
      )
      if (outcome.result === 'done') await compareOne(at, true)
      return
    }
    const record = present.find((other) => other === taken)
    if (record === undefined) return
    const outcome = await records.change(record, {
      operation: 'certificates.remove',
      input: { certificateId: record.id },
      apply: () => null,
    })
    if (outcome.result === 'done') await compareOne(at, false)
  }

  async function compareOne(at: number, isServed: boolean): Promise<void> {
    const fingerprint = await servedFingerprint(httpsPort, hostOf(at))
    await compareData(`a certificate for ${hostOf(at)}`, () => assert.equal(fingerprint !== '', isServed))
  }

  async function compareExternal(): Promise<void> {
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
