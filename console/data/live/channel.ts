/** The messages between the page and the worker that follows the events. */
import type { Change, Reset } from '../../../client/client.ts'

/** To the worker. */
export type ToWorker =
  /** Follow the events, if they are not followed yet. */
  | { type: 'start' }
  /** This page is closed, or its session has ended. */
  | { type: 'leave' }

/** To the page. */
export type FromWorker =
  | { type: 'event'; event: Change | Reset }
  | { type: 'connection'; isConnected: boolean }
  /** Berth refuses the stream, because the session has ended. */
  | { type: 'refused' }
