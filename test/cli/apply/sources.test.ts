/** Tests of lists of allowed sources in files of `berth apply`, as tables. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseApplyFile } from '../../../cli/apply/parse.ts'
import { canonicalSource, sourcesField } from '../../../cli/apply/sources.ts'
import { canonicalSources } from '../../../src/gateways/sources/admitted.ts'
import { linesOf, type PlanCase, redis, rule, shop, withCache } from './plan-fixture.ts'

const own = (text: string) => redis(`, allowedSources: ${text}`)
const project = (text: string) => `projects: {shop: {allowedSources: ${text}}}`
const ports = (text: string) => `applications: {web: {ports: [${text}]}}`
const port = (fields: object) => ({
  ports: [
    rule('', { portId: 'o1', publishedPort: 53, targetPort: 53, protocol: 'udp', allowedSources: [], ...fields }),
  ] as never,
})

const plans: PlanCase[] = [
  ['keeps the list that the file leaves out', redis(), withCache({ allowedSources: ['192.0.2.7/32'] }), []],
  [
    'sets the list of a database without a deploy',
    own('[203.0.113.7, 10.1.2.3/8]'),
    withCache(),
    ['change database shop/cache (allowedSources: project → 203.0.113.7/32, 10.0.0.0/8)'],
  ],
  [
    'leaves an equal list, however it is written and ordered',
    own('[10.1.2.3/8, "2001:DB8:0::/32", 192.0.2.7, 192.0.2.7]'),
    withCache({ allowedSources: ['192.0.2.7/32', '10.0.0.0/8', '2001:db8::/32'] }),
    [],
  ],
  [
    'opens a database by the word everyone',
    own('everyone'),
    withCache({ allowedSources: ['10.0.0.0/8'] }),
    ['change database shop/cache (allowedSources: 10.0.0.0/8 → everyone)'],
  ],
  ['takes an empty list for everyone, as the API does', own('[]'), withCache({ allowedSources: [] }), []],
  [
    'gives a database the list of its project by the word project',
    own('project'),
    withCache({ allowedSources: [] }),
    ['change database shop/cache (allowedSources: everyone → project)'],
  ],
  [
    'sets the list before it opens the port',
    own('[10.0.0.0/8], port: 16379'),
    withCache(),
    [
      'change database shop/cache (allowedSources: project → 10.0.0.0/8)',
      'change database shop/cache (port: null → 16379)',
    ],
  ],
  [
    'creates a project and a database with lists',
    'projects: {shop: {allowedSources: 10.0.0.0/8, databases: {cache: {kind: redis, image: redis:8, state: stopped, ' +
      'allowedSources: [192.0.2.7]}}}}',
    {},
    [
      'create project shop (allowedSources: null → 10.0.0.0/8)',
      'create database shop/cache (kind: null → redis, image: null → redis:8, allowedSources: null → 192.0.2.7/32)',
    ],
  ],
  [
    'changes the list of a project',
    project('everyone'),
    { projects: [{ ...shop, allowedSources: ['10.0.0.0/8'] }] },
    ['change project shop (allowedSources: 10.0.0.0/8 → everyone)'],
  ],
  ['keeps the list of a port that the file leaves out', ports('53/udp'), port({ allowedSources: ['10.0.0.0/8'] }), []],
  [
    'changes the list of a port',
    ports('{port: 53/udp, allowedSources: [10.0.0.0/8]}'),
    port({}),
    ['change port of web: 53/udp (allowedSources: everyone → 10.0.0.0/8)'],
  ],
  [
    'publishes a port with a list',
    ports('{port: "80:8080", allowedSources: [10.0.0.0/8]}'),
    {},
    ['create port of web: 80 (targetPort: null → 8080, allowedSources: null → 10.0.0.0/8)'],
  ],
]
for (const [name, text, state, lines] of plans) test(name, () => assert.deepEqual(linesOf(text, state), lines))

const wrong: [name: string, text: string, error: string][] = [
  ['a name', own('[localhost]'), 'projects.shop.databases.cache.allowedSources.0: must be an address or a network'],
  ['a network that is too long', own('[10.0.0.0/33]'), 'projects.shop.databases.cache.allowedSources.0: must be an'],
  [
    'a word among sources',
    own('[everyone, 10.0.0.0/8]'),
    'allowedSources: must have no other entry beside everyone or',
  ],
  ['the word project in a project', project('project'), 'projects.shop.allowedSources.0: must be an address or a net'],
  ['the word project at a port', ports('{port: 1, allowedSources: project}'), 'ports.0.allowedSources.0: must be an'],
  ['a number', own('7'), 'projects.shop.databases.cache.allowedSources: must be a list'],
  [
    'an unknown key of a port',
    ports('{port: 1, allowFrom: everyone}'),
    'applications.web.ports.0.allowFrom: unknown key',
  ],
]
for (const [name, text, error] of wrong) {
  test(`refuses ${name} in place of a list`, () => {
    assert.throws(
      () => parseApplyFile(`berth: 1\n${text}`, 'f'),
      ({ message }: Error) => message.includes(error) || assert.fail(message),
    )
  })
}

test('writes sources as Berth stores them', () => {
  const sources =
    '192.0.2.7 10.1.2.3/8 0.0.0.0/0 10.255.255.255/9 ::/0 ::1 2001:DB8:0:0:1:0:0:1 2001:db8:ffff::/33 ' +
    'fe80::1:2/127 ::ffff:192.0.2.7 ::ffff:10.0.0.0/104 ::ffff:0:0/96 ::ffff:0:0/95 64:ff9b::192.0.2.33'
  const canonical = sources.split(' ').map((each) => canonicalSource(each))
  assert.deepEqual(
    canonical,
    sources.split(' ').flatMap((each) => canonicalSources([each])),
  )
})

test('knows texts that are no sources', () => {
  const texts = ['', 'localhost', '10.0.0.0/33', '::/129', '::1%eth0', '10.0.0', '10.0.0.1/', '10.0.0.1; x', '01.2.3.4']
  assert.deepEqual(
    texts.map((each) => canonicalSource(each)),
    texts.map(() => null),
  )
})

test('exports what a new record does not have', () => {
  assert.equal(sourcesField(null, null), null)
  assert.equal(sourcesField([], []), null)
  assert.equal(sourcesField([], null), 'everyone')
  assert.deepEqual(sourcesField(['10.0.0.0/8'], []), ['10.0.0.0/8'])
})
