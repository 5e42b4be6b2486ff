/** Every operation of the API has its place on a screen of the console, and every screen is tested in a browser. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { operations } from '../../src/operations.ts'
import { screens } from '../e2e/console/screens.ts'
import { consoleFiles } from '../source-files.ts'
import { exceptions, places } from './places.ts'

const maxExceptions = 10

/** The patterns of all addresses, as routes.ts declares them: `:tab?` may be missing. */
const routes = [
  ...consoleFiles.find(({ path }) => path === 'console/routes.ts')!.text.matchAll(/\bpath: '([^']+)'/g),
].map(([, path]) => path!)
const pages = [...routes, '/invitation']

const pathsOf = (patterns: string[]) =>
  patterns.flatMap((pattern) => (pattern.endsWith('?') ? [pattern.replace(/\/:\w+\?$/, ''), pattern] : [pattern]))
/** Whether the route has the address. Parameters of an address may have other names. */
const isRoute = (address: string) =>
  pathsOf(pages).some((pattern) => new RegExp(`^${pattern.replace(/:\w+\??/g, '[^/]+')}$`).test(address))

const source = consoleFiles
  .filter(({ path }) => !path.includes('.test.') && !path.startsWith('console/shell/palette'))
  .map(({ text }) => text)
  .join('\n')

test('every operation has one place on a screen, or is an exception with a reason', () => {
  const listed = Object.values(places).flatMap((controls) => Object.keys(controls))
  const placed = listed.flatMap((name) =>
    name.startsWith('KIND.')
      ? kinds.map((kind) => name.replace('KIND', kind.name)).filter((each) => isOperation(each))
      : [name],
  )
  assert.deepEqual([...placed, ...Object.keys(exceptions)].sort(), operations.map(({ name }) => name).sort())
  assert.ok(Object.keys(exceptions).length <= maxExceptions)
  for (const text of Object.values({ ...exceptions, ...Object.assign({}, ...Object.values(places)) })) assert.ok(text)
})

const isOperation = (name: string) => operations.some((operation) => operation.name === name)

test('every place is on a screen that exists', () => {
  assert.ok(routes.length > 15)
  assert.deepEqual(
    Object.keys(places).filter((address) => !isRoute(address)),
    [],
  )
})

test('the source of the console calls every operation that has a place', () => {
  const isCalled = (name: string) => {
    const [group, verb] = name.split('.')
    if (group === 'KIND') return new RegExp(`\\}\\.${verb}\\b|Database\\(\\w[\\w.]*, '${verb}'`).test(source)
    return new RegExp(`['.]${group}\\.${verb}\\b`).test(source)
  }
  const names = Object.values(places).flatMap((controls) => Object.keys(controls))
  assert.deepEqual(
    names.filter((name) => !isCalled(name)),
    [],
  )
})

test('the tests in the browser visit every screen', () => {
  const visited = screens.map(({ path }) => path)
  const unvisited = routes.filter(
    (route) =>
      !visited.some((path) =>
        new RegExp(`^${route.replace(/\/:\w+\?/g, '(?:/[^/]+)?').replace(/:\w+/g, '[^/]+')}$`).test(path),
      ),
  )
  assert.deepEqual(unvisited, [])
})
