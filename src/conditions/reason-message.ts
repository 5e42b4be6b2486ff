/** Renders the stored reasons of conditions as sentences for people. No decision depends on the sentences. Pure. */
import type { CertificateSource } from '../config.ts'
import { certificateReasonMessage } from '../databases/tls/reason-message.ts'
import { driftMessage, statusMessage } from '../databases/status-message.ts'
import { type Messages, reasonMessage, reasonNames } from '../deployments/reason-message.ts'
import { sourcesMessage } from '../gateways/sources/reason-message.ts'
import { runReasonMessage } from '../dumps/run-reason-message.ts'
import { nodeEngineMessage } from '../nodes/engines/reason-message.ts'
import type {
  AuthorityReason,
  CertificateReason,
  ConditionReason,
  DatabaseReason,
  OverdueReason,
  RunFailure,
  ServerCertificateEnd,
  ShrunkReason,
  SignInReason,
  UnverifiedReason,
  UsageReason,
} from './reason.ts'

/** Appends a cause to a statement. */
const because = (statement: string, cause: string | null) => (cause === null ? statement : `${statement}: ${cause}`)

const messageOr = <R>(cause: R | null, message: (cause: R) => string) => (cause === null ? null : message(cause))

const lastGood = (at: string | null) => (at === null ? 'There is no good dump' : `The last good dump is of ${at}`)

const afterEnd = ({ waitsForDeploy, cause }: ServerCertificateEnd<string>) =>
  waitsForDeploy
    ? '. The server takes a new one only at a deploy'
    : because('', messageOr(cause, certificateReasonMessage))

const databaseMessages: Messages<DatabaseReason> = {
  DatabaseDown: ({ cause }) => because('The database does not run', messageOr(cause, statusMessage)),
  RestartedOften: ({ restarts, minutes, cause }) =>
    because(
      `The database went down ${restarts} time${restarts === 1 ? '' : 's'} in the last ${minutes} minutes`,
      messageOr(cause, reasonMessage),
    ),
  LoginRefused: ({ cause }) => because('The database runs, but Berth cannot log in', messageOr(cause, statusMessage)),
  Drifted: ({ drift }) => drift.map(driftMessage).join('. '),
  PortOpen: ({ externalPort }) =>
    `The external port ${externalPort} accepts connections from everyone. Give it or its project a list of allowed sources`,
  SourcesNotEnforced: ({ externalPort, cause }) =>
    `The list of the external port ${externalPort} is not enforced completely: ${sourcesMessage(cause)}`,
  PublishedPortOpen: ({ port, applicationId }) =>
    `The published port ${port} of ${applicationId} accepts connections from everyone. Give it a list of allowed sources`,
  PublishedSourcesNotEnforced: ({ port, applicationId, cause }) =>
    `The list of the published port ${port} of ${applicationId} is not enforced completely: ${sourcesMessage(cause)}`,
  ServerCertificateEnds: (end) => `The certificate of the server ends at ${end.notAfter}${afterEnd(end)}`,
  ServerCertificateEnded: (end) =>
    `The certificate of the server ended at ${end.notAfter}, and clients that verify it are refused${afterEnd(end)}`,
  PlainConnectionsOpen: () =>
    'Clients are connected without TLS, so their passwords and data can be read on the way. Give them the verified ' +
    'URL, then set tls to require',
}

const gibibytes = (bytes: number) => `${Number((bytes / 2 ** 30).toPrecision(3))} GiB`

const usageMessages: Messages<UsageReason> = {
  MemoryUsed: ({ percent, limitBytes }) =>
    `The database uses ${percent} % or more of its memory limit of ${gibibytes(limitBytes)}. At the limit its server is ` +
    'killed. Raise the limit, or let the server use less',
  ConnectionsUsed: ({ percent, allowed }) =>
    `Clients use ${percent} % or more of the ${allowed} connections that the server allows. Further ones will be refused`,
  DataShrank: ({ percent, beforeBytes }) =>
    `${percent} % or more of the ${gibibytes(beforeBytes)} that the database had within the last 24 hours are gone. If ` +
    'nobody removed data on purpose, restore a backup',
  Idle: ({ hours, perSecond }) =>
    `The database had no transactions for ${hours} ${hours === 1 ? 'hour' : 'hours'}, and about ${perSecond} per second in ` +
    'the week before. Check whether its clients still reach it',
  DiskUsed: ({ percent, sizeBytes }) =>
    `${percent} % or more of the disk of ${gibibytes(sizeBytes)} with the data of Docker is used. Databases fail when it ` +
    'is full. Remove images, volumes or files that nobody needs, or enlarge it',
  ClockDiffers: ({ seconds }) =>
    `The clock of the node is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of Berth. Certificates and ` +
    'codes can be refused. Let both machines set their clocks by the same servers',
}

