/** Renders why allowed sources are not enforced, for people. No decision depends on the sentences. Pure. */
import { type Messages, reasonNames } from '../../deployments/reason-message.ts'
import type { Family, SourceFault, SourcesReason } from './reason.ts'

const clients: Record<Family, string> = {
  ipv4: 'clients that connect over IPv4',
  ipv6: 'clients that connect over IPv6',
  loopback: 'clients on the node itself',
}

const faultMessages: Messages<SourceFault> = {
  SourceHidden: ({ source, family, node }) =>
    `${source} cannot be enforced on node ${node}: the engine hides the addresses of ${clients[family]}, so that Berth ` +
    'cannot tell them apart. With a list, all of them are refused. Remove this entry',
  SourceUnmeasured: ({ source, family, node }) =>
    `${source} cannot be enforced on node ${node}: Berth could not measure whether the addresses of ${clients[family]} ` +
    'reach the gateway. With a list, such clients are refused. Remove this entry',
  SourceShared: ({ source, node }) =>
    `${source} cannot be enforced on node ${node}: all clients whose address the engine hides arrive with this address. ` +
    'Remove this entry',
}

const messages: Messages<SourcesReason> = {
  SourcesPending: () => 'The gateway is starting. It refuses everyone until it has the list',
  SourcesRefused: ({ detail }) => `The gateway has not taken the list: ${detail}`,
  SourcesIncomplete: ({ faults }) => faults.slice(0, 5).map(sourceFaultMessage).join('. '),
}

export const sourcesReasons = reasonNames(messages)

export const sourceFaultMessage = (fault: SourceFault): string =>
  (faultMessages[fault.reason] as (fault: SourceFault) => string)(fault)

export const sourcesMessage = (reason: SourcesReason): string =>
  (messages[reason.reason] as (reason: SourcesReason) => string)(reason)
