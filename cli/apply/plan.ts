/** Computes what `berth apply` has to do: the steps from the present state to the file, in order. Pure. */
import { planBackups } from './plan-backups.ts'
import { planDatabases } from './plan-databases.ts'
import { planCertificates, planRoutes } from './plan-routes.ts'
import { ambiguous, type Findings, joined, oneOf, type PlanInput } from './findings.ts'
import type { DestinationSpec } from './format.ts'
import type { Resolve } from './references.ts'
import { mask, type State } from './state.ts'
import { changeOf, secretChangeOf, type Step, stepOf } from './step.ts'

export function planOf(input: PlanInput): Findings {
  return joined([
    planDestinations(input),
    planProjects(input),
    planDatabases(input),
    planBackups(input),
    planRoutes(input),
    planCertificates(input),
  ])
}

function planDestinations({ file, state, resolve, shouldResendSecrets }: PlanInput): Findings {
  return joined(
    Object.entries(file.destinations).map(([name, spec]) => {
      const present = state.destinations.filter((each) => each.name === name)
      const one = oneOf(present)
      if (one === null) return ambiguous(`destination ${name}`, present.length)
      return { steps: destinationSteps(name, spec, one, resolve, shouldResendSecrets) }
    }),
  )
}

/** The secret is sent together with another access key, because storages issue both as a pair. */
function destinationSteps(
  name: string,
  { kind, endpoint, bucket, region, hostKey, ...keys }: DestinationSpec,
  present: State['destinations'][number] | undefined,
  resolve: Resolve,
  shouldResendSecrets: boolean,
): Step[] {
  const accessKey = resolve(keys.accessKey)
  // A password of SFTP belongs to its server.
  const isOther = present?.kind !== kind || (kind === 'sftp' && present.endpoint !== endpoint)
  const isNewPair = shouldResendSecrets || isOther || present?.accessKey !== accessKey
  const changes = [
    ...changeOf('kind', present?.kind ?? 's3', kind),
    ...changeOf('endpoint', present?.endpoint, endpoint),
    ...changeOf('bucket', present?.bucket, bucket),
    ...changeOf('region', present?.region, region),
    ...changeOf('hostKey', present?.hostKey ?? null, hostKey),
    ...secretChangeOf('accessKey', present?.accessKey !== accessKey),
    ...secretChangeOf('secretKey', isNewPair),
  ]
  if (changes.length === 0) return []
  const secretAccessKey = isNewPair ? resolve(keys.secretKey) : mask
  const input = { name, kind, endpoint, bucket, region, accessKey, secretAccessKey, hostKey }
  const common = {
    subject: `destination ${name}`,
    changes,
    idField: 'destinationId',
    secretFields: ['secretAccessKey'],
  }
  if (present === undefined) return [stepOf({ ...common, action: 'create', operation: 'destination.create', input })]
  const { destinationId } = present
  return [stepOf({ ...common, action: 'change', operation: 'destination.update', input: { ...input, destinationId } })]
}

function planProjects({ file, state }: PlanInput): Findings {
  return joined(
    Object.entries(file.projects).map(([name, { description }]) => {
      const subject = `project ${name}`
      const present = state.projects.filter((each) => each.name === name)
      const one = oneOf(present)
      if (one === null) return ambiguous(subject, present.length)
      const changes = changeOf('description', one?.description, description)
      const common = { subject, changes, idField: 'projectId' }
      const input = { name, description }
      if (one === undefined) {
        return { steps: [stepOf({ ...common, action: 'create', operation: 'project.create', input })] }
      }
      if (changes.length === 0) return {}
      const { projectId } = one
      return {
        steps: [stepOf({ ...common, action: 'change', operation: 'project.update', input: { ...input, projectId } })],
      }
    }),
  )
}
