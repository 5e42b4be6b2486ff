/** The programs that tell whether a restore has replaced the database, and that clean up after it. */
import { textFile } from '../../lib/text-file.ts'
import { type Program, secretFile, secretPath, type ServerDatabase } from '../backup.ts'
import { envOf, type Login, roleOf } from './login.ts'

const queryScript = textFile('kinds/postgres/programs/query.sh', { secretPath })

/** Returns a program that runs the queries in template1, which no client uses. */
const programOf =
  (queries: string) =>
  (login: Login, place: ServerDatabase): Program => ({
    argv: ['sh', '-c', queryScript, 'berth', queries],
    env: { ...envOf(login, { ...place, database: 'template1' }), BERTH_DATABASE: place.database },
    files: secretFile(roleOf(login).password),
  })

export const postgresOutcome = {
  identify: programOf(textFile('kinds/postgres/programs/identify.sql')),
  end: programOf(textFile('kinds/postgres/programs/end-restore.sql')),
  clear: programOf(textFile('kinds/postgres/programs/drop-scratch.sql')),
}
