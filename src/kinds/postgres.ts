/** stand-in */
import { z } from 'zod'
import { kind } from './kind.ts'
export const postgres = kind({
  name: 'postgres', label: 'PostgreSQL', idField: 'postgresId', defaultImage: 'postgres:15', port: 5432,
  settings: z.object({ databaseName: z.string().min(1).max(63), databaseUser: z.string().min(1).max(63), databasePassword: z.string().max(255) }),
  secrets: ['databasePassword'],
  reserved: { POSTGRES_PASSWORD: 'use databasePassword' },
  versionOf: (tag) => Number(/^\d+/.exec(tag ?? '')?.[0]) || null,
  dataPath: (version) => (version !== null && version < 18 ? '/var/lib/postgresql/data' : '/var/lib/postgresql'),
  env: (it) => ({ POSTGRES_USER: it.databaseUser, POSTGRES_PASSWORD: it.databasePassword, POSTGRES_DB: it.databaseName }),
  url: (it, { host, port }) => `postgresql://${encodeURIComponent(it.databaseUser)}:${encodeURIComponent(it.databasePassword)}@${host}:${port}/${encodeURIComponent(it.databaseName)}`,
  health: ['sh', '-c', 'if [ -e /dev/shm/.up ]; then sleep 10; exec pg_isready -q -h 127.0.0.1; fi; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do pg_isready -q -h 127.0.0.1 && { : > /dev/shm/.up; exit 0; }; sleep 0.1; done; exit 1'],
  ready: (it, { host, port }) => ({ argv: ['psql', '-XAtqw', '-c', "select current_setting('server_version_num')::int / 10000"], env: { PGHOST: host, PGPORT: String(port), PGUSER: it.databaseUser, PGDATABASE: it.databaseName, PGPASSWORD: it.databasePassword, PGCONNECT_TIMEOUT: '3' } }),
  rotate: (from, to, { host, port }) => ({ argv: ['psql', '-Xqw', '-v', 'ON_ERROR_STOP=1'], stdin: "\\set p `printf %s \"$NEWPASS\"`\nalter role current_user password :'p';\n", env: { NEWPASS: to.databasePassword, PGHOST: host, PGPORT: String(port), PGUSER: from.databaseUser, PGDATABASE: from.databaseName, PGPASSWORD: from.databasePassword } }),
})
