// The beginning of each program. Works in both shells: mongo (up to 5) and mongosh (from 5 on). They report a failed
// command differently: one returns an answer with the error, the other throws.

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
