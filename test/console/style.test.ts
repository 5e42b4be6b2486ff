/** The colours of the console: their contrast, and the figures in console/STYLE.md. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const folder = join(import.meta.dirname, '../../console')
const tokens = new Map(
  readFileSync(join(folder, 'style/tokens.css'), 'utf8')
    .matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)
    .map(([, name, light, dark]) => [name!, { light: light!, dark: dark! }]),
)

/** Source: WCAG 2.2, definitions of contrast ratio and relative luminance. */
function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high! + 0.05) / (low! + 0.05)
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

const pairs = [
  ...['text', 'muted', 'accent', 'good', 'warning', 'critical', 'working'].flatMap((name) =>
    ['ground', 'raised', 'sunken', 'accent-soft'].map((ground) => ({ name, ground, least: 4.5 })),
  ),
  ...['good', 'warning', 'critical', 'working'].flatMap((name) =>
    [name, 'text', 'muted'].map((text) => ({ name: text, ground: `${name}-soft`, least: 4.5 })),
  ),
  { name: 'on-accent', ground: 'accent', least: 4.5 },
  ...['ground', 'raised', 'sunken'].map((ground) => ({ name: 'control', ground, least: 3 })),
]

for (const { name, ground, least } of pairs) {
  test(`--${name} on --${ground} has a contrast of at least ${least}`, () => {
    for (const scheme of ['light', 'dark'] as const) {
      const ratio = contrast(tokens.get(name)![scheme], tokens.get(ground)![scheme])
      assert.ok(ratio >= least, `${ratio.toFixed(2)} in ${scheme} colours`)
    }
  })
}

test('STYLE.md has the present colours and contrasts', () => {
  const table = readFileSync(join(folder, 'STYLE.md'), 'utf8').matchAll(
    /^\| `--([\w-]+)`[^|]*\| (#\w+) \| (#\w+) \| (\w+) \| ([\d.]+), ([\d.]+) \|$/gm,
  )
  let count = 0
  for (const [, name, light, dark, ground, ...ratios] of table as Iterable<string[]>) {
    const [colour, under] = [tokens.get(name!)!, tokens.get(ground!)!] as const
    assert.deepEqual({ light, dark }, colour, name!)
    const present = (['light', 'dark'] as const).map((scheme) => contrast(colour[scheme], under[scheme]).toFixed(1))
    assert.deepEqual(ratios, present, name!)
    count++
  }
  assert.equal(count, 8)
})
