/** Renders as a sentence why the clock of the machine is not trusted. */
import type { ClockReason } from './trust.ts'

const kept = 'Until the clock is trusted again, Berth deletes nothing because of its age'

/** @param minutes a number of minutes of any size */
function durationOf(minutes: number): string {
  const [count, unit] =
    minutes >= 2 * 1440
      ? [Math.round(minutes / 1440), 'day']
      : minutes >= 120
        ? [Math.round(minutes / 60), 'hour']
        : [minutes, 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

export const clockMessages: { [R in ClockReason as R['reason']]: (reason: R) => string } = {
  ClockSet: ({ minutes }) =>
    `The clock of the machine jumped ${minutes < 0 ? 'back' : 'forward'} by ${durationOf(Math.abs(minutes))}. ${kept}`,
  ClockBehind: ({ minutes }) =>
    `The machine was started, and its clock is ${durationOf(minutes)} before the last time that was right. ${kept}`,
  ClockUnverified: ({ minutes }) =>
    `The machine was started, and its clock is ${durationOf(minutes)} after the last time that was right. Either the ` +
    `machine was off for this time, or its clock is wrong. ${kept}`,
}

export const clockMessage = (reason: ClockReason): string =>
  (clockMessages[reason.reason] as (reason: ClockReason) => string)(reason)
