/** The parser of what the gateway's control program prints. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controlProgram, parseStatus } from './control.ts'

/** Printed by HAProxy 3.0.11 in a container. Most columns of the statistics are left out. */
const printed = `allowed 10.0.0.0/8
allowed 192.0.2.7
allowed 2001:DB8::/32
session 0x7f3387e85000 172.17.0.1:60896
session 0x7f3387e85400 ::ffff:192.0.2.7:5000
statistics pxname,svname,qcur,qmax,scur,status,weight,dcon,dses,
statistics target,FRONTEND,,,1,OPEN,,7,0,
statistics target,task1,0,0,1,UP,1,,,
statistics target,task2,0,0,0,MAINT (resolution),1,,,
refused ::ffff:172.17.0.1 86399000 3
refused 2001:db8::9 10 1
port 60896
port 58928
router Gateway
router 010012AC
router 00000000
`

test('reads what HAProxy prints', () => {
  assert.deepEqual(parseStatus(printed), {
    allowed: ['10.0.0.0/8', '192.0.2.7/32', '2001:db8::/32'],
    sessions: [
      { id: '0x7f3387e85000', address: '172.17.0.1', port: 60896 },
      { id: '0x7f3387e85400', address: '192.0.2.7', port: 5000 },
    ],
    refused: 7,
    served: ['target'],
    refusedSources: [
      { source: '172.17.0.1', attempts: 3, ageMs: 1000 },
      { source: '2001:db8::9', attempts: 1, ageMs: 86_399_990 },
    ],
    refusedPorts: [60896, 58928],
    routers: ['172.18.0.1'],
  })
})

test('tells that no server is up', () => {
  assert.deepEqual(parseStatus(printed.replace(',UP,', ',DOWN,')).served, [])
  assert.deepEqual(parseStatus(printed.replace(',UP,', ',UP 1/2,')).served, ['target'])
})

test('tells that only the server for TLS is up, as that of a database that requires TLS', () => {
  const down = printed.replace(',UP,', ',DOWN,')
  const header = printed.match(/^statistics pxname.*$/m)![0]
  const withTls = (status: string) => parseStatus(`${down}${header}\nstatistics tls,task1,0,0,0,${status},1,,,\n`)
  assert.deepEqual([withTls('UP').served, withTls('DOWN').served], [['tls'], []])
  assert.equal(withTls('UP').refused, 7)
})

test('refuses output that is not of HAProxy', () => {
  assert.throws(() => parseStatus(''), /no front end/)
  assert.throws(() => parseStatus(printed.replace('192.0.2.7\n', 'Unknown ACL\n')), /invalid source/)
  assert.throws(() => parseStatus(printed.replace('FRONTEND', 'OTHER')), /no front end/)
})

test('passes the sources on standard input, and nothing of them as an argument', () => {
  const { argv, env, stdin } = controlProgram('apply', ['10.0.0.0/8', '::/0'])
  assert.deepEqual([stdin, env], ['10.0.0.0/8\n::/0\nend\n', {}])
  assert.deepEqual(argv.slice(3), ['berth-gateway', '15001', '/var/lib/haproxy/allowed.acl', 'apply'])
  assert.ok(!argv.join(' ').includes('10.0.0.0'))
  assert.equal(controlProgram('close', ['0x1']).stdin, '0x1\n')
  assert.equal(controlProgram('status').stdin, '')
})
