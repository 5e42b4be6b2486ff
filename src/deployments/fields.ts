/** The field of answers that holds the code of a reason. Several features have it. */
import { z } from 'zod'
import { deploymentReasons } from './reason-message.ts'

/** The field beside a `reason` in answers. */
export const ReasonCode = z
  .enum(deploymentReasons)
  .nullable()
  .describe(
    'The code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason',
  )
