/** Programs that connect to a database, with its real address. The password comes from the environment. Pure. */
import { shellWord } from '../../../../shared/shell-word.ts'
import type { Kind } from '../../../data/kinds.ts'

export interface Address {
  host: string
  port: number
  /** Redis has the user `default`. */
  user: string
  /** The name of the database; empty for products without one. */
  database: string
}

export interface Snippet {
  name: string
  text: string
}

/** Reads a URL of a database's `connection`. */
export function addressOf(url: string): Address {
  const { hostname, port, username, pathname } = new URL(url)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
  }
}

/** The host as a part of `host:port`. */
const hostIn = (host: string) => (host.includes(':') ? `[${host}]` : host)

const q = JSON.stringify
const sh = shellWord
const askPassword = 'read -rsp "Password: " DATABASE_PASSWORD'
const nodePassword = 'process.env.DATABASE_PASSWORD'
const pythonPassword = 'os.environ["DATABASE_PASSWORD"]'
const goPassword = 'os.Getenv("DATABASE_PASSWORD")'
const javaPassword = 'System.getenv("DATABASE_PASSWORD")'

type Write = (address: Address) => string
type Writers = readonly (readonly [name: string, write: Write])[]

const postgres: Writers = [
  [
    'psql',
    ({ host, port, user, database }) =>
      `${askPassword}\nPGPASSWORD="$DATABASE_PASSWORD" psql -h ${sh(host)} -p ${port} -U ${sh(user)} -d ${sh(database)}`,
  ],
  [
    'Node',
    ({ host, port, user, database }) => `import { Client } from 'pg'

const client = new Client({
  host: ${q(host)},
  port: ${port},
  user: ${q(user)},
  password: ${nodePassword},
  database: ${q(database)},
})
await client.connect()
const { rows } = await client.query('select version()')
console.log(rows)
await client.end()`,
  ],
  [
    'Python',
    ({ host, port, user, database }) => `import os
import psycopg

with psycopg.connect(
    host=${q(host)},
    port=${port},
    user=${q(user)},
    password=${pythonPassword},
    dbname=${q(database)},
) as connection:
    print(connection.execute("select version()").fetchone())`,
  ],
  [
    'Go',
    ({ host, port, user, database }) => `// import "context", "net/url", "os", "github.com/jackc/pgx/v5"
address := url.URL{
	Scheme: "postgresql",
	User:   url.UserPassword(${q(user)}, ${goPassword}),
	Host:   ${q(`${hostIn(host)}:${port}`)},
	Path:   ${q(database)},
}
connection, err := pgx.Connect(context.Background(), address.String())`,
  ],
  ['JDBC', (address) => jdbc('postgresql', address)],
]

const jdbc = (
  scheme: string,
  { host, port, user, database }: Address,
) => `Connection connection = DriverManager.getConnection(
    ${q(`jdbc:${scheme}://${hostIn(host)}:${port}/${encodeURIComponent(database)}`)},
    ${q(user)},
    ${javaPassword});`

const sqlShell =
  (program: string): Write =>
  ({ host, port, user, database }) =>
    `${program} -h ${sh(host)} -P ${port} -u ${sh(user)} -p ${sh(database)}   # asks for the password`

const goMysql: Write = ({
  host,
  port,
  user,
  database,
}) => `// import "database/sql", "os", "github.com/go-sql-driver/mysql"
config := mysql.NewConfig()
config.User = ${q(user)}
config.Passwd = ${goPassword}
config.Net = "tcp"
config.Addr = ${q(`${hostIn(host)}:${port}`)}
config.DBName = ${q(database)}
connection, err := sql.Open("mysql", config.FormatDSN())`

const nodeMysql =
  (module: string): Write =>
  ({ host, port, user, database }) =>
    `import { createConnection } from '${module}'

const connection = await createConnection({
  host: ${q(host)},
  port: ${port},
  user: ${q(user)},
  password: ${nodePassword},
  database: ${q(database)},
})
console.log(await connection.query('select version()'))
await connection.end()`

