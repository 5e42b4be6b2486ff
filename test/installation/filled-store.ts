/** Fills a store with a value in every sealed column, and checks that every value opens. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, parseConfig } from '../../src/config.ts'
import { idGenerator } from '../../src/lib/crypto/id.ts'
import { initialState } from '../../src/databases/operations/databases.ts'
import { appendAudit, checkChain } from '../../src/api/audit-log.ts'
import { ensureIdentity, findIdentity, openIdentity } from '../../src/backups/identity.ts'
import { openPrivateProfile, sealPrivateProfile } from '../../src/backups/private-profile.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import { sealOwnAccount } from '../../src/databases/login/own-account.ts'
import { sealDestination, settingsOfDestination } from '../../src/backups/destinations/settings.ts'
import { answerStore } from '../../src/api/idempotency.ts'
import {
  openHtpasswd,
  openRegistryPassword,
  sealHtpasswd,
  sealRegistryPassword,
  serverOf,
} from '../../src/registries/queries.ts'
import { serverId } from '../../src/registries/table.ts'
import { openHash, openPairs, sealHash, sealPairs } from '../../src/routing/queries.ts'
import { openStartSecrets, sealStartSecrets } from '../../src/databases/login/start-secrets.ts'
import type { Writer } from '../../src/store/schema.ts'
import { newVolume } from '../../src/volumes/queries.ts'
import { openSealedStore, type SealedStore } from '../../src/installation/sealed-store.ts'
import {
  openEnv,
  openSettings,
  openTarget,
  sealEnv,
  sealSettings,
  sealTarget,
  sealAttemptedCredentials,
  settingsOfVolume,
  targetOf,
  attemptedCredentials,
} from '../../src/databases/targets.ts'
import type { Vault } from '../../src/store/vault.ts'
import { bucketColumns } from '../backups/backups.ts'
import { compareData } from '../fixtures/compare-data.ts'

export const configOf = (folder: string, env: Record<string, string> = {}): Config =>
  parseConfig({ BERTH_DATA: folder, ...env })

export const openFilled = (config: Config): Promise<SealedStore> => openSealedStore(config, idGenerator())

const at = '2030-01-01T00:00:00.000Z'
const secret = 'JBSWY3DPEHPK3PXP'
const settings = { databaseName: 'shop', databasePassword: 'a password' }
const htpasswd = { username: 'ann', hash: secret }
const pair = { chain: 'a chain', key: secret }
const accountCell = { table: 'account', column: 'secret', row: 'account' }
const privateProfile = { env: secret, databaseSettings: [] }
const identityCell = { table: 'backupRun', column: 'identity', row: 'run' }
const input = { databasePassword: 'a password' }
const scope = { key: 'the key', accountId: 'account', operation: 'redis.create', input }
const entry = {
  at: new Date(at),
  kind: 'session',
  accountId: 'account',
  email: 'ada@example.org',
  tokenId: 't',
  address: '::1',
  operation: 'redis.create',
  record: 'database',
  result: 'OK',
} as const

/** Fills the store. `databases` is the number of databases. Each database has a volume. */
export async function fill(config: Config, databases = 3): Promise<void> {
  const { store, vault } = await openFilled(config)
  await store.transact(async (tx) => {
    await tx
      .insertInto('account')
      .values({
        id: 'account',
        email: 'Ada@example.org',
        emailKey: 'ada@example.org',
        passwordHash: 'matches no password',
        rol: 'admin',
        image: '',
        is2FAEnabled: 1,
        secret: vault.seal(accountCell, secret),
        pinStep: 0,
        createdAt: at,
        lastSeenAt: null,
      })
      .execute()
    await answerStore(vault, scope, new Date(at)).save(tx, {
      body: { stored: 'response' },
      deploymentIds: [],
      entityTag: null,
    })
    await tx.insertInto('project').values({ id: 'project', name: 'shop', description: null, createdAt: at }).execute()
    for (let n = 0; n < databases; n++) await insertDatabase(tx, vault, `d${n}`)
    await tx
      .insertInto('destination')
      .values({
        ...bucketColumns,
        id: 'destination',
        secrets: sealDestination(vault, 'destination', secret),
        createdAt: at,
      })
      .execute()
    await tx
      .insertInto('security')
      .values({
        id: 'user',
        applicationId: 'web',
        username: 'ann',
        passwordHash: sealHash(vault, 'user', secret),
        createdAt: at,
      })
      .execute()
    await tx
      .insertInto('certificate')
      .values({
        id: 'certificate',
        name: 'web',
        path: null,
        autoRenew: 0,
        described: '[]',
        createdAt: at,
        renewedAt: null,
        pairs: sealPairs(vault, 'certificate', [pair]),
      })
      .execute()
    await tx
      .insertInto('registry')
      .values({
        id: 'registry',
        registryName: 'hub',
        registryType: 'cloud',
        registryUrl: '',
        username: 'ann',
        imagePrefix: null,
        secrets: sealRegistryPassword(vault, 'registry', secret),
        insecure: 0,
        adminId: 'account',
        createdAt: at,
      })
      .execute()
    await tx
      .insertInto('registryServer')
      .values({
        id: serverId,
        registryId: 'registry',
        goal: 'up',
        host: null,
        port: 5000,
        volumeId: null,
        collecting: 0,
        htpasswd: sealHtpasswd(vault, htpasswd),
        untagged: 0,
        collections: 0,
        status: 'done',
        reason: null,
        deploymentId: null,
      })
      .execute()
    await insertRun(
      tx,
      {
        id: 'run',
        action: 'restore',
        trigger: 'manual',
        kind: 'redis',
        databaseId: 'd0',
        database: 'shop',
        destinationId: 'destination',
        identity: vault.seal(identityCell, secret),
        privateProfile: sealPrivateProfile(vault, 'run', privateProfile),
      },
      new Date(at),
    )
    await ensureIdentity(tx, vault, { identity: secret, recipient: 'age1-of-the-secret' }, new Date(at))
    await appendAudit(tx, vault, entry)
  })
  await store.close()
}

