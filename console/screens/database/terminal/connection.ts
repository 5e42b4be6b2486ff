/** Opens the WebSocket of a session at the Berth of this page. */
import { BerthError } from '../../../../client/client.ts'
import { jsonOf, senderOf } from '../../../../client/request.ts'
import { clientOptions } from '../../../data/api.ts'
import { protocol, type Size } from './session.ts'

function pathOf(databaseId: string, { columns, rows }: Size): string {
  const input = { databaseId, mode: 'client', columns: String(columns), rows: String(rows) }
  return `api/${'database.openSession'}?${new URLSearchParams(input)}`
}

export function connectSession(databaseId: string, size: Size): WebSocket {
  const url = new URL(`/${pathOf(databaseId, size)}`, location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  return new WebSocket(url, protocol)
}

const blocked = new Error(
  'The browser could not open a WebSocket to Berth. If a proxy is in front of Berth, it has to pass on WebSockets.',
)

/** A browser does not tell the answer to a WebSocket that was refused, so the same call is made without one. */
export async function refusalOf(databaseId: string, size: Size): Promise<unknown> {
  const path = pathOf(databaseId, size)
  try {
    await senderOf(clientOptions)(
      { method: 'GET', path, accept: 'application/json', isRepeatable: true, retries: 0, options: {} },
      jsonOf,
    )
    return blocked
  } catch (error) {
    // Berth would have opened the session.
    const isOnlyUpgrade = error instanceof BerthError && error.issues.some((issue) => issue.path === 'Upgrade')
    return isOnlyUpgrade ? blocked : error
  }
}
