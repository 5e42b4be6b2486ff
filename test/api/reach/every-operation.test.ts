/**
 * Every operation by callers that do not reach all projects. For such a caller, a record of another project does not
 * exist: the answer is the same, and the call writes nothing.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isSignIn } from '../../../src/api/access.ts'
import { type Operation, roleFor } from '../../../src/api/contract.ts'
import { includesRole, projectRoles } from '../../../src/api/reach/reach.ts'
import { projectOfField, unlimitedFields } from '../../../src/api/reach/record-projects.ts'
import { kinds } from '../../../src/kinds/index.ts'
import { operations } from '../../../src/operations.ts'
import type { Reply } from '../../fixtures/harness.ts'
import { completeInput, unknownId } from '../../sweep-inputs.ts'
import { startTwoProjects, type TwoProjectsBerth } from './two-projects.ts'

const cleanup = new AsyncDisposableStack()
after(() => cleanup.disposeAsync())
const projects = cleanup.use(await startTwoProjects())

const reachOf = ({ reach = 'allProjects' }: Operation) => reach
const calls = operations.filter(({ access }) => !isSignIn(access))
const names = (wanted: (operation: Operation) => boolean) =>
  calls.filter((operation) => wanted(operation) && !isOfLaterKind(operation)).map(({ name }) => name)
/** The operations of all kinds are declared by the same code. */
const isOfLaterKind = ({ name }: Operation) => kinds.slice(1).some((kind) => name.startsWith(`${kind.name}.`))
const [kind] = kinds

test('the reach and the role of each operation are these', () => {
  assert.deepEqual(
    names((it) => reachOf(it) === 'own' && it.access.startsWith('user:') && !/^(?:auth|user)\./.test(it.name)),
    ['backup.installationRecipient', 'destination.all', 'destination.one', 'installation.ca', 'installation.settings'],
  )
  assert.deepEqual(names((it) => reachOf(it) === 'filtered').toSorted(), [
    'backup.all',
    'backup.runs',
    'condition.all',
    'database.all',
    'database.find',
    'deployment.all',
    'project.all',
    'volume.all',
  ])
  const ofRole = (role: string) => names((it) => reachOf(it) === 'project' && roleFor(it) === role).toSorted()
  assert.deepEqual(
    ofRole('viewer'),
    [
      'backup.manifest',
      'backup.one',
      'metrics.query',
      'project.members',
      'project.one',
      ...kindNames('logs', 'one', 'stats'),
    ].toSorted(),
  )
  const manualBackups = kinds.flatMap(({ manualBackup }) => (manualBackup === undefined ? [] : [manualBackup]))
  assert.deepEqual(
    ofRole('developer'),
    [
      ...manualBackups.map((verb) => `backup.${verb}`),
      'backup.verify',
      'database.openSession',
      ...kindNames('deploy', 'reload', 'start', 'stop'),
    ].toSorted(),
  )
  const ownersOnly = names((it) =>
    /^(?:application|certificates|cluster|port|redirects|registry|security)\./.test(it.name),
  )
  assert.deepEqual(
    ownersOnly.filter((name) => reachOf(operations.find((it) => it.name === name)!) !== 'allProjects'),
    [],
  )
})

const kindNames = (...verbs: string[]) => verbs.map((verb) => `${kind!.name}.${verb}`)

test('each input field with an id is known to the check, or does not need it', () => {
  const fields = calls
    .filter((it) => ['project', 'filtered'].includes(reachOf(it)))
    .flatMap((it) => Object.keys(it.input.shape).filter((name) => /id$/i.test(name)))
  const known = [...Object.keys(projectOfField), ...unlimitedFields]
  assert.deepEqual(
    [...new Set(fields)].filter((name) => !known.includes(name)),
    [],
  )
})

/** What a caller sees of an answer. The id of the request and the time differ in any case. */
function seenIn({ status, body, headers }: Reply): unknown {
  const { 'x-request-id': _, date: __, ...rest } = headers
  return { status, body, headers: rest }
}

/** The inputs in which each field that can name a record of the shop does so, alone and all together. */
function inputsNaming(operation: Operation, shop: TwoProjectsBerth['shop']): Record<string, unknown>[] {
  const fields = Object.keys(operation.input.shape).filter((name) => Object.hasOwn(projectOfField, name))
  const complete = completeInput(operation, shop)
  return [
    complete,
    ...fields.filter((name) => shop[name] !== undefined).map((name) => ({ ...complete, [name]: shop[name] })),
  ]
}

const withoutRecords = (input: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === 'string' && Object.hasOwn(projectOfField, name) ? unknownId : value,
    ]),
  )

type Callers = Record<string, (berth: TwoProjectsBerth) => Promise<string>>

