/** The programs that make Berth's own account on a PostgreSQL server: a superuser. */
import { textFile, textTemplate } from '../../lib/text-file.ts'
import type { Address, MaintenanceStart, OwnAccount, OwnAccounts } from '../kind.ts'
import type { Login, Settings } from './login.ts'
import { loginEnv, psql } from './psql.ts'

const makeSql = textFile('kinds/postgres/programs/own-account.sql')
const makeScript = textFile('kinds/postgres/programs/own-account.sh')
const superuser = textFile('kinds/postgres/programs/superuser.sql')
/** Fails if the role that logs in is not a superuser. */
const isSuperuser = 'select 1 / count(*) from pg_roles where rolname = session_user and rolsuper'

const ownEnv = (own: OwnAccount, { databaseUser }: Settings) => ({
  BERTH_OWN_USER: own.user,
  BERTH_OWN_PASSWORD: own.password,
  BERTH_USER: databaseUser,
})

/** Roles belong to the whole server. The user's database may be missing, but this one exists on each server. */
const envOf = (login: Login, address: Address) => ({ ...loginEnv(login, address), PGDATABASE: 'template1' })

const statementsPath = '/run/berth/own-account.sql'
const programPath = '/etc/berth/maintenance.sh'
const statements = textTemplate('kinds/postgres/programs/maintenance.sql')
const maintenanceScript = textFile('kinds/postgres/programs/maintenance.sh')

/** A program makes the account in the single-user mode of the server, and then starts the server as usual. */
function maintenanceStart(own: OwnAccount, { command, args }: Omit<MaintenanceStart, 'files'>): MaintenanceStart {
  const [first = '', ...rest] = args
  const options = first.startsWith('-') ? args : rest
  return {
    command: ['sh', programPath, statementsPath, String(options.length), ...options, ...command],
    args,
    files: [
      { path: programPath, content: maintenanceScript },
      { path: statementsPath, content: statements({ own: own.user, password: own.password }), isSecret: true },
    ],
  }
}

export const ownAccounts: OwnAccounts<Settings> = {
  check: (own, settings, address) => ({ argv: [...psql, '-c', isSuperuser], env: envOf({ settings, own }, address) }),
  create: (own, settings, address) => ({
    argv: psql,
    env: { ...envOf({ settings, own: null }, address), ...ownEnv(own, settings) },
    stdin: makeSql,
  }),
  createInside: (own, settings, address) => ({
    argv: ['sh', '-c', makeScript, 'berth', superuser],
    env: { ...envOf({ settings, own: null }, address), ...ownEnv(own, settings) },
    stdin: makeSql,
  }),
  maintenanceStart: (own, _, start) => maintenanceStart(own, start),
}
