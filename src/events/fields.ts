/** The schemas of what a stream of events sends. */
import { z } from 'zod'
import { eventKinds } from './table.ts'

/** A component of openapi.json. */
export const EventKind = z.enum(eventKinds).meta({ title: 'EventKind' })

/** The data of an event in a stream. */
export const ChangeEvent = z.object({
  id: z.string().describe('The position of the event. Events have growing ids; a repeated event has the same id'),
  at: z.string().describe('When the change was made'),
  kind: EventKind.describe('The kind of the record'),
  recordId: z.string().describe('The id of the record'),
  change: z.enum(['created', 'changed', 'removed']).describe('What happened to the record'),
  projectId: z.string().nullable().describe('The project of the record; null if it belongs to none'),
  record: z
    .record(z.string(), z.unknown())
    .describe('Some fields of the record after the change; of a removed record, before it'),
})

/** The data of the event `reset`. */
export const ResetEvent = z.object({ id: z.string().describe('The position from which the stream goes on') })
