/** The labels that mark Berth's objects in a swarm, which other programs may use too. Pure. */

/** On every object that Berth creates: the id of the installation. */
export const installationLabel = 'berth.installation'

/** On services: the digest of the specification. On containers: the digest of the specification's container part. */
export const digestLabel = 'berth.digest'

/**
 * On services: the purpose of the service. One of `database`, `gateway` (of a database or of a port), `proxy`,
 * `registry` and `errand`.
 */
export const roleLabel = 'berth.role'

/** The role of a service that runs one remote command on a node and is removed afterwards. */
export const remoteCommandRole = 'errand'

/** On the containers of jobs: the id of the record that the job belongs to. */
export const jobLabel = 'berth.job'

/** Whether an object with these labels was created by this installation. Berth changes no other object. */
export function isOwnObject(labels: Record<string, string>, installationId: string): boolean {
  return labels[installationLabel] === installationId
}
