/** When the next attempt is made, and what a fault means. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson } from '../lib/json.ts'
import { dueRows } from './deliver.ts'
import { concernsMessage, type DeliveryFault, isPermanent, retryWaitMs } from './fault.ts'
import { faultMessage } from './fault-message.ts'
import { storedTest } from './message.ts'
import type { DeliveryTable } from './table.ts'

const status = (code: number): DeliveryFault => ({ reason: 'HttpStatus', status: code })

test('waits longer after each failed attempt, at most 15 minutes', () => {
  const waits = [1, 2, 3, 4, 5, 6, 100].map((attempts) => retryWaitMs(status(500), attempts, null) / 1000)
  assert.deepEqual(waits, [5, 15, 60, 300, 900, 900, 900])
})

test('waits as long as the receiver asks, at most an hour, and not less than usual', () => {
  assert.equal(retryWaitMs(status(429), 1, 120_000), 120_000)
  assert.equal(retryWaitMs(status(429), 5, 1000), 900_000)
  assert.equal(retryWaitMs(status(503), 1, 10 ** 9), 3600_000)
})

const permanent: [fault: DeliveryFault, isPermanent: boolean, concernsMessage: boolean][] = [
  [status(301), true, false],
  [status(400), true, true],
  [status(401), true, false],
  [status(404), true, false],
  [status(410), true, false],
  [status(413), true, true],
  [status(408), false, false],
  [status(429), false, false],
  [status(500), false, false],
  [{ reason: 'MailRefused', code: 550 }, true, false],
  [{ reason: 'MailRefused', code: 554, isContent: true }, true, true],
  [{ reason: 'MailRefused', code: 452, isContent: true }, false, false],
  [{ reason: 'MailRefused', code: 451 }, false, false],
  [{ reason: 'LoginRefused', code: 535 }, true, false],
  [{ reason: 'TlsUnavailable' }, true, false],
  [{ reason: 'AddressRefused', detail: 'no' }, true, false],
  [{ reason: 'NoAnswer', code: 'ECONNREFUSED' }, false, false],
  [{ reason: 'AnswerTimeout', seconds: 10 }, false, false],
]
for (const [fault, isLong, isContent] of permanent) {
  test(`${faultMessage(fault)}: tried again after ${isLong ? '15 minutes' : '5 seconds'}`, () => {
    assert.deepEqual([isPermanent(fault), concernsMessage(fault)], [isLong, isContent])
    assert.equal(retryWaitMs(fault, 1, null), isLong ? 900_000 : 5000)
  })
}

test('names the recipients that were refused, at most 3', () => {
  const refused = (...recipients: string[]) => faultMessage({ reason: 'MailRefused', code: 550, recipients })
  assert.match(refused('a@b.c'), /refused a@b\.c with code 550/)
  assert.match(refused('a@b.c', 'd@b.c', 'e@b.c', 'f@b.c', 'g@b.c'), /refused a@b\.c, d@b\.c, e@b\.c and 2 more with/)
})

test('a refused text names neither the sender nor the recipients', () => {
  const message = faultMessage({ reason: 'MailRefused', code: 554, isContent: true })
  assert.equal(message, 'The mail server refused the text of the message with code 554')
})

const row = (id: string, nextAttemptAt: string, fault: DeliveryFault | null = null) =>
  ({ id, nextAttemptAt, message: toJson(storedTest(nextAttemptAt)), fault: fault && toJson(fault) }) as DeliveryTable
const [early, now, late] = ['2030-01-01T00:00:00.000Z', '2030-01-02T00:00:00.000Z', '2030-01-02T01:00:00.000Z']
const impossible = '2030-01-02T01:00:00.001Z'
const queues: [title: string, rows: DeliveryTable[], due: string[]][] = [
  ['all due messages are sent in order', [row('1', early), row('2', now)], ['1', '2']],
  ['a message waits for an earlier one', [row('1', late, status(500)), row('2', early)], []],
  ['a time that only a clock that was set back explains has passed', [row('1', impossible, status(500))], ['1']],
  ['a message that was never tried is due, whatever the clock says', [row('1', late), row('2', late)], ['1', '2']],
  ['a message does not wait for one with a refused content', [row('1', late, status(400)), row('2', early)], ['2']],
]
for (const [title, rows, due] of queues) {
  test(title, () => {
    assert.deepEqual(
      dueRows(rows, new Date(now)).map(({ id }) => id),
      due,
    )
  })
}
