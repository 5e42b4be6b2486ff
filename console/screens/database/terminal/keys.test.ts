import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Key, type KeyAction, keyAction } from './keys.ts'

const none = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false }

test('the keys that copy, paste and leave the terminal do so, and all others are typed', () => {
  const cases: [key: Partial<Key> & { key: string }, hasSelection: boolean, action: KeyAction][] = [
    [{ key: 'c' }, true, 'type'],
    [{ key: 'c', ctrlKey: true }, false, 'type'],
    [{ key: 'c', ctrlKey: true }, true, 'copy'],
    [{ key: 'C', ctrlKey: true, shiftKey: true }, true, 'copy'],
    [{ key: 'c', metaKey: true }, true, 'copy'],
    [{ key: 'c', altKey: true }, true, 'type'],
    [{ key: 'v', ctrlKey: true }, false, 'paste'],
    [{ key: 'V', ctrlKey: true, shiftKey: true }, false, 'paste'],
    [{ key: 'v', metaKey: true }, true, 'paste'],
    [{ key: 'v', ctrlKey: true, altKey: true }, true, 'type'],
    [{ key: 'Insert', shiftKey: true }, false, 'paste'],
    [{ key: 'Insert', ctrlKey: true }, true, 'copy'],
    [{ key: 'Insert', ctrlKey: true }, false, 'type'],
    [{ key: 'Insert' }, true, 'type'],
    [{ key: 'F6' }, false, 'forward'],
    [{ key: 'F6', shiftKey: true }, true, 'backward'],
    [{ key: 'F6', ctrlKey: true }, false, 'type'],
    [{ key: 'Tab' }, false, 'type'],
    [{ key: 'd', ctrlKey: true }, true, 'type'],
  ]
  for (const [key, hasSelection, action] of cases)
    assert.equal(keyAction({ ...none, ...key }, hasSelection), action, JSON.stringify(key))
})
