/**
 * The series of an image that a test runs with: the first of them, or every one where BERTH_TEST_SERIES is `all`, as in
 * `./berth test versions`.
 */
export function seriesToTest<Series>(all: readonly Series[]): readonly Series[] {
  return process.env.BERTH_TEST_SERIES === 'all' ? all : all.slice(0, 1)
}
