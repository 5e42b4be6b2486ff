/** The conditions of the engine, the clock, the nodes, the proxy, the registry and the sign-ins. Pure. */
import type { FailedSignIns } from '../accounts/failed-sign-ins.ts'
import type { NodeTable } from '../cluster/table.ts'
import type { RefusedProxy } from '../cluster/trusted-proxies.ts'
import type { GateReason } from '../gate/reason.ts'
import { fromJson } from '../lib/json.ts'
import { registryName, type RegistryServerTable } from '../registries/table.ts'
import type { ClockReason } from '../clock/trust.ts'
import { clock, engine, type Finding, installation, proxy } from './finding.ts'

/** States of a node in which its containers may not run. `unknown` lasts only until a new manager knows the state. */
const downStates: readonly string[] = ['down', 'disconnected']

/** Failed attempts on one account, and on all other accounts together, that need attention. */
const [maxPasswords, maxCodes, maxOthers] = [10, 5, 30]

/** @param isReachable whether the last query of the engine succeeded */
export const engineFindings = (isReachable: boolean): Finding[] =>
  isReachable
    ? []
    : [
        {
          name: 'EngineDown',
          severity: 'critical',
          subject: engine,
          projectId: null,
          since: null,
          reason: { reason: 'EngineUnavailable' },
        },
      ]

/** @param reason why Berth changes nothing; null if it may */
export function gateFindings(reason: GateReason | null): Finding[] {
  // The state that is not confirmed is a record of the store.
  if (reason === null || reason.reason === 'StateUnconfirmed') return []
  const since = reason.reason === 'NotInCharge' ? reason.since : null
  return [{ name: reason.reason, severity: 'critical', subject: installation, projectId: null, since, reason }]
}

/** A node that is being removed is planned work. */
export const nodeFindings = (nodes: readonly NodeTable[]): Finding[] =>
  nodes
    .filter(({ state, deploymentId }) => downStates.includes(state) && deploymentId === null)
    .map(({ id, hostname, state, since }) => ({
      name: 'NodeDown',
      severity: 'critical',
      subject: { kind: 'node', id, name: hostname },
      projectId: null,
      since,
      reason: { reason: 'NodeNotReady', state },
    }))

/** Volumes of a node that were found on another node. `state`: the state of the node; null: it left the swarm. */
export interface ReturnedFact {
  nodeId: string
  hostname: string
  foundOn: string
  volumes: number
  state: string | null
}

export const returnedNodeFindings = (facts: readonly ReturnedFact[]): Finding[] =>
  facts.map(({ nodeId, hostname, foundOn, volumes, state }) => ({
    name: 'NodeReturned',
    severity: 'critical',
    subject: { kind: 'node', id: nodeId, name: hostname },
    projectId: null,
    since: null,
    reason: { reason: 'VolumesFound', nodeId, foundOn, volumes, isListed: state !== null },
  }))

/** @param fault why the proxy does not serve; null if it serves */
export const proxyFindings = (fault: string | null): Finding[] =>
  fault === null
    ? []
    : [
        {
          name: 'ProxyDown',
          severity: 'critical',
          subject: proxy,
          projectId: null,
          since: null,
          reason: { reason: 'ProxyFailed', detail: fault },
        },
      ]

export function registryFindings(
  server: Pick<RegistryServerTable, 'id' | 'goal' | 'deploymentId' | 'status' | 'reason'> | undefined,
): Finding[] {
  if (server?.goal !== 'up' || server.deploymentId !== null || server.status !== 'error') return []
  const { id, reason } = server
  return [
    {
      name: 'RegistryDown',
      severity: 'critical',
      subject: { kind: 'registry', id, name: registryName },
      projectId: null,
      since: null,
      reason: { reason: 'RegistryFailed', cause: fromJson(reason) },
    },
  ]
}

/** @param reason why the clock is not trusted; null if it is */
export function clockFindings(reason: ClockReason | null): Finding[] {
  if (reason === null) return []
  return [{ name: 'ClockUntrusted', severity: 'warning', subject: clock, projectId: null, since: null, reason }]
}

/** @param since when the state was restored; null if it is confirmed */
export const stateFindings = (since: string | null): Finding[] =>
  since === null
    ? []
    : [
        {
          name: 'StateUnconfirmed',
          severity: 'critical',
          subject: installation,
          projectId: null,
          since,
          reason: { reason: 'RestoredState' },
        },
      ]

/** @param failed the failed attempts of the last hour, one entry for each account */
export function signInFindings(failed: readonly FailedSignIns[]): Finding[] {
  const about = { name: 'SignInsFailing', severity: 'warning', projectId: null, since: null } as const
  const isAttacked = ({ account, passwords, codes }: FailedSignIns) =>
    account !== null && (passwords >= maxPasswords || codes >= maxCodes)
  const attacked = failed
    .filter(isAttacked)
    .map(
      ({ account, passwords, codes }): Finding => ({
        ...about,
        subject: { kind: 'account', id: account!.id, name: account!.email },
        reason: { reason: 'AccountAttacked', passwords, codes },
      }),
    )
  const others = failed.filter((each) => !isAttacked(each))
  const attempts = others.reduce((sum, { passwords, codes }) => sum + passwords + codes, 0)
  if (attempts < maxOthers) return attacked
  const reason = { reason: 'AccountsAttacked', attempts, accounts: others.length } as const
  return [...attacked, { ...about, subject: installation, reason }]
}

/** @param refused the settings with addresses of containers, which Berth does not trust. One is named */
export const trustedProxyFindings = ([refused]: readonly RefusedProxy[]): Finding[] =>
  refused === undefined
    ? []
    : [
        {
          name: 'TrustedProxyRefused',
          severity: 'warning',
          subject: installation,
          projectId: null,
          since: null,
          reason: { reason: 'ProxyAmongContainers', ...refused },
        },
      ]
