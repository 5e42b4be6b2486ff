/** The clients of the products, and the commands of Berth's command line that open sessions. Pure. */
import type { Kind } from '../../../data/kinds.ts'

/** The program of a session. Berth's command has the same name. */
export const clients: Record<Kind, string> = {
  postgres: 'psql',
  mysql: 'mysql',
  mariadb: 'mariadb',
  mongo: 'mongosh',
  redis: 'redis-cli',
}

/** The options of a dump, with a file whose name tells the format; null: the product has no dumps. */
const dumpOptions: Record<Kind, string | null> = {
  postgres: '--output database.dump',
  mysql: '--output database.sql',
  mariadb: '--output database.sql',
  // A server has several databases.
  mongo: '--database DATABASE --output database.archive',
  redis: null,
}

export interface TerminalCommand {
  /** For a screen reader. */
  what: string
  text: string
  command: string
}

/** @param path what the command line calls the database */
export function terminalCommands(kind: Kind, path: string): TerminalCommand[] {
  const client = clients[kind]
  const options = dumpOptions[kind]
  return [
    { what: 'the command for a session', text: `A session of ${client}`, command: `berth ${client} ${path}` },
    {
      what: 'the command for a tunnel',
      text: 'A port of your machine that leads to the database',
      command: `berth tunnel ${path}`,
    },
    ...(options === null
      ? []
      : [
          {
            what: 'the command for a dump',
            text: 'A dump into a file of yours',
            command: `berth dump ${path} ${options}`,
          },
        ]),
  ]
}
