# Usage: tunnel.pl HOST PORT. Connects standard input and output with a TCP port. The end of the input ends only this
# direction: the server can still answer. The end of the server's answer ends the program.

use strict;
use warnings;
use IO::Socket::INET;
use Socket qw(IPPROTO_TCP TCP_NODELAY);

my ($host, $port) = @ARGV;
my $server = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port, Proto => "tcp", Timeout => 10)
  or die "The server does not answer: $@\n";
setsockopt($server, IPPROTO_TCP, TCP_NODELAY, 1);

sub pass {
  my ($from, $to) = @_;
  while (my $length = sysread($from, my $piece, 65536)) {
    for (my $sent = 0; $sent < $length;) {
      my $written = syswrite($to, $piece, $length - $sent, $sent);
      return unless defined $written;
      $sent += $written;
    }
  }
}

defined(my $child = fork) or die "The tunnel cannot start: $!\n";
if ($child == 0) {
  close STDOUT;
  pass(\*STDIN, $server);
  shutdown($server, 1);
  exit 0;
}
close STDIN;
pass($server, \*STDOUT);
exit 0;
