/**
 * How the two processes of the proxy are started: the front, and the rules behind it. Both go on with the last
 * configuration that they took. One container holds both: neither is of use without the other.
 */
export interface Places {
  /** The front's admin socket, the rules' admin socket, and the socket between them. */
  frontAdmin: string
  rulesAdmin: string
  rules: string
}

/** A folder that only Berth and the proxy can reach: whoever opens these sockets commands the proxy. */
export const placesIn = (folder: string): Places => ({
  frontAdmin: `${folder}/front.sock`, rulesAdmin: `${folder}/rules-admin.sock`, rules: `${folder}/rules.sock`,
})

export interface Program { argv: string[]; env: Record<string, string> }

/** One process; `CADDY_ADMIN` is where it listens until it has a configuration that says so itself. */
export function program(caddy: string, adminSocket: string, stateFolder: string): Program {
  return {
    argv: [caddy, 'run', '--resume'],
    env: { CADDY_ADMIN: `unix/${adminSocket}|0600`, XDG_CONFIG_HOME: stateFolder, XDG_DATA_HOME: stateFolder },
  }
}

/** Both in one container: the front is its process 1 and ends with the rules, so that the engine starts both anew. */
const bothScript = `rm -f "$BERTH_FRONT_ADMIN" "$BERTH_RULES_ADMIN" "$BERTH_RULES"
(
  export CADDY_ADMIN="unix/$BERTH_RULES_ADMIN|0600"
  export XDG_CONFIG_HOME="$BERTH_STATE/rules" XDG_DATA_HOME="$BERTH_STATE/rules"
  caddy run --resume
  kill 1
) &
export CADDY_ADMIN="unix/$BERTH_FRONT_ADMIN|0600"
export XDG_CONFIG_HOME="$BERTH_STATE/front" XDG_DATA_HOME="$BERTH_STATE/front"
exec caddy run --resume
`

/** For a container of the caddy image. `stateFolder` is on a volume: it holds the configurations, with their keys. */
export function bothPrograms(folder: string, stateFolder: string): Program {
  const { frontAdmin, rulesAdmin, rules } = placesIn(folder)
  return {
    argv: ['sh', '-c', bothScript],
    env: { BERTH_FRONT_ADMIN: frontAdmin, BERTH_RULES_ADMIN: rulesAdmin, BERTH_RULES: rules, BERTH_STATE: stateFolder },
  }
}
