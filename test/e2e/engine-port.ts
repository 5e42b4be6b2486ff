/** Calls to the port of another node's engine with chosen certificates, for tests. */
import https from 'node:https'
import type { NodeConnection } from '../../src/engine/node-connection.ts'
import { connectionsFrom } from '../../src/nodes/engines/connection.ts'
import { until } from '../engine/until.ts'
import type { MultiNodeBerth } from './multi-node-berth.ts'

export type EnginePort = ReturnType<typeof enginePortOf>

/** The port of the only other node of a test Berth. */
export function enginePortOf({ berth }: MultiNodeBerth, nodeId: string) {
  const { db, vault } = berth.app
  return { read, untilReachable, connection, infoWith }

  function read() {
    return db.selectFrom('nodeEngine').selectAll().where('nodeId', '=', nodeId).executeTakeFirst()
  }

  async function untilReachable(): Promise<void> {
    await until('the engine to be reachable', async () => (await read())?.state === 'reachable', 30_000)
  }

  /** The connection that Berth uses. */
  function connection(): Promise<NodeConnection> {
    return connectionsFrom(db, vault)(nodeId)
  }

  /** Calls GET /info with these parts of a connection. Returns the node's id, or the code of the error. */
  async function infoWith(
    changes: Partial<NodeConnection> | { certificate: undefined; key: undefined },
  ): Promise<string> {
    const { host, port, ca, certificate, key, serverName } = { ...(await connection()), ...changes }
    return new Promise<string>((resolve) => {
      const options = { host, port, ca, cert: certificate, key, servername: serverName, agent: false, path: '/info' }
      const request = https.get(options, async (response) => {
        const body = await new Response(response as unknown as ReadableStream).json()
        resolve((body as { Swarm: { NodeID: string } }).Swarm.NodeID)
      })
      request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
  }
}
