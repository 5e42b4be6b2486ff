/**
 * Plain text in patterns. If a function returned text that a matching URL does not contain, Berth would skip a redirect
 * that matches.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beforeRest, beginnings, ending } from './literal-parts.ts'
import { canRepeatUrl } from './routes.ts'

test('finds the beginnings of all matches', () => {
  const cases: Record<string, string[]> = {
    '^https://a\\.example/old': ['https://a.example/old'],
    '^https?://a\\.b/(.*)': ['http://a.b/', 'https://a.b/'],
    '^https?://[^/]+/': ['http://', 'https://'],
    'https://a': [''],
    '^a|b': [''],
    '^(?i)a': [''],
    '^ab*': ['a'],
    '^ab{2}c': ['a'],
    '^ab??c': ['a'],
    '^ab+c': ['a'],
    '^': [''],
    '^ab?c?d': ['a', 'ab'],
    '^\\d': [''],
    '^\\Qa': [''],
    '^a\\.?b': ['ab', 'a.b'],
  }
  for (const [regex, expected] of Object.entries(cases)) assert.deepEqual(beginnings(regex), expected, regex)
})

test('finds the end of all matches, and the text before the rest of the URL', () => {
  assert.deepEqual(['/old$', 'a\\.b$', '[/]old$', '[a-z/]$', '\\d$', 'a|b$', 'old', 'x*y$'].map(ending), [
    '/old',
    'a.b',
    '',
    '',
    '',
    '',
    '',
    'y',
  ])
  assert.deepEqual(['/old/(.*)$', '/(.+)', '[/](.*)', '\\d(.*)', 'a|b(.*)', '/old/(.*)/$'].map(beforeRest), [
    '/old/',
    '/',
    null,
    null,
    null,
    null,
  ])
})

test('recognizes redirects whose Location is never the requested URL', () => {
  const never: [string, string][] = [
    ['^https?://old\\.example/(.*)$', 'https://new.example/$1'],
    ['^http://a/(.*)$', 'https://a/$1'],
    ['^https?://[^/]+/old/(.*)$', 'https://new.example/$1'],
    ['/old$', 'https://a.example/new'],
    ['/old/(.*)', '/new/$1'],
    ['^https://([^/]+)/old/(.*)$', 'https://$1/new/$2'],
    ['(.*)/old/(.*)', '$1/new/$2'],
  ]
  const possible: [string, string][] = [
    ['^(.*)$', '$1'],
    ['.*', 'https://a.example/'],
    ['/a/(.*)$', '/a/$1'],
    ['^https://(?:www\\.)?a/(.*)$', 'https://a/$1'],
    ['(.*)/old/(.*)$', '$2/new/$1'],
    ['/(.*)$', 'https://a.example/x/$1'],
    ['^https?://a/x$', '/x'],
    ['/old/(.*)$', '/new/old/$1'],
  ]
  for (const [regex, replacement] of never) assert.equal(canRepeatUrl({ regex, replacement }), false, regex)
  for (const [regex, replacement] of possible) assert.equal(canRepeatUrl({ regex, replacement }), true, regex)
})
