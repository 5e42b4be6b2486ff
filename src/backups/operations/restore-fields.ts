/** The fields of a restore. */
import { z } from 'zod'
import { Id } from '../../api/fields.ts'
import type { CommandContext } from '../../api/contract.ts'
import { AppName } from '../../databases/columns.ts'
import { dumpedKinds, linksOf } from '../fields.ts'

export const restoreInput = z.object({
  backupId: Id.optional().describe('The backup of the dump. With key: its destination contains the object'),
  runId: Id.optional().describe('The run of a good dump. With backupId: a run of that backup, or a safety dump'),
  destinationId: Id.optional().describe('With key and without backupId: the destination that contains the object'),
  key: z.string().min(1, 'must not be empty').max(1024).optional().describe('The key of the object in the bucket'),
  ...linksOf(dumpedKinds),
  confirm: z
    .string()
    .max(255)
    .optional()
    .describe('The appName of the existing service, to confirm that its data will be replaced'),
  appName: AppName.optional().describe('The appName of a new service. Leave out if you give an existing service'),
  projectId: Id.optional().describe('The project of the new service. Default: the project of the dumped service'),
  configuration: z
    .enum(['dumped', 'default'], 'must be dumped or default')
    .optional()
    .describe(
      'What a new service takes over besides image and names. dumped, the default: the command, variables and limits ' +
        'of the dumped service. default: none of these. The settings of the database itself are restored in both cases',
    ),
  database: z
    .string()
    .min(1, 'must not be empty')
    .max(255)
    .optional()
    .describe('The name of the database to restore into. Default: the name of the dumped database'),
  identity: z
    .string()
    .max(255)
    .optional()
    .describe(
      'The age identity that decrypts the dump. Required if the dump is encrypted for a recipient other than this ' +
        'installation. Berth stores the identity sealed until the run ends',
    ),
  withoutNeeds: z
    .boolean()
    .optional()
    .describe(
      'Restore although the server lacks databases that objects of the dump need (`needs` of the dump). Views that need ' +
        'them are left out. Foreign keys, triggers, routines and events are restored, and fail when they are used',
    ),
  skipSafetyDump: z
    .boolean()
    .optional()
    .describe('Make no safety dump. Use this only if the database cannot be read any more'),
})

export type RestoreInput = z.output<typeof restoreInput>
export type RestoreContext = Pick<
  CommandContext,
  'tx' | 'vault' | 'config' | 'now' | 'newId' | 'wake' | 'follow' | 'backups'
>
