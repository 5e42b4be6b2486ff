// The end of each program: runs it, and exits with 1 and the message after an error.

try {
  main();
} catch (error) {
  say(error.message);
  quit(1);
}
quit(0);
