/** The response field with the code of a reason. Several features use this field. */
import { z } from 'zod'
import { deploymentReasons } from './reason-message.ts'

/** The codes of all reasons of deployments. A schema with a title is a component of openapi.json. */
export const DeploymentReasonCode = z.enum(deploymentReasons).meta({ title: 'DeploymentReason' })

export const reasonCodeText =
  'Code of the reason, for programs. The code is stable, the wording of the reason is not. Null without a reason.'

/** The schema of `reasonCode`, which accompanies `reason`. */
export const ReasonCode = DeploymentReasonCode.nullable().describe(reasonCodeText)
