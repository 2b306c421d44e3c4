#!/usr/bin/env python3
"""What one call of an MCP server over a real PostgreSQL costs: Argus and npm's @toolbox-sdk/server, side by side.

Both serve streamable HTTP on loopback over one PostgreSQL 15 that is started for the run. One load program with one thread
calls `SELECT 1` and a query of 500 rows over 1, 8 and 32 sessions, in turn, so that both meet the same noise. Printed are
calls per second, CPU of the server per call (user and system, of its whole process), the time of a call, memory, and the
start over stdio until the answer to `initialize`.

What the machine allows is measured in the same run: pgbench says what PostgreSQL gives without a server in between, for the
bare query and within BEGIN READ ONLY and ROLLBACK; mcp_floor is a server that does nothing but the system calls that such
a call needs. `over floor` is a server's CPU per call over that of mcp_floor in its leanest form.

Argus has everything on: token, guard, rate limit (set high enough not to act), audit table in a file. It runs twice: as it
is by default, where an answer waits for its row in the write-ahead log, and with audit_sync=full, where it waits for the disk.
`refused` is a statement that the guard refuses: a call without a database, so that what is left is HTTP, guard and audit row.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
RIG = os.path.join(ROOT, "tests", "real", "postgres.sh")
PGBENCH = "/usr/lib/postgresql/15/bin/pgbench"
SECONDS = float(os.environ.get("MCP_SECONDS", "3"))
ROUNDS = int(os.environ.get("MCP_ROUNDS", "3"))
STARTS = int(os.environ.get("MCP_STARTS", "15"))
TICK = os.sysconf("SC_CLK_TCK")

ONE = "SELECT 1 AS one"
REFUSED = "DROP TABLE one"
MANY = ("SELECT g AS id, 'customer ' || g AS name, (g * 1.25)::numeric(10,2) AS amount, "
        "timestamp '2026-01-01' + g * interval '1 minute' AS at FROM generate_series(1, 500) g")


def cpu(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident(pid):
    with open("/proc/%d/status" % pid, encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS")) / 1024


class Server:
    """A server under measurement: its process, where it listens, how its tool is called."""

    def __init__(self, name, argv, env, port, revision, token, tool, initialize_env=None):
        self.name, self.argv, self.env, self.port = name, argv, env, port
        self.revision, self.token, self.tool = revision, token, tool
        self.process = None

    def request(self, sql):
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": self.tool, "arguments": {"sql": sql}}})

    def load(self, sessions, sql, expect, seconds):
        """One measurement: what the load program says, and CPU of the server per call in microseconds."""
        p = subprocess.Popen([os.environ["LOAD"], str(self.port), "/mcp", str(sessions), str(seconds), self.revision,
                              self.token, self.request(sql), expect], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
        try:
            if p.stdout.readline() != "ready\n":
                sys.exit("mcp: %s: the load could not begin" % self.name)
            before = cpu(self.process.pid)
            p.stdin.write("\n")
            p.stdin.flush()
            line = p.stdout.readline()
            if not line:
                sys.exit("mcp: %s: the load ended early" % self.name)
            got = json.loads(line)
            got["cpu_us"] = (cpu(self.process.pid) - before) * 1e6 / max(got["calls"], 1)
            got["resident_mb"] = resident(self.process.pid)
            return got
        finally:
            p.stdin.close()
            p.wait()


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def toolbox_program(work):
    """The binary of the npm package, fetched once by the lock file; None when it cannot be had."""
    home = os.path.join(ROOT, ".cache", "bench-mcp")
    os.makedirs(home, exist_ok=True)
    binary = os.path.join(home, "node_modules", "@toolbox-sdk", "server-linux-x64", "bin", "toolbox")
    if not os.path.exists(binary) and shutil.which("npm"):
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(os.path.join(HERE, "mcp", name), home)
        with open(os.path.join(work, "npm.log"), "wb") as log:
            subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=home, stdout=log,
                           stderr=log, timeout=600, check=False)
    return binary if os.path.exists(binary) else None


class Floor(Server):
    """mcp_floor.c: the system calls of a call, and nothing else."""

    def __init__(self, form, folder, port):
        super().__init__("floor " + form, [os.environ["FLOOR"], form, folder, port, "8"], None, 0, "2025-06-18", "",
                         "query")

    def start(self):
        self.process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit("mcp: mcp_floor does not start")
        self.port = int(line)


def start_http(server, ready):
    server.process = subprocess.Popen(server.argv, env=server.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(600):
        if ready(server):
            return
        if server.process.poll() is not None:
            sys.exit("mcp: %s ended with %d" % (server.name, server.process.returncode))
        time.sleep(0.05)
    sys.exit("mcp: %s does not answer" % server.name)


def answers(server):
    import http.client
    try:
        c = http.client.HTTPConnection("127.0.0.1", server.port, timeout=1)
        c.request("GET", "/")
        c.getresponse().read()
        return True
    except OSError:
        return False


def cold_start(argv, env, revision):
    """Milliseconds from the start of the process to its answer to initialize, over stdio."""
    times = []
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}}) + "\n"
    for _ in range(STARTS):
        began = time.monotonic()
        p = subprocess.Popen(argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        p.stdin.write(hello.encode())
        p.stdin.flush()
        line = p.stdout.readline()
        times.append((time.monotonic() - began) * 1000)
        if b"protocolVersion" not in line:
            sys.exit("mcp: no answer to initialize: %r" % line[:200])
        p.stdin.close()
        try:
            p.wait(5)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
    return statistics.median(times)


def pgbench(folder, port, text, clients, work):
    script = os.path.join(work, "q.sql")
    with open(script, "w", encoding="utf-8") as f:
        f.write(text)
    out = subprocess.run([PGBENCH, "-n", "-M", "extended", "-f", script, "-c", str(clients), "-T", str(int(SECONDS)),
                          "-h", folder, "-p", port, "-U", "postgres", "postgres"], capture_output=True, text=True,
                         check=False).stdout
    return next((float(x.split("=")[1].split()[0]) for x in out.splitlines() if x.startswith("tps")), 0.0)


def print_database(folder, port, work):
    bare = ONE + ";\n"
    whole = "\\startpipeline\nBEGIN READ ONLY;\n" + bare + "ROLLBACK;\n\\endpipeline\n"
    for what, text in (("SELECT 1", bare), ("in a transaction, one pipeline", whole)):
        for clients in (1, 8):
            print("pgbench        %-30s %8d %12.0f /s" % (what, clients, pgbench(folder, port, text, clients, work)))


def make_servers(work, folder, port):
    env = {"PATH": os.environ.get("PATH", ""), "HOME": work, "LANG": "C.UTF-8"}
    servers, stdio = [], []
    config = os.path.join(work, "argus.yaml")
    with open(config, "w", encoding="utf-8") as f:
        f.write("store: %s\nprojects:\n  bench:\n    source: postgresql://postgres@/postgres?host=%s&port=%s\n"
                "    max_queries_per_minute: 1000000000\n    max_connections: 8\n" %
                (os.path.join(work, "argus.db"), folder, port))
    argus = os.environ["ARGUS"]
    subprocess.run([argus, "project", "grant", "bench", "bench", "viewer", "--config", config, "--quiet"], env=env,
                   check=True, stdout=subprocess.DEVNULL)
    token = subprocess.run([argus, "token", "create", "--user", "bench", "--project", "bench", "--role", "viewer",
                            "--config", config, "--quiet"], env=env, capture_output=True, text=True, check=False)
    found = [w for w in token.stdout.split() if w.startswith("argus_")]
    if not found:
        sys.exit("mcp: no token: " + token.stderr)
    http_port = free_port()
    mine = [argus, "mcp", "--config", config]
    servers.append(Server("argus", mine + ["--http", "--port", str(http_port)], env, http_port, "2025-06-18", found[0],
                          "query"))
    http_port = free_port()
    servers.append(Server("argus full", mine + ["--http", "--port", str(http_port)], dict(env, ARGUS_AUDIT_SYNC="full"),
                          http_port, "2025-06-18", found[0], "query"))
    stdio.append(("argus", mine + ["--project", "bench"], env))
    binary = toolbox_program(work)
    if binary:
        http_port = free_port()
        pg = dict(env, POSTGRES_HOST="127.0.0.1", POSTGRES_PORT=port, POSTGRES_USER="postgres",
                  POSTGRES_PASSWORD="secret", POSTGRES_DATABASE="postgres")
        servers.append(Server("toolbox 1.12", [binary, "--prebuilt", "postgres", "--address", "127.0.0.1", "--port",
                                               str(http_port)], pg, http_port, "2025-06-18", "", "execute_sql"))
        stdio.append(("toolbox 1.12", [binary, "--prebuilt", "postgres", "--stdio"], pg))
    else:
        print("skip - the server of others could not be fetched (npm)")
    return servers, stdio


def measure(servers, floors):
    idle = {}
    for s in servers:
        start_http(s, answers)
        time.sleep(0.5)
        idle[s.name] = resident(s.process.pid)
    for f in floors:
        f.start()
    print("%-14s %-9s %8s %12s %14s %10s %10s %9s" % ("server", "query", "sessions", "calls/s", "CPU us/call", "p50 us",
                                                  "p99 us", "RSS MB"))
    ours = [s for s in servers if s.name.startswith("argus")]
    for what, sql, expect in (("SELECT 1", ONE, "one"), ("500 rows", MANY, "customer 500"),
                              ("refused", REFUSED, "VALIDATION_ERROR")):
        for sessions in (1, 8, 32):
            all_of_them = {ONE: servers + floors, MANY: servers, REFUSED: ours}[sql]
            rows = {s.name: [] for s in all_of_them}
            for _ in range(ROUNDS):
                for s in all_of_them:
                    rows[s.name].append(s.load(sessions, sql, expect, SECONDS))
            middle = {}
            for s in all_of_them:
                m = {k: statistics.median(r[k] for r in rows[s.name])
                     for k in ("per_second", "cpu_us", "p50_us", "p99_us", "resident_mb")}
                middle[s.name] = m
                print("%-14s %-9s %8d %12.0f %14.1f %10.0f %10.0f %9.1f" % (
                    s.name, what, sessions, m["per_second"], m["cpu_us"], m["p50_us"], m["p99_us"], m["resident_mb"]))
            a, b = middle["argus"], middle["argus full"]
            print("%-14s %-9s %8d %11.2fx %13.2fx" % ("full to normal", what, sessions,
                                                     b["per_second"] / a["per_second"], b["cpu_us"] / a["cpu_us"]))
            if len(all_of_them) > len(ours) and servers[-1] not in ours:
                b = middle[servers[-1].name]
                print("%-14s %-9s %8d %11.2fx %13.2fx" % ("to toolbox", what, sessions,
                                                         a["per_second"] / b["per_second"], a["cpu_us"] / b["cpu_us"]))
            if sql == ONE:
                least = min(middle[f.name]["cpu_us"] for f in floors)
                print("%-14s %-9s %8d %12s %13.2fx" % ("over floor", what, sessions, "",
                                                       middle[servers[0].name]["cpu_us"] / least))
    for s in servers:
        print("%-14s idle %.1f MB" % (s.name, idle[s.name]))


def main():
    work = tempfile.mkdtemp(prefix="argus-bench-mcp-")
    servers, floors = [], []
    os.chmod(work, 0o755)
    started = subprocess.run([RIG, "start", os.path.join(work, "pg")], capture_output=True, text=True, check=False)
    if started.returncode:
        sys.exit("mcp: " + started.stderr)
    folder, port = started.stdout.split()
    try:
        servers, stdio = make_servers(work, folder, port)
        floors = [Floor(form, folder, port) for form in ("epoll", "few", "threads")]
        measure(servers, floors)
        print_database(folder, port, work)
        for name, argv, env in stdio:
            print("%-14s cold start to initialize over stdio: %.1f ms" % (name, cold_start(argv, env, "2025-06-18")))
    finally:
        for s in servers + floors:
            if s.process and s.process.poll() is None:
                s.process.terminate()
                s.process.wait()
        subprocess.run([RIG, "stop", os.path.join(work, "pg")], check=False)
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
