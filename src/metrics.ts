/** The metrics that GET /metrics answers. */
import { metricsOf } from './backups/metrics.ts'
import type { Alerts } from './alerts/loop.ts'
import { alertFamilies } from './alerts/metrics.ts'
import { conditionFamily } from './conditions/metrics.ts'
import type { EventStreams } from './events/follow.ts'
import { eventFamilies } from './events/metrics.ts'
import { sourcesFamilies } from './gateways/sources/metrics.ts'
import { type Heartbeat, heartbeatFamilies } from './heartbeat/heartbeat.ts'
import type { LoopFigures } from './lib/async/loop.ts'
import { loopFamilies } from './lib/async/loop-metrics.ts'
import { prometheusText } from './lib/prometheus.ts'
import { publicCertificateOf } from './routing/public/certificate.ts'
import { publicCertificateFamilies } from './routing/public/metrics.ts'
import type { Sampling } from './samples/loop.ts'
import { sampleFamilies } from './samples/metrics.ts'
import { sessionFamilies } from './sessions/metrics.ts'
import type { Sessions } from './sessions/sessions.ts'
import type { Runtime } from './runtime.ts'

interface Sources {
  runtime: Runtime
  loops: { figures(): LoopFigures[] }
  events: Pick<EventStreams, 'figures'>
  sessions: Pick<Sessions, 'figures'>
  heartbeat: Pick<Heartbeat, 'lastSuccess'>
  alerts: Pick<Alerts, 'figures'>
  sampling: Pick<Sampling, 'latest'>
}

export async function metricsText({
  runtime,
  loops,
  events,
  sessions,
  heartbeat,
  alerts,
  sampling,
}: Sources): Promise<string> {
  const { db, now } = runtime
  const families = [
    await conditionFamily(db),
    ...(await alertFamilies(db, alerts.figures())),
    ...(await eventFamilies(db, events.figures())),
    ...(await sourcesFamilies(db)),
    ...sessionFamilies(sessions.figures()),
    ...publicCertificateFamilies(await publicCertificateOf(runtime)),
    ...loopFamilies(loops.figures()),
    ...(await sampleFamilies(db, sampling.latest(), now())),
    ...heartbeatFamilies(heartbeat.lastSuccess()),
  ]
  return (await metricsOf({ db, now })) + prometheusText(families)
}
