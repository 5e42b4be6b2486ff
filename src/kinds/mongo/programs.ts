/**
 * What runs inside MongoDB's containers: `ready` and `rotate`, in JavaScript that both of its shells understand (mongo
 * up to 5, mongosh from 5 on). The texts are fixed: a caller's texts come as one line of JSON on standard input.
 */
import type { Address, Exec } from '../kind.ts'
import { authorityOf } from '../url.ts'

export interface Login {
  databaseUser: string
  databasePassword: string
}

/**
 * Runs the shell on a home of its own in the container's memory: no history, no log, no telemetry. It reads the values
 * from a third channel, for mongosh looks at its standard input by itself. The old shell is preferred: where it is, it
 * is as old as its server, which a newer driver may refuse. Only what is said to Berth comes out, unless it is nothing.
 */
const wrapper = String.raw`
umask 077
home=$(mktemp -d /dev/shm/.berth.XXXXXX 2>/dev/null || mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT
trap 'exit 1' HUP INT TERM
export HOME="$home"
shell=mongo
if ! command -v mongo >/dev/null; then
  shell=mongosh
  mkdir -p "$home/.mongodb/mongosh"
  echo '{"enableTelemetry":false,"disableLogging":true,"updateURL":""}' >"$home/.mongodb/mongosh/config"
fi
values() {
  head -n 1
  head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}
said=$(values | timeout "$1" "$shell" --nodb --norc --quiet --eval "$2" 3<&0 </dev/null 2>&1)
code=$?
plain=$(printf '%s\n' "$said" | sed -n 's/^berth: //p')
if [ "$code" = 0 ]; then
  [ -z "$plain" ] || printf '%s\n' "$plain"
  exit 0
fi
[ "$code" != 124 ] || plain="no answer within $1 seconds"
printf '%s\n' "$${'{'}plain:-$said}" >&2
exit 1
`

/** What both programs begin with. The shells differ in how a command fails: an answer that says so, or an exception. */
const prelude = String.raw`
const channel = "/dev/fd/3";
const lines = (typeof process === "object" ? require("fs").readFileSync(channel, "utf8") : cat(channel)).split("\n");
const given = JSON.parse(lines[0]);
const say = (text) => print("berth: " + String(text).split("\n").join(" "));

function run(admin, command) {
  try {
    const answer = admin.runCommand(command);
    return answer;
  } catch (error) {
    return { ok: 0, code: error.code, errmsg: error.message };
  }
}

function must(admin, command) {
  const answer = run(admin, command);
  if (answer.ok !== 1) throw new Error(Object.keys(command)[0] + ": " + answer.errmsg);
  return answer;
}

function connect() {
  return new Mongo(given.url).getDB("admin");
}

function login() {
  const admin = connect();
  const done = admin.auth({ user: given.user, pwd: given.password });
  if (!done) throw new Error("Authentication failed.");
  return admin;
}

const infoOf = (user) => ({ usersInfo: { user: user, db: "admin" }, showAuthenticationRestrictions: true });
`

const ending = `
try {
  main();
} catch (error) {
  say(error.message);
  quit(1);
}
quit(0);
`

/**
 * Every user may ask who it is, and nobody else may ask anything (13: Unauthorized). A server without authentication
 * knows its users too, and would let them in with a password or without.
 */
const readyProgram = `${prelude}
function main() {
  const admin = login();
  const asked = { usersInfo: { user: given.user, db: "admin" } };
  must(admin, asked);
  const stranger = run(connect(), asked);
  if (stranger.ok === 1) {
    throw new Error("It lets in whoever does not log in: take what turns authentication off out of the command");
  }
  if (stranger.code !== 13) throw new Error("Without a login: " + stranger.errmsg);
  say(must(admin, { buildInfo: 1 }).version.split(".").slice(0, 2).join("."));
}
${ending}`

/**
 * One command gives the new user all that it needs, and only then a second one gives the old user a password that
 * nobody knows: in between both hold. Written to the disk before it counts, so that no crash brings the old one back.
 */
