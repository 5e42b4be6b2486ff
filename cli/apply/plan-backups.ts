/** The steps for the schedules of backups. A backup is known by its database, its destination and its prefix. Pure. */
import type { BackupSpec, DatabaseSpec } from './format.ts'
import { ambiguous, type Findings, joined, oneOf, type PlanInput } from './findings.ts'
import { appNameFor, serverDatabaseName } from './plan-databases.ts'
import type { Resolve } from './references.ts'
import { dumpedDatabase } from '../runs.ts'
import type { Backup, Database, State } from './state.ts'
import { wholeServer } from '../runs.ts'
import { changeOf, secretChangeOf, type Step, stepOf } from './step.ts'

export function planBackups({ file, state, resolve }: PlanInput): Findings {
  return joined(
    Object.entries(file.projects).flatMap(([project, { databases }]) =>
      Object.entries(databases).map(([name, spec]) => {
        const present = state.databases.find(({ summary }) => summary.projectName === project && summary.name === name)
        const wanted = { project, name, spec, present, specs: 'backups' in spec ? spec.backups : [] }
        return planBackupsOf(wanted, state, Object.keys(file.destinations), resolve)
      }),
    ),
  )
}

interface Wanted {
  project: string
  name: string
  spec: DatabaseSpec
  specs: BackupSpec[]
  present: Database | undefined
}

function planBackupsOf(wanted: Wanted, state: State, ownDestinations: string[], resolve: Resolve): Findings {
  const path = `${wanted.project}/${wanted.name}`
  const destinationNames = new Map(state.destinations.map(({ destinationId, name }) => [destinationId, name]))
  const placeOf = ({ destinationId, prefix }: Backup) => placeText(destinationNames.get(destinationId) ?? '', prefix)
  const existing = state.backups.filter((each) => dumpedDatabase(each) === wanted.present?.summary.databaseId)
  const prefixFor = (spec: BackupSpec) => spec.prefix ?? wanted.present?.summary.appName ?? appNameFor(wanted)
  const places = wanted.specs.map((spec) => placeText(spec.destination, prefixFor(spec)))
  const findings = wanted.specs.map((spec, i): Partial<Findings> => {
    const subject = `backup of ${path} to ${places[i]}`
    if (places.indexOf(places[i]!) !== i) {
      return { problems: [`${subject}: the file has it twice. Give each backup its own prefix`] }
    }
    const destinations = state.destinations.filter(({ name }) => name === spec.destination)
    if (destinations.length > 1) return ambiguous(`destination ${spec.destination}`, destinations.length)
    if (destinations.length === 0 && !ownDestinations.includes(spec.destination)) {
      return { problems: [`${subject}: there is no destination ${spec.destination}. Add it below destinations`] }
    }
    const matching = existing.filter((each) => placeOf(each) === places[i])
    const one = oneOf(matching)
    if (one === null) return ambiguous(subject, matching.length)
    return { steps: backupSteps(subject, { ...spec, prefix: prefixFor(spec) }, wanted, one, resolve) }
  })
  const others = existing.filter((each) => !places.includes(placeOf(each)))
  return joined([...findings, { notInFile: others.map((each) => `backup of ${path} to ${placeOf(each)}`) }])
}

const placeText = (destination: string, prefix: string) => `${destination}/${prefix}`

function backupSteps(
  subject: string,
  spec: BackupSpec & { prefix: string },
  { project, name, spec: database, present: presentDatabase }: Wanted,
  present: Backup | undefined,
  resolve: Resolve,
): Step[] {
  const { destination, signalUrl: signal, ...fields } = spec
  const signalUrl = signal === null ? null : resolve(signal)
  const { kind } = database
  const hasWholeServer = kind === 'redis'
  const named = 'database' in fields ? fields.database : null
  const dumped = hasWholeServer
    ? wholeServer
    : (named ?? presentDatabase?.record?.databaseName ?? serverDatabaseName(database, name))
  const changes = [
    ...changeOf('schedule', present?.schedule, fields.schedule),
    ...changeOf('database', present?.database, dumped),
    ...changeOf('timezone', present?.timezone, fields.timezone),
    ...changeOf('enabled', present?.enabled, fields.enabled),
    ...changeOf('verifySchedule', present?.verifySchedule, fields.verifySchedule),
    ...changeOf('keepLatest', present?.keepLatest, fields.keepLatest),
    ...changeOf('keepDays', present?.keepDays, fields.keepDays),
    ...changeOf('recipient', present?.recipient, fields.recipient),
    ...secretChangeOf('signalUrl', (present?.signalUrl ?? null) !== signalUrl),
  ]
  if (changes.length === 0) return []
  const input = { ...fields, signalUrl }
  const common = { subject, changes, idField: 'backupId', secretFields: ['signalUrl'] }
  const references = { destinationId: `destination ${destination}` }
  if (present !== undefined) {
    const { backupId } = present
    return [
      stepOf({
        ...common,
        action: 'change',
        operation: 'backup.update',
        input: { ...input, database: dumped, backupId },
        references,
      }),
    ]
  }
  return [
    stepOf({
      ...common,
      action: 'create',
      operation: hasWholeServer ? 'backup.createRedis' : 'backup.create',
      input: hasWholeServer ? input : { ...input, database: dumped, databaseType: kind },
      references: { ...references, [`${kind}Id`]: `database ${project}/${name}` },
    }),
  ]
}
