// Drops the database, except its users. The database `admin` belongs to the server and is not dropped.

function main() {
  const admin = login();
  if (input.database !== "admin") runOrThrow(admin.getSiblingDB(input.database), { dropDatabase: 1 });
}
