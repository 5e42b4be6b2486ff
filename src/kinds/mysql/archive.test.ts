/** The reader of MySQL's and MariaDB's dumps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ArchiveContents, BrokenArchive } from '../backup.ts'
import { completeMark, mysqlReader } from './archive.ts'

/** Reads the dump in chunks of one size, or in one chunk if `size` is 0. */
function read(text: string | Buffer, size = 0): ArchiveContents {
  const bytes = Buffer.from(text as string)
  const reader = mysqlReader()
  const step = size || bytes.length
  for (let at = 0; at < bytes.length; at += step) reader.write(bytes.subarray(at, at + step))
  return reader.end()
}

const readComplete = (body: string) => read(`${body}\n${completeMark}\n`)
const countsOf = (all: ArchiveContents['tables']) =>
  Object.fromEntries(Object.entries(all).map(([name, { rows }]) => [name, rows]))

const dump = String.raw`ALTER DATABASE CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump it's 10.19
--
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS ${'`t`'};
CREATE TABLE ${'`t`'} (
  ${'`a;`'} int COMMENT 'x; '' \\' ,
  PRIMARY KEY (${'`a;`'})
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4;
INSERT INTO ${'`t`'} (${'`a;`'}, ${'`b`'}) VALUES (1,'it\'s ); \\'),(2,'a''b\0\n'),
(3,_binary '\\'),(4,0x00FF27),(NULL,"x)");
INSERT INTO ${'`t`'} VALUES (5,ST_GeomFromText('POINT(1 2)',(1+2)));
INSERT INTO ${'`o``d (d;`'} (${'`x`'}) VALUES ('');
/*!50003 SET sql_mode = 'NO_BACKSLASH_ESCAPES' */ ;
DELIMITER ;;
CREATE DEFINER=${'`table`@`%`'} PROCEDURE ${'`p`'}()
begin select '\', "; INSERT INTO x VALUES (1);"; -- don't
end ;;
DELIMITER ;
DELIMITER ;;
/*!50003 SET time_zone = 'SYSTEM' */ ;;
/*!50106 CREATE*/ /*!50117 DEFINER=${'`r`@`%`'}*/ /*!50106 EVENT ${'`e`'} ON SCHEDULE EVERY 1 DAY DO select 1 */ ;;
DELIMITER ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=${'`r`@`%`'}*/ /*!50003 TRIGGER ${'`tr`'} BEFORE INSERT ON t
FOR EACH ROW set @a=1 */;;
DELIMITER ;
/*!50001 CREATE VIEW ${'`v`'} AS SELECT
 1 AS ${'`id`'}*/;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=${'`r`@`%`'} SQL SECURITY DEFINER */
/*!50001 VIEW ${'`v`'} AS select 1 AS ${'`id`'} */;
-- Dump completed
SET @berth_grant = if(1, x'00', 'do 0');
${completeMark}
`

test('counts rows by table and all other objects by type', () => {
  const contents = read(dump)
  assert.deepEqual(countsOf(contents.tables), { 'o`d (d;': 1, t: 6 })
  assert.deepEqual(countsOf(contents.objects), {
    EVENT: 1,
    GRANT: 1,
    OTHER: 6,
    PROCEDURE: 1,
    TABLE: 1,
    TRIGGER: 1,
    VIEW: 1,
  })
})

test('returns the same result for all chunk sizes', () => {
  const expected = read(dump)
  for (const size of [1, 2, 3, 5, 7, 16, 61]) assert.deepEqual(read(dump, size), expected)
})

test('refuses an archive that is truncated at any byte or continues after its end mark', () => {
  for (let end = 0; end < Buffer.byteLength(dump); end++) {
    assert.throws(() => read(Buffer.from(dump).subarray(0, end)), BrokenArchive, `the first ${end} bytes`)
  }
  assert.throws(() => read(`${dump}DROP TABLE t;\n`), BrokenArchive)
})

test('checksums depend on the contents, but not on the order of rows or the next AUTO_INCREMENT value', () => {
  const t = 'INSERT INTO `t` (`a`) VALUES '
  const expected = readComplete(`${t}(1,'a'),(2,'b'),(2,'b');`)
  for (const same of [`${t}(2,'b'),(1,'a'),(2,'b');`, `${t}(2,'b');${t}(1,'a'),(2,'b');`]) {
    assert.deepEqual(readComplete(same), expected)
  }
  for (const other of ["(2,'b')", "(2,'b'),(2,'c')", "(1,'a'),(2,'b')", "(2,'B'),(2,'b')"]) {
    assert.notDeepEqual(readComplete(`${t}(1,'a'),${other};`).tables, expected.tables)
  }
  const table = (options: string) =>
    readComplete(`CREATE TABLE \`t\` (\n  \`a\` int\n) ENGINE=InnoDB${options} DEFAULT CHARSET=x;`)
  assert.deepEqual(table(' AUTO_INCREMENT=5'), table(''))
  assert.notDeepEqual(table(' ROW_FORMAT=DYNAMIC'), table(''))
  assert.deepEqual(countsOf(table('').tables), { t: 0 })
})

test('the checksum of a long statement covers its last byte', () => {
  const long = (end: string) => readComplete(`CREATE TABLE \`t\` (a int comment '${'x'.repeat(5_000_000)}${end}');`)
  assert.deepEqual(long('a'), long('a'))
  assert.notDeepEqual(long('a'), long('b'))
})
