/** Fields that several operations share, with their limits and error messages. */
import { z } from 'zod'
import { refuseField } from '../errors.ts'
import { instantOf } from './instants.ts'

/** Text without control characters of ASCII or Latin-1. */
const plain = /^[^\u0000-\u001f\u007f-\u009f]*$/
const noControl = 'must not contain control characters'

export const Name = z
  .string()
  .min(1, 'must not be empty')
  .max(255, 'must have at most 255 characters')
  .regex(plain, noControl)
export const Id = z.string().min(1, 'must not be empty').max(255, 'must have at most 255 characters')

/** The id of a record, as input. @param record how the description names the record, such as `project` */
export const idOf = (record: string) => Id.describe(idText(record))

/** The id of a record, as answer. */
export const answeredIdOf = (record: string) => z.string().describe(idText(record))

const idText = (record: string) => `Id of the ${record}`

export const CreatedAt = z.string().describe('When the record was created: ISO 8601 in UTC, like all times in answers')

/** `createdAt` in the input of an update, so that a record can be sent back as it was read. */
export const UnchangedCreatedAt = z
  .string()
  .optional()
  .describe('Cannot be changed: leave it out, or send the value of the record')

export const Description = z
  .string()
  .max(2000, 'must have at most 2,000 characters')
  .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, noControl)
  .nullable()
  .optional()
  .describe('Text for people; Berth does not use it. Null: no text')

/** An optional point in time. `instantOf` parses it. */
export const Since = z
  .string()
  .refine(
    (text) => instantOf(text, new Date()) !== null,
    'must be a time like 2030-01-31T12:00:00Z, or how long ago: 90s, 15m, 2h, 3d',
  )
  .optional()
  .describe('Omits everything before this time: a time in ISO 8601, or a duration before now, like 90s, 15m, 2h, 3d')

/** The input fields of paged lists. */
export const page = {
  limit: z.coerce
    .number('must be a whole number from 1 to 1000')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1000, 'must be at most 1000')
    .optional()
    .describe('Maximum number of records. If omitted, the answer contains all records'),
  cursor: z.string().max(255).optional().describe('The header Berth-Next-Cursor of the previous page'),
}

/** The order of a list that grows. */
export const Order = z
  .enum(['asc', 'desc'], 'must be asc or desc')
  .default('asc')
  .describe('asc: oldest first. desc: newest first')

/** The comparison with the cursor that selects the records of the next page. */
export const afterCursor = { asc: '>', desc: '<' } as const

/**
 * Cuts rows to one page. Sets the cursor if there is another page.
 *
 * @param rows all rows, or at least one more than the limit
 * @param limit the maximum number of rows on a page; undefined: no limit
 */
export function cutPage<R extends { id: string }>(
  rows: R[],
  limit: number | undefined,
  setNextCursor: (cursor: string) => void,
): R[] {
  if (limit === undefined || rows.length <= limit) return rows
  setNextCursor(rows[limit - 1]!.id)
  return rows.slice(0, limit)
}

/**
 * Refuses a mask in place of a secret. Call this where no stored secret exists that the mask could stand for.
 * @param path the field of the input
 */
export function refuseMask(path: string): never {
  refuseField(path, '"********" means "keep the stored secret", but none is stored. Send the real secret')
}
