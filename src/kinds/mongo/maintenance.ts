/** How a MongoDB server makes Berth's own account in its maintenance mode. Pure. */
import { textFile } from '../../lib/text-file.ts'
import type { MaintenanceStart, OwnAccount } from '../kind.ts'
import { dataPath, keyPath, ownAccountText, port as usualPort, type Settings, valuesOf, wrapper } from './programs.ts'

const valuesPath = '/run/berth/own-account.json'
const folder = '/etc/berth/maintenance'
const programPath = `${folder}/own-account.js`
const shellPath = `${folder}/shell.sh`
const startPath = `${folder}/start.sh`
const port = 27_018
const hexPort = port.toString(16).toUpperCase()

const paths = { programPath, shellPath }
const script = textFile('kinds/mongo/programs/maintenance.sh', { ...paths, dataPath, hexPort })
const setScript = textFile('kinds/mongo/programs/maintenance-set.sh', { ...paths, keyPath })

/**
 * Returns a start with a program that first starts a server without logins, for clients in the container only. Not so for
 * a replica set: the files of a member can lack writes that only a server of the set takes from its oplog. Its server is
 * started as usual, and a program beside it logs in with the key of the set, as another member would.
 */
export function maintenanceStart(
  own: OwnAccount,
  { replicaSet }: Settings,
  { command, args }: Omit<MaintenanceStart, 'files'>,
): MaintenanceStart {
  const isSet = typeof replicaSet === 'string'
  const words = isSet ? [] : [...command, ...withoutLogins(args)]
  const login = isSet ? { url: urlOf(usualPort), keyPath } : { url: urlOf(port) }
  const values = valuesOf({ ...login, ownUser: own.user, ownPassword: own.password })
  return {
    command: ['sh', startPath, valuesPath, ...(isSet ? [] : [String(words.length), ...words]), ...command],
    args,
    files: [
      { path: startPath, content: isSet ? setScript : script },
      { path: shellPath, content: wrapper },
      { path: programPath, content: ownAccountText },
      { path: valuesPath, content: values, isSecret: true },
    ],
  }
}

const urlOf = (atPort: number) => `mongodb://127.0.0.1:${atPort}/?directConnection=true`

const replacedAlone = /^--?(?:auth|bind_ip_all)$/
const replaced = /^--?(?:port|bind_ip)(=|$)/

/** The arguments of the server without those that decide about logins and clients, and with such of the maintenance mode. */
function withoutLogins(args: readonly string[]): string[] {
  const kept = args.filter((arg, index) => {
    const isValue = replaced.exec(args[index - 1] ?? '')?.[1] === ''
    return !isValue && !replacedAlone.test(arg) && !replaced.test(arg)
  })
  return [...kept, '--noauth', '--bind_ip', '127.0.0.1', '--port', String(port)]
}
