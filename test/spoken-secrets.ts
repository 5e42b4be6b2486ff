/**
 * What was said in a test that must stay secret: each password, token and code that went in or out by a call. At the
 * end of the Berth that heard them none may lie in its store or its log in clear, whatever the test was about.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const secretNames = /password|secret|token$|^pin$|^env$|recoveryCodes/i
/** Texts that say a secret among other things. */
const carriers = new Set(['command', 'otpauthUrl', 'internalUrl', 'externalUrl'])
/** Shorter ones stand in other texts by chance. */
const leastLength = 10

/** What Berth logged into a file. */
export const linesIn = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map(parseLine)

/** A full disk tears lines: of those the text. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

export function spokenSecrets() {
  const secrets = new Set<string>()
  const open = new Set<string>()
  return { hear, check }

  /** `said` is an input or an answer. */
  function hear(said: unknown, isSecret = false): void {
    if (typeof said === 'string') return void (isSecret ? secrets : open).add(said)
    if (typeof said !== 'object' || said === null) return
    for (const [name, value] of Object.entries(said)) {
      if (!carriers.has(name)) hear(value, isSecret || (!Array.isArray(said) && secretNames.test(name)))
    }
  }

  function check(folder: string, logged: unknown): void {
    const files = readdirSync(folder).filter((name) => name.startsWith('berth.db'))
    const stored = Buffer.concat(files.map((name) => readFileSync(join(folder, name))))
    const log = JSON.stringify(logged)
    const isOpen = (secret: string) => [...open].some((text) => text.includes(secret))
    for (const secret of secrets) {
      if (secret.length < leastLength || isOpen(secret)) continue
      assert.ok(!stored.includes(secret), `the store holds in clear: ${secret}`)
      assert.ok(!log.includes(JSON.stringify(secret).slice(1, -1)), `the log has: ${secret}`)
    }
  }
}
