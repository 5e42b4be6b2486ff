/** Clients in a container that try to reach a server by its name, again and again. */
import { docker } from './swarm.ts'

// Both loops run for half a minute beside other servers. A server that is reachable too early is so for seconds.
const connectLoop = `until (exec 3<>"/dev/tcp/$0/$1") 2>/dev/null; do sleep 0.1; done
date +%s.%N
sleep infinity`

const queryLoop = `while :; do psql "$0" -Atc "$1" 2>/dev/null; sleep 0.2; done`

/** Starts a script on Berth's network. Returns its container. */
async function start(script: string, ...argv: string[]): Promise<string> {
  // Without another name server, the unknown name of a service is refused at once.
  const options = ['--detach', '--init', '--network', 'berth', '--dns', '127.0.0.1', '--entrypoint', 'bash']
  const [id] = await docker('run', ...options, 'postgres:15', '-c', script, ...argv)
  return id!
}

const remover = (id: string) => async () => void (await docker('rm', '--force', id))

/**
 * Starts a client that connects once.
 * @param host the name of the service
 */
export async function startClient(host: string, port: number) {
  const id = await start(connectLoop, host, String(port))
  return {
    /** When the first connection succeeded, in seconds since the epoch; null if none has. */
    async firstConnection(): Promise<number | null> {
      const [time] = await docker('logs', id)
      return time === undefined ? null : Number(time)
    },
    [Symbol.asyncDispose]: remover(id),
  }
}

/** Starts a client that logs in to PostgreSQL for each of many queries. */
export async function startQueries(url: string, query: string) {
  const id = await start(queryLoop, url, query)
  return { answers: () => docker('logs', id), [Symbol.asyncDispose]: remover(id) }
}
