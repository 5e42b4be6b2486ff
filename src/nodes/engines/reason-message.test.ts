/** The messages about engines that cannot be reached. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeEngineMessage, nodeEngineReasons } from './reason-message.ts'
import type { NodeEngineReason } from './reason.ts'

const port = { node: 'web-2', address: '10.0.0.2', port: 2376 }
const unreachable = { reason: 'PortUnreachable', source: '10.0.0.1', detail: 'why', ...port } as const
const open =
  "Open TCP port 2376 of node web-2 \\(10\\.0\\.0\\.2\\) for connections from Berth's node \\(10\\.0\\.0\\.1\\)"

const cases: [NodeEngineReason, RegExp][] = [
  [{ reason: 'NodeDown', node: 'web-2', state: 'down' }, /^Swarm reports node web-2 as down$/],
  [{ reason: 'NodeDrained', node: 'web-2' }, /web-2 is drained/],
  [{ reason: 'NodePaused', node: 'web-2' }, /web-2 is paused/],
  [
    { reason: 'ImageMissing', node: 'web-2', image: 'haproxy:3.0', detail: 'No such image' },
    /: docker save haproxy:3\.0 \| ssh web-2 docker load$/,
  ],
  [{ reason: 'PortTaken', ...port }, /cannot listen at 10\.0\.0\.2:2376 of node web-2/],
  [{ reason: 'PortTaken', ...port, address: 'fd00::2' }, /cannot listen at \[fd00::2\]:2376/],
  [{ reason: 'PortTaskFailed', node: 'web-2', cause: { reason: 'TaskExited', exitCode: 7 } }, /exit code 7$/],
  [
    { reason: 'PortServiceFailed', node: 'web-2', cause: { reason: 'ServiceNameTaken', service: 's' } },
    /already called s$/,
  ],
  [{ ...unreachable, fault: 'timeout' }, new RegExp(`does not answer\\. ${open}`)],
  [{ ...unreachable, fault: 'refused' }, new RegExp(`refuses the connection\\. ${open}`)],
  [{ ...unreachable, fault: 'closed' }, /set BERTH_ENGINE_SOURCES/],
  [{ ...unreachable, fault: 'refusedCertificate' }, /after the TLS handshake \(why\)/],
  [{ ...unreachable, fault: 'untrusted' }, /does not prove that it is node web-2 \(why\)/],
  [{ ...unreachable, fault: 'otherNode' }, /is not node web-2: why$/],
  [{ ...unreachable, fault: 'failed' }, /does not work: why$/],
]
for (const [reason, text] of cases) {
  const title = 'fault' in reason ? `${reason.reason} ${reason.fault}` : reason.reason
  test(`renders ${title}: ${text.source.slice(0, 40)}`, () => assert.match(nodeEngineMessage(reason), text))
}

test('renders every reason', () => {
  assert.deepEqual([...new Set(cases.map(([{ reason }]) => reason))].sort(), [...nodeEngineReasons].sort())
})
