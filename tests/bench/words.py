"""What the page says around its figures."""

INTRODUCTION = """\
What Placet costs, beside two libraries that make Python programs durable and beside the floor:
pgbench, PostgreSQL's own client, which writes a transition's rows and nothing more. Everybody on
one server, in one run, in turn, who begins another each time; medians of five. Figures of another
machine differ; what can be compared are the ratios. `make bench` measures anew and writes this
page."""

BINDS = """\
What binds is what PostgreSQL and its client do for one call, not the disk. A transition of Placet
is one statement and one commit (`tests/engine/test_one_statement.py` counts). Taken apart on a
machine that made 1,240 transitions a second, a call that does nothing took 80 µs as its caller saw
it, one insert with its commit 250 µs, a transition about 500 µs, and the worker's own Python about
100 µs more; a run's beginning, claim, resumption and end, shared out among its 20 transitions,
added 130 µs to each. In the door the largest shares are the insert and the update themselves, what
PL/pgSQL sets up anew in each transaction, and PostgreSQL reading the CHECKs of the run for each
statement. The floor is therefore the bound of every other ratio: where it is itself less than ten
times a peer, no engine on this server is ten times that peer with one commit a transition. An
effect, from the approval to the end of its run, is nine transitions (the decision, the claim, the
resumption, prepare, intend, record, verify, commit, the run's end), one more statement that keeps
what the target said, and one message."""

FAIRNESS = """\
## How it is measured

- One embedded PostgreSQL, a database for each contestant; `synchronous_commit` and `fsync` are on
  as always. Checkpoints and vacuum are kept out of the measured time for everybody.
- A transition is one node: the seconds between a node's beginning and the next one's. A run's
  start, claim and end are within the measured time and count as no transition.
- DBOS: a `@DBOS.workflow` whose nodes are `@DBOS.step`s that return what they change. LangGraph: a
  compiled graph, `PostgresSaver` on a pool as documented, `durability="sync"`; a saver lets one
  thread in at a time, so each thread has its own. Placet: what the Celery task calls for a run.
  Each process is warmed up; runs are started by the process that works on them.
- The state is words and figures, as compressible as what people write.
- Statements are those in the server's own log; commits are those that the server counts, the
  pollings of a contestant's background threads among them.
- Two processes of eight runs: two Python processes with eight threads each, for everybody."""
