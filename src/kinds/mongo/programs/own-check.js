// Logs in with Berth's own account. Fails if it does not have the role root.

function main() {
  const { users } = runOrThrow(login(), infoOf(input.user));
  const roles = users[0].roles;
  if (!roles.some((role) => role.role === "root" && role.db === "admin")) throw new Error("The role root is missing");
}
