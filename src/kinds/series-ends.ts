/**
 * When the release series of each product get their last fixes, and the series to go to. A series without a known end
 * is left out. Looked up in November 2026.
 */

/** A release series that gets no fixes after a day. */
export interface SeriesEnd {
  product: string
  /** The name of the series, in the form of `Kind.versionOf`. */
  series: string
  /** The last day on which the series gets fixes, as YYYY-MM-DD. */
  endsOn: string
  /** A series that gets fixes for longer. */
  next: string
}

const seriesOf = (product: string, next: string, days: Record<string, string>): SeriesEnd[] =>
  Object.entries(days).map(([series, endsOn]) => ({ product, series, endsOn, next }))

/** Whether the last day of the series has passed, in UTC. */
export const hasEnded = ({ endsOn }: SeriesEnd, now: Date): boolean => endsOn < now.toISOString().slice(0, 10)

/** Source: postgresql.org/support/versioning. 9 stands for 9.6, the last of 9.x. */
export const postgresSeries: readonly SeriesEnd[] = seriesOf('PostgreSQL', '18', {
  9: '2021-11-11',
  10: '2022-11-10',
  11: '2023-11-09',
  12: '2024-11-21',
  13: '2025-11-13',
  14: '2026-11-12',
  15: '2027-11-11',
  16: '2028-11-09',
  17: '2029-11-08',
  18: '2030-11-14',
})

/**
 * Sources: oracle.com/us/support/library/lifetime-support-technology-069183.pdf (LTS, end of extended support), and
 * dev.mysql.com/doc/refman/9.7/en/mysql-releases.html: an innovation release ends with the next release.
 */
export const mysqlSeries: readonly SeriesEnd[] = [
  ...seriesOf('MySQL', '8.4', {
    '5.7': '2023-10-31',
    '8.0': '2026-04-30',
    '8.1': '2023-10-25',
    '8.2': '2024-01-16',
    '8.3': '2024-04-30',
  }),
  ...seriesOf('MySQL', '9.7', {
    '8.4': '2032-04-30',
    '9.0': '2024-10-15',
    '9.1': '2025-01-21',
    '9.2': '2025-04-15',
    '9.3': '2025-07-22',
    '9.4': '2025-10-21',
    '9.5': '2026-01-20',
    '9.6': '2026-04-21',
  }),
]

/** Source: mariadb.org/about/#maintenance-policy. */
export const mariadbSeries: readonly SeriesEnd[] = [
  ...seriesOf('MariaDB', '11.8', {
    '10.4': '2024-06-18',
    '10.5': '2025-06-24',
    '10.6': '2026-07-06',
    '10.7': '2023-02-09',
    '10.8': '2023-05-20',
    '10.9': '2023-08-22',
    '10.10': '2023-11-17',
    '10.11': '2028-02-16',
    '11.0': '2024-06-06',
    '11.1': '2024-08-21',
    '11.2': '2024-11-21',
    '11.3': '2024-05-29',
    '11.5': '2024-11-21',
    '11.6': '2025-02-13',
    '11.7': '2025-05-12',
  }),
  ...seriesOf('MariaDB', '12.3', {
    '11.4': '2029-05-29',
    '11.8': '2028-06-04',
    '12.0': '2025-11-18',
    '12.1': '2026-02-13',
    '12.2': '2026-05-13',
  }),
]

/** Source: mongodb.com/legal/support-policy/lifecycles. Others than x.0 are rapid releases. */
export const mongoSeries: readonly SeriesEnd[] = seriesOf('MongoDB', '8.0', {
  '3.6': '2021-04-30',
  '4.0': '2022-04-30',
  '4.2': '2023-04-30',
  '4.4': '2024-02-29',
  '5.0': '2024-10-31',
  '5.1': '2022-01-18',
  '5.2': '2022-03-23',
  '5.3': '2022-07-31',
  '6.0': '2025-07-31',
  '6.1': '2023-02-09',
  '6.2': '2023-04-24',
  '6.3': '2023-08-31',
  '7.0': '2027-08-31',
  '7.1': '2024-01-23',
  '7.2': '2024-03-27',
  '7.3': '2024-10-31',
  '8.1': '2025-09-30',
  '8.2': '2026-07-31',
})

/**
 * Source: github.com/redis/redis/security, which lists the supported series. Redis announces no days: a series is here
 * when the list has dropped it, with the day of the release that replaced it.
 */
const redisOnly: readonly SeriesEnd[] = seriesOf('Redis', '8', {
  '5.0': '2022-04-27',
  '6.0': '2022-05-31',
  '7.0': '2024-07-29',
})

/** Source: valkey.io/topics/releases (end of extended security support). */
const valkeyOnly: readonly SeriesEnd[] = seriesOf('Valkey', '9', {
  '7.2': '2029-04-16',
  '8.0': '2027-09-15',
  '8.1': '2030-03-31',
  '9.0': '2028-10-21',
})

export const redisSeries: readonly SeriesEnd[] = [...redisOnly, ...valkeyOnly]
