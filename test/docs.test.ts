/** The pages of the documentation: their links lead to files and headings that exist. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { filesOf, type SourceFile } from './source-files.ts'

const root = posix.join(import.meta.dirname, '..')
const pages = filesOf('{,!(node_modules|dist)/**/}*.md')
const codeBlock = /^```.*?^```$/gms

/** The anchors of a page, as GitHub makes them from its headings. */
function anchorsOf({ text }: SourceFile): string[] {
  const headings = [...text.replace(codeBlock, '').matchAll(/^#+ +(.*)$/gm)].map(([, heading]) => slugOf(heading!))
  return headings.map((slug, i) => {
    const earlier = headings.slice(0, i).filter((each) => each === slug).length
    return earlier === 0 ? slug : `${slug}-${earlier}`
  })
}

const slugOf = (heading: string) =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

/** What is wrong with a link; null if the link leads somewhere. */
function faultOf(page: SourceFile, link: string): string | null {
  const [path, anchor] = link.split('#')
  const target = path === '' ? page.path : posix.join(posix.dirname(page.path), path!)
  if (!existsSync(posix.join(root, target))) return `there is no ${target}`
  if (anchor === undefined) return null
  const targetPage = pages.find((each) => each.path === target)
  if (targetPage !== undefined && anchorsOf(targetPage).includes(anchor)) return null
  return `${target} has no heading #${anchor}`
}

test('every relative link of a page leads to a file and a heading that exist', () => {
  const links = pages.flatMap((page) =>
    [...page.text.replace(codeBlock, '').matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => ({ page, link })),
  )
  assert.ok(links.length > 50, 'the links are not where they are looked for')
  const faults = links.flatMap(({ page, link }) => {
    const fault = faultOf(page, link)
    return fault === null ? [] : [`${page.path}: (${link}): ${fault}`]
  })
  assert.deepEqual(faults, [])
})
