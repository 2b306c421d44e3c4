import os, sys
os.execvp(os.environ.get("ARGUS", "argus"), ["argus", "ask", "--", *sys.argv[1:]])