const callersWithoutShop: Callers = {
  'an owner of another project': async ({ member, bakery }) => (await member({ [bakery.projectId]: 'owner' })).token,
  'a member of no project': async ({ member }) => (await member({})).token,
  'a limited token of an owner of another project': async ({ member, tokenOf, bakery, shop }) => {
    const { id } = await member({ [bakery.projectId]: 'owner' })
    return tokenOf(id, 'admin', [bakery.projectId, shop.projectId])
  },
  'a token limited to another project': async ({ user, tokenOf, bakery }) =>
    tokenOf((await user()).id, 'admin', [bakery.projectId]),
  'a token of an administrator limited to another project': async ({ admin, tokenOf, bakery }) =>
    tokenOf((await admin()).id, 'admin', [bakery.projectId]),
}

for (const [caller, makeToken] of Object.entries(callersWithoutShop)) {
  // A Berth for each caller, because after 15 seconds its loops write.
  test(`for ${caller}, no record of the project exists`, async () => {
    await using berth = cleanup.use(await projects.start())
    const { shop, call, stored } = berth
    const token = await makeToken(berth)
    for (const operation of calls.filter((it) => reachOf(it) !== 'own' && !isOfLaterKind(it))) {
      if (operation.type === 'session' || operation.access.endsWith(':session')) continue
      for (const input of inputsNaming(operation, shop)) {
        const before = stored()
        const about: string = `${operation.name} with ${JSON.stringify(input)}`
        const reply: Reply = await call(operation.name, input, token)
        const unknown: Reply = await call(operation.name, withoutRecords(input), token)
        assert.deepEqual(seenIn(reply), seenIn(unknown), about)
        assert.equal(stored(), before, `${about} wrote`)
        if (reachOf(operation) === 'allProjects') assert.equal(reply.status, 403, about)
        else assert.ok(reply.status === 200 || [400, 403, 404, 409, 412, 422].includes(reply.status), about)
        if (reply.status === 200) assertNothingOf(shop, JSON.stringify(reply.body), about)
      }
    }
  })
}

/** Texts that only records of the shop have. */
function assertNothingOf(shop: TwoProjectsBerth['shop'], text: string, about: string) {
  const ids = Object.entries(shop).filter(([name]) => /Id$/.test(name) && !['destinationId'].includes(name))
  for (const [name, id] of ids) assert.ok(!text.includes(String(id)), `${about} answers ${name}`)
  assert.ok(!text.includes('sweep-'), `${about} answers a name`)
}

for (const role of projectRoles) {
  test(`a ${role} can call what this role permits, and is told which role the rest needs`, async () => {
    await using berth = cleanup.use(await projects.start())
    const { shop, member, call } = berth
    const { token } = await member({ [shop.projectId]: role })
    const secrets = await secretsOf(berth)
    const last = (it: Operation) => (/remove|update/.test(it.name) ? 1 : 0)
    for (const operation of calls.toSorted((a, b) => last(a) - last(b))) {
      if (operation.type === 'session' || reachOf(operation) !== 'project') continue
      const needed = roleFor(operation)
      const { status, body } = await call(operation.name, completeInput(operation, shop), token)
      const about = `${operation.name}: ${JSON.stringify(body)}`
      const isRefused = status === 403 && /needs the role (\w+) in the project/.exec(String(body.message))?.[1]
      assert.equal(isRefused, includesRole(role, needed) ? false : needed, about)
      if (role === 'viewer' && operation.access !== 'user:read') assert.equal(status, 403, about)
      if (role !== 'viewer' || status !== 200) continue
      for (const secret of secrets)
        assert.ok(!JSON.stringify(body).includes(secret), `${operation.name} has a password`)
    }
  })
}

/** The passwords of all databases. */
async function secretsOf({ call, shop }: TwoProjectsBerth) {
  const records = await Promise.all(
    kinds.map(async ({ name, idField, secrets }) => {
      const { body } = await call(`${name}.one`, { [idField]: shop[idField] })
      return secrets.map((secret) => String(body[secret]))
    }),
  )
  return records.flat()
}

test('developers and owners read passwords with a session and a token of scope admin, viewers never', async () => {
  await using berth = cleanup.use(await projects.start())
  const { shop, member, tokenOf, call } = berth
  const { name, idField, secrets } = kind!
  for (const role of projectRoles) {
    const { id, token } = await member({ [shop.projectId]: role })
    for (const [scope, as] of [
      ['session', token],
      ...(await Promise.all(
        (['read', 'deploy', 'admin'] as const).map(async (it) => [it, await tokenOf(id, it, null)] as const),
      )),
    ] as const) {
      const { status, body } = await call(`${name}.one`, { [idField]: shop[idField] }, as)
      const isShown = body[secrets[0]!] !== '********'
      assert.deepEqual(
        [status, isShown],
        [200, role !== 'viewer' && ['session', 'admin'].includes(scope)],
        `${role} ${scope}`,
      )
    }
  }
})
