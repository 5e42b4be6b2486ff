// Logs in, before the program of the caller or the prompt. Works in both shells: mongo (up to 5) and mongosh (since 5).
// The values are in a file, because other programs can read arguments.

db = (function () {
  const path = "{{valuesPath}}";
  const text = typeof process === "object" ? require("fs").readFileSync(path, "utf8") : cat(path);
  const values = JSON.parse(text);
  const admin = new Mongo(typeof process === "object" ? values.mongoshUrl : values.url).getDB("admin");
  if (!admin.auth({ user: values.user, pwd: values.password })) throw new Error("Authentication failed.");
  return admin.getSiblingDB("test");
})();
void 0;
