/** The labels by which Berth recognizes its own objects in a swarm. The swarm may have objects of others too. Pure. */

/** On every object that Berth creates: the id of the installation. */
export const installationLabel = 'berth.installation'

/** On services: the digest of the specification. On containers: the digest of the specification's container part. */
export const digestLabel = 'berth.digest'

/** On the services of a database: the id of its record. */
export const databaseLabel = 'berth.database'

/**
 * On services: the purpose of the service. One of `database`, `gateway` (of a database), `port` (the gateway of a
 * published port), `move` (a temporary server of a move), `proxy`, `registry` and `engine` (the port of a node's
 * engine).
 */
export const roleLabel = 'berth.role'

/** On the containers of jobs: the id of the record that the job belongs to. */
export const jobLabel = 'berth.job'

/** Whether an object with these labels was created by this installation. Berth changes no other object. */
export function isOwnObject(labels: Record<string, string>, installationId: string): boolean {
  return labels[installationLabel] === installationId
}
