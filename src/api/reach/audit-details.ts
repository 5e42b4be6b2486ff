/** What the audit log records of changes of rights besides the caller and the record. */
import { z } from 'zod'
import { projectRoles } from './reach.ts'

/** The right that an account has after a change. */
export const ChangedRights = z.object({
  accountId: z.string().describe('Id of the account whose rights were changed'),
  role: z.enum(projectRoles).nullable().optional().describe('Its role in the project; null: it is no member any more'),
  allProjects: z.boolean().optional().describe('Whether it reaches all projects'),
})

/** The entry of a change of rights that was not confirmed with a code. */
export const RightsChange = z.object({
  event: z.literal('rights').describe('The rights of an account were changed'),
  rights: ChangedRights.describe('The account and its rights after the call'),
})
