/** Prometheus text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats), for gauges and counters. */

export interface Family {
  name: string
  help: string
  /** A counter never decreases while the process runs. */
  type?: 'gauge' | 'counter'
  samples: (readonly [labels: Record<string, string>, value: number])[]
}

export function prometheusText(families: readonly Family[]): string {
  return families
    .map(({ name, help, type = 'gauge', samples }) => {
      const lines = samples.map(([labels, value]) => lineOf(name, labels, value))
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

function lineOf(name: string, labels: Record<string, string>, value: number) {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`
}

const escaped = (text: string) => text.replace(/[\\"\n]/g, (it) => (it === '\n' ? '\\n' : `\\${it}`))
