/** What the programs for all kinds have in common: the address, quoting, and where the password comes from. Pure. */

/** The name of the file with the certificates to trust, as verified URLs name it. */
export const caFile = 'ca.pem'

export interface Address {
  host: string
  port: number
  /** Redis has the user `default`. */
  user: string
  /** The name of the database; empty for products without one. */
  database: string
  /** Whether the program uses TLS and verifies the server with `caFile`. */
  isVerified: boolean
}

export type Write = (address: Address) => string
/** The first program is for a terminal. */
export type Programs = readonly (readonly [name: string, write: Write])[]

/** The host as a part of `host:port`. */
export const hostIn = (host: string) => (host.includes(':') ? `[${host}]` : host)

/** Whether the host is an address, which some clients do not compare with the certificate. */
export const isIpAddress = (host: string) => host.includes(':') || /^\d+(\.\d+){3}$/.test(host)

/** A text as a literal of JavaScript, Python, Go and Java. */
export const quoted = JSON.stringify

export const askPassword = 'read -rsp "Password: " DATABASE_PASSWORD'
export const nodePassword = 'process.env.DATABASE_PASSWORD'
export const pythonPassword = 'os.environ["DATABASE_PASSWORD"]'
export const goPassword = 'os.Getenv("DATABASE_PASSWORD")'
export const javaPassword = 'System.getenv("DATABASE_PASSWORD")'

/** The text if the program verifies the server; otherwise nothing. */
export const ifVerified = ({ isVerified }: Pick<Address, 'isVerified'>, text: string) => (isVerified ? text : '')

/** What a program for Node begins with if it verifies the server. */
export const nodeImport = (address: Address) => ifVerified(address, `import { readFileSync } from 'node:fs'\n`)
/** An option of TLS in Node. */
export const nodeCa = `ca: readFileSync('${caFile}', 'utf8')`

/** Reads the certificates in Go into `roots`. */
export const goRoots = `authority, err := os.ReadFile("${caFile}")
if err != nil {
	log.Fatal(err)
}
roots := x509.NewCertPool()
roots.AppendCertsFromPEM(authority)
`

/** Java reads certificates from a key store. */
export const javaStore = 'ca.p12'
export const javaImport = `// once: keytool -importcert -noprompt -alias berth -file ${caFile} \\
//         -keystore ${javaStore} -storetype PKCS12 -storepass changeit
`
/** For clients that use the key store of the whole process. */
export const javaProperties = `// java -Djavax.net.ssl.trustStore=${javaStore} -Djavax.net.ssl.trustStorePassword=changeit …
`
