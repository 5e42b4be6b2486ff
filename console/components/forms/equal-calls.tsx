/** The same call for a terminal: the command line and curl. */
import { isChange } from './is-change.ts'
import { CodeBlock } from '../copy.tsx'
import { quotedWord, shellLine, shellWord } from '../../../shared/shell-word.ts'

interface Props {
  operation: string
  /** Secrets are replaced by a placeholder. */
  input: Record<string, unknown>
  /** A shorter command than `berth api`, if there is one. */
  command?: string
  /** How many seconds the call waits for its work; 0: it does not wait. */
  wait?: number
}

export function EqualCalls({ operation, input, command, wait = 0 }: Props) {
  const shown = withoutSecrets(input)
  return (
    <details>
      <summary>The same from a terminal</summary>
      <div class="stack">
        <CodeBlock what="the command" text={command ?? apiCommand(operation, shown, wait)} />
        <CodeBlock what="the curl call" text={curlCall(operation, shown, wait)} />
      </div>
    </details>
  )
}

const placeholder = '<secret>'
const isSecret = (name: string) => /password$|^secret|^privateKey$|^token$|^code$/i.test(name)

function withoutSecrets(input: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      isSecret(name) && typeof value === 'string' && value !== '' ? placeholder : value,
    ]),
  )
}

function apiCommand(operation: string, input: Record<string, unknown>, wait: number): string {
  const fields = Object.entries(input).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return `--${name}${text.startsWith('-') ? '=' : ' '}${shellWord(text)}`
  })
  return [shellLine`berth api ${operation}`, ...fields, ...(wait > 0 ? [`--wait ${wait}`] : [])].join(' \\\n  ')
}

function curlCall(operation: string, input: Record<string, unknown>, wait: number): string {
  const url = `"$BERTH_URL/api/${operation}"`
  const authorization = '-H "Authorization: Bearer $BERTH_TOKEN"'
  const lines = isChange(operation)
    ? [
        `curl -sS ${url}`,
        authorization,
        ...(wait > 0 ? [`-H 'Prefer: wait=${wait}'`] : []),
        "-H 'Content-Type: application/json'",
        `-d ${quotedWord(JSON.stringify(input))}`,
      ]
    : [
        `curl -sS -G ${url}`,
        authorization,
        ...Object.entries(input).map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`),
      ]
  return lines.join(' \\\n  ')
}
