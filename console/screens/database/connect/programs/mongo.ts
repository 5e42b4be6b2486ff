/** Programs that connect to MongoDB. Pure. */
import { shellWord as sh } from '../../../../data/forms/shell-word.ts'
import {
  type Address,
  caFile,
  goPassword,
  hostIn,
  ifVerified,
  javaImport,
  javaPassword,
  javaProperties,
  nodePassword,
  type Programs,
  pythonPassword,
  quoted as q,
} from './address.ts'

const url = (address: Address) => {
  const { host, port } = address
  return `mongodb://${hostIn(host)}:${port}/?authSource=admin${ifVerified(address, `&tls=true&tlsCAFile=${caFile}`)}`
}

const java = (address: Address) => {
  const { host, port, user } = address
  const tls = ifVerified(address, '\n    .applyToSslSettings(ssl -> ssl.enabled(true))')
  const store = ifVerified(address, javaImport + javaProperties)
  return `${store}MongoClient client = MongoClients.create(MongoClientSettings.builder()
    .applyToClusterSettings(cluster -> cluster.hosts(List.of(new ServerAddress(${q(host)}, ${port}))))${tls}
    .credential(MongoCredential.createCredential(
        ${q(user)}, "admin", ${javaPassword}.toCharArray()))
    .build());`
}

export const mongo: Programs = [
  [
    'mongosh',
    (address) => `mongosh ${sh(url(address))} \\\n  --username ${sh(address.user)}   # asks for the password`,
  ],
  [
    'Node',
    (address) => `import { MongoClient } from 'mongodb'

const client = new MongoClient(${q(url(address))}, {
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
    ${q(url(address))},
    username=${q(address.user)},
    password=${pythonPassword},
)
print(client.admin.command("ping"))`,
  ],
  [
    'Go',
    (address) => `// import "os", "go.mongodb.org/mongo-driver/v2/mongo", "go.mongodb.org/mongo-driver/v2/mongo/options"
client, err := mongo.Connect(options.Client().
	ApplyURI(${q(url(address))}).
	SetAuth(options.Credential{
		AuthSource: "admin",
		Username:   ${q(address.user)},
		Password:   ${goPassword},
	}))`,
  ],
  ['Java', java],
]
