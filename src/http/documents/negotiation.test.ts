import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptsHtml, codingOf } from './negotiation.ts'

test('chooses the coding with the highest weight, and of equal ones the smaller answer', () => {
  const cases: [header: string | undefined, coding: string | null][] = [
    [undefined, null],
    ['', null],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br; q=0.5 , gzip;q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.000', null],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['*;q=0', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity', null],
    ['deflate, zstd', null],
    ['br;q=2', null],
    ['br;q=-1, gzip;q=abc', null],
    ['br;level=9;q=0', null],
    ['xbr, gzipped', null],
    [',,;;,=', null],
  ]
  for (const [header, coding] of cases) assert.equal(codingOf(header), coding, String(header))
})

test('HTML is accepted only where its type is named', () => {
  const cases: [header: string | undefined, isAccepted: boolean][] = [
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['Text/HTML;charset=utf-8;q=0.1', true],
    ['application/json, text/html', true],
    ['text/html;q=0', false],
    ['text/html;q=0.0, */*', false],
    ['*/*', false],
    ['text/*', false],
    ['application/json', false],
    ['text/html2, xtext/html', false],
    ['', false],
    [undefined, false],
  ]
  for (const [header, isAccepted] of cases) assert.equal(acceptsHtml(header), isAccepted, String(header))
})
