/** Runs the benchmarks. Prints each figure with its limit. The exit status is 1 if a limit is exceeded. */
import { benchAuth } from './auth.ts'
import { benchBackup } from './backup.ts'
import { benchCli } from './cli.ts'
import { benchCluster } from './cluster.ts'
import { benchConsole } from './console.ts'
import { benchDeploy } from './deploy.ts'
import type { Section } from './figures.ts'
import { benchFleet } from './fleet.ts'
import { keep } from './history.ts'
import { benchHttp } from './http.ts'
import { benchNodes } from './nodes.ts'
import { benchRouting } from './routing.ts'
import { benchSamples } from './samples.ts'
import { benchSchedules } from './schedules.ts'
import { benchSeries } from './series.ts'
import { benchSources } from './sources.ts'
import { benchStart } from './start.ts'

const usage = `Usage: ./berth bench [http] [start] [auth] [deploy] [fleet] [backup] [schedules] [routing] [cluster]
                     [cli] [console] [nodes] [sources] [series] [samples]
                     [--keep] [OPERATION...]

  http     requests per second and latencies, alternating with a bare node:http server (5 minutes)
  start    time until the first answer, memory, packages (1 minute)
  auth     logins: whether their times reveal who has an account, memory, concurrent reads (3 minutes)
  deploy   a new database until it is ready, alternating with the engine alone (1 minute; needs Docker)
  fleet    twenty databases of all kinds at once, alternating with the engine alone (10 minutes; needs Docker)
  backup   a dump of 2 GiB to a storage, directly, through Berth and with the same tools by hand in turn (15 minutes;
           needs Docker, zstd and aws)
  schedules  processor time with a thousand schedules that are not due, compared with none (2 minutes)
  routing  changes of one rule among a thousand, also under load, and loads of the configuration (3 minutes; needs
           Docker)
  cluster  fifty nodes and ten thousand services: the list of nodes, the loop \`watch\`, memory (1 minute)
  cli      \`berth ls\`, alternating with an empty program of Node and one request (10 seconds)
  console  script time of the overview and the list with 1,000 databases in Chromium (2 minutes; needs Chromium)
  nodes    logins on another node, alternating with logins on Berth's own node (1 minute; needs Docker)
  sources  new connections through a gateway with 1,000 allowed sources, alternating with none (1 minute; needs Docker)
  series   the history of 100 databases over a year: size, a year of one series, pruning, recording (20 seconds)
  samples  processor time of the machine while twenty databases are sampled, alternating with none (8 minutes; needs
           Docker)

Without arguments, all sections run. Names of operations (auth.get) limit http to these operations. --keep adds a line
for each section to bench/history.jsonl. docs/figures.md describes the bottlenecks.
`

const sections = {
  http: benchHttp,
  start: benchStart,
  auth: benchAuth,
  deploy: benchDeploy,
  // A name on the command line and in bench/history.jsonl.
  fleet: benchFleet,
  backup: benchBackup,
  schedules: benchSchedules,
  routing: benchRouting,
  cluster: benchCluster,
  cli: benchCli,
  console: benchConsole,
  nodes: benchNodes,
  sources: benchSources,
  series: benchSeries,
  samples: benchSamples,
}

type Name = keyof typeof sections

const names = Object.keys(sections) as Name[]
const isKept = process.argv.includes('--keep')
const requested = process.argv.slice(2).filter((argument) => argument !== '--keep')
const chosen = names.filter((name) => requested.includes(name))
const operations = requested.filter((argument) => !(names as string[]).includes(argument))

if (operations.some((argument) => !/^\w+\.\w+$/.test(argument))) {
  process.stdout.write(usage)
  process.exit(requested.includes('--help') || requested.includes('-h') ? 0 : 2)
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
