/** The programs that make Berth's own account on a PostgreSQL server: a superuser. */
import { textFile } from '../../lib/text-file.ts'
import type { Address, OwnAccount, OwnAccounts } from '../kind.ts'
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
}
