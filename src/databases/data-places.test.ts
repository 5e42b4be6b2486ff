import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataPlace } from '../engine/data/data-places.ts'
import { strayReason } from './data-places.ts'

const volume = { name: 'berth-v', dataPath: '/var/lib/mysql', serverVersion: '8.4' }
const onVolume = (path: string): DataPlace => ({ path, target: path, mount: '/var/lib/mysql' })
const outside = (path: string, target = path, mount = '/'): DataPlace => ({ path, target, mount })

/** The places of a server, the named ones of those outside the volume, and the number of others. */
const cases: [found: DataPlace[], places: { path: string; target: string }[], more: number][] = [
  [[], [], 0],
  [[onVolume('/var/lib/mysql'), onVolume('/var/lib/mysql/undo')], [], 0],
  [[outside('/srv/mysql')], [{ path: '/srv/mysql', target: '/srv/mysql' }], 0],
  // The image declares a volume of its own inside the folder of the data.
  [
    [onVolume('/var/lib/mysql'), outside('/var/lib/mysql/log/1', '/var/lib/mysql/log/1', '/var/lib/mysql/log')],
    [{ path: '/var/lib/mysql/log/1', target: '/var/lib/mysql/log/1' }],
    0,
  ],
  [
    [onVolume('/var/lib/mysql'), outside('/var/lib/mysql/undo', '/srv/undo')],
    [{ path: '/var/lib/mysql/undo', target: '/srv/undo' }],
    0,
  ],
  // The folder of the data is named, and not each file in it.
  [
    [outside('/srv/mysql/undo'), outside('/srv/mysql'), outside('/link', '/srv/mysql'), outside('/srv/mysql2')],
    [
      { path: '/srv/mysql', target: '/srv/mysql' },
      { path: '/srv/mysql2', target: '/srv/mysql2' },
    ],
    0,
  ],
  [
    [1, 2, 3, 4, 5, 6, 7].map((number) => outside(`/srv/${number}`)),
    [1, 2, 3, 4, 5].map((number) => ({ path: `/srv/${number}`, target: `/srv/${number}` })),
    2,
  ],
]

test('names the places outside the volume', () => {
  for (const [found, places, more] of cases) {
    const expected = {
      reason: 'DataOutsideVolume',
      volume: 'berth-v',
      folder: '/var/lib/mysql',
      places,
      more,
      isFirstStart: false,
    }
    assert.deepEqual(strayReason(volume, found), places.length === 0 ? null : expected)
  }
})
