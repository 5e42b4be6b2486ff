/** The operation that answers what a dump contains. */
import { z } from 'zod'
import { idOf } from '../../api/fields.ts'
import { query } from '../../api/contract.ts'
import { needsOf } from '../../dumps/finding-summary.ts'
import { type Manifest, rowsIn, storedManifest } from '../../dumps/manifest.ts'
import { refuse } from '../../errors.ts'
import { dumpedKinds } from '../fields.ts'
import { DumpFindingAnswer, toFinding } from '../run-fields.ts'
import { checkSource } from './runs.ts'

/** A manifest can have some hundred thousand tables, which would be an answer of 16 MiB. */
const maxTables = 1_000

const Counted = z.object({
  name: z
    .string()
    .describe(
      'Name of the table or collection, or type of the objects. Redis: number of the database and type of the keys',
    ),
  rows: z.number().describe('Number of rows, or of objects'),
  checksum: z.string().describe('Checksum of the contents, without regard to their order'),
})

export const manifest = query({
  name: 'backup.manifest',
  summary: 'Read the manifest of a dump: what it contains',
  description:
    'Answers the manifest that Berth has stored beside the record of the run. The same manifest is beside the dump in ' +
    'the bucket, and backup.verify compares both.',
  access: 'user:read',
  input: z.object({ runId: idOf('run of a good dump') }),
  output: z.object({
    runId: z.string().describe('Id of the run'),
    key: z.string().describe('Key of the dump in the bucket'),
    databaseType: z.enum(dumpedKinds.map(({ name }) => name)).describe('Kind of the dumped service'),
    appName: z.string().describe('Name of the dumped service at the time of the dump'),
    image: z.string().describe('Image of the dumped service'),
    serverVersion: z.string().nullable().describe('Version of the server; null if it is unknown'),
    server: z
      .object({
        imageDigest: z.string().nullable().describe('Digest of the image; null: the image has none in a registry'),
        command: z.string().nullable().describe('Arguments of the server; null: none'),
        memoryReservation: z.number().nullable().describe('Reserved memory in MiB; null: none'),
        memoryLimit: z.number().nullable().describe('Limit of the memory in MiB; null: none'),
        cpuReservation: z.number().nullable().describe('Reserved cores; null: none'),
        cpuLimit: z.number().nullable().describe('Limit of the cores; null: none'),
        externalPort: z.number().nullable().describe('External port; null: none'),
        envNames: z.array(z.string()).describe('Names of the variables that the owner set'),
        databaseSettingNames: z
          .array(z.string())
          .describe('Names of the settings of the database itself, such as those of ALTER DATABASE in PostgreSQL'),
      })
      .nullable()
      .describe(
        'How the server was started. A drill, and by default a restore into a new service, start theirs in the same ' +
          'way. Null for a dump of an older version of Berth',
      ),
    product: z.string().nullable().describe('Redis or Valkey, as the server wrote into the dump; null for other kinds'),
    database: z.string().describe('Name of the database within the server'),
    startedAt: z.string().describe('When the dump began'),
    finishedAt: z.string().describe('When the dump was complete in the bucket'),
    sizeBytes: z.number().describe('Size of the object as stored'),
    rawBytes: z.number().describe('Size of the dump before compression'),
    sha256: z.string().describe('SHA-256 checksum of the object as stored'),
    encryptedFor: z.string().nullable().describe('The age recipient; null: the object is not encrypted'),
    rowCount: z.number().describe('Number of rows in all tables and collections'),
    tableCount: z.number().describe('Number of tables and collections'),
    tables: z
      .array(Counted)
      .describe(`The tables and collections with the most rows, at most ${maxTables.toLocaleString('en')}`),
    objects: z.array(Counted).describe('All other objects by type, such as views and indexes'),
    findings: z
      .array(DumpFindingAnswer)
      .describe(`What a person should know about the dump, at most ${maxTables.toLocaleString('en')} findings`),
    needs: z.array(z.string()).describe('Other databases of the server that objects of the dump need'),
    roles: z
      .array(z.string())
      .nullable()
      .describe('The roles that the dump names but does not contain. Null if dumps of this kind need no roles'),
  }),
  refusals: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  async run({ db }, { runId }) {
    const run =
      (await db
        .selectFrom('backupRun')
        .selectAll()
        .where('id', '=', runId)
        .where('subjectKind', '=', 'database')
        .executeTakeFirst()) ?? refuse('NOT_FOUND', 'No run with this id. backup.runs lists the runs of a backup')
    checkSource(run)
    const { kind, contents, ...rest } = storedManifest(run.manifest!)
    const tables = countedIn(contents.tables).toSorted((a, b) => b.rows - a.rows)
    return {
      ...rest,
      runId,
      key: run.key!,
      databaseType: kind,
      product: contents.server?.product ?? null,
      rowCount: rowsIn(contents),
      tableCount: tables.length,
      tables: tables.slice(0, maxTables),
      objects: countedIn(contents.objects),
      findings: (contents.findings ?? []).slice(0, maxTables).map(toFinding),
      needs: needsOf(contents),
      roles: contents.roles,
    }
  },
})

const countedIn = (counts: Manifest['contents']['tables']) =>
  Object.entries(counts).map(([name, { rows, checksum }]) => ({ name, rows, checksum }))
