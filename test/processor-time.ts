/** The processor time that something takes: a machine that is busy with something else makes it no longer. */
export function processorMs(act: () => void): number {
  const before = process.cpuUsage()
  act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
