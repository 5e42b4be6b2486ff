/** Whether all is tried: BERTH_TEST_ALL is set, as in `./berth test versions` and `./berth test faults`. */
export const triesAll = process.env.BERTH_TEST_ALL !== undefined

/** Of kinds, of the series of one, or of what is tried on it: the first, or all where all is tried. */
export function representative<It>(all: readonly It[]): readonly It[] {
  return triesAll ? all : all.slice(0, 1)
}
