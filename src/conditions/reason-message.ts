/** Renders the stored reasons of conditions as sentences for people. No decision depends on the sentences. Pure. */
import { clockMessages } from '../clock/reason-message.ts'
import { driftMessage, statusMessage } from '../databases/status-message.ts'
import { type Messages, reasonNames } from '../deployments/messages.ts'
import { reasonMessage } from '../deployments/reason-message.ts'
import { gateMessage } from '../gate/reason-message.ts'
import { findingMessage, findingRemedy } from '../dumps/finding-message.ts'
import { runReasonMessage } from '../dumps/run-reason-message.ts'
import type {
  CertificateReason,
  ConditionReason,
  DatabaseReason,
  IncompleteReason,
  OverdueReason,
  RunFailure,
  ShrunkReason,
  SignInReason,
  UnverifiedReason,
} from './reason.ts'

/** Appends a cause to a statement. */
const because = (statement: string, cause: string | null) => (cause === null ? statement : `${statement}: ${cause}`)

const messageOr = <R>(cause: R | null, message: (cause: R) => string) => (cause === null ? null : message(cause))

const lastGood = (at: string | null) => (at === null ? 'There is no good dump' : `The last good dump is of ${at}`)

const databaseMessages: Messages<DatabaseReason> = {
  DatabaseDown: ({ cause }) => because('The database does not run', messageOr(cause, statusMessage)),
  RestartedOften: ({ restarts, minutes, cause }) =>
    because(
      `The database went down ${restarts} time${restarts === 1 ? '' : 's'} in the last ${minutes} minutes`,
      messageOr(cause, reasonMessage),
    ),
  SlowStart: ({ since }) => `The server has been starting since ${since}. Berth waits as long as its container lives`,
  LoginRefused: ({ cause }) => because('The database runs, but Berth cannot log in', messageOr(cause, statusMessage)),
  RootRefused: () =>
    'The server refuses root over the network, or the stored password of root. Dumps and password changes do not need ' +
    "root, because Berth has its own account. If root has another password, store it. If you removed root, Berth's own " +
    'account remains the only one with all rights over the network',
  OwnAccountMissing: () =>
    'Berth has no account with all rights on the server, and the stored credentials do not suffice to make one. Dumps, ' +
    'restores and password changes can fail',
  Drifted: ({ drift }) => drift.map(driftMessage).join('. '),
  SeriesEnded: ({ product, series, endedOn, next }) =>
    `${product} ${series} has got no fixes since ${endedOn}, not even for security. Go to ${product} ${next}`,
}

const backupMessages: Messages<RunFailure | OverdueReason | UnverifiedReason | ShrunkReason | IncompleteReason> = {
  RunFailed: ({ at, cause }) => because(`The last dump failed at ${at}`, messageOr(cause, runReasonMessage)),
  RunsFailed: ({ runs, lastGoodAt }) => `${runs} scheduled dumps in a row failed. ${lastGood(lastGoodAt)}`,
  ScheduleMissed: ({ dueAt, lastGoodAt }) => `The dump that was due at ${dueAt} was not made. ${lastGood(lastGoodAt)}`,
  RunWaiting: ({ since, cause, lastGoodAt }) =>
    `${because(`The dump that was due at ${since} still waits`, messageOr(cause, runReasonMessage))}. ` +
    lastGood(lastGoodAt),
  DrillFailed: ({ at, cause }) => because(`The last drill failed at ${at}`, messageOr(cause, runReasonMessage)),
  DrillsMissed: ({ lastVerifiedAt }) =>
    'No dump was verified for longer than verifySchedule says. ' +
    (lastVerifiedAt === null ? 'No dump was ever verified' : `The last drill succeeded at ${lastVerifiedAt}`),
  DumpShrunk: ({ runId, shrunkFrom }) =>
    `The dump ${runId} has less than half of the content of the earlier dump ${shrunkFrom}. Older dumps are kept until ` +
    'a dump has recovered or backup.acceptShrink is called',
  DumpIncomplete: ({ count, findings }) =>
    [
      `The last dump is good, but ${count} ${count === 1 ? 'object of the database is' : 'objects of the database are'} at fault`,
      ...findings.map((finding) => `${findingMessage(finding)}. ${findingRemedy(finding)}`),
      ...(count > findings.length ? [`backup.manifest names the other ${count - findings.length}`] : []),
    ].join('. '),
}

const certificateMessages: Messages<CertificateReason> = {
  CertificateExpires: ({ notAfter }) => `The certificate expires at ${notAfter}`,
  CertificateExpired: ({ notAfter }) => `The certificate expired at ${notAfter}`,
  RenewalFailed: ({ host, detail }) => `The proxy obtains no certificate for ${host}: ${detail}`,
}

const signInMessages: Messages<SignInReason> = {
  AccountAttacked: ({ passwords, codes }) =>
    `${passwords} wrong passwords and ${codes} wrong codes for this account without a pause of an hour`,
  AccountsAttacked: ({ attempts, accounts }) =>
    `${attempts} failed sign-ins to ${accounts} accounts without a pause of an hour`,
}

const messages: Messages<ConditionReason> = {
  ...databaseMessages,
  ...backupMessages,
  ...certificateMessages,
  ...signInMessages,
  ...clockMessages,
  StorageFailed: ({ detail }) => detail,
  EngineUnavailable: () =>
    'The Docker engine does not answer. What Berth knows of databases and nodes is from before that',
  NodeNotReady: ({ state }) => `Swarm reports the node as ${state}`,
  VolumesFound: ({ nodeId, foundOn, volumes, isListed }) =>
    `${isListed ? 'The node is down' : 'The node left the swarm'}, and ${volumes === 1 ? 'a volume' : `${volumes} volumes`} of ` +
    `it ${volumes === 1 ? 'was' : 'were'} found on node ${foundOn}. If this is the same machine, which joined again, take ` +
    `back what is on it with cluster.adoptNode: berth node adopt ${nodeId} --node ${foundOn}` +
    (isListed ? '. Remove the old node from the swarm first: its volumes stay on the machine' : ''),
  ProxyFailed: ({ detail }) => detail,
  RegistryFailed: ({ cause }) => because('The registry does not work', messageOr(cause, reasonMessage)),
  ProxyAmongContainers: ({ proxy, network }) =>
    `${proxy} of BERTH_TRUSTED_PROXIES has addresses of containers (${network}), which Berth does not trust. Run the ` +
    'proxy on the network of the host, and name its own address',
  NotInCharge: gateMessage,
  UpgradeUnconfirmed: gateMessage,
  RestoredState: () =>
    "Berth's state was restored and differs from what runs. Berth changes nothing until an administrator confirms it: " +
    'berth state review',
  NoStateBackup: () => "Berth's own state is not backed up. Schedule backups with state.schedule",
}

/** The codes of all reasons, for the response schema. */
export const conditionReasons = reasonNames(messages)

/** Returns the sentence for a reason. */
export function conditionMessage(reason: ConditionReason): string {
  const render = messages[reason.reason] as (reason: ConditionReason) => string
  return render(reason)
}
