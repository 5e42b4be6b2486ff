// The beginning of each program. Works in both shells: mongo (up to 5) and mongosh (since 5). If a command fails, mongo
// returns a response with the error, and mongosh throws.

const channel = "/dev/fd/3";
const lines = (typeof process === "object" ? require("fs").readFileSync(channel, "utf8") : cat(channel)).split("\n");
const input = JSON.parse(lines[0]);
const printLine = (text) => print("berth: " + String(text).split("\n").join(" "));

function run(admin, command) {
  try {
    const response = admin.runCommand(command);
    return response;
  } catch (error) {
    return { ok: 0, code: error.code, errmsg: error.message };
  }
}

function runOrThrow(admin, command) {
  const response = run(admin, command);
  if (response.ok !== 1) throw new Error(Object.keys(command)[0] + ": " + response.errmsg);
  return response;
}

function connect() {
  return new Mongo(typeof process === "object" ? input.mongoshUrl : input.url).getDB("admin");
}

function login() {
  const admin = connect();
  const isLoggedIn = admin.auth({ user: input.user, pwd: input.password });
  if (!isLoggedIn) throw new Error("Authentication failed.");
  return admin;
}

const infoOf = (user) => ({ usersInfo: { user: user, db: "admin" }, showAuthenticationRestrictions: true });
