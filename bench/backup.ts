/**
 * Measures a dump of 2 GiB of incompressible data until it is in the storage: directly from the node of the data, through
 * Berth, and with the same tools by hand (pg_dump, zstd and the aws program), in turn. Also measures Berth's memory.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startStorage, type Storage } from '../test/e2e/storage.ts'
import { reachableAddress } from '../test/fixtures/reachable-address.ts'
import { type Berth, residentMiB, startBerth } from './berth.ts'
import { type Figure, type Section, tableOfFigures } from './figures.ts'
import { image } from './raw-engine.ts'
import { median, spread } from './table.ts'
import { alternate } from './turns.ts'

const rounds = 3
const networkName = 'berth-bench'
const appName = `berth-bench-backup-${process.pid}`
const password = 'only-for-the-bench'
const [rows, rowMiB] = [512, 4]
const port = 15_999
/** The pause before each run, in which the system writes the remaining data of the previous run to the disk. */
const idleMs = 5000

interface Dump {
  /** Seconds until the upload is complete. */
  sent: number
  /** Seconds for the check. */
  readBack: number
  /** Berth's memory above idle, in MiB. */
  growth: number
  sizeBytes: number
}

interface Round {
  direct: Dump
  streamed: Dump
  /** In seconds. */
  byHand: number
}

export async function benchBackup(): Promise<Section> {
  // A storage at a loopback address gets its dumps through Berth.
  await using storage = await startStorage({ address: '0.0.0.0' })
  storage.makeBucket('backups')
  const berth = await startBerth({ BERTH_NETWORK: networkName })
  let postgresId = ''
  try {
    postgresId = await createDatabase(berth)
    const [directId, streamedId] = [
      await createBackup(berth, storage, postgresId, reachableAddress()),
      await createBackup(berth, storage, postgresId, '127.0.0.1'),
    ]
    const measured: Round[] = []
    for (let at = 0; at < rounds; at++) {
      const [[direct, streamed], byHand] = await alternate(
        at,
        () =>
          alternate(
            at,
            () => timeBerth(berth, directId, false),
            () => timeBerth(berth, streamedId, true),
          ),
        () => timeByHand(storage, `by-hand-${at}`),
      )
      process.stderr.write(
        `  ${textOf('direct', direct)}; ${textOf('through Berth', streamed)}; by hand ${byHand.toFixed(1)} s\n`,
      )
      measured.push({ direct, streamed, byHand })
    }
    return tableOfFigures(
      `${(rows * rowMiB) / 1024} GiB of incompressible data, medians of ${rounds} rounds`,
      figuresOf(measured),
    )
  } finally {
    if (postgresId !== '') await berth.call('postgres.remove', { postgresId, removeData: true }, { prefer: 'wait=120' })
    await berth.close()
  }
}

const textOf = (way: string, { sent, readBack, growth }: Dump) =>
  `${way} ${sent.toFixed(1)} s and ${readBack.toFixed(1)} s, ${growth.toFixed(0)} MiB`

async function createDatabase(berth: Berth): Promise<string> {
  const { projectId } = await berth.call('project.create', { name: 'bench' })
  const { postgresId } = await berth.call('postgres.create', {
    name: appName,
    appName,
    projectId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: password,
    dockerImage: image,
  })
  await berth.call('postgres.saveExternalPort', { postgresId, externalPort: port })
  await berth.call('postgres.deploy', { postgresId }, { prefer: 'wait=120' })
  const client = new pg.Client({ connectionString: `postgresql://shop:${password}@127.0.0.1:${port}/shop` })
  await client.connect()
  await client.query('create table big (n int, bytes bytea)')
  await client.query('alter table big alter column bytes set storage external')
  for (let n = 0; n < rows; n++) {
    const insert = "insert into big values ($1, pg_read_binary_file('/dev/urandom', 0, $2))"
    await client.query(insert, [n, rowMiB * 1024 ** 2])
  }
  await client.query('checkpoint')
  await client.end()
  return postgresId as string
}

/** @param address the address of the storage in the settings of the destination */
async function createBackup(berth: Berth, storage: Storage, postgresId: string, address: string): Promise<string> {
  const settings = storage.settings('backups', { endpoint: `http://${address}:${storage.port}` })
  const { destinationId } = await berth.call('destination.create', { name: address, ...settings })
  const { backupId } = await berth.call('backup.create', {
    schedule: '@yearly',
    prefix: address,
    destinationId,
    database: 'shop',
    databaseType: 'postgres',
    postgresId,
    keepLatest: 1,
  })
  return backupId as string
}

interface Run {
  runId: string
  status: string
  step: string | null
  reason: string | null
  sizeBytes: number
  streamed: object | null
}

