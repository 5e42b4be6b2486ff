/** The labels by which Berth knows its own things in a swarm that it shares with others. Pure. */

/** On everything that Berth makes: the id of the installation that made it. */
export const installationLabel = 'berth.installation'

/** On services: the digest of the specification. On containers: that of its container part. */
export const digestLabel = 'berth.digest'

/**
 * On services: what it is to Berth: a `database`, the `gateway` of one or of a `port`, the `proxy`, the `registry`, an
 * `errand`.
 */
export const roleLabel = 'berth.role'

/** The role of what does something on a node for the engine and is removed at once. */
export const remoteCommandRole = 'errand'

/** On the containers of jobs: the id of the record that the job is done for. */
export const jobLabel = 'berth.job'

/** Whether a thing with these labels was made by this installation; anything else is left alone. */
export function isOurs(labels: Record<string, string>, installationId: string): boolean {
  return labels[installationLabel] === installationId
}
