/** The first database: suggestions for each kind, and the input of its creation. */
import type { Kind } from '../../data/kinds.ts'

interface Suggestion {
  /** What the kind is for, in a few words. */
  use: string
  /** The port that clients expect. */
  port: number
}

export const suggestions: Record<Kind, Suggestion> = {
  postgres: { use: 'Tables and SQL. A good choice if you have no other wish.', port: 5432 },
  mysql: { use: 'Tables and SQL, for applications made for MySQL.', port: 3306 },
  mariadb: { use: 'Tables and SQL, a relative of MySQL.', port: 3306 },
  mongo: { use: 'Documents without a fixed shape.', port: 27_017 },
  redis: { use: 'Keys and values in memory: caches, queues.', port: 6379 },
}

export interface FirstDatabase {
  kind: Kind
  project: string
  name: string
  image: string
  /** Null: reached only by applications in the swarm. */
  externalPort: number | null
}

/** The host name of the database for other services. */
export const hostNameOf = (project: string, name: string): string =>
  `${project}-${name}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)

/** A name that SQL takes without quotes. */
const sqlName = (name: string) => {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '_')
  return /^[a-z]/.test(plain) ? plain.slice(0, 32) : `db_${plain}`.slice(0, 32)
}

/** The input of `<kind>.create`. Berth makes the empty passwords. */
export function createInput({ kind, project, name, image, externalPort }: FirstDatabase, projectId: string): object {
  const user = sqlName(name)
  const login = {
    postgres: { databaseName: user, databaseUser: user },
    mysql: { databaseName: user, databaseUser: user, databaseRootPassword: '' },
    mariadb: { databaseName: user, databaseUser: user, databaseRootPassword: '' },
    mongo: { databaseUser: user },
    redis: {},
  }[kind]
  const common = { name, appName: hostNameOf(project, name), projectId, dockerImage: image, databasePassword: '' }
  return { ...common, ...login, ...(externalPort === null ? {} : { externalPort }) }
}

/** What a person can correct after the first deployment has failed. */
export interface Correction {
  dockerImage: string
  /** Empty: no port. */
  externalPort: string
}

/** The input of `<kind>.update` with the fields that differ from the record. Berth refuses a port that is no number. */
export function correctionOf(
  { dockerImage, externalPort }: Correction,
  record: { dockerImage: string; externalPort: number | null },
): object {
  const typed = externalPort.trim()
  const port = typed === '' ? null : /^\d+$/.test(typed) ? Number(typed) : typed
  return {
    ...(dockerImage.trim() === record.dockerImage ? {} : { dockerImage: dockerImage.trim() }),
    ...(port === record.externalPort ? {} : { externalPort: port }),
  }
}