async function timeBerth(berth: Berth, backupId: string, isStreamed: boolean): Promise<Dump> {
  await pause(idleMs)
  const idle = residentMiB(berth.child)
  let peak = idle
  const start = performance.now()
  let sentAt = 0
  const { runId } = await berth.call('backup.manualBackupPostgres', { backupId })
  for (;;) {
    await pause(100)
    peak = Math.max(peak, residentMiB(berth.child))
    const run = (await runsOf(berth, backupId)).find((it) => it.runId === runId)!
    if (run.step !== 'dump' && sentAt === 0) sentAt = performance.now()
    if (run.status === 'running') continue
    if (run.status !== 'done') throw new Error(`The backup failed: ${run.reason}`)
    if ((run.streamed !== null) !== isStreamed)
      throw new Error(`The dump went the wrong way: ${JSON.stringify(run.streamed)}`)
    const [sent, readBack] = [(sentAt - start) / 1000, (performance.now() - sentAt) / 1000]
    return { sent, readBack, growth: peak - idle, sizeBytes: run.sizeBytes }
  }
}

async function runsOf({ url, token }: Berth, backupId: string): Promise<Run[]> {
  const response = await fetch(`${url}/api/backup.runs?backupId=${backupId}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return (await response.json()) as Run[]
}

/** Runs three programs with two pipes, as a person would. */
async function timeByHand(storage: Storage, key: string): Promise<number> {
  const { accessKey, secretAccessKey } = storage.settings('backups')
  const endpoint = `http://127.0.0.1:${storage.port}`
  await pause(idleMs)
  const start = performance.now()
  const dump = spawn(
    'docker',
    [
      'run',
      '--rm',
      '--network',
      networkName,
      '--env',
      `PGPASSWORD=${password}`,
      '--entrypoint',
      'pg_dump',
      image,
      '--host',
      appName,
      '--username',
      'shop',
      '--format',
      'custom',
      '--compress',
      '0',
      'shop',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const zstd = spawn('zstd', ['-3', '-q', '-c'], { stdio: [dump.stdout, 'pipe', 'inherit'] })
  const aws = spawn(
    'aws',
    ['--endpoint-url', endpoint, 's3', 'cp', '-', `s3://backups/${key}`, '--expected-size', String(5 * 1024 ** 3)],
    {
      stdio: [zstd.stdout, 'ignore', 'inherit'],
      env: {
        ...process.env,
        AWS_ACCESS_KEY_ID: accessKey,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_DEFAULT_REGION: 'us-east-1',
      },
    },
  )
  const ends = await Promise.all([dump, zstd, aws].map(async (child) => (await once(child, 'exit'))[0] as number))
  if (ends.some((status) => status !== 0)) throw new Error(`The tools run by hand ended with ${ends.join(', ')}`)
  return (performance.now() - start) / 1000
}

function figuresOf(measured: Round[]): Figure[] {
  const of = (pick: (round: Round) => number) => measured.map(pick)
  const seconds = (what: string, values: number[], note = ''): Figure => ({
    what,
    value: median(values),
    limit: null,
    digits: 1,
    unit: 's',
    note: `${note}${spread(values, 1)}`,
  })
  const ratio = (what: string, ratios: number[], limit: number): Figure => ({
    what,
    value: median(ratios),
    limit,
    digits: 2,
    unit: '',
    note: spread(ratios, 2),
  })
  const sizes = of(({ direct }) => direct.sizeBytes / 1024 ** 2)
  const growths = of(({ direct, streamed }) => Math.max(direct.growth, streamed.growth))
  return [
    seconds(
      'until the upload is complete',
      of(({ direct }) => direct.sent),
    ),
    seconds(
      'through Berth, until the upload is complete',
      of(({ streamed }) => streamed.sent),
    ),
    seconds(
      'pg_dump | zstd | aws s3 cp',
      of(({ byHand }) => byHand),
    ),
    ratio(
      'ratio',
      of(({ direct, byHand }) => direct.sent / byHand),
      1.1,
    ),
    ratio(
      'ratio to the dump through Berth',
      of(({ direct, streamed }) => direct.sent / streamed.sent),
      1,
    ),
    seconds(
      'read back to its end',
      of(({ direct }) => direct.readBack),
      'checksum, pg_restore, rows counted: ',
    ),
    seconds(
      'through Berth, read back to its end',
      of(({ streamed }) => streamed.readBack),
    ),
    { what: 'size in the storage', value: median(sizes), limit: null, digits: 0, unit: 'MiB', note: '' },
    {
      what: "Berth's memory, at most above idle",
      value: Math.max(...growths),
      limit: 64,
      digits: 0,
      unit: 'MiB',
      note: spread(growths, 0),
    },
  ]
}
