/** berth context: the installations that the person is signed in to. */
import type { CommandDeclaration, GroupDeclaration, Outcome } from '../../command.ts'
import { contextNamed, readContexts, writeContexts } from '../../connection/contexts.ts'
import type { CommonOptions, Session } from '../../connection/session.ts'

const contextArgument = ['<context>', 'the name of the context'] as const

const commands: CommandDeclaration[] = [
  {
    name: 'ls',
    description: 'list the installations that you are signed in to',
    examples: ['berth context ls'],
    run: list,
  },
  {
    name: 'use',
    description: 'choose the installation that commands go to',
    arguments: [contextArgument],
    examples: ['berth context use production'],
    run: use,
  },
  {
    name: 'rm',
    description: 'forget an installation; its session goes on (berth logout ends it)',
    arguments: [contextArgument],
    examples: ['berth context rm production'],
    run: remove,
  },
]

export const contextGroup: GroupDeclaration = {
  name: 'context',
  description: 'choose between the installations that you are signed in to',
  examples: ['berth context ls', 'berth context use production'],
  commands,
}

async function list({ env, output }: Session, options: CommonOptions): Promise<Outcome> {
  const { current, contexts } = readContexts(env)
  const chosen = options.context ?? current
  const rows = Object.entries(contexts).map(([name, { url, email }]) => ({
    name,
    url,
    email,
    current: name === chosen,
  }))
  return {
    json: rows,
    show() {
      if (rows.length === 0) output.remark('You are not signed in. Sign in: berth login URL')
      if (env.BERTH_URL) output.remark(`BERTH_URL is set: commands without --context go to ${env.BERTH_URL}`)
      output.table(
        ['', 'name', 'url', 'account'],
        rows.map((row) => [row.current ? '*' : '', row.name, row.url, row.email]),
      )
    },
  }
}

async function use({ env, output }: Session, _: CommonOptions, name: string): Promise<Outcome> {
  const known = readContexts(env)
  const { url, email } = contextNamed(known, name)
  writeContexts(env, { ...known, current: name })
  return { json: { name, url, email, current: true }, show: () => output.line(`Commands now go to ${url}.`) }
}

async function remove({ env, output }: Session, _: CommonOptions, name: string): Promise<Outcome> {
  const known = readContexts(env)
  const { url, email } = contextNamed(known, name)
  const { [name]: _removed, ...contexts } = known.contexts
  writeContexts(env, { ...known, current: known.current === name ? null : known.current, contexts })
  return { json: { name, url, email, current: false }, show: () => output.line(`Forgot ${name}.`) }
}
