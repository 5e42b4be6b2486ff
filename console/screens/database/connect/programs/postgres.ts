/** Programs that connect to PostgreSQL. Pure. */
import { shellWord as sh } from '../../../../data/forms/shell-word.ts'
import {
  type Address,
  askPassword,
  caFile,
  goPassword,
  hostIn,
  ifVerified,
  javaPassword,
  nodeCa,
  nodeImport,
  nodePassword,
  type Programs,
  pythonPassword,
  quoted as q,
} from './address.ts'

const psql = (address: Address) => {
  const { host, port, user, database } = address
  const tls = ifVerified(address, `PGSSLMODE=verify-full PGSSLROOTCERT=${caFile} \\\n  `)
  return `${askPassword}
PGPASSWORD="$DATABASE_PASSWORD" ${tls}psql -h ${sh(host)} -p ${port} -U ${sh(user)} -d ${sh(database)}`
}

const node = (address: Address) => {
  const { host, port, user, database } = address
  return `${nodeImport(address)}import { Client } from 'pg'

const client = new Client({
  host: ${q(host)},
  port: ${port},
  user: ${q(user)},
  password: ${nodePassword},
  database: ${q(database)},${ifVerified(address, `\n  ssl: { ${nodeCa} },`)}
})
await client.connect()
const { rows } = await client.query('select version()')
console.log(rows)
await client.end()`
}

const python = (address: Address) => {
  const { host, port, user, database } = address
  return `import os
import psycopg

with psycopg.connect(
    host=${q(host)},
    port=${port},
    user=${q(user)},
    password=${pythonPassword},
    dbname=${q(database)},${ifVerified(address, `\n    sslmode="verify-full",\n    sslrootcert="${caFile}",`)}
) as connection:
    print(connection.execute("select version()").fetchone())`
}

const parameters = `sslmode=verify-full&sslrootcert=${caFile}`

const go = (address: Address) => {
  const { host, port, user, database } = address
  return `// import "context", "net/url", "os", "github.com/jackc/pgx/v5"
address := url.URL{
	Scheme: "postgresql",
	User:   url.UserPassword(${q(user)}, ${goPassword}),
	Host:   ${q(`${hostIn(host)}:${port}`)},
	Path:   ${q(database)},${ifVerified(address, `\n	RawQuery: "${parameters}",`)}
}
connection, err := pgx.Connect(context.Background(), address.String())`
}

/** @param query the parameters of the URL; empty for none */
export const jdbc = (scheme: string, { host, port, user, database }: Address, query: string) => {
  const url = `jdbc:${scheme}://${hostIn(host)}:${port}/${encodeURIComponent(database)}${query === '' ? '' : `?${query}`}`
  return `Connection connection = DriverManager.getConnection(
    ${q(url)},
    ${q(user)},
    ${javaPassword});`
}

export const postgres: Programs = [
  ['psql', psql],
  ['Node', node],
  ['Python', python],
  ['Go', go],
  ['JDBC', (address) => jdbc('postgresql', address, ifVerified(address, parameters))],
]
