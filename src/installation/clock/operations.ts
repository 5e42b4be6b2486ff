/** The operations on the clock of the machine: whether it is trusted, and the decision of a person to trust it. */
import { z } from 'zod'
import { action, query } from '../../api/contract.ts'
import { type ClockState, isConfirmedBy } from '../../clock/clock.ts'
import { clockMessage } from '../../clock/reason-message.ts'
import { judge } from '../../clock/trust.ts'
import { refuseField } from '../../errors.ts'

const ClockAnswer = z.object({
  time: z.string().describe('The time of the clock of the machine'),
  trusted: z.boolean().describe('Whether Berth trusts the clock. While it does not, it deletes nothing for its age'),
  reason: z.string().nullable().describe('Why the clock is not trusted, as a message; null if it is'),
  reasonCode: z
    .enum(['ClockSet', 'ClockBehind', 'ClockUnverified'])
    .nullable()
    .meta({ title: 'ClockReason' })
    .describe('The code of the reason, for programs'),
  trustedAt: z.string().describe('The last time at which the clock was right'),
  expected: z
    .string()
    .describe('The time by trustedAt and the monotonic clock. If the machine was off in between, it is later'),
})

const iso = (ms: number) => new Date(ms).toISOString()

const toAnswer = ({ reading, reason, lastTrusted, expectedMs }: ClockState): z.output<typeof ClockAnswer> => ({
  time: iso(reading.wallMs),
  trusted: reason === null,
  reason: reason === null ? null : clockMessage(reason),
  reasonCode: reason === null ? null : reason.reason,
  trustedAt: iso(lastTrusted.wallMs),
  expected: iso(expectedMs),
})

export const status = query({
  name: 'clock.status',
  summary: 'Read the clock of the machine, and whether Berth trusts it',
  access: 'admin:read',
  input: z.object({}),
  output: ClockAnswer,
  run: async ({ clock }) => toAnswer(clock.read()),
})

export const trust = action({
  name: 'clock.trust',
  summary: 'Trust the clock of the machine again',
  description:
    'Berth stops trusting the clock when it jumps by more than five minutes, and trusts it again when a storage or a ' +
    'registry answers the same time. Without such a server, somebody has to compare the clock. A call with another ' +
    'time than that of the machine is refused.',
  access: 'admin:admin',
  input: z.object({
    time: z.iso
      .datetime({
        offset: true,
        error: 'must be a time in ISO 8601 with a time zone, for example 2027-01-31T12:00:00Z',
      })
      .describe('The present time by your own clock, in ISO 8601. It has to be that of the machine to five minutes'),
  }),
  output: ClockAnswer,
  refusals: ['PRECONDITION_FAILED'],
  async run({ clock, conclude }, { time }) {
    const { reading } = clock.read()
    if (!isConfirmedBy(new Date(time), reading)) {
      const message = `is not the time of the machine, ${iso(reading.wallMs)}. Set the clock of the machine, best with NTP`
      refuseField('time', message, 'PRECONDITION_FAILED')
    }
    let complete = () => {}
    const answer = await conclude(async (tx, wake) => {
      wake('clock')
      complete = await clock.trust(tx, reading)
      return toAnswer({ ...judge(reading, reading), reading, lastTrusted: reading })
    })
    complete()
    return answer
  },
})
