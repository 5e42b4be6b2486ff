/** The operation that opens a session with a database. */
import { z } from 'zod'
import { session } from '../api/contract.ts'
import { idOf } from '../api/fields.ts'
import { refuseField } from '../errors.ts'
import { modes, ServerMessage, SizeParameter } from './protocol.ts'

const Argument = z
  .string()
  .max(8192, 'must have at most 8,192 characters')
  .regex(/^[^\0]*$/, 'must not contain the character NUL')
  .refine((text) => text.isWellFormed(), 'must not contain lone surrogates (invalid Unicode)')

export const openSession = session({
  name: 'database.openSession',
  summary: 'Open a session with a running database over a WebSocket',
  description:
    'A container of the image of the database runs next to it for this session, and is removed with it. The mode client ' +
    'is the client of the product (psql, mysql, mariadb, mongosh or redis-cli), logged in with the credentials of the ' +
    'database: in a terminal with columns and rows, else with pipes. The mode tunnel passes bytes to and from the port ' +
    'of the server, one session for each connection. The mode dump answers a dump in the format of the tool.\n\n' +
    'Name the subprotocol berth.session.v1. A binary frame has bytes of the input or output. Text frames have JSON: ' +
    '{"type": "resize", "columns": 80, "rows": 24} and {"type": "endInput"} from the client, and the messages of the ' +
    'answer from Berth. Only ended with exitCode 0 means success. A session ends when its client disconnects, when ' +
    'nothing was sent for BERTH_SESSION_IDLE_SECONDS, when the token loses its access, and when Berth stops. Its begin ' +
    'and its end are in the audit log.',
  access: 'user:admin',
  reach: 'project',
  role: 'developer',
  input: z.object({
    databaseId: idOf('database'),
    mode: z.enum(modes, `must be one of ${modes.join(', ')}`).describe('What the session connects with'),
    columns: SizeParameter.describe('Width of the terminal in characters, for the mode client'),
    rows: SizeParameter.describe('Height of the terminal in lines; columns and rows belong together'),
    argument: z
      .array(Argument)
      .max(200, 'must be given at most 200 times')
      .default([])
      .describe(
        'Arguments of the client, each as a parameter of its own. Of the mode dump: the name of the database within the ' +
          'server, if it is not databaseName',
      ),
  }),
  output: ServerMessage.meta({ title: 'SessionMessage' }),
  refusals: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS', 'BAD_GATEWAY', 'SERVICE_UNAVAILABLE'],
  async run({ sessions }, { databaseId, mode, columns, rows, argument }) {
    if (rows === undefined && columns !== undefined) refuseField('columns', 'must be given together with rows')
    if (columns === undefined && rows !== undefined) refuseField('rows', 'must be given together with columns')
    const terminal = columns === undefined || rows === undefined ? null : { columns, rows }
    if (terminal !== null && mode !== 'client') refuseField('columns', `is not for the mode ${mode}`)
    const maxArguments = { client: 200, tunnel: 0, dump: 1 }[mode]
    if (argument.length > maxArguments) refuseField('argument', `can be given ${maxArguments} times for ${mode}`)
    return sessions.plan(databaseId, { mode, terminal, args: argument })
  },
})
