/** Programs that connect to Redis and Valkey. Pure. */
import { shellWord as sh } from '../../../../data/forms/shell-word.ts'
import {
  type Address,
  askPassword,
  caFile,
  goPassword,
  goRoots,
  hostIn,
  ifVerified,
  javaImport,
  javaPassword,
  javaProperties,
  nodeCa,
  nodeImport,
  nodePassword,
  type Programs,
  pythonPassword,
  quoted as q,
} from './address.ts'

const shell = (address: Address) => {
  const { host, port } = address
  const tls = ` \\\n  --tls --cacert ${caFile}   # verifies the authority, but not the name`
  return `${askPassword}
REDISCLI_AUTH="$DATABASE_PASSWORD" redis-cli -h ${sh(host)} -p ${port}${ifVerified(address, tls)}`
}

const node = (address: Address) => {
  const { host, port } = address
  const tls = ifVerified(address, `, tls: true, ${nodeCa}`)
  return `${nodeImport(address)}import { createClient } from 'redis'

const client = createClient({
  socket: { host: ${q(host)}, port: ${port}${tls} },
  password: ${nodePassword},
})
await client.connect()
console.log(await client.ping())
client.destroy()`
}

const python = (address: Address) => {
  const { host, port } = address
  if (!address.isVerified) {
    return `import os
import redis

client = redis.Redis(host=${q(host)}, port=${port}, password=${pythonPassword})
print(client.ping())`
  }
  return `import os
import redis

client = redis.Redis(
    host=${q(host)},
    port=${port},
    password=${pythonPassword},
    ssl=True,
    ssl_ca_certs="${caFile}",
    ssl_check_hostname=True,
)
print(client.ping())`
}

const go = (address: Address) => {
  const { host, port } = address
  const packages = ifVerified(address, '"crypto/tls", "crypto/x509", "log", ')
  const [roots, tls] = [ifVerified(address, goRoots), '\n	TLSConfig: &tls.Config{RootCAs: roots},']
  return `// import ${packages}"os", "github.com/redis/go-redis/v9"
${roots}client := redis.NewClient(&redis.Options{
	Addr:     ${q(`${hostIn(host)}:${port}`)},
	Password: ${goPassword},${ifVerified(address, tls)}
})`
}

const java = (address: Address) => {
  const { host, port } = address
  if (!address.isVerified) {
    return `JedisPooled client = new JedisPooled(
    new HostAndPort(${q(host)}, ${port}),
    DefaultJedisClientConfig.builder().password(${javaPassword}).build());`
  }
  return `${javaImport}${javaProperties}SSLParameters parameters = new SSLParameters();
parameters.setEndpointIdentificationAlgorithm("HTTPS"); // compares the host with the certificate
JedisPooled client = new JedisPooled(
    new HostAndPort(${q(host)}, ${port}),
    DefaultJedisClientConfig.builder()
        .ssl(true)
        .sslParameters(parameters)
        .password(${javaPassword})
        .build());`
}

export const redis: Programs = [
  ['redis-cli', shell],
  ['Node', node],
  ['Python', python],
  ['Go', go],
  ['Java', java],
]
