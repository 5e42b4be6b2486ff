/** The response field with the code of a reason. Several features use this field. */
import { z } from 'zod'
import { deploymentReasons } from './reason-message.ts'

/** The schema of `reasonCode`, which accompanies `reason`. */
export const ReasonCode = z
  .enum(deploymentReasons)
  .nullable()
  .describe(
    'Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason.',
  )
