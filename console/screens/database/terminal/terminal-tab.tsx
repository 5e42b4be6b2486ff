/** The tab Terminal of a database: a session with the client of its product, in the browser. */
import { useSignal } from '@preact/signals'
import { Button } from '../../../components/button.tsx'
import { CodeBlock } from '../../../components/copy.tsx'
import type { TabProps } from '../view.ts'
import { clients, terminalCommands } from './commands.ts'
import { TerminalView } from './terminal-view.tsx'

export function TerminalTab(props: TabProps) {
  const isOpen = useSignal(false)
  const { kind, databaseId, record } = props
  const client = clients[kind]
  return (
    <>
      <section class="card" aria-labelledby="terminal">
        <h2 id="terminal">Terminal</h2>
        <p>
          Runs <code>{client}</code> in a container of its own, from the image of the database and on its node. It is
          logged in as <strong>{userOf(props)}</strong>, so it can read and change all data. Begin and end are recorded
          in the audit log with your account. The container is removed when the session ends.
        </p>
        {isOpen.value ? (
          <TerminalView databaseId={databaseId} client={client} />
        ) : (
          <div class="buttons">
            <Button kind="primary" unavailable={reasonAgainstSession(record)} onClick={() => (isOpen.value = true)}>
              Open a terminal
            </Button>
          </div>
        )}
      </section>
      <Commands {...props} />
    </>
  )
}

/** Redis has one user. */
const userOf = ({ kind, record }: TabProps) => (kind === 'redis' ? 'default' : record.databaseUser)

/** Berth checks it again. */
function reasonAgainstSession({ applicationStatus, containerState }: TabProps['record']): string | null {
  if (applicationStatus === 'idle') return 'The database is stopped or was never deployed. Deploy or start it first'
  return containerState === 'running' ? null : 'The container of the database does not run at the moment'
}

/** What the browser does not offer, too: a forwarded port and a dump. */
function Commands({ kind, path }: TabProps) {
  return (
    <section class="card" aria-labelledby="commands">
      <h2 id="commands">The same from a terminal of yours</h2>
      <p>
        Berth's command line opens the same session where your files and programs are. It needs no external port: the
        connection goes through Berth.
      </p>
      {terminalCommands(kind, path).map(({ what, text, command }) => (
        <div key={what} class="stack">
          <h3>{text}</h3>
          <CodeBlock what={what} text={command} />
        </div>
      ))}
    </section>
  )
}
