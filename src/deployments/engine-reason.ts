/** A failure of the engine as the reason of work. Pure. */
import type { EngineFailure } from '../engine/failures.ts'
import type { EngineReason } from './reason.ts'

export const engineReason = ({ reason: failure, message: detail }: EngineFailure): EngineReason => ({
  reason: 'EngineFailed',
  failure,
  detail,
})
