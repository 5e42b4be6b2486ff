// bundle.js [FOLDER]: bundles src/, cli/ and console/ into dist/ (or FOLDER), which it replaces when the bundle is
// complete. BERTH_CONSOLE_DEVELOPMENT=1: with the page /components, which shows the components of the console.
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle, root } from './bundler.ts'

const target = process.argv[2] ?? join(root, 'dist')
const fresh = `${target}.${process.pid}`
const old = `${fresh}.old`

// Written before the first source is read, so that later changes are newer.
mkdirSync(fresh)
writeFileSync(join(fresh, '.built'), '')

try {
  // Native modules, and packages that would take a third of the build time and are loaded at first use.
  await bundle(fresh, {
    external: ['@node-rs/argon2', '@node-rs/bcrypt', '@aws-sdk/client-s3', 'ssh2'],
    development: process.env.BERTH_CONSOLE_DEVELOPMENT === '1',
  })
  replaceTarget()
} finally {
  for (const path of [fresh, old]) rmSync(path, { recursive: true, force: true })
}

function replaceTarget() {
  if (existsSync(target)) renameSync(target, old)
  try {
    renameSync(fresh, target)
  } catch (error) {
    // Another process has just built the same bundle.
    if (error.code !== 'ENOTEMPTY') throw error
  }
}
