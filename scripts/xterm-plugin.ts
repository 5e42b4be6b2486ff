/**
 * Makes xterm work under the Content-Security-Policy of the console, which refuses inline styles: xterm writes style
 * elements and style attributes. The build fails if a new version of xterm does so in another way.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'

const styleSheets = join(import.meta.dirname, '../console/screens/database/terminal/style-sheets.ts')

interface Replacement {
  pattern: RegExp
  by: string
  /** How often xterm has the pattern. */
  count: number
}

const replacements: readonly Replacement[] = [
  // The rules of the scroll bar, the cells and the theme.
  { pattern: /[\w$.]+\.createElement\("style"\)/g, by: 'styleSheetElement()', count: 3 },
  // The colour of a cell that is not in the palette. The object model may set styles.
  {
    pattern: /\b(\w+)\.setAttribute\("style",`\$\{\1\.getAttribute\("style"\)\|\|""\}\$\{(\w+)\};`\)/g,
    by: '$1.style.cssText+=`$${$2};`',
    count: 1,
  },
]

/** What the policy refuses, and demands trusted types for. */
const refused =
  /createElement\(["'`]style|setAttribute\(["'`]style|innerHTML|outerHTML|insertAdjacentHTML|\bdocument\.write|\beval\(|new Function\(/

/**
 * @param source the text of xterm's module
 * @throws Error if the text is not as expected
 */
export function withoutInlineStyles(source: string): string {
  const changed = replacements.reduce((text, { pattern, by, count }) => {
    const found = text.match(pattern)?.length ?? 0
    if (found !== count) throw new Error(`xterm has ${pattern} ${found} times, not ${count} times`)
    return text.replace(pattern, by)
  }, source)
  const [rest] = refused.exec(changed) ?? []
  if (rest !== undefined) throw new Error(`xterm uses ${rest}, which the Content-Security-Policy refuses`)
  return `import { styleSheetElement } from ${JSON.stringify(styleSheets)};\n${changed}`
}

export const xtermPlugin: Plugin = {
  name: 'xterm without inline styles',
  setup: ({ onLoad }) =>
    onLoad({ filter: /@xterm[/\\]xterm[/\\]lib[/\\]xterm\.mjs$/ }, ({ path }) => ({
      contents: withoutInlineStyles(readFileSync(path, 'utf8')),
    })),
}
