/**
 * The SQL that changes the credentials of a live server, in the parts that MySQL and MariaDB share. Texts come in as
 * session variables and are quoted by the server. Knows nothing of how it is run.
 */

export interface Sql {
  /** Statements that open every session, after those of both. */
  session: string
  /** Statements that look at the variables before anything is done. */
  judge: string
  /** Statements that go before every change of an account. */
  unlogged: string
  /** Expressions of statements that fail where the passwords would be refused, and leave nothing. */
  trials: string[]
  /** The condition that the row of mysql.user has a password that can be set, and nothing beside it that opens. */
  hasPassword: string
  /** What follows an account's name and gives it a password; both are SQL expressions. */
  identified(plugin: string, password: string): string
  /** What follows an account's name and gives it the limits that the row of mysql.user has, and opens it. */
  attributes: string
  /** Queries, each of which gives statements that give @account what @old_user@'%' has beyond ordinary privileges. */
  grants: string[]
}

/** First of all the log of statements is switched off, then the log of slow ones and the list of recent ones. */
const session = `
set session sql_log_off = 1;
set session long_query_time = 31536000, session min_examined_row_limit = 4294967295;
set session sql_mode = '', session autocommit = 1, session sql_safe_updates = 0, session sql_big_selects = 1,
  session sql_select_limit = 18446744073709551615, session group_concat_max_len = 1048576,
  session lock_wait_timeout = 10;
set names utf8mb4;
update performance_schema.threads set instrumented = 'NO' where processlist_id = connection_id();
`

/** As bytes, for the server's comparisons depend on collations. */
const asBytes = (text: string) => `cast(convert(${text} using utf8mb4) as binary)`
export const isSame = (a: string, b: string) => `${asBytes(a)} = ${asBytes(b)}`

/** An expression's text as a name between backquotes. */
export const named = (text: string) =>
  `concat('\`', replace(convert(${text} using utf8mb4) collate utf8mb4_bin, '\`', '\`\`'), '\`')`

/** The same where a name is a pattern: for the database of that very name. */
const asPattern = ['\\\\', '_', '%'].reduce(
  (text, sign) => `replace(${text}, '${sign}', '\\\\${sign}')`,
  'convert(@database using utf8mb4) collate utf8mb4_bin',
)

const execute = (expression: string) => `
set @statement = ${expression};
prepare statement from @statement;
execute statement;
deallocate prepare statement;
`

/** Of a row of mysql.user, and of those that name an account in the same way. */
export const old = `${isSame('user', '@old_user')} and host = '%'`

const variables = (it: Sql) => `
set @account = concat(${named('@user')}, '@\`%\`');
set @old_account = concat(${named('@old_user')}, '@\`%\`');
set @grantee = concat('''', @old_user, '''@''%''');
set @is_other = not ${isSame('@user', '@old_user')};
set @is_password = @is_other or not ${isSame('@password', '@old_password')};
set @is_root = not ${isSame('@root_password', '@old_root_password')};
set @is_database = not ${isSame('@database', '@old_database')};
${it.judge}`

const prepare = (it: Sql) => `
${execute(`concat('create database if not exists ', ${named('@database')})`)}
${it.unlogged}
${it.trials.map(execute).join('')}
${execute(`if(@is_other, concat('create user if not exists ', @account, coalesce(
    (select ${it.identified('plugin', '@random')} from mysql.user where ${old}),
    ${it.identified("''", '@random')})), 'do 0')`)}
${execute(`coalesce(
  (select concat('alter user ', @account, ${it.attributes}) from mysql.user where @is_other and ${old}), 'do 0')`)}
`

const withGrantOption = "if(is_grantable = 'YES', ' with grant option', '')"

/** Privileges outlive what they are for, and cannot be given to another when that is gone. */
const exists = (columns: string[], table: string, names = columns) => `
   and (${columns.map(asBytes).join(', ')})
    in (select ${names.map(asBytes).join(', ')} from information_schema.${table})`

/** Privileges of one place, as one statement. */
function grantOf(table: string, columns: string[], place: string, more = '', privilege = 'privilege_type') {
  const grouped = [...columns.map(asBytes), 'is_grantable'].join(', ')
  return `
select concat('grant ', group_concat(${privilege} separator ', '), ' on ', ${place}, ' to ', @account,
    ${withGrantOption}, ';')
  from information_schema.${table} where @is_other and ${isSame('grantee', '@grantee')}${more}
 group by ${grouped};`
}

const table = ['table_schema', 'table_name']
const inTable = `${named('table_schema')}, '.', ${named('table_name')}`

const grants = (it: Sql) => `
${grantOf('user_privileges', [], "'*.*'")}
${grantOf('schema_privileges', ['table_schema'], `${named('table_schema')}, '.*'`)}
${grantOf('table_privileges', table, inTable, exists(table, 'tables'))}
${grantOf(
  'column_privileges',
  table,
  inTable,
  exists([...table, 'column_name'], 'columns'),
  `concat(privilege_type, ' (', ${named('column_name')}, ')')`,
)}
select concat('grant ', replace(replace(proc_priv, ',Grant', ''), 'Grant', 'usage'), ' on ', routine_type, ' ',
    ${named('db')}, '.', ${named('routine_name')}, ' to ', @account,
    if(find_in_set('Grant', proc_priv), ' with grant option', ''), ';')
  from mysql.procs_priv where @is_other and ${old}${exists(['db', 'routine_name'], 'routines', [
    'routine_schema',
    'routine_name',
  ])};
select concat('grant proxy on ', ${named('proxied_user')}, '@', ${named('proxied_host')}, ' to ', @account,
    if(with_grant, ' with grant option', ''), ';')
  from mysql.proxies_priv where @is_other and ${old};
${it.grants.map((query) => `${query};`).join('\n')}
select concat('grant all privileges on \`', replace(${asPattern}, '\`', '\`\`'), '\`.* to ', @account, ';')
  from dual where @is_database;
`

/** The old account stays for the objects that it defines. It cannot be locked in the same statement. */
const change = (it: Sql) => `
${it.unlogged}
set @changed = (select group_concat(concat(${named('user')}, '@', ${named('host')}, ${it.identified(
  'plugin',
  `
      case when user = 'root' then @root_password when ${isSame('user', '@user')} then @password else @random end`,
)})
    separator ', ')
  from mysql.user
 where (@is_password and host = '%' and ${isSame('user', '@user')})
    or (@is_other and ${old})
    or (@is_root and user = 'root' and host = '%')
    or (@is_root and user = 'root' and host in ('localhost', '127.0.0.1', '::1') and ${it.hasPassword}));
${execute("if(@changed is null, 'do 0', concat('alter user ', @changed))")}
${execute(`if(@is_other and (select count(*) from mysql.user where ${old}) > 0,
  concat('alter user ', @old_account, ' account lock'), 'do 0')`)}
`

export const sqlOf = (it: Sql) => ({
  session: `${session}${it.session}`,
  variables: variables(it),
  prepare: prepare(it),
  grants: grants(it),
  unlogged: it.unlogged,
  change: change(it),
})
