/** The complete list of what can be asked. */
import type { Operation } from '../contract.ts'
import { kinds } from '../kinds/index.ts'
import * as application from './application.ts'
import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as authUpdate from './auth-update.ts'
import * as backup from './backup.ts'
import { restore } from './backup-restore.ts'
import { cancel, files, manualBackups, runs, verify } from './backup-runs.ts'
import { acceptShrink } from './backup-shrink.ts'
import * as certificates from './certificates.ts'
import { addManager, addWorker, getNodes, rotateTokens, updateNode } from './cluster.ts'
import { removeWorker } from './cluster-removal.ts'
import { lookOperations } from './database-looks.ts'
import { moveOperations } from './database-move.ts'
import { databaseOperations } from './databases.ts'
import * as deployment from './deployment.ts'
import * as destination from './destination.ts'
import * as port from './port.ts'
import * as project from './project.ts'
import * as redirects from './redirects.ts'
import * as registryImages from './registry-images.ts'
import * as registryServer from './registry-server.ts'
import * as registry from './registry.ts'
import { disable2FA, generate2FASecret, verify2FASetup, verifyLogin2FA } from './second-factor.ts'
import * as security from './security.ts'
import * as sessions from './sessions.ts'
import * as state from './state.ts'
import * as user from './user.ts'
import * as volume from './volume.ts'

export const operations: readonly Operation[] = [
  ...Object.values(auth),
  ...Object.values(authUpdate),
  generate2FASecret,
  verify2FASetup,
  verifyLogin2FA,
  disable2FA,
  ...Object.values(sessions),
  ...Object.values(user),
  ...Object.values(project),
  ...kinds.flatMap((kind) => [...databaseOperations(kind), ...moveOperations(kind), ...lookOperations(kind)]),
  ...Object.values(volume),
  ...Object.values(backup),
  ...manualBackups,
  runs,
  files,
  cancel,
  verify,
  restore,
  acceptShrink,
  ...Object.values(deployment),
  ...Object.values(destination),
  ...Object.values(application),
  ...Object.values(redirects),
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
  ...Object.values(audit),
  ...Object.values(state),
]
