// The end of each program: runs the program. After an error, prints the message and exits with 1.

try {
  main();
} catch (error) {
  printLine(error.message);
  quit(1);
}
quit(0);
