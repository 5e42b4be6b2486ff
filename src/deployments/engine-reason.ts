/** Converts a failure of the engine to the reason of a deployment. Pure. */
import type { EngineFailure } from '../engine/failures.ts'
import type { EngineReason } from './reason.ts'

export const engineReason = ({ reason: failure, message: detail }: EngineFailure): EngineReason => ({
  reason: 'EngineFailed',
  failure,
  detail,
})
