/** Checks that the engine of another node answers through its port, and that it is the engine of that node. */
import type { TLSSocket } from 'node:tls'
import { type ContactProgress, contactFaultOf, NodeContactFailure } from '../../node-contact.ts'
import type { NodeConnection } from '../../node-connection.ts'
import type { ApiInfo } from '../transport/api.ts'
import { dialNode } from '../transport/host.ts'

const timeoutMs = 5000

/**
 * Calls GET /info through the port. Verifies the name in the certificate and the node's id in the answer.
 *
 * @throws NodeContactFailure
 */
export async function pingNode(nodeId: string, connection: NodeConnection): Promise<void> {
  const { status, body } = await getInfo(connection)
  if (status !== 200) throw new NodeContactFailure('failed', `HTTP status ${status} to GET /info`)
  const foundId = nodeIdIn(body)
  if (foundId !== nodeId) {
    throw new NodeContactFailure('otherNode', `the engine at this port belongs to the node "${foundId}"`)
  }
}

function nodeIdIn(body: string): string {
  try {
    return (JSON.parse(body) as ApiInfo).Swarm.NodeID
  } catch (error) {
    throw new NodeContactFailure('failed', 'the answer to GET /info is not JSON of an engine', { cause: error })
  }
}

function getInfo(connection: NodeConnection): Promise<{ status: number; body: string }> {
  const dial = dialNode(connection)
  return new Promise((resolve, reject) => {
    let progress: ContactProgress = 'connecting'
    const request = dial.request({ ...dial.options, path: '/info' })
    const deadline = setTimeout(() => {
      const detail = `no answer within ${timeoutMs / 1000} seconds`
      fail(new NodeContactFailure(progress === 'connecting' ? 'timeout' : 'failed', detail))
    }, timeoutMs)
    const fail = (error: Error) => {
      clearTimeout(deadline)
      request.destroy()
      reject(failureOf(error, progress))
    }
    request.on('error', fail).on('socket', (socket) => {
      socket.on('connect', () => (progress = 'handshake'))
      ;(socket as TLSSocket).on('secureConnect', () => (progress = 'open'))
    })
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('error', fail).on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        clearTimeout(deadline)
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() })
      })
    })
    request.end()
  })
}

function failureOf(error: Error, progress: ContactProgress): NodeContactFailure {
  if (error instanceof NodeContactFailure) return error
  const { code = '' } = error as NodeJS.ErrnoException
  return new NodeContactFailure(contactFaultOf(code, progress), error.message, { cause: error })
}