async function insertDatabase(tx: Writer, vault: Vault, id: string) {
  const columns = {
    kind: 'redis',
    dataPath: '/data',
    ...{ nodeId: 'n', nodeName: 'n', nodeAddress: 'a' },
    ownerKind: 'database' as const,
    ownerId: id,
    appName: id,
    dockerImage: 'redis:8',
    tried: sealAttemptedCredentials(vault, `v-${id}`, [settings]),
    startSecrets: sealStartSecrets(vault, `v-${id}`, settings),
    ownAccount: sealOwnAccount(vault, `v-${id}`, { user: 'berth_1', password: 'own' }),
    access: 'complete' as const,
    ...sealSettings(vault, 'volume', `v-${id}`, settings, ['databasePassword']),
  }
  const volume = { ...newVolume(`v-${id}`, columns, new Date(at)), name: `berth-${id}` }
  await tx.insertInto('volume').values(volume).execute()
  const row = {
    ...initialState,
    ...sealSettings(vault, 'database', id, settings, ['databasePassword']),
    id,
    kind: 'redis',
    name: 'cache',
    appName: id,
    projectId: 'project',
    dockerImage: 'redis:8',
    createdAt: at,
    volumeId: volume.id,
    env: sealEnv(vault, id, `KEY=${id}`),
  }
  const content = targetOf(vault, row, 0)
  const [target, lastGood] = [sealTarget(vault, 'target', id, content), sealTarget(vault, 'lastGood', id, content)]
  await tx
    .insertInto('database')
    .values({ ...row, target, lastGood })
    .execute()
}

/**
 * Opens the store and checks that every secret opens, that the audit chain is complete, and that the stored response to
 * an Idempotency-Key is found. In a store restored from a backup, the open run must have ended.
 */
export const checkAll = (config: Config, isRestored = false): Promise<void> =>
  compareData('the state', () => checkEverything(config, isRestored))

async function checkEverything(config: Config, isRestored: boolean): Promise<void> {
  const { store, vault } = await openFilled(config)
  const { db } = store
  const [account] = await db.selectFrom('account').selectAll().execute()
  assert.equal(vault.open(accountCell, account!.secret!), secret)
  assert.deepEqual((await answerStore(vault, scope, new Date(at)).find(db))?.body, { stored: 'response' })
  const rows = await db.selectFrom('database').selectAll().execute()
  assert.ok(rows.length > 0)
  for (const row of rows) {
    const opened = [
      openSettings(vault, 'database', row),
      openTarget(vault, 'target', row)?.settings,
      openTarget(vault, 'lastGood', row)?.settings,
    ]
    assert.deepEqual(opened, [settings, settings, settings])
    assert.equal(openEnv(vault, row), `KEY=${row.id}`)
    assert.equal(openTarget(vault, 'target', row)?.env, `KEY=${row.id}`)
  }
  const volumes = await db.selectFrom('volume').selectAll().execute()
  assert.deepEqual(
    volumes.map((volume) => settingsOfVolume(vault, volume)),
    rows.map(() => settings),
  )
  assert.deepEqual(
    volumes.map((volume) => attemptedCredentials(vault, volume)),
    rows.map(() => [settings]),
  )
  assert.deepEqual(
    volumes.map((volume) => openStartSecrets(vault, volume)),
    rows.map(() => settings),
  )
  const [destination] = await db.selectFrom('destination').selectAll().execute()
  assert.equal(settingsOfDestination(vault, destination!).secretAccessKey, secret)
  const [user] = await db.selectFrom('security').selectAll().execute()
  assert.equal(openHash(vault, user!), secret)
  const [certificate] = await db.selectFrom('certificate').selectAll().execute()
  assert.deepEqual(openPairs(vault, certificate!), [pair])
  const [registry] = await db.selectFrom('registry').selectAll().execute()
  assert.equal(openRegistryPassword(vault, registry!), secret)
  assert.deepEqual(openHtpasswd(vault, (await serverOf(db))!), htpasswd)
  const [run] = await db.selectFrom('backupRun').selectAll().execute()
  if (isRestored) assert.deepEqual([run!.status, run!.identity], ['error', null])
  else assert.equal(vault.open(identityCell, run!.identity!), secret)
  if (!isRestored) assert.deepEqual(openPrivateProfile(vault, run!), privateProfile)
  assert.equal(openIdentity(vault, (await findIdentity(db))!), secret)
  assert.equal((await checkChain(db, vault)).brokenAt, null)
  await store.close()
}

/** Returns whether any file of the store contains the text. */
export function isInFiles(folder: string, text: string): boolean {
  return ['berth.db', 'berth.db-wal', 'berth.db-shm']
    .map((name) => join(folder, name))
    .some((path) => existsSync(path) && readFileSync(path).includes(text))
}
