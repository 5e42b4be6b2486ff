/** Draws series over time with uPlot. This module is loaded when the first plot is shown. */
import uPlot from 'uplot'

export interface PlotOptions {
  /** Seconds since the epoch. */
  times: number[]
  /** The lines, the most important first, each with a value for each time. */
  lines: { name: string; values: (number | null)[] }[]
  /** The text of a value, for the axis. */
  text: (value: number) => string
  /** The distances that two lines of the axis can have; undefined: decimal ones. */
  steps?: number[] | undefined
  /** When something happened, in seconds since the epoch, and the name of its colour in tokens.css. */
  marks: { at: number; colour: string }[]
}

const height = 170
const colours = ['accent', 'muted']

/**
 * How times on the axis read, by the distance of two lines in seconds: the usual text, and what is added below it when the
 * year or the day changes. Source of the form: `axis.values` in the types of uPlot.
 */
const timeFormats: uPlot.Axis.Values = [
  [28 * 86_400, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [86_400, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
]

/** The value of a colour in the present scheme: a canvas does not understand light-dark(). */
function colourOf(parent: HTMLElement, name: string): string {
  parent.style.color = `var(--${name})`
  const { color } = getComputedStyle(parent)
  parent.style.color = ''
  return color
}

/** Draws into an element, as wide as it is. Returns a function that removes the plot. */
export function draw(parent: HTMLElement, { times, lines, text, steps, marks }: PlotOptions): () => void {
  const paint = () => {
    const [ink, grid] = [colourOf(parent, 'muted'), colourOf(parent, 'line')]
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } }
    return new uPlot(
      {
        width: parent.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, min, max) => [Math.min(0, min), max > 0 ? max * 1.05 : 1] } },
        axes: [
          { ...axis, values: timeFormats },
          { ...axis, ...(steps && { incrs: steps }), size: 76, values: (_, values) => values.map(text) },
        ],
        series: [{}, ...lines.map((_, i) => ({ stroke: colourOf(parent, colours[i]!), width: i === 0 ? 1.5 : 1 }))],
        hooks: { drawClear: [(plot) => drawMarks(plot, parent, marks)] },
      },
      [times, ...lines.map(({ values }) => values)] as uPlot.AlignedData,
      parent,
    )
  }
  let plot = paint()
  const resize = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height }))
  resize.observe(parent)
  const scheme = matchMedia('(prefers-color-scheme: dark)')
  const repaint = () => {
    plot.destroy()
    plot = paint()
  }
  scheme.addEventListener('change', repaint)
  return () => {
    scheme.removeEventListener('change', repaint)
    resize.disconnect()
    plot.destroy()
  }
}

/** Marks are vertical lines behind the series. */
function drawMarks({ ctx, bbox, valToPos }: uPlot, parent: HTMLElement, marks: PlotOptions['marks']) {
  ctx.save()
  ctx.lineWidth = devicePixelRatio
  for (const { at, colour } of marks) {
    const x = Math.round(valToPos(at, 'x', true))
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.strokeStyle = colourOf(parent, colour)
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}
