import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobBody } from './body.ts'
import type { Job } from '../../job.ts'

const scope = { installationId: 'mine', networkName: 'berth' }
const job: Job = { name: 'j', recordId: 'r', image: 'i:1', argv: ['dump', 'x'], env: { B: '{{', A: '' }, stdin: true }

test('runs only the program, without capabilities, logs and restarts', () => {
  const { HostConfig, ...rest } = jobBody({ ...job, memoryMib: 2 }, scope)
  assert.deepEqual(rest, {
    Image: 'i:1',
    Entrypoint: ['dump', 'x'],
    Cmd: [],
    User: '0:0',
    Env: ['A=', 'B={{'],
    Labels: { 'berth.installation': 'mine', 'berth.job': 'r' },
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Healthcheck: { Test: ['NONE'] },
  })
  assert.deepEqual(HostConfig, {
    NetworkMode: 'berth',
    LogConfig: { Type: 'none' },
    AutoRemove: false,
    RestartPolicy: { Name: 'no' },
    ShmSize: 2_097_152,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Memory: 2_097_152,
    MemorySwap: 2_097_152,
  })
})

test('an isolated job is on a network of its own', () => {
  const { HostConfig } = jobBody({ ...job, isIsolated: true }, scope)
  assert.deepEqual(HostConfig.NetworkMode, 'berth-isolated')
})

test('a program can run before the entrypoint of the image', () => {
  const { Entrypoint, Cmd } = jobBody({ ...job, keepsImageDefaults: true, entrypoint: ['sh', 'a', 'b'] }, scope) as {
    Entrypoint?: string[]
    Cmd: string[]
  }
  assert.deepEqual(
    [Entrypoint, Cmd],
    [
      ['sh', 'a', 'b'],
      ['dump', 'x'],
    ],
  )
})

test('with keepsImageDefaults keeps the entrypoint, user and capabilities of the image', () => {
  const body = jobBody({ ...job, keepsImageDefaults: true }, scope)
  assert.deepEqual(body, {
    Image: 'i:1',
    Cmd: ['dump', 'x'],
    Env: ['A=', 'B={{'],
    Labels: { 'berth.installation': 'mine', 'berth.job': 'r' },
    Tty: false,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: 'berth',
      LogConfig: { Type: 'none' },
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      ShmSize: 1_073_741_824,
    },
  })
})

test('with a folder mounts it read-only, reads the files of all users, and has no network', () => {
  const { NetworkMode, Mounts, CapAdd, CapDrop } = jobBody({ ...job, folder: '/srv/v' }, scope).HostConfig as Record<
    string,
    unknown
  >
  assert.deepEqual(
    { NetworkMode, Mounts, CapAdd, CapDrop },
    {
      NetworkMode: 'none',
      Mounts: [{ Type: 'bind', Source: '/srv/v', Target: '/run/berth', ReadOnly: true }],
      CapAdd: ['DAC_OVERRIDE'],
      CapDrop: ['ALL'],
    },
  )
})
