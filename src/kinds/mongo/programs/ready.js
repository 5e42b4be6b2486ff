// Logs in and prints the version. Fails if a client without a login can run commands (error 13 is Unauthorized),
// because a server without authentication accepts every password.

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