const rotateProgram = `${prelude}
const durable = { w: "majority", j: true, wtimeout: 10000 };

function main() {
  const admin = login();
  const old = must(admin, infoOf(given.user)).users[0];
  if (given.newUser === given.user) {
    must(admin, secretOf(given.user, given.newPassword, old));
    return;
  }
  const there = must(admin, infoOf(given.newUser)).users[0];
  must(admin, there ? updated(old, there) : created(old));
  must(admin, secretOf(given.user, lines[1], old));
}

/** The mechanisms that a user has are kept; servers before 4.0 know none. */
function secretOf(user, password, old) {
  const command = { updateUser: user, pwd: password, writeConcern: durable };
  if (old.mechanisms) command.mechanisms = old.mechanisms;
  return command;
}

function created(old) {
  const command = { createUser: given.newUser, pwd: given.newPassword, roles: old.roles, writeConcern: durable };
  ["customData", "mechanisms", "authenticationRestrictions"].forEach((name) => {
    if (old[name]) command[name] = old[name];
  });
  return command;
}

/** A user that exists keeps the roles that it has, and its own custom data. */
function updated(old, there) {
  const command = secretOf(given.newUser, given.newPassword, old);
  const key = (role) => JSON.stringify([role.db, role.role]);
  const held = there.roles.map(key);
  command.roles = there.roles.concat(old.roles.filter((role) => held.indexOf(key(role)) < 0));
  command.authenticationRestrictions = old.authenticationRestrictions || [];
  return command;
}
${ending}`

/** What admin has is the server's, and its users log in: a restore leaves what is not in the archive. */
const dropText = `${prelude}
function main() {
  const admin = login();
  if (given.database !== "admin") must(admin.getSiblingDB(given.database), { dropDatabase: 1 });
}
${ending}`

/** Drops the database with all that is in it but its users. */
export const dropProgram = (it: Login, address: Address, database: string): Exec =>
  program('600', dropText, { ...loginOf(it, address), database })

/**
 * The databases by name, and what is in the server's own. Users of a database come with its dump; all are listed, with
 * the hashes of their passwords but for the one that logs in. Keys are in order: the server gives them in any.
 */
const listText = `${prelude}
function ordered(it) {
  if (it === null || typeof it !== "object") return it;
  if (Array.isArray(it)) return it.map(ordered).map((one) => JSON.stringify(one)).sort();
  const found = {};
  Object.keys(it).sort().forEach((key) => { found[key] = ordered(it[key]); });
  return found;
}

function hex(text) {
  const bytes = unescape(encodeURIComponent(text)).split("");
  return bytes.map((sign) => ("0" + sign.charCodeAt(0).toString(16)).slice(-2)).join("");
}

function all(admin, command) {
  const cursor = must(admin, command).cursor;
  if (String(cursor.id).replace(/[^0-9]/g, "") !== "0") throw new Error("There are too many users or roles");
  return cursor.firstBatch;
}

function main() {
  const admin = login();
  const line = (sort, value) => say(sort + "\\t" + value);
  must(admin, { listDatabases: 1, nameOnly: true }).databases.forEach((it) => {
    if (["admin", "config", "local"].indexOf(it.name) < 0) line("database", hex(it.name));
  });
  ["users", "roles"].forEach((sort) => all(admin, { find: "system." + sort, batchSize: 100000 }).forEach((it) => {
    delete it.userId;
    if (it.db === "admin" && it.user === given.user) delete it.credentials;
    line(it.db === "admin" ? sort + " of the server" : sort, it._id + "\\t" + JSON.stringify(ordered(it)));
  }));
  all(admin, { listCollections: 1, cursor: { batchSize: 100000 } }).forEach((it) => {
    if (!/^system\\./.test(it.name)) line("collection of the database admin", JSON.stringify(it.name));
  });
}
${ending}`

export const listProgram = (it: Login, address: Address): Exec => program('60', listText, loginOf(it, address))

export function ready(it: Login, address: Address): Exec {
  return program('9', readyProgram, loginOf(it, address))
}

export function rotate(from: Login, to: Login, address: Address): Exec {
  const wanted = { newUser: to.databaseUser, newPassword: to.databasePassword }
  return program('28', rotateProgram, { ...loginOf(from, address), ...wanted })
}

function loginOf({ databaseUser, databasePassword }: Login, address: Address) {
  const options = 'directConnection=true&connectTimeoutMS=3000&serverSelectionTimeoutMS=5000'
  return { url: `mongodb://${authorityOf(address)}/?${options}`, user: databaseUser, password: databasePassword }
}

/** In ASCII, whatever the container's locale. */
function program(seconds: string, text: string, values: Record<string, string>): Exec {
  const json = JSON.stringify(values).replace(/[^ -~]/g, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return { argv: ['sh', '-c', wrapper, 'berth', seconds, text], env: {}, stdin: `${json}\n` }
}
