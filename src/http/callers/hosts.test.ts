import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { checkHost, hostOf } from './hosts.ts'

const hostNames = new Set(['berth.example.org', 'db1'])

/** '' if the host is known, and otherwise the message. */
function faultOf(host: string | undefined): string {
  try {
    checkHost(hostNames, host)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('knows addresses, localhost and the names of the settings, with and without a port', () => {
  const known = [
    'localhost',
    'LocalHost:3000',
    'berth.localhost:3000',
    'localhost.:3000',
    '127.0.0.1',
    '192.0.2.7:3000',
    '[::1]',
    '[::1]:3000',
    '[2001:db8::7]:443',
    'berth.example.org',
    'BERTH.Example.ORG:8443',
    'berth.example.org.',
    'db1:3000',
  ]
  for (const host of known) assert.equal(faultOf(host), '', host)
})

test('refuses other names, and names the setting', () => {
  const unknown = [
    'evil.example',
    'evil.example:3000',
    'berth.example.org.evil.example',
    'xberth.example.org',
    'notlocalhost',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '2130706433',
    '0x7f.1',
    '127.1',
    '999.0.0.1',
    '[::1',
    'berth.example.org..',
  ]
  for (const host of unknown) assert.notEqual(faultOf(host), '', host)
  assert.match(faultOf('Evil.example:3000'), /host name evil\.example\. .*BERTH_HOSTS/)
})

test('refuses a header that is missing or malformed', () => {
  const malformed = [undefined, '', ' ', ':3000', 'a b', 'ada@localhost', 'localhost/x', 'localhost:3000:1', 'bérth']
  for (const host of [...malformed, `${'a'.repeat(300)}.example`]) {
    assert.match(faultOf(host), /missing, malformed/, `${host}`)
  }
})

test('a request names its host once, also in an absolute target', () => {
  const own = 'berth.example.org'
  const cases: [url: string, hosts: string[], host: string | undefined][] = [
    ['/api/project.all', [own], own],
    ['/api/project.all', [], undefined],
    ['/api/project.all', [own, 'evil.example'], undefined],
    ['/api/project.all', [own, own], undefined],
    ['http://berth.example.org/api/project.all', [own], own],
    ['HTTP://Berth.Example.org?a', [own], own],
    ['http://evil.example/', [own], undefined],
    ['http://berth.example.org/', ['evil.example'], undefined],
    ['http://berth.example.org@evil.example/', [own], undefined],
    ['//evil.example/', [own], own],
    ['/?url=http://evil.example', [own], own],
  ]
  for (const [url, hosts, host] of cases) {
    const message = new IncomingMessage(new Socket())
    message.url = url
    message.rawHeaders = hosts.flatMap((value) => ['Host', value])
    Object.assign(message.headers, hosts.length === 0 ? {} : { host: hosts[0] })
    assert.equal(hostOf(message), host, `${url} ${hosts.join(' and ')}`)
  }
})