const backupMessages: Messages<RunFailure | OverdueReason | UnverifiedReason | ShrunkReason> = {
  RunFailed: ({ at, cause }) => because(`The last dump failed at ${at}`, messageOr(cause, runReasonMessage)),
  RunsFailed: ({ runs, lastGoodAt }) => `${runs} scheduled dumps in a row failed. ${lastGood(lastGoodAt)}`,
  ScheduleMissed: ({ dueAt, lastGoodAt }) => `The dump that was due at ${dueAt} was not made. ${lastGood(lastGoodAt)}`,
  RunWaiting: ({ since, cause, lastGoodAt }) =>
    `${because(`The dump that was due at ${since} still waits`, messageOr(cause, runReasonMessage))}. ` +
    lastGood(lastGoodAt),
  DrillFailed: ({ at, cause }) => because(`The last drill failed at ${at}`, messageOr(cause, runReasonMessage)),
  DrillsMissed: ({ lastVerifiedAt }) =>
    'No dump was verified for longer than the schedule of the drills says. ' +
    (lastVerifiedAt === null ? 'No dump was ever verified' : `The last drill succeeded at ${lastVerifiedAt}`),
  DumpShrunk: ({ runId, shrunkFrom }) =>
    `The dump ${runId} has less than half of the content of the earlier dump ${shrunkFrom}. Older dumps are kept until ` +
    'a later dump has recovered or this one is accepted',
}

const certificateMessages: Messages<CertificateReason> = {
  CertificateExpires: ({ notAfter }) => `The certificate expires at ${notAfter}`,
  CertificateExpired: ({ notAfter }) => `The certificate expired at ${notAfter}`,
  RenewalFailed: ({ host, detail }) => `The proxy obtains no certificate for ${host}: ${detail}`,
}

const authorityMessages: Messages<AuthorityReason> = {
  AuthorityExpires: ({ authority, notAfter }) =>
    `The authority ${authority} expires at ${notAfter}, and all its certificates with it. Rotate it`,
  AuthorityExpired: ({ authority, notAfter }) =>
    `The authority ${authority} expired at ${notAfter}, and all its certificates with it. Rotate it`,
}

const signInMessages: Messages<SignInReason> = {
  AccountAttacked: ({ passwords, codes }) =>
    `${passwords} wrong passwords and ${codes} wrong codes for this account without a pause of an hour`,
  AccountsAttacked: ({ attempts, accounts }) =>
    `${attempts} failed sign-ins to ${accounts} accounts without a pause of an hour`,
}

/** What to do about a missing certificate, for each value of BERTH_PUBLIC_CERTIFICATE. */
const missingTexts: Record<CertificateSource, string> = {
  acme: ' yet. The authority has not answered',
  uploaded: '. Upload one that covers this host',
  internal: ' yet. The log of Berth says why',
}

const messages: Messages<ConditionReason> = {
  ...databaseMessages,
  ...usageMessages,
  ...backupMessages,
  ...certificateMessages,
  ...authorityMessages,
  ...signInMessages,
  StorageFailed: ({ detail }) => detail,
  EngineUnavailable: () =>
    'The Docker engine does not answer. What Berth knows of databases and nodes is from before that',
  NodeNotReady: ({ state }) => `Swarm reports the node as ${state}`,
  NodeEngineUnreachable: ({ cause }) =>
    because('Berth cannot reach the engine of the node', messageOr(cause, nodeEngineMessage)),
  ProxyFailed: ({ detail }) => detail,
  PublicCertificateMissing: ({ host, source }) => `There is no certificate for ${host}${missingTexts[source]}`,
  RegistryFailed: ({ cause }) => because('The registry does not work', messageOr(cause, reasonMessage)),
  NoStateBackup: () => "Berth's own state is not backed up. Give its backups a schedule",
}

/** The codes of all reasons, for the response schema. */
export const conditionReasons = reasonNames(messages)

/** Returns the sentence for a reason. */
export function conditionMessage(reason: ConditionReason): string {
  const render = messages[reason.reason] as (reason: ConditionReason) => string
  return render(reason)
}
