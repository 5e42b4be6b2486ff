/** Whether BERTH_TEST_ALL is set, as by `./berth test versions` and `./berth test faults`: test all cases. */
export const shouldTestAll = process.env.BERTH_TEST_ALL !== undefined

/** Returns the first of several similar cases, or all of them if BERTH_TEST_ALL is set. */
export function representative<Case>(all: readonly Case[]): readonly Case[] {
  return shouldTestAll ? all : all.slice(0, 1)
}

const productOf = (image: string) => image.split(':')[0]

/** Returns the first image of each product, such as Redis and Valkey, or all images if BERTH_TEST_ALL is set. */
export function representativeImages(all: readonly string[]): readonly string[] {
  if (shouldTestAll) return all
  return all.filter((image, index) => all.findIndex((other) => productOf(other) === productOf(image)) === index)
}
