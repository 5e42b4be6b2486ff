// The end of each program.

try {
  main();
} catch (error) {
  say(error.message);
  quit(1);
}
quit(0);
