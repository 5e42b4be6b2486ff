// Logs in and prints the version. Fails where a client without a login may ask anything (13 is Unauthorized): a server without
// authentication knows its users too, and would let them in with any password.

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
