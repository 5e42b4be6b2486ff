/** Fields that several operations share: their limits, and the words in which a wrong one is refused. */
import { z } from 'zod'
import { deploymentReasons } from '../deployments/reason-message.ts'
import { instantOf } from './instants.ts'

// Control characters of ASCII and of Latin-1: none has a place in a name.
const plain = /^[^\u0000-\u001f\u007f-\u009f]*$/
const noControl = 'must not contain control characters'

export const Name = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(plain, noControl)
export const Id = z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters')
export const Description = z
  .string()
  .max(2000, 'must have at most 2,000 characters')
  .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, noControl)
  .nullable()
  .optional()

/** Beside a reason in words. */
export const ReasonCode = z
  .enum(deploymentReasons)
  .nullable()
  .describe('The name of that reason, for programs: it is stable, the words are not. Null without a reason')

/** A point in time; `instantOf` reads it. */
export const Since = z
  .string()
  .refine(
    (text) => instantOf(text, new Date()) !== null,
    'must be a time like 2030-01-31T12:00:00Z, or how long ago: 90s, 15m, 2h, 3d',
  )
  .optional()
  .describe('Nothing from before: a time in ISO 8601, such as one of an answer, or how long ago, like 90s, 15m, 2h, 3d')

/** What lists take beside their own input: an extension of the contract. */
export const page = {
  limit: z.coerce
    .number('must be a whole number from 1 to 1000')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1000, 'must be at most 1000')
    .optional()
    .describe('So many records at most; all without it'),
  cursor: z.string().max(255).optional().describe('From the header Berth-Next-Cursor of the page before'),
}

/** Cuts one page out of rows that were read one beyond the limit, and says where the next one begins. */
export function cutPage<R extends { id: string }>(
  rows: R[],
  limit: number | undefined,
  more: (cursor: string) => void,
): R[] {
  if (limit === undefined || rows.length <= limit) return rows
  more(rows[limit - 1]!.id)
  return rows.slice(0, limit)
}
