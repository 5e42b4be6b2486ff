/** Renders why the engine of a node cannot be reached, for people. No decision depends on the sentences. Pure. */
import { type Messages, reasonMessage, reasonNames } from '../../deployments/reason-message.ts'
import type { ContactFault } from '../../engine/node-contact.ts'
import { hostPort } from '../../lib/net/host-port.ts'
import type { NodeEngineReason } from './reason.ts'

type Unreachable = Extract<NodeEngineReason, { reason: 'PortUnreachable' }>

const openPort = ({ node, address, port, source }: Unreachable) =>
  `Open TCP port ${port} of node ${node} (${address}) for connections from Berth's node (${source})`

const contactTexts: Record<ContactFault, (reason: Unreachable) => string> = {
  timeout: (reason) => `${hostPort(reason)} does not answer. ${openPort(reason)} in the firewall`,
  refused: (reason) => `${hostPort(reason)} refuses the connection. ${openPort(reason)} in the firewall`,
  closed: (reason) =>
    `${hostPort(reason)} closes the connection. The port accepts connections from ${reason.source} or from ` +
    'BERTH_ENGINE_SOURCES only: set BERTH_ENGINE_SOURCES if Berth connects from another address',
  refusedCertificate: (reason) =>
    `${hostPort(reason)} closes the connection after the TLS handshake (${reason.detail}). Check on ${reason.node} ` +
    'that Docker answers at /var/run/docker.sock, and that the clocks of both machines agree',
  untrusted: (reason) =>
    `The server at ${hostPort(reason)} does not prove that it is node ${reason.node} (${reason.detail}). Another ` +
    'program listens at this port, or the address belongs to another machine',
  otherNode: (reason) => `The server at ${hostPort(reason)} is not node ${reason.node}: ${reason.detail}`,
  failed: (reason) => `The engine of node ${reason.node} does not work: ${reason.detail}`,
}

const messages: Messages<NodeEngineReason> = {
  NodeDown: ({ node, state }) => `Swarm reports node ${node} as ${state}`,
  NodeDrained: ({ node }) => `Node ${node} is drained, so the port to its engine is closed until it is active again`,
  NodePaused: ({ node }) =>
    `Node ${node} is paused, and the port to its engine does not run. Set the node active until the port runs`,
  ImageMissing: ({ node, image }) =>
    `Node ${node} does not have the image ${image} and cannot pull it. Copy the image from a machine that has it: ` +
    `docker save ${image} | ssh ${node} docker load`,
  PortTaken: ({ node, address, port }) =>
    `HAProxy cannot listen at ${hostPort({ address, port })} of node ${node}. Another program uses the port, or the ` +
    'address is not on the machine. Free the port, or set BERTH_ENGINE_PORT to another one',
  PortTaskFailed: ({ node, cause }) => `The port to the engine of node ${node} does not start: ${reasonMessage(cause)}`,
  PortServiceFailed: ({ node, cause }) =>
    `The service for the engine port of node ${node} could not be created: ${reasonMessage(cause)}`,
  PortUnreachable: (reason) => contactTexts[reason.fault](reason),
}

/** The codes of all reasons, for the response schema. */
export const nodeEngineReasons = reasonNames(messages)

/** Returns the sentence for a reason. */
export function nodeEngineMessage(reason: NodeEngineReason): string {
  const render = messages[reason.reason] as (reason: NodeEngineReason) => string
  return render(reason)
}
