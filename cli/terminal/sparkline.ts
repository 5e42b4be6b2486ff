/** A series of values as one line of bars. */

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/**
 * Draws values from 0 to their maximum. Values that share a column are drawn by the largest of them, or by the smallest and
 * rounded down, so that nothing low is hidden. A column without a value is a space.
 *
 * @param width the number of columns, at least 1
 */
export function sparkline(
  values: readonly (number | null)[],
  width: number,
  drawn: 'largest' | 'smallest' = 'largest',
): string {
  const [choose, round] = drawn === 'largest' ? [Math.max, Math.round] : [Math.min, Math.floor]
  const count = Math.min(width, values.length)
  const columns = Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * values.length) / count)
    return chosen(values.slice(from, Math.floor(((i + 1) * values.length) / count)), choose)
  })
  const top = chosen(values, Math.max) ?? 0
  return columns.map((value) => (value === null ? ' ' : bars[levelOf(value, top, round)])).join('')
}

type Choose = (a: number, b: number) => number

const levelOf = (value: number, top: number, round: (value: number) => number) =>
  top <= 0 ? 0 : Math.min(bars.length - 1, Math.max(0, round((value / top) * (bars.length - 1))))

const chosen = (values: readonly (number | null)[], choose: Choose): number | null =>
  values.reduce((best, value) => (value === null ? best : best === null ? value : choose(best, value)), null)
