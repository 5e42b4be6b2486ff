/** The benchmarks. Prints each figure beside its limit; ends with status 1 where one is missed. */
import { benchAuth } from './auth.ts'
import { benchBackup } from './backup.ts'
import { benchCluster } from './cluster.ts'
import { benchDeploy } from './deploy.ts'
import type { Section } from './figures.ts'
import { benchFleet } from './fleet.ts'
import { keep } from './history.ts'
import { benchHttp } from './http.ts'
import { benchRouting } from './routing.ts'
import { benchSchedules } from './schedules.ts'
import { benchStart } from './start.ts'

const usage = `Usage: ./berth bench [http] [start] [auth] [deploy] [fleet] [backup] [schedules] [routing] [cluster]
                     [--keep] [OPERATION...]

  http     requests a second and times, in turn with a bare node:http server (5 minutes)
  start    time to the first answer, memory, packages (1 minute)
  auth     logins: whether their times tell who has an account, memory, reads meanwhile (3 minutes)
  deploy   a new database until it is ready, in turn with the engine alone (1 minute; needs Docker)
  fleet    twenty databases of all kinds at once, in turn with the engine alone (10 minutes; needs Docker)
  backup   a dump of 2 GiB into a storage, in turn with the tools by hand (10 minutes; needs Docker, zstd and aws)
  schedules  processor time of a thousand schedules of which none is due, beside none (2 minutes)
  routing  changes of a rule with a thousand there, under traffic, and loads (3 minutes; needs Docker)
  cluster  fifty nodes and ten thousand services: the list of nodes, the watch, memory (1 minute)

All of them without arguments. Names of operations (auth.get) narrow http down to them. --keep adds the figures to
bench/history.jsonl, a line for each section: docs/figures.md says what bounds them.
`

const sections = {
  http: benchHttp,
  start: benchStart,
  auth: benchAuth,
  deploy: benchDeploy,
  databaseClients: benchFleet,
  backup: benchBackup,
  schedules: benchSchedules,
  routing: benchRouting,
  cluster: benchCluster,
}

type Name = keyof typeof sections

const names = Object.keys(sections) as Name[]
const isKept = process.argv.includes('--keep')
const given = process.argv.slice(2).filter((argument) => argument !== '--keep')
const chosen = names.filter((name) => given.includes(name))
const operations = given.filter((argument) => !(names as string[]).includes(argument))

if (operations.some((argument) => !/^\w+\.\w+$/.test(argument))) {
  process.stdout.write(usage)
  process.exit(given.includes('--help') || given.includes('-h') ? 0 : 2)
}
const measured: Section[] = []
for (const name of chosen.length > 0 ? chosen : operations.length > 0 ? (['http'] as const) : names) {
  process.stderr.write(`${name}\n`)
  const section = await sections[name](operations)
  if (isKept) keep(name, section.kept)
  measured.push(section)
}
process.stdout.write(measured.map(({ text }) => text).join(''))
process.exit(measured.some(({ kept }) => kept.some(({ holds }) => holds === false)) ? 1 : 0)
