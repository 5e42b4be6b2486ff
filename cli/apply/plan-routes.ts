/** The steps for the rules of applications and for certificates. Pure. */
import { X509Certificate } from 'node:crypto'
import type { ApplicationSpec, CertificateSpec, RedirectSpec } from './format.ts'
import { type Findings, joined, type PlanInput } from './findings.ts'
import type { Resolve } from './references.ts'
import { sourcesChange } from './sources.ts'
import { applicationNameOf, type Certificate, type Redirect, type State } from './state.ts'
import { changeOf, secretChangeOf, type Step, stepOf } from './step.ts'
import { type PublishedPort, portText } from '../units.ts'

export function planRoutes({ file, state, resolve, shouldResendSecrets }: PlanInput): Findings {
  const nameOf = applicationNameOf(state.applications)
  return joined(
    Object.entries(file.applications).flatMap(([key, spec]) => {
      const application = nameOf(key)
      const isOwn = (rule: { applicationId: string }) => nameOf(rule.applicationId) === application
      return [
        planRedirects(application, spec.redirects, state.redirects.filter(isOwn)),
        planUsers(application, spec.users, state.securities.filter(isOwn), resolve, shouldResendSecrets),
        planPorts(application, spec.ports, state.ports, isOwn),
      ]
    }),
  )
}

/**
 * The proxy tries redirects in the order of their creation. So the present redirects that the file has, too, get the
 * rules of the file in the file's order, and the rest is created after them.
 */
function planRedirects(application: string, specs: RedirectSpec[], present: Redirect[]): Findings {
  const wanted = specs.map(({ regex }) => regex)
  const slots = present.filter(({ regex }) => wanted.includes(regex)).slice(0, specs.length)
  const steps = specs.flatMap((spec, i) => redirectSteps(application, spec, slots[i]))
  const others = present.filter((each) => !slots.includes(each))
  return joined([{ steps, notInFile: others.map(({ regex }) => `redirect of ${application}: ${regex}`) }])
}

function redirectSteps(application: string, spec: RedirectSpec, present: Redirect | undefined): Step[] {
  const changes = [
    ...changeOf('regex', present?.regex, spec.regex),
    ...changeOf('replacement', present?.replacement, spec.replacement),
    ...changeOf('permanent', present?.permanent, spec.permanent),
  ]
  if (changes.length === 0) return []
  const common = { subject: `redirect of ${application}: ${spec.regex}`, changes, idField: 'redirectId' }
  if (present === undefined) {
    const input = { ...spec, applicationId: application }
    return [stepOf({ ...common, action: 'create', operation: 'redirects.create', input })]
  }
  const input = { ...spec, redirectId: present.redirectId }
  return [stepOf({ ...common, action: 'change', operation: 'redirects.update', input })]
}

/** Berth never answers these passwords. So the password of an existing user is kept, unless secrets are sent again. */
function planUsers(
  application: string,
  users: ApplicationSpec['users'],
  present: State['securities'],
  resolve: Resolve,
  shouldResendSecrets: boolean,
): Findings {
  const steps = Object.entries(users).flatMap(([username, text]): Step[] => {
    const one = present.find((each) => each.username === username)
    if (one !== undefined && !shouldResendSecrets) return []
    const common = {
      subject: `user of ${application}: ${username}`,
      changes: secretChangeOf('password', true),
      idField: 'securityId',
      secretFields: ['password'],
    }
    const input = { username, password: resolve(text) }
    if (one === undefined) {
      const created = { ...input, applicationId: application }
      return [stepOf({ ...common, action: 'create', operation: 'security.create', input: created })]
    }
    const changed = { ...input, securityId: one.securityId }
    return [stepOf({ ...common, action: 'change', operation: 'security.update', input: changed })]
  })
  const others = present.filter(({ username }) => !Object.hasOwn(users, username))
  return joined([{ steps, notInFile: others.map(({ username }) => `user of ${application}: ${username}`) }])
}

