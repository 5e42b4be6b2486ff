/** What owners of servers take away, as hardening guides tell them, and what Berth should say then. */
import { shouldTestAll } from './representative.ts'

export interface Hardening {
  kind: string
  image: string
  /** What is taken away. */
  rights: string
  /** Fields of the new database. */
  fields?: Record<string, unknown>
  /** Fields that are deployed before the rights are taken away. */
  prepare?: Record<string, unknown>
  /** Shell commands in the container that take the rights away. */
  takeAway: string
  /** New credentials. */
  changes: Record<string, unknown>
  /** Shell commands in the container after which Berth's account ($OWN) no longer works. */
  removeOwn: string
  /** Shell commands in the container after which neither an account nor the socket lets Berth make its account. */
  loseRights: string
  /** The conditions that are present at the end. */
  conditions: string[]
}

const mysqlAs = (client: string, password: string, sql: string) => `${client} -uroot -p"${password}" -e "${sql}"`
const mysqlHardening = (image: string, client: string, variable: string): Hardening => ({
  kind: image.split(':')[0]!,
  image,
  rights: 'root from the network',
  takeAway: mysqlAs(client, `$${variable}`, "drop user root@'%'"),
  changes: { databasePassword: 'changed-1', databaseRootPassword: 'changed-2' },
  removeOwn: mysqlAs(client, 'changed-2', "drop user '$OWN'@'%'"),
  loseRights: mysqlAs(client, 'changed-2', "drop user '$OWN'@'%'; drop user root@localhost"),
  conditions: ['DatabaseRootRefused'],
})

const psql = (sql: string, user = 'shop') => `psql -v ON_ERROR_STOP=1 -q -U ${user} shop -c "${sql}"`
const mongo = (script: string, password = '$MONGO_INITDB_ROOT_PASSWORD') =>
  `mongo --quiet -u shop -p "${password}" --authenticationDatabase admin admin --eval '${script}'`

const postgresHardening = (image: string): Hardening => ({
  kind: 'postgres',
  image,
  rights: 'the superuser right, and with forced row security',
  // Since PostgreSQL 16 the role that initdb made is always a superuser, so another role becomes the user.
  prepare: { databaseUser: 'app' },
  takeAway: psql(
    'create policy everything on public.note using (true); alter table public.note enable row level security; ' +
      'alter table public.note force row level security; alter table public.note owner to app; alter role app nosuperuser',
    '$OWN',
  ),
  changes: { databasePassword: 'changed-1' },
  removeOwn: psql("alter role $OWN password 'other'", '$OWN'),
  loseRights: psql('alter role shop nologin; alter role $OWN nosuperuser nologin', '$OWN'),
  conditions: [],
})

/** Other release series, for runs of all versions. */
const others: readonly Hardening[] = [
  mysqlHardening('mysql:8.0', 'mysql', 'MYSQL_ROOT_PASSWORD'),
  mysqlHardening('mysql:9.7', 'mysql', 'MYSQL_ROOT_PASSWORD'),
  mysqlHardening('mariadb:10.11', 'mariadb', 'MARIADB_ROOT_PASSWORD'),
  postgresHardening('postgres:15'),
  postgresHardening('postgres:18'),
]

export const hardenings: readonly Hardening[] = [
  mysqlHardening('mysql:8.4', 'mysql', 'MYSQL_ROOT_PASSWORD'),
  mysqlHardening('mariadb:11.8', 'mariadb', 'MARIADB_ROOT_PASSWORD'),
  postgresHardening('postgres:17'),
  {
    kind: 'mongo',
    image: 'mongo:3.6',
    rights: 'the role root',
    takeAway: mongo('db.updateUser("shop", { roles: ["readWriteAnyDatabase", "userAdminAnyDatabase"] })'),
    changes: { databasePassword: 'changed-1' },
    removeOwn: 'true',
    loseRights: mongo(
      'db.dropUser("\'"$OWN"\'"); db.updateUser("shop", { roles: ["readWriteAnyDatabase"] })',
      'changed-1',
    ),
    conditions: [],
  },
  ...(shouldTestAll ? others : []),
]
