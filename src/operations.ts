/** The complete list of operations. */
import type { Operation } from './api/contract.ts'
import { kinds } from './kinds/index.ts'
import * as application from './routing/operations/application.ts'
import * as audit from './api/operations/audit.ts'
import * as auth from './accounts/operations/auth.ts'
import * as authUpdate from './accounts/operations/auth-update.ts'
import * as backup from './backups/operations/backup.ts'
import { create as createBackup, creations } from './backups/operations/create.ts'
import { restore } from './backups/operations/restore.ts'
import { download } from './backups/operations/download.ts'
import { url } from './backups/operations/download-url.ts'
import { manifest } from './backups/operations/manifest.ts'
import { restorable } from './backups/operations/restorable.ts'
import { cancel, files, manualBackups, runs, verify } from './backups/operations/runs.ts'
import { acceptShrink } from './backups/operations/accept-shrink.ts'
import * as clock from './installation/clock/operations.ts'
import * as condition from './conditions/operations.ts'
import * as certificates from './routing/operations/certificates.ts'
import { addManager, addWorker, getNodes, rotateTokens, updateNode } from './nodes/operations/cluster.ts'
import { adoptNode } from './nodes/operations/adoption.ts'
import { removeWorker } from './nodes/operations/removal.ts'
import { inspectOperations } from './databases/operations/inspect.ts'
import * as lookups from './databases/operations/lookups.ts'
import { moveOperations } from './databases/move/operations.ts'
import { databaseOperations } from './databases/operations/databases.ts'
import * as deployment from './deployments/operations.ts'
import * as destination from './backups/destinations/operations.ts'
import * as port from './routing/operations/port.ts'
import * as project from './projects/operations.ts'
import * as redirects from './routing/operations/redirects.ts'
import { test as testRedirects } from './routing/operations/test-redirect.ts'
import * as registryImages from './registries/operations/images.ts'
import * as registryServer from './registries/operations/server.ts'
import * as registry from './registries/operations/registry.ts'
import { disable2FA, generate2FASecret, verify2FASetup, verifyLogin2FA } from './accounts/operations/second-factor.ts'
import { signInWithPassword } from './accounts/operations/sign-in.ts'
import * as security from './routing/operations/security.ts'
import * as sessions from './accounts/operations/sessions.ts'
import * as state from './installation/state/operations.ts'
import * as confirmation from './installation/confirmation/operations.ts'
import * as user from './accounts/operations/user.ts'
import { adopt } from './databases/adopt/operation.ts'
import * as volume from './databases/operations/volume.ts'

export const operations: readonly Operation[] = [
  ...Object.values(auth),
  signInWithPassword,
  ...Object.values(authUpdate),
  generate2FASecret,
  verify2FASetup,
  verifyLogin2FA,
  disable2FA,
  ...Object.values(sessions),
  ...Object.values(user),
  ...Object.values(project),
  ...kinds.flatMap((kind) => [...databaseOperations(kind), ...moveOperations(kind), ...inspectOperations(kind)]),
  ...Object.values(lookups),
  ...Object.values(volume),
  adopt,
  createBackup,
  ...creations,
  ...Object.values(backup),
  ...manualBackups,
  runs,
  manifest,
  download,
  url,
  restorable,
  files,
  cancel,
  verify,
  restore,
  acceptShrink,
  ...Object.values(deployment),
  ...Object.values(destination),
  ...Object.values(application),
  ...Object.values(redirects),
  testRedirects,
  ...Object.values(port),
  ...Object.values(security),
  ...Object.values(certificates),
  ...Object.values(registry),
  ...Object.values(registryServer),
  ...Object.values(registryImages),
  getNodes,
  addWorker,
  addManager,
  rotateTokens,
  updateNode,
  removeWorker,
  adoptNode,
  ...Object.values(condition),
  ...Object.values(audit),
  ...Object.values(state),
  ...Object.values(clock),
  ...Object.values(confirmation),
]