type OwnRule = (rule: { applicationId: string }) => boolean

/** A published port is unique on the installation, with its protocol. */
function planPorts(
  application: string,
  specs: ApplicationSpec['ports'],
  present: State['ports'],
  isOwn: OwnRule,
): Findings {
  const subjectOf = (port: PublishedPort) =>
    `port of ${application}: ${port.publishedPort}${port.protocol === 'udp' ? '/udp' : ''}`
  const isSame = (a: PublishedPort, b: PublishedPort) =>
    a.publishedPort === b.publishedPort && a.protocol === b.protocol
  const findings = specs.map((spec): Partial<Findings> => {
    const subject = subjectOf(spec)
    const one = present.find((each) => isSame(each, spec))
    if (one !== undefined && !isOwn(one)) {
      return { problems: [`${subject}: the port leads to ${one.applicationId}. Remove that rule, or choose a port`] }
    }
    const { allowedSources, ...ports } = spec
    const changes = [
      ...changeOf('targetPort', one?.targetPort, spec.targetPort),
      ...sourcesChange(one?.allowedSources, allowedSources),
    ]
    const fields = { ...ports, ...(allowedSources && { allowedSources: allowedSources.sources }) }
    if (changes.length === 0) return {}
    const common = { subject, changes, idField: 'portId' }
    if (one === undefined) {
      const input = { ...fields, applicationId: application }
      return { steps: [stepOf({ ...common, action: 'create', operation: 'port.create', input })] }
    }
    const input = { ...fields, portId: one.portId }
    return { steps: [stepOf({ ...common, action: 'change', operation: 'port.update', input })] }
  })
  const others = present.filter((each) => isOwn(each) && !specs.some((spec) => isSame(spec, each)))
  const notInFile = others.map((each) => `port of ${application}: ${portText(each)}`)
  return joined([...findings, { notInFile }])
}

export function planCertificates({ file, state, resolve }: PlanInput): Findings {
  return joined(
    Object.entries(file.certificates).map(([name, spec]) =>
      planCertificate(
        name,
        spec,
        state.certificates.filter((each) => each.name === name),
        resolve,
      ),
    ),
  )
}

/** A certificate cannot be changed: a new one is created, then the older ones with its name are removed. */
function planCertificate(
  name: string,
  { certificate, privateKey, autoRenew }: CertificateSpec,
  present: Certificate[],
  resolve: Resolve,
): Partial<Findings> {
  const subject = `certificate ${name}`
  const certificateData = resolve(certificate)
  const fingerprint = fingerprintOf(certificateData)
  if (fingerprint === null) return { problems: [`${subject}: certificate is not a certificate in PEM form`] }
  const isPresent = (each: Certificate) =>
    each.autoRenew === autoRenew && (each.fingerprint256 === fingerprint || (autoRenew && each.renewedAt !== null))
  const kept = present.find(isPresent)
  const input = { name, certificateData, privateKey: resolve(privateKey), autoRenew }
  const create = stepOf({
    action: present.length === 0 ? 'create' : 'change',
    subject,
    changes: [...changeOf('fingerprint', present[0]?.fingerprint256, fingerprint)],
    operation: 'certificates.create',
    input,
    idField: 'certificateId',
    secretFields: ['privateKey'],
  })
  const removals = present
    .filter((each) => each !== kept)
    .map(({ certificateId, fingerprint256 }) =>
      stepOf({
        action: 'remove',
        subject,
        changes: changeOf('fingerprint', fingerprint256, null),
        operation: 'certificates.remove',
        input: { certificateId },
        idField: 'certificateId',
      }),
    )
  return { steps: [...(kept === undefined ? [create] : []), ...removals] }
}

function fingerprintOf(pem: string): string | null {
  try {
    return new X509Certificate(pem).fingerprint256
  } catch {
    return null
  }
}
