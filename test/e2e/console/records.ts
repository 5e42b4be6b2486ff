/** Records for the screens: databases that are up, down and stopped, backups, rules of an application, people. */
import { until } from '../../engine/until.ts'
import assert from 'node:assert/strict'
import type { Settings } from '../../../src/lib/s3/s3.ts'
import { startFakeRegistry } from '../../fixtures/fake-registry.ts'
import { makeCertificate } from '../certificate-files.ts'
import { startStorage } from '../storage.ts'
import { freePort } from '../../fixtures/free-port.ts'
import { docker, uniqueName } from '../swarm.ts'
import { restingSchedule } from '../../fixtures/resting-schedule.ts'
import { type ConsoleBerth, createAccount } from './console-berth.ts'

const waiting = { prefer: 'wait=120' }

/** The role user: what it may not do is not allowed on the screens. */
export const user = { email: 'bob@example.org', password: 'staple battery' }

/** What the addresses of the screens name. */
export type Records = Awaited<ReturnType<typeof createRecords>>

export async function createRecords(end: AsyncDisposableStack, berth: ConsoleBerth) {
  const { projectId } = await berth.ok<{ projectId: string }>('project.create', {
    name: 'shop',
    description: 'What the shop stores',
  })
  const storage = end.use(await startStorage())
  storage.makeBucket('backups')
  const databaseWithBackups = async () => {
    const postgresId = await createDatabase(berth, projectId)
    await createBackups(berth, postgresId, storage.settings('backups'))
    return postgresId
  }
  const [postgresId, applicationId, userId] = await Promise.all([
    databaseWithBackups(),
    createApplication(end, berth),
    createPeople(berth),
    createOtherDatabases(berth, projectId),
  ])
  const registry = end.use(await startFakeRegistry())
  await berth.ok('registry.create', {
    registryName: 'Images of the team',
    username: 'team',
    password: 'a-password-of-the-team',
    registryUrl: registry.host,
    registryType: 'cloud',
    imagePrefix: 'team',
    insecure: true,
  })
  return { project: projectId, database: postgresId, application: applicationId, user: userId }
}

const databaseOf = (name: string, projectId: string) => ({
  ...{ name, appName: uniqueName(name), projectId, dockerImage: 'postgres:17' },
  ...{ databaseName: 'shop', databaseUser: 'shop', databasePassword: '' },
})

/** Creates a database that is up. Returns its id. */
async function createDatabase({ ok }: ConsoleBerth, projectId: string): Promise<string> {
  const { postgresId } = await ok<{ postgresId: string }>('postgres.create', {
    ...databaseOf('orders', projectId),
    ...{ externalPort: await freePort(), memoryLimit: 512, env: 'PGTZ=UTC' },
  })
  await ok('postgres.deploy', { postgresId }, waiting)
  return postgresId
}

/** Creates a database that is down, and one that was never deployed. */
async function createOtherDatabases({ ok, call }: ConsoleBerth, projectId: string): Promise<void> {
  await ok('redis.create', { name: 'cache', appName: uniqueName('cache'), projectId, databasePassword: '' })
  const { postgresId } = await ok<{ postgresId: string }>('postgres.create', {
    ...databaseOf('legacy', projectId),
    command: '--no-such-option',
  })
  const { status } = await call('postgres.deploy', { postgresId }, waiting)
  assert.equal(status, 422)
}

async function createBackups({ ok }: ConsoleBerth, postgresId: string, settings: Settings) {
  const { destinationId } = await ok<{ destinationId: string }>('destination.create', { name: 'Storage', ...settings })
  const { backupId } = await ok<{ backupId: string }>('backup.create', {
    ...{ schedule: restingSchedule, verifySchedule: restingSchedule, prefix: 'orders', keepDays: 30 },
    ...{ destinationId, database: 'shop', databaseType: 'postgres', postgresId },
  })
  await ok('backup.manualBackupPostgres', { backupId }, waiting)
  await ok('backup.verify', { backupId }, waiting)
  await ok('state.schedule', { schedule: restingSchedule, destinationId, prefix: 'berth' })
  await ok('state.backup', { destinationId, prefix: 'berth' }, waiting)
}

/** Starts an application without Berth, and adds a rule of each type. */
async function createApplication(end: AsyncDisposableStack, { ok }: ConsoleBerth): Promise<string> {
  const name = uniqueName('web')
  const host = `${name}.example.org`
  const labels = ['--label', `berth.host=${host} www.${host}`, '--label', 'berth.port=8080']
  const body = ['caddy', 'respond', '--listen', ':8080', '--body', name]
  await docker(
    ...['service', 'create', '--detach', '--quiet', '--name', name, ...labels],
    ...['--network', 'berth', '--stop-grace-period', '1s', 'caddy:2', ...body],
  )
  end.defer(async () => {
    await docker('service', 'rm', name)
  })
  const { applicationId } = await until('the application', async () => {
    const all = await ok<{ applicationId: string; name: string; running: number }[]>('application.all')
    return all.find((each) => each.name === name && each.running === 1)
  })
  await ok('redirects.create', {
    applicationId,
    regex: '^https?://[^/]+/old/(.*)$',
    replacement: `https://${host}/new/$\{1}`,
    permanent: true,
  })
  await ok('security.create', { applicationId, username: 'visitor', password: 'a-password-of-visitors' })
  await ok('port.create', { applicationId, publishedPort: await freePort(), targetPort: 8080, protocol: 'tcp' })
  const { chain, key } = makeCertificate({ names: [host] })
  await ok('certificates.create', { name: host, certificateData: chain, privateKey: key })
  return applicationId
}

/** Creates an account of the role user, an invitation and a token. Returns the id of the account. */
async function createPeople({ base, ok }: ConsoleBerth): Promise<string> {
  const invitation = await ok<{ id: string; token: string }>('user.invite', { email: user.email })
  const id = await createAccount(base, invitation, user.password)
  await ok('user.invite', { email: 'carol@example.org', rol: 'admin' })
  await ok('auth.createToken', { name: 'Deploys of the shop', scope: 'deploy' })
  return id
}
