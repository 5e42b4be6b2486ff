/** The complete list of what can be asked. */
import type { Operation } from '../contract.ts'
import { kinds } from '../kinds/index.ts'
import * as auth from './auth.ts'
import { lookOperations } from './database-looks.ts'
import { databaseOperations } from './databases.ts'
import * as deployment from './deployment.ts'
import * as project from './project.ts'
import * as volume from './volume.ts'

export const operations: readonly Operation[] = [
  ...Object.values(auth),
  ...Object.values(project),
  ...kinds.flatMap((kind) => [...databaseOperations(kind), ...lookOperations(kind)]),
  ...Object.values(volume),
  ...Object.values(deployment),
]