const pythonMysql: Write = ({ host, port, user, database }) => `import os
import pymysql

connection = pymysql.connect(
    host=${q(host)},
    port=${port},
    user=${q(user)},
    password=${pythonPassword},
    database=${q(database)},
)
with connection.cursor() as cursor:
    cursor.execute("select version()")
    print(cursor.fetchone())`

const mysql: Writers = [
  ['mysql', sqlShell('mysql')],
  ['Node', nodeMysql('mysql2/promise')],
  ['Python', pythonMysql],
  ['Go', goMysql],
  ['JDBC', (address) => jdbc('mysql', address)],
]
const mariadb: Writers = [
  ['mariadb', sqlShell('mariadb')],
  ['Node', nodeMysql('mariadb')],
  ['Python', pythonMysql],
  ['Go', goMysql],
  ['JDBC', (address) => jdbc('mariadb', address)],
]

const mongoUrl = ({ host, port }: Address) => `mongodb://${hostIn(host)}:${port}/?authSource=admin`

const mongo: Writers = [
  ['mongosh', (address) => `mongosh ${sh(mongoUrl(address))} --username ${sh(address.user)}   # asks for the password`],
  [
    'Node',
    (address) => `import { MongoClient } from 'mongodb'

const client = new MongoClient(${q(mongoUrl(address))}, {
  auth: { username: ${q(address.user)}, password: ${nodePassword} },
})
console.log(await client.db('admin').command({ ping: 1 }))
await client.close()`,
  ],
  [
    'Python',
    (address) => `import os
from pymongo import MongoClient

client = MongoClient(
    ${q(mongoUrl(address))},
    username=${q(address.user)},
    password=${pythonPassword},
)
print(client.admin.command("ping"))`,
  ],
  [
    'Go',
    (address) => `// import "os", "go.mongodb.org/mongo-driver/v2/mongo", "go.mongodb.org/mongo-driver/v2/mongo/options"
client, err := mongo.Connect(options.Client().
	ApplyURI(${q(mongoUrl(address))}).
	SetAuth(options.Credential{
		AuthSource: "admin",
		Username:   ${q(address.user)},
		Password:   ${goPassword},
	}))`,
  ],
  [
    'Java',
    ({ host, port, user }) => `MongoClient client = MongoClients.create(MongoClientSettings.builder()
    .applyToClusterSettings(cluster -> cluster.hosts(List.of(new ServerAddress(${q(host)}, ${port}))))
    .credential(MongoCredential.createCredential(
        ${q(user)}, "admin", ${javaPassword}.toCharArray()))
    .build());`,
  ],
]

const redis: Writers = [
  [
    'redis-cli',
    ({ host, port }) => `${askPassword}\nREDISCLI_AUTH="$DATABASE_PASSWORD" redis-cli -h ${sh(host)} -p ${port}`,
  ],
  [
    'Node',
    ({ host, port }) => `import { createClient } from 'redis'

const client = createClient({
  socket: { host: ${q(host)}, port: ${port} },
  password: ${nodePassword},
})
await client.connect()
console.log(await client.ping())
client.destroy()`,
  ],
  [
    'Python',
    ({ host, port }) => `import os
import redis

client = redis.Redis(host=${q(host)}, port=${port}, password=${pythonPassword})
print(client.ping())`,
  ],
  [
    'Go',
    ({ host, port }) => `// import "os", "github.com/redis/go-redis/v9"
client := redis.NewClient(&redis.Options{
	Addr:     ${q(`${hostIn(host)}:${port}`)},
	Password: ${goPassword},
})`,
  ],
  [
    'Java',
    ({ host, port }) => `JedisPooled client = new JedisPooled(
    new HostAndPort(${q(host)}, ${port}),
    DefaultJedisClientConfig.builder().password(${javaPassword}).build());`,
  ],
]

const writers: Record<Kind, Writers> = { postgres, mysql, mariadb, mongo, redis }

/** The programs for a kind; the first one is for a terminal. */
export const snippetsFor = (kind: Kind, address: Address): Snippet[] =>
  writers[kind].map(([name, write]) => ({ name, text: write(address) }))

/** Hides the password of a URL. Berth has masked it already, unless the record was read with passwords. */
export const maskedUrl = (url: string): string => url.replace(/^([^:]+:\/\/[^:@]*:)[^@]*@/, '$1********@')
