/** Programs that connect to MySQL and MariaDB. Pure. */
import { shellWord as sh } from '../../../../data/forms/shell-word.ts'
import {
  type Address,
  caFile,
  goPassword,
  goRoots,
  hostIn,
  ifVerified,
  isIpAddress,
  javaImport,
  javaStore,
  nodeCa,
  nodeImport,
  nodePassword,
  type Programs,
  pythonPassword,
  quoted as q,
  type Write,
} from './address.ts'
import { jdbc } from './postgres.ts'

/** @param options what makes the client verify the server */
const shell =
  (program: string, options: string): Write =>
  (address) => {
    const { host, port, user, database } = address
    const tls = ifVerified(address, ` \\\n  ${options}`)
    const ask = '   # asks for the password'
    return `${program} -h ${sh(host)} -P ${port} -u ${sh(user)} -p ${sh(database)}${tls}${ask}`
  }

/** @param ssl the option of the module that verifies the server */
const node =
  (module: string, ssl: (address: Address) => string): Write =>
  (address) => {
    const { host, port, user, database } = address
    return `${nodeImport(address)}import { createConnection } from '${module}'

const connection = await createConnection({
  host: ${q(host)},
  port: ${port},
  user: ${q(user)},
  password: ${nodePassword},
  database: ${q(database)},${ifVerified(address, `\n${ssl(address)}`)}
})
console.log(await connection.query('select version()'))
await connection.end()`
  }

/** mysql2 compares names only. */
const mysql2Ssl = ({ host }: Address) =>
  `  ssl: { ${nodeCa}, verifyIdentity: true },` +
  (isIpAddress(host) ? ' // verifies the name only if the host is a name' : '')

const python: Write = (address) => {
  const { host, port, user, database } = address
  const tls = `\n    ssl_ca="${caFile}",\n    ssl_verify_cert=True,\n    ssl_verify_identity=True,`
  return `import os
import pymysql

connection = pymysql.connect(
    host=${q(host)},
    port=${port},
    user=${q(user)},
    password=${pythonPassword},
    database=${q(database)},${ifVerified(address, tls)}
)
with connection.cursor() as cursor:
    cursor.execute("select version()")
    print(cursor.fetchone())`
}

const go: Write = (address) => {
  const { host, port, user, database } = address
  const packages = ifVerified(address, '"crypto/tls", "crypto/x509", ')
  const tls = `${goRoots}mysql.RegisterTLSConfig("berth", &tls.Config{RootCAs: roots})\n`
  return `// import ${packages}"database/sql", ${ifVerified(address, '"log", ')}"os", "github.com/go-sql-driver/mysql"
${ifVerified(address, tls)}config := mysql.NewConfig()
config.User = ${q(user)}
config.Passwd = ${goPassword}
config.Net = "tcp"
config.Addr = ${q(`${hostIn(host)}:${port}`)}
config.DBName = ${q(database)}${ifVerified(address, '\nconfig.TLSConfig = "berth"')}
connection, err := sql.Open("mysql", config.FormatDSN())`
}

const javaParameters =
  `sslMode=VERIFY_IDENTITY&trustCertificateKeyStoreUrl=file:${javaStore}` +
  '&trustCertificateKeyStoreType=PKCS12&trustCertificateKeyStorePassword=changeit'

const mysqlJava: Write = (address) =>
  ifVerified(address, javaImport) + jdbc('mysql', address, ifVerified(address, javaParameters))

const mariadbJava: Write = (address) =>
  jdbc('mariadb', address, ifVerified(address, `sslMode=verify-full&serverSslCert=${caFile}`))

export const mysql: Programs = [
  ['mysql', shell('mysql', `--ssl-mode=VERIFY_IDENTITY --ssl-ca=${caFile}`)],
  ['Node', node('mysql2/promise', mysql2Ssl)],
  ['Python', python],
  ['Go', go],
  ['JDBC', mysqlJava],
]

export const mariadb: Programs = [
  ['mariadb', shell('mariadb', `--ssl-verify-server-cert --ssl-ca=${caFile}`)],
  ['Node', node('mariadb', () => `  ssl: { ${nodeCa} },`)],
  ['Python', python],
  ['Go', go],
  ['JDBC', mariadbJava],
]
