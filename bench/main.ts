/**
 * The benchmarks: `node bench/main.ts [http] [start] [deploy] [operation ...]`, all sections without an argument.
 * Prints each figure beside its limit; ends with status 1 where one is missed.
 */
import { benchDeploy } from './deploy.ts'
import { benchHttp } from './http.ts'
import { benchStart } from './start.ts'

const sections = { start: benchStart, http: benchHttp, deploy: benchDeploy }

type Section = keyof typeof sections

const names = Object.keys(sections) as Section[]
const chosen = names.filter((name) => process.argv.includes(name))
const others = process.argv.slice(2).filter((argument) => !(names as string[]).includes(argument))

for (const name of chosen.length > 0 ? chosen : names) {
  const table = await sections[name](others)
  process.stdout.write(table)
  if (table.includes('MISSED')) process.exitCode = 1
}
process.exit()
