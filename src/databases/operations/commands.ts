/**
 * The two kinds of commands on one database. A `deploymentCommand` begins a deployment and can respond after its end. A
 * `recordCommand` responds at once.
 */
import type { z } from 'zod'
import type { Access } from '../../api/access.ts'
import { type CommandContext, command, type Operation, type QueryContext } from '../../api/contract.ts'
import type { ConfirmationRule } from '../../api/confirmation/fields.ts'
import type { Code } from '../../errors.ts'
import type { Kind } from '../../kinds/kind.ts'
import { idIn, type record } from './fields.ts'
import { type RecordContext, findRow, type Row, toRecord } from './records.ts'

interface Declaration<I extends z.ZodObject> {
  /** The part of the operation's name after the dot. */
  verb: string
  summary: string
  access: Access
  /** The first field is the database's id. */
  input: I
  /** Error codes in addition to NOT_FOUND and, for a `deploymentCommand`, CONFLICT. */
  refusals: Code[]
  confirmation?: ConfirmationRule<z.output<I>>
  run(context: CommandContext, row: Row, input: z.output<I>): Promise<Row>
}

export type Commands = ReturnType<typeof commandsOf>

/**
 * Functions that declare commands on databases of this kind.
 *
 * @param output the record schema of this kind. All commands share it, so that openapi.json contains it only once
 */
export function commandsOf(kind: Kind, output: ReturnType<typeof record>) {
  return { deploymentCommand, recordCommand }

  /**
   * A command that begins a deployment. Responds when the deployment is recorded; to a call with `Prefer: wait`, only
   * after the deployment has ended.
   */
  function deploymentCommand<I extends z.ZodObject>({ verb, refusals, run, ...rest }: Declaration<I>): Operation {
    return command({
      ...rest,
      name: `${kind.name}.${verb}`,
      reach: 'project',
      output,
      refusals: ['NOT_FOUND', 'CONFLICT', ...refusals],
      run: (context, input) => respond(context, input, run),
      finalAnswer: async (context: QueryContext, input) =>
        toRecord(context, await findRow(context.db, kind, idIn(kind, input)), kind, false),
    })
  }

  /**
   * A command that responds with the record that `run` returns. `remove` also uses this, although it begins a
   * deployment: after that deployment has ended, there is no record to read.
   */
  function recordCommand<I extends z.ZodObject>({ verb, refusals, run, ...rest }: Declaration<I>): Operation {
    return command({
      ...rest,
      name: `${kind.name}.${verb}`,
      reach: 'project',
      output,
      refusals: ['NOT_FOUND', ...refusals],
      run: (context, input) => respond(context, input, run),
    })
  }

  async function respond<I>(
    context: CommandContext,
    input: I & object,
    run: (context: CommandContext, row: Row, input: I) => Promise<Row>,
  ) {
    const row = await findRow(context.tx, kind, idIn(kind, input))
    return toRecord(readContext(context), await run(context, row, input), kind, false)
  }
}

/** The context for reading a record inside a command's transaction. */
export const readContext = ({ tx, ...rest }: CommandContext): RecordContext => ({ ...rest, db: tx })
