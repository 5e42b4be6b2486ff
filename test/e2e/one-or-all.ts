/**
 * Of kinds, or of the series of one: the first, or all where BERTH_TEST_ALL is set, as in `./berth test versions` and
 * `./berth test faults`.
 */
export function oneOrAll<It>(all: readonly It[]): readonly It[] {
  return process.env.BERTH_TEST_ALL === undefined ? all.slice(0, 1) : all
}
