/** Two forms of command about one database: long work, and a change of its record. */
import type { z } from 'zod'
import type { Access } from '../../api/access.ts'
import { type CommandContext, command, type Operation, type QueryContext } from '../../api/contract.ts'
import type { Code } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import { idIn, type record } from './fields.ts'
import { type Answering, findRow, type Row, toRecord } from './records.ts'

interface Declaration<I extends z.ZodObject> {
  /** The second part of the operation's name. */
  verb: string
  summary: string
  access: Access
  /** Its first field is the database's id. */
  input: I
  /** Beside NOT_FOUND. */
  refusals: Code[]
  run(context: CommandContext, row: Row, input: z.output<I>): Promise<Row>
}

export type Commands = ReturnType<typeof commandsOf>

/** @param output the record of this kind: one schema, so that openapi.json has the record once */
export function commandsOf(kind: Kind, output: ReturnType<typeof record>) {
  return { longWork, change }

  /** Answered as soon as the work is recorded, and with `Prefer: wait` once it has settled. */
  function longWork<I extends z.ZodObject>({ verb, refusals, run, ...rest }: Declaration<I>): Operation {
    return command({
      ...rest,
      name: `${kind.name}.${verb}`,
      output,
      refusals: ['NOT_FOUND', 'CONFLICT', ...refusals],
      run: (context, input) => answered(context, input, run),
      settled: async (context: QueryContext, input) =>
        toRecord(context, await findRow(context.db, kind, idIn(kind, input)), kind, false),
    })
  }

  /** Answered once: a change of the record alone, or a removal, after which nothing can be read again. */
  function change<I extends z.ZodObject>({ verb, refusals, run, ...rest }: Declaration<I>): Operation {
    return command({
      ...rest,
      name: `${kind.name}.${verb}`,
      output,
      refusals: ['NOT_FOUND', ...refusals],
      run: (context, input) => answered(context, input, run),
    })
  }

  async function answered<I>(
    context: CommandContext,
    input: I & object,
    run: (context: CommandContext, row: Row, input: I) => Promise<Row>,
  ) {
    const row = await findRow(context.tx, kind, idIn(kind, input))
    return toRecord(readingBy(context), await run(context, row, input), kind, false)
  }
}

/** A command reads by its transaction. */
export const readingBy = ({ tx, ...rest }: CommandContext): Answering => ({ ...rest, db: tx })
