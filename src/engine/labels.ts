/** The labels by which Berth recognizes its own objects in a swarm. The swarm may have objects of others too. Pure. */

/** On every object that Berth creates: the id of the installation. */
export const installationLabel = 'berth.installation'

/** On services: the digest of the specification. On containers: the digest of the specification's container part. */
export const digestLabel = 'berth.digest'

/** On the services of a database and on its volumes: the id of its record. */
export const databaseLabel = 'berth.database'

/** On the services and volumes of a database: its kind. */
export const kindLabel = 'berth.kind'

/**
 * On the services of a database and on its volumes: the generation of the volume (volumes/table.ts). Absent for volumes
 * that an older version of Berth recorded. The label of a volume is fixed when Docker creates the volume.
 */
export const generationLabel = 'berth.generation'

/**
 * On services: the purpose of the service. One of `database`, `gateway` (of a database), `port` (the gateway of a
 * published port), `move` (a temporary server of a move), `proxy`, `registry` and the value of `remoteCommandRole`.
 */
export const roleLabel = 'berth.role'

/**
 * The role of a service that runs one remote command on a node and is removed afterwards. The value is the word of an
 * older version. Changing the value would leave the services of that version in the swarm, because Berth finds leftover
 * services by this role.
 */
export const remoteCommandRole = 'errand'

/** On the containers of jobs: the id of the record that the job belongs to. */
export const jobLabel = 'berth.job'

/** The name of the config whose labels say which Berth process is in charge of an installation. */
export const chargeConfigOf = (installationId: string) => `berth-charge-${installationId}`

/** The filter of Docker's API for objects that this installation created. */
export const ownObjects = (installationId: string): string => `${installationLabel}=${installationId}`

/** Whether an object with these labels was created by this installation. Berth changes no other object. */
export function isOwnObject(labels: Record<string, string>, installationId: string): boolean {
  return labels[installationLabel] === installationId
}
