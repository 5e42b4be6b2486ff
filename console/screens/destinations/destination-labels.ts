/** What people read about the fields of each kind of destination. The fields have the names of S3. */
import type { Destination } from '../../../client/client.ts'

export type Kind = Destination['kind']

type Field = 'name' | 'endpoint' | 'bucket' | 'region' | 'accessKey' | 'secretAccessKey' | 'hostKey'

/** The fields that a kind has, in the order of the form. */
export const fieldsOf: Record<Kind, readonly Field[]> = {
  s3: ['name', 'endpoint', 'bucket', 'region', 'accessKey', 'secretAccessKey'],
  sftp: ['name', 'endpoint', 'bucket', 'accessKey', 'secretAccessKey', 'hostKey'],
}

export const labelsOf: Record<Kind, Record<Field | 'kind', string>> = {
  s3: {
    name: 'Name',
    kind: 'Kind',
    endpoint: 'Endpoint of the S3 API',
    bucket: 'Bucket',
    region: 'Region',
    accessKey: 'Access key id',
    secretAccessKey: 'Secret access key',
    hostKey: 'Host key',
  },
  sftp: {
    name: 'Name',
    kind: 'Kind',
    endpoint: 'Host',
    bucket: 'Folder',
    region: 'Region',
    accessKey: 'User',
    secretAccessKey: 'Password or private key',
    hostKey: 'Host key',
  },
}

const common = {
  name: 'How Berth calls it, such as offsite.',
  hostKey: 'The fingerprint of the key of the server. Leave it empty and test the values to see the key.',
}

export const hintsOf: Record<Kind, Record<Field, string>> = {
  s3: {
    ...common,
    endpoint: 'A URL such as https://s3.example.org, or a host such as s3.eu-central-1.amazonaws.com.',
    bucket: 'It has to exist. Berth creates none.',
    region: "Such as eu-central-1. Empty: the storage's default.",
    accessKey: 'It needs the rights to read, write, list and delete objects in the bucket.',
    secretAccessKey: 'Berth stores it sealed, and never shows it again.',
  },
  sftp: {
    ...common,
    endpoint: 'Such as backup.example.org, with its port if that is not 22: 10.0.0.7:2222.',
    bucket: 'The absolute path of a folder on the server, such as /srv/backups. It has to exist.',
    region: 'SFTP servers have no region.',
    accessKey: 'It needs the rights to read, write, list and delete files in the folder.',
    secretAccessKey: 'A private key must have no passphrase. Berth stores it sealed, and never shows it again.',
  },
}
