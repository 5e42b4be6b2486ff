/** Reads the comments that the dump program writes about the dump: the name of the database, and the findings. Pure. */
import { type DumpFinding, findingIn } from '../dump-finding.ts'

/** What a comment says; null for any other comment. */
export type Remark = { database: string } | { finding: DumpFinding }

const comment = '-- '
const database = /^Berth: Database ((?:[0-9a-f]{2})+)$/i

export function remarkIn(line: string): Remark | null {
  if (!line.startsWith(comment)) return null
  const text = line.slice(comment.length)
  const [, name] = database.exec(text) ?? []
  if (name !== undefined) return { database: Buffer.from(name, 'hex').toString() }
  const finding = findingIn(text)
  return finding === null ? null : { finding }
}
