/** The number of present conditions as a Prometheus metric. */
import type { Family } from '../lib/prometheus.ts'
import type { Reader } from '../store/schema.ts'
import { conditionNames, severities } from './table.ts'

/** One sample for each name and severity, also if there is no such condition: an alert needs the 0 of a healthy state. */
export async function conditionFamily(db: Reader): Promise<Family> {
  const rows = await db
    .selectFrom('condition')
    .select(['name', 'severity'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('endedAt', 'is', null)
    .groupBy(['name', 'severity'])
    .execute()
  const countOf = (name: string, severity: string) =>
    Number(rows.find((row) => row.name === name && row.severity === severity)?.count ?? 0)
  return {
    name: 'berth_conditions',
    help: 'Number of present conditions: what needs attention.',
    samples: conditionNames.flatMap((name) =>
      severities.map((severity) => [{ name, severity }, countOf(name, severity)] as const),
    ),
  }
}
